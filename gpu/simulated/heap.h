// The simulated GPU's memory: one reserved range of addresses, so that an address shows whether it is device memory, and
// which allocation it lies in.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace gpu::simulated {

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

}  // namespace gpu::simulated
