// PersistentMemory: what one run leaves for the next. Slots that carry the number of the run that wrote them need no clearing
// before each run, only before the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/memory.h"

namespace gpu {

// Handed out by Context::persistent(). `run` counts the runs since all of it was zero, beginning with 0.
template <class T>
struct Persistent {
  T* data = nullptr;
  std::uint32_t run = 0;
};

// What a pipeline keeps for its contexts. A dry replay notes what a run will ask for, reserve() allocates it, and runs find
// it there: they never allocate.
class PersistentMemory {
 public:
  explicit PersistentMemory(Device device) : device_(device) {}

  // A piece of its own for every name and size.
  void note(std::string_view name, std::size_t bytes);
  // Allocates what was noted and is not there. Throws CudaError, std::bad_alloc.
  void reserve();
  // After work of which nobody knows how far it came: all of it is cleared before it is used again.
  void distrust();
  std::size_t bytes() const;  // held now

  struct Piece {
    std::string name;
    std::size_t bytes = 0;
    Buffer<std::byte> memory;
    std::uint32_t runs = 0;  // since it was cleared; 0: it is yet to be
  };
  Piece* find(std::string_view name, std::size_t bytes);  // nullptr where there is no such memory

 private:
  Device device_;
  std::vector<Piece> pieces_;
};

}  // namespace gpu
