// PersistentMemory: data that one run leaves for the next. Slots that contain the number of the run that wrote them need not
// be cleared before each run, only before the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/memory.h"

namespace gpu {

// Returned by Context::persistent(). `run`: how many runs there were since the memory was cleared; 0 in the first.
template <class T>
struct Persistent {
  T* data = nullptr;
  std::uint32_t run = 0;
};

// A pipeline keeps one for its contexts. A dry replay records what a run will ask for, reserve() allocates it, and runs find
// it: they never allocate.
class PersistentMemory {
 public:
  explicit PersistentMemory(Device device) : device_(device) {}

  // Each name and size has its own piece.
  void note(std::string_view name, std::size_t bytes);
  void note(const PersistentMemory& others);  // all that it has noted
  // Allocates what was noted and is not yet allocated. Throws CudaError, std::bad_alloc; then what could not be allocated is no
  // longer noted.
  void reserve();
  // After work that may not have completed: all of it will be cleared before it is used again.
  void distrust();
  std::size_t bytes() const;        // allocated now
  std::size_t noted_bytes() const;  // these, and what reserve() would allocate

  struct Piece {
    std::string name;
    std::size_t bytes = 0;
    Buffer<std::byte> memory;
    std::uint32_t runs = 0;  // since it was cleared; 0: it must be cleared first
  };
  Piece* find(std::string_view name, std::size_t bytes);  // nullptr if there is none or it is not allocated

 private:
  Device device_;
  std::vector<Piece> pieces_;
};

}  // namespace gpu
