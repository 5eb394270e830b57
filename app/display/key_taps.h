// Keys tapped between two frames: pressed and released before the program looks. ImGui 1.86 asks only whether a key is
// down, and would never see them when a frame takes long. Their release waits until one frame has seen them pressed.
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
  // True where the release must wait, because no frame has seen the key down.
  bool release(int key) {
    if (!fresh_.contains(key)) return false;
    waiting_.insert(key);
    return true;
  }
  // Before the next events are read: a frame has seen everything. The keys whose release is due now.
  std::set<int> next_frame() {
    fresh_.clear();
    return std::exchange(waiting_, {});
  }

 private:
  std::set<int> fresh_, waiting_;
};

}  // namespace app
