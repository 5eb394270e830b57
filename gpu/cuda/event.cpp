#include "gpu/cuda/event.h"

#include <utility>

#include "gpu/cuda/error.h"

namespace gpu {

Event::Event(Timing timing) {
  check(cudaEventCreateWithFlags(&event_, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming));
}
Event::~Event() {
  if (event_) cudaEventDestroy(event_);
}
Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}

void Event::record(cudaStream_t stream, Scope scope) {
  check(scope == Scope::capture ? cudaEventRecord(event_, stream)
                                : cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
}

void Event::delay(cudaStream_t stream, Scope scope) const {
  check(cudaStreamWaitEvent(stream, event_, scope == Scope::capture ? cudaEventWaitDefault : cudaEventWaitExternal));
}

bool Event::passed() const {
  const auto code = cudaEventQuery(event_);
  if (code == cudaErrorNotReady) return cudaGetLastError(), false;
  check(code);
  return true;
}

void Event::wait() const { check(cudaEventSynchronize(event_)); }

double Event::microseconds_since(const Event& earlier) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
  return static_cast<double>(milliseconds) * 1000.0;
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
Stream::~Stream() { cudaStreamDestroy(stream_); }

}  // namespace gpu
