// The simulated GPU's memory.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpu::simulated {

// Memory in pages from the operating system: ranges of addresses in which only touched pages cost memory.
//
// Zeroed. Throws std::bad_alloc. munmap() releases it.
inline void* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

// The same for ranges far larger than any memory. A system that limits addresses refuses these even if there is enough
// memory, so that a smaller image would not help: throws std::runtime_error, which names the limit.
inline void* reserve_addresses(std::size_t bytes) try { return map_pages(bytes); } catch (const std::bad_alloc&) {
  rlimit addresses{};
  const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  throw std::runtime_error("the simulated GPU reserves " + std::to_string(bytes >> 30) + " GiB of addresses, which " +
                           (limited ? "this system's limit forbids: raise ulimit -v"
                                    : "this system refuses: set vm.overcommit_memory to 0 or 1"));
}

// One reserved range of addresses, so that an address shows whether it is device memory, and which allocation it lies in.
class Heap {
 public:
  Heap();  // throws std::runtime_error if the address space is limited
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // 256-byte aligned, uninitialised, with a gap before the first allocation and between any two. nullptr if there is no
  // room.
  void* allocate(std::size_t bytes);
  bool release(void* data);  // false if it is not an allocation

  struct Range {
    std::byte* data;
    std::size_t bytes;
    bool contains(const void* at, std::size_t size) const {
      const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(at) - data);
      return offset < bytes && size <= bytes - offset;
    }
  };
  bool owns(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_) < reserved_bytes;
  }
  std::byte* begin() const { return begin_; }
  // The allocation that contains `address`, otherwise the last one before it.
  std::optional<Range> at_or_before(const void* address) const;
  std::optional<Range> first_after(const void* address) const;
  std::vector<Range> allocations() const;

  static constexpr std::size_t reserved_bytes = std::size_t{1} << 38;  // untouched pages cost nothing

 private:
  struct Block {
    std::size_t bytes, room;  // requested; occupied, with the gap
  };
  mutable std::mutex mutex_;
  std::byte *begin_ = nullptr, *top_ = nullptr;
  std::map<std::byte*, Block> used_;
  std::multimap<std::size_t, std::byte*> free_;  // by room
};

// The memory of a CUDA array, which kernels access only through a surface.
class SurfaceMemory {
 public:
  SurfaceMemory(std::size_t width, std::size_t height, std::size_t element_bytes)
      : row_bytes_(width * element_bytes), height_(height), data_(row_bytes_ * height) {}

  // A surface object is the address of its array.
  static SurfaceMemory& of(unsigned long long surface) { return *reinterpret_cast<SurfaceMemory*>(surface); }

  bool holds(int x_bytes, int y, std::size_t bytes) const {
    return x_bytes >= 0 && y >= 0 && static_cast<std::size_t>(y) < height_ &&
           static_cast<std::size_t>(x_bytes) + bytes <= row_bytes_;
  }
  std::byte* at(std::size_t x_bytes, std::size_t y) { return data_.data() + y * row_bytes_ + x_bytes; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t height() const { return height_; }

 private:
  std::size_t row_bytes_, height_;
  std::vector<std::byte> data_;
};

}  // namespace gpu::simulated
