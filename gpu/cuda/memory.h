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
}  // namespace detail

// `size()` elements on one device.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(std::size_t size, Device device)
      : data_(static_cast<T*>(detail::allocate(size * sizeof(T), device))), size_(size), device_(device) {}
  ~Buffer() { detail::release(data_, device_); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(device_, other.device_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  Device device() const { return device_; }
  std::span<T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Device device_ = Device::host;
};

// Host memory that the GPU can copy from and to without a staging copy. Without a GPU (`locked` false) it is ordinary
// memory, so that callers need no distinction.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  PinnedBuffer(std::size_t size, bool locked)
      : data_(static_cast<T*>(detail::allocate_pinned(size * sizeof(T), locked))), size_(size), locked_(locked) {}
  ~PinnedBuffer() { detail::release_pinned(data_, locked_); }
  PinnedBuffer(PinnedBuffer&& other) noexcept { swap(other); }
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    PinnedBuffer(std::move(other)).swap(*this);
    return *this;
  }
  void swap(PinnedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(locked_, other.locked_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool locked() const { return locked_; }
  std::span<T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  bool locked_ = false;
};

}  // namespace gpu
