// PersistentMemory: data that one run leaves for the next. Slots that contain the number of the run that wrote them need not
// be cleared before each run, only before the first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/memory.h"

namespace gpu {

// A pipeline keeps one for its contexts. A dry replay records what a run will ask for, reserve() allocates it, and runs find
// it: they never allocate.
class PersistentMemory {
 public:
  explicit PersistentMemory(Device device) : device_(device) {}

  // What a run will need. Each name and size has its own piece.
  void note(std::string_view name, std::size_t bytes);
  void note(const PersistentMemory& others);  // all that it has noted
  // Notes all that `others` has noted, for runs that may come: a lack of memory for it is not an error.
  void note_ahead(const PersistentMemory& others);
  // Allocates what was noted and is not yet allocated, first what is needed. What cannot be allocated is no longer noted. Throws
  // CudaError, std::bad_alloc if it is needed.
  void reserve();
  // After work that may not have completed: all of it will be cleared before it is used again.
  void invalidate();
  std::size_t bytes() const;        // allocated now
  std::size_t noted_bytes() const;  // these, and what reserve() would allocate
  // The same if all that `others` has noted were noted here, too: what both need is counted once.
  std::size_t noted_bytes_with(const PersistentMemory& others) const;

  struct Piece {
    std::string name;
    std::size_t bytes = 0;
    Buffer<std::byte> memory;
    bool ahead = false;    // noted for runs that may come only
    bool cleared = false;  // otherwise the next run clears it first
  };
  Piece* find(std::string_view name, std::size_t bytes);  // nullptr if there is none or it is not allocated

 private:
  void add(std::string_view name, std::size_t bytes, bool ahead);
  void forget_what_is_missing();

  Device device_;
  std::vector<Piece> pieces_;
};

}  // namespace gpu
