// Owners of memory: Buffer (host or device) and PinnedBuffer (page-locked host memory). Move-only, uninitialised.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "gpu/cuda/device.h"

namespace gpu {
namespace detail {
// `bytes` bytes of uninitialised memory, at least 256-byte aligned; nullptr for 0 bytes. Throws CudaError, or std::bad_alloc
// on the host.
void* allocate(std::size_t bytes, Device device);
void release(void* data, Device device) noexcept;
// Page-locked if `locked`, otherwise ordinary host memory.
void* allocate_pinned(std::size_t bytes, bool locked);
void release_pinned(void* data, bool locked) noexcept;

// `size()` elements of memory, of which `allocate` and `release` know the place.
template <class T, class Place, void* (*allocate)(std::size_t, Place), void (*release)(void*, Place) noexcept>
class OwnedMemory {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  OwnedMemory() = default;
  OwnedMemory(std::size_t size, Place place)
      : data_(static_cast<T*>(allocate(size * sizeof(T), place))), size_(size), place_(place) {}
  ~OwnedMemory() { release(data_, place_); }
  OwnedMemory(OwnedMemory&& other) noexcept { swap(other); }
  OwnedMemory& operator=(OwnedMemory&& other) noexcept {
    OwnedMemory(std::move(other)).swap(*this);
    return *this;
  }
  void swap(OwnedMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(place_, other.place_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> span() const { return {data_, size_}; }

 protected:
  Place place() const { return place_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Place place_{};
};
}  // namespace detail

// On one device.
template <class T>
class Buffer : public detail::OwnedMemory<T, Device, detail::allocate, detail::release> {
 public:
  using Buffer::OwnedMemory::OwnedMemory;
  Device device() const { return this->place(); }
};

// Host memory that the GPU can copy from and to without a staging copy. Without a GPU (`locked` false) it is ordinary
// memory, so that callers need no distinction.
template <class T>
class PinnedBuffer : public detail::OwnedMemory<T, bool, detail::allocate_pinned, detail::release_pinned> {
 public:
  using PinnedBuffer::OwnedMemory::OwnedMemory;
  bool locked() const { return this->place(); }
};

}  // namespace gpu
