#include "gpu/execution/readback.h"

#include <cstring>
#include <stdexcept>

namespace gpu {

void settle(const Event& event) noexcept {
  try {
    event.wait();
  } catch (const CudaError&) {}
}

Readback::Readback(Device device, std::size_t bytes) : memory_(bytes, is_gpu(device)) {
  if (is_gpu(device)) event_.emplace();
}

Readback::~Readback() {
  if (event_) settle(*event_);  // nothing may still write to the memory that goes
}

void Readback::queue(Context& context, std::string_view name, const void* from, std::size_t bytes) {
  if (bytes > memory_.size()) throw std::length_error("a read-back of more bytes than its capacity");
  if (context.is_dry()) return context.call({name, SpanKind::transfer}, [](cudaStream_t) {});
  size_ = bytes;
  if (!event_) {
    std::memcpy(memory_.data(), from, bytes);
    return;
  }
  context.call({name, SpanKind::transfer}, [&](cudaStream_t stream) {
    check(cudaMemcpyAsync(memory_.data(), from, bytes, cudaMemcpyDeviceToHost, stream));
    event_->record(stream);  // within the span: the next one may begin where this one ends
  });
}

bool Readback::arrived() const { return !event_ || event_->passed(); }
void Readback::wait() const {
  if (event_) event_->wait();
}

}  // namespace gpu
