#include "gpu/simulated/heap.h"

#include <sys/mman.h>

namespace gpu::simulated {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t large = std::size_t{4} << 20;  // from here on: huge pages, returned to the system when released

}  // namespace

Heap::Heap() {
  begin_ = static_cast<std::byte*>(reserve_addresses(reserved_bytes));
  top_ = begin_ + page;  // a gap before the first allocation, too
}

Heap::~Heap() { munmap(begin_, reserved_bytes); }

void* Heap::allocate(std::size_t bytes) {
  if (bytes > reserved_bytes / 2) return nullptr;
  const std::size_t room = (bytes + page - 1) / page * page + page;  // at least a page of gap
  const std::lock_guard lock(mutex_);
  std::byte* at = nullptr;
  std::size_t taken = room;
  if (const auto found = free_.lower_bound(room); found != free_.end() && found->first < 2 * room) {
    taken = found->first;
    at = found->second;
    free_.erase(found);
  } else {
    if (room > reserved_bytes - static_cast<std::size_t>(top_ - begin_)) return nullptr;
    at = top_;
    top_ += room;
  }
  used_[at] = {bytes, taken};
  if (bytes >= large) madvise(at, taken, MADV_HUGEPAGE);
  return at;
}

bool Heap::release(void* data) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(static_cast<std::byte*>(data));
  if (found == used_.end()) return false;
  if (found->second.room > large) madvise(found->first, found->second.room, MADV_DONTNEED);
  free_.emplace(found->second.room, found->first);
  used_.erase(found);
  return true;
}

std::optional<Heap::Range> Heap::at_or_before(const void* address) const {
  const std::lock_guard lock(mutex_);
  auto after = used_.upper_bound(static_cast<std::byte*>(const_cast<void*>(address)));
  if (after == used_.begin()) return {};
  --after;
  return Range{after->first, after->second.bytes};
}

std::optional<Heap::Range> Heap::first_after(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto after = used_.upper_bound(static_cast<std::byte*>(const_cast<void*>(address)));
  if (after == used_.end()) return {};
  return Range{after->first, after->second.bytes};
}

std::vector<Heap::Range> Heap::allocations() const {
  const std::lock_guard lock(mutex_);
  std::vector<Range> ranges;
  ranges.reserve(used_.size());
  for (const auto& [data, block] : used_) ranges.push_back({data, block.bytes});
  return ranges;
}

}  // namespace gpu::simulated
