#include "app/capture/running_threads.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace app::capture {
namespace {

struct Count {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;

  bool wait_for_none(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, patience, [this] { return running == 0; });
  }
};

// Lives until the end of the program; the threads share the count, so that it outlives even the last one.
class AtExit {
 public:
  ~AtExit() { count_->wait_for_none(std::chrono::milliseconds(300)); }
  const std::shared_ptr<Count>& count() const { return count_; }

 private:
  std::shared_ptr<Count> count_ = std::make_shared<Count>();
};

const std::shared_ptr<Count>& shared_count() {
  static const AtExit at_exit;
  return at_exit.count();
}

void add(Count& count, int change) {
  {
    const std::lock_guard lock(count.mutex);
    count.running += change;
  }
  count.changed.notify_all();
}

}  // namespace

void start_detached(std::function<void()> work) {
  const std::shared_ptr<Count> count = shared_count();
  add(*count, 1);
  try {
    std::thread([count, work = std::move(work)]() mutable {
      work();
      work = nullptr;  // what it holds is released before it counts as finished
      add(*count, -1);
    }).detach();
  } catch (...) {
    add(*count, -1);
    throw;
  }
}

bool wait_for_detached(std::chrono::milliseconds patience) { return shared_count()->wait_for_none(patience); }

}  // namespace app::capture
