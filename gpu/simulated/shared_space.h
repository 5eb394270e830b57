// SharedSpace: the shared memory of one resident block: the dynamic bytes of its launch, and an area for each static
// variable, placed when a thread first uses it. Gaps around the areas let an observer see an access past the end of one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpu::simulated {

class SharedSpace {
 public:
  // Bytes per block (CUDA C++ Programming Guide, "Compute Capabilities", 9.0): the maximum, and the limit of kernels
  // without permission for more dynamic bytes; static variables never exceed the latter.
  static constexpr std::size_t capacity = 227 * 1024, usual_capacity = 48 * 1024;

  SharedSpace();
  ~SharedSpace();
  SharedSpace(const SharedSpace&) = delete;
  SharedSpace& operator=(const SharedSpace&) = delete;

  // For the next block, whose dynamic bytes and static variables together take at most `limit`, one of the two above.
  // The memory keeps its contents, as on a GPU.
  void begin(std::size_t dynamic_bytes, std::size_t limit);
  std::byte* dynamic() const { return pages_ + areas_[0].offset; }
  // The area that belongs to `key`; null if there is no room for it.
  std::byte* find_or_place(const void* key, std::size_t bytes, std::size_t alignment);
  std::size_t used() const { return used_; }  // by all areas

  // Addresses as offsets: 0 to extent() in the areas and the gaps before them, page_bytes or more elsewhere.
  std::size_t offset_of(const void* at) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(at) - pages_);
  }
  std::size_t extent() const { return areas_.back().offset + areas_.back().bytes; }
  bool in_one_area(std::size_t offset, std::size_t bytes) const;
  // For an offset outside all areas: "4 bytes past the end of a shared array of 64 bytes".
  std::string describe(std::size_t offset) const;

  static constexpr std::size_t page_bytes = 2 * capacity;  // with room for gaps

 private:
  struct Area {
    const void* key;
    std::size_t offset, bytes;
  };

  std::byte* pages_;
  std::vector<Area> areas_;  // never empty: the dynamic bytes come first
  std::size_t dynamic_bytes_ = 0, used_ = 0, limit_ = 0;
};

}  // namespace gpu::simulated
