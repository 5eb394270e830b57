// Event: a moment in a stream; the only owner of CUDA events.
#pragma once

#include <cuda_runtime_api.h>

namespace gpu {

// Functions throw CudaError; the destructor does not wait for the recorded moment.
class Event {
 public:
  enum class Timing { off, on };
  explicit Event(Timing timing = Timing::off);  // on: microseconds_since() can be called
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  void record(cudaStream_t stream);
  bool passed() const;  // also true if never recorded; never blocks
  void wait() const;
  double microseconds_since(const Event& earlier) const;  // both timed, and passed

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace gpu
