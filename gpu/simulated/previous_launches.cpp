#include "gpu/simulated/previous_launches.h"

#include <cstring>
#include <utility>

namespace gpu::simulated {

void HeapCopy::take(const Heap& heap) {
  constexpr std::size_t most = std::size_t{256} << 20;
  allocations_ = heap.allocations();
  std::size_t bytes = 0;
  for (const auto& range : allocations_) bytes += range.bytes;
  if (bytes > most) return allocations_.clear();
  bytes_.resize(bytes);
  auto* to = bytes_.data();
  for (const auto& range : allocations_) {
    std::memcpy(to, range.data, range.bytes);
    to += range.bytes;
  }
}

void HeapCopy::restore() const {
  const auto* from = bytes_.data();
  for (const auto& range : allocations_) {
    std::memcpy(range.data, from, range.bytes);
    from += range.bytes;
  }
}

void HeapCopy::restore_unless_changed(const HeapCopy& begun, bool last) const {
  std::size_t at = 0;
  for (const auto& range : allocations_) {
    for (std::size_t i = 0; i < range.bytes; ++i, ++at) {
      const bool changed = range.data[i] != begun.bytes_[at], by_both = bytes_[at] != begun.bytes_[at];
      if (!changed || (by_both && !last)) range.data[i] = bytes_[at];
    }
  }
}

Beside PreviousLaunches::begin(bool dependent, bool copies) {
  beside_ = !dependent || !known_ ? Beside::nothing : chained_ ? Beside::chain : Beside::previous;
  if (beside_ == Beside::nothing || !copies) early_.clear();
  copies ? now_.take(heap_) : now_.clear();
  runs_early_ = !early_.empty() && !now_.empty();
  return beside_;
}

void PreviousLaunches::end(bool lets_next_start_early) {
  chained_ = beside_ != Beside::nothing && lets_next_start_early;
  if (!chained_) std::swap(early_, now_);
  known_ = true;
}

void PreviousLaunches::forget() {
  known_ = false;
  early_.clear();
}

}  // namespace gpu::simulated
