// StreamOrder: runs that share memory follow one another, on whichever streams they are queued. On the same stream they do so by
// themselves; where the stream changes, the later run waits on the GPU for an event that was recorded behind the earlier one.
//
// In graphs, too. A graph's first captured run waits for the run before each launch, and each of its runs records the same event
// when it is replayed, as nodes of the graph: then launches on several streams, of several graphs, and calls between them follow
// one another. Within a capture, runs on streams that are captured together follow one another by an edge, not by a node.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/cuda/event.h"

namespace gpu {

// The capture whose graph the work that is queued on a stream becomes part of; 0 if it runs. Throws CudaError.
unsigned long long capture_of(cudaStream_t stream);
// A number that no other stream has had or will have: a handle may be that of a stream which was destroyed, and that of
// cudaStreamPerThread is another stream in every thread. Throws CudaError, also while the stream is captured.
unsigned long long id_of(cudaStream_t stream);

// The rules, without CUDA.
class OrderOfRuns {
 public:
  // Where a run is queued: id_of(), or in a capture the handle; and capture_of().
  struct Where {
    unsigned long long stream = 0, capture = 0;
  };
  // What a run waits for: nothing; the last run, before it is queued; the last run, whenever its graph is launched; the last run of
  // its capture.
  enum class Wait { none, direct, in_graph, within_capture };

  Wait before(Where run) const;
  void after(Where run);

 private:
  bool any_ = false, in_graphs_ = false;
  unsigned long long stream_ = 0;  // of the last run that was not captured
  Where captured_;                 // the last one that was
};

// On a GPU, the one that is current when it is made and used. Functions throw CudaError.
class StreamOrder {
 public:
  // Before the first and behind the last piece of a run that is queued on the stream.
  void begin(cudaStream_t stream);
  void end(cudaStream_t stream);

 private:
  OrderOfRuns order_;
  OrderOfRuns::Where run_;      // that has begun
  Event last_, last_captured_;  // behind runs
};

}  // namespace gpu
