// Keys tapped between two frames: pressed and released before the program polls them. ImGui 1.86 only queries whether a
// key is down, and would miss them if a frame takes long. Their release waits until one frame has seen them pressed.
#pragma once

#include <set>
#include <utility>

namespace app {

class KeyTaps {
 public:
  void press(int key) {
    fresh_.insert(key);
    waiting_.erase(key);
  }
  // True if the release must wait, because no frame has seen the key down; or another one that was pressed meanwhile: Ctrl
  // stays down until P of Ctrl+P has been seen.
  bool release(int key) {
    if (fresh_.empty()) return false;
    waiting_.insert(key);
    return true;
  }
  // Call before the next events are read, when a frame has seen all keys. Returns the keys to release now.
  std::set<int> next_frame() {
    fresh_.clear();
    return std::exchange(waiting_, {});
  }

 private:
  std::set<int> fresh_, waiting_;
};

}  // namespace app
