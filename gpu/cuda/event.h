// Owners of CUDA events and streams. Event: a moment in a stream. Stream: one that waits for no other.
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

  // What a captured stream does with it: an event of the capture, which no other stream can wait for; or of each launch of the graph,
  // as nodes that record it and wait for it.
  enum class Scope { capture, launches_of_graph };
  void record(cudaStream_t stream, Scope scope = Scope::capture);
  // What is queued on the stream from now on waits, on the GPU, for the moment that was recorded last; the caller does not.
  void delay(cudaStream_t stream, Scope scope = Scope::capture) const;
  bool passed() const;  // also true if never recorded; never blocks
  void wait() const;
  double microseconds_since(const Event& earlier) const;  // both timed, and passed

 private:
  cudaEvent_t event_ = nullptr;
};

// It does not wait for the legacy stream either. The constructor throws CudaError.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace gpu
