#include "app/gl/readback_ring.h"

#include <algorithm>
#include <utility>

namespace app::gl {

std::uint64_t ReadbackRing::queue(gpu::Context& context, Picture picture) {
  if (!slots_) slots_.emplace();
  Slot& slot = slot_for_next();
  if (slot.pixels.size() < picture.size().pixels()) {
    if (slot.order) slot.arrived.wait();  // its memory may still be written
    slot.order = 0;
    slot.pixels = {};
    slot.pixels = gpu::PinnedBuffer<gpu::Rgba>(picture.size().pixels(), true);
  }
  const auto row_bytes = static_cast<std::size_t>(picture.width) * sizeof(gpu::Rgba);
  context.call({"copy to texture", gpu::SpanKind::transfer}, [&](cudaStream_t stream) {
    return cudaMemcpy2DAsync(slot.pixels.data(), row_bytes, picture.data,
                             static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba), row_bytes,
                             static_cast<std::size_t>(picture.height), cudaMemcpyDeviceToHost, stream);
  });
  slot.arrived.record(context.stream());
  slot.size = picture.size();
  return slot.order = ++queued_;
}

// A free slot; otherwise the newest: its copy runs before the new one, in stream order, and is not read yet.
ReadbackRing::Slot& ReadbackRing::slot_for_next() {
  for (Slot& slot : slots_->slots)
    if (slot.order == 0) return slot;
  return *newest();
}

ReadbackRing::Slot* ReadbackRing::newest() {
  if (!slots_) return nullptr;
  Slot* slot = std::ranges::max_element(slots_->slots, {}, &Slot::order);
  return slot->order ? slot : nullptr;
}

std::optional<ReadbackRing::Picture> ReadbackRing::take() {
  if (!slots_) return std::nullopt;
  Slot* latest = nullptr;
  for (Slot& slot : slots_->slots) {
    if (slot.order == 0) continue;
    if (!slot.arrived.passed()) continue;
    if (latest && latest->order > slot.order) {
      slot.order = 0;
      continue;
    }
    if (latest) latest->order = 0;
    latest = &slot;
  }
  if (!latest) return std::nullopt;
  taken_ = std::exchange(latest->order, 0);
  return Picture{latest->pixels.data(), latest->size.width, latest->size.height, latest->size.width};
}

std::optional<ReadbackRing::Picture> ReadbackRing::wait_and_take() {
  if (Slot* slot = newest()) slot->arrived.wait();
  return take();
}

void ReadbackRing::drop() noexcept {
  if (!newest()) return;
  // A slot may be reused only when nothing writes it; a GPU that fails here does not write.
  try {
    newest()->arrived.wait();
  } catch (const gpu::CudaError&) {}
  for (Slot& slot : slots_->slots) slot.order = 0;
}

}  // namespace app::gl
