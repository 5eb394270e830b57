// For tests: a gate before which tasks wait.
#pragma once

#include <future>

namespace app {

// What waits goes on once it is opened, or gone.
class Gate {
 public:
  void open() { promise_.set_value(); }
  void wait() const { opened_.wait(); }
  // What waits for it, and may outlive it.
  auto task() const {
    return [opened = opened_] { opened.wait(); };
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
};

}  // namespace app
