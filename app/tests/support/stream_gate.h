// StreamGate: a CUDA stream that stands still until a test opens it: whoever waits for the GPU meanwhile is found out.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "gpu/cuda/error.h"

namespace app {

class StreamGate {
 public:
  // What is queued on `stream` from now on runs once the gate is open: at the latest after five seconds, and then it is late.
  explicit StreamGate(cudaStream_t stream) {
    gpu::check(cudaLaunchHostFunc(
        stream, [](void* gate) { static_cast<StreamGate*>(gate)->wait_in_stream(); }, this));
  }
  ~StreamGate() {
    open();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return passed_; });
  }
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool late() {
    const std::lock_guard lock(mutex_);
    return late_;
  }

 private:
  void wait_in_stream() {
    std::unique_lock lock(mutex_);
    late_ = !changed_.wait_for(lock, std::chrono::seconds(5), [&] { return open_; });
    passed_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false, passed_ = false, late_ = false;
};

}  // namespace app
