// SharedSpace: the shared memory of one resident block: the bytes that its launch asked for, and an area for each static
// variable, placed when a thread first names it. Gaps around the areas let an observer see an access that runs past one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpu::simulated {

class SharedSpace {
 public:
  static constexpr std::size_t capacity = 228 * 1024;  // of all areas together; compute capability 9.0

  SharedSpace();
  ~SharedSpace();
  SharedSpace(const SharedSpace&) = delete;
  SharedSpace& operator=(const SharedSpace&) = delete;

  // For the next block, which has `dynamic_bytes` of them, at most `capacity`. What the memory held stays, as on a GPU.
  void begin(std::size_t dynamic_bytes);
  std::byte* dynamic() const { return pages_ + areas_[0].offset; }
  // The area that belongs to `key`; null where the capacity does not suffice.
  std::byte* find_or_place(const void* key, std::size_t bytes, std::size_t alignment);
  std::size_t used() const { return used_; }  // by all areas

  // Addresses as offsets: from 0 to extent() in areas and the gaps before them, at least page_bytes elsewhere.
  std::size_t offset_of(const void* at) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(at) - pages_);
  }
  std::size_t extent() const { return areas_.back().offset + areas_.back().bytes; }
  bool in_one_area(std::size_t offset, std::size_t bytes) const;
  // For an offset outside of every area: "4 bytes past the end of a shared array of 64 bytes".
  std::string describe(std::size_t offset) const;

  static constexpr std::size_t page_bytes = 2 * capacity;  // with room for gaps

 private:
  struct Area {
    const void* key;
    std::size_t offset, bytes;
  };

  std::byte* pages_;
  std::vector<Area> areas_;  // never empty: the dynamic bytes come first
  std::size_t used_ = 0;
};

}  // namespace gpu::simulated
