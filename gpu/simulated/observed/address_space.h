// AddressSpace: what an address means to device code: global memory, its block's shared memory, its own memory, or memory
// that it must not touch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/simulated/block.h"
#include "gpu/simulated/heap.h"

namespace gpu::simulated {

class AddressSpace {
 public:
  explicit AddressSpace(const Heap& heap);

  enum class Kind { global, shared, own, nothing };
  // The kind of `bytes` bytes; `nothing` if any lies outside. own: the stacks of the block's threads, and constants and
  // other static data of the program that contains this code.
  Kind kind_of(const Block& block, const void* at, std::size_t bytes) {
    if (heap_.owns(at)) {
      if (known_[0].contains(at, bytes)) return Kind::global;
      return in_allocation(at, bytes) ? Kind::global : Kind::nothing;
    }
    if (const auto offset = block.shared().offset_of(at); offset < SharedSpace::page_bytes)
      return block.shared().in_one_area(offset, bytes) ? Kind::shared : Kind::nothing;
    return block.owns_stack(at) || in_image(at, bytes) ? Kind::own : Kind::nothing;
  }
  // For an address that is `nothing`: its nearest memory, "4 bytes past the end of an allocation of 1024 bytes".
  std::string describe(const Block& block, const void* at) const;
  void forget();  // the cached allocations; call after one was made or released

 private:
  bool in_allocation(const void* at, std::size_t bytes);
  bool in_image(const void* at, std::size_t bytes) const;

  const Heap& heap_;
  std::array<Heap::Range, 4> known_{};  // most recently used first: image, table, workspace
  std::vector<Heap::Range> image_;      // its segments
};

}  // namespace gpu::simulated
