// Event: a moment in a stream, the one owner of CUDA's events.
#pragma once

#include <cuda_runtime_api.h>

namespace gpu {

// Functions throw CudaError; the destructor does not wait for what was recorded.
class Event {
 public:
  enum class Timing { off, on };
  explicit Event(Timing timing = Timing::off);  // on: microseconds_since() can be asked
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  void record(cudaStream_t stream);
  bool passed() const;  // or never recorded; never blocks
  void wait() const;
  double microseconds_since(const Event& earlier) const;  // both timed, and passed

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace gpu
