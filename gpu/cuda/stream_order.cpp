#include "gpu/cuda/stream_order.h"

#include <cstdint>

#include "gpu/cuda/error.h"

namespace gpu {

unsigned long long capture_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  unsigned long long capture = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, &capture));
  return status != cudaStreamCaptureStatusNone ? capture : 0;
}

unsigned long long id_of(cudaStream_t stream) {
  unsigned long long id = 0;
  check(cudaStreamGetId(stream, &id));
  return id;
}

OrderOfRuns::Wait OrderOfRuns::before(Where run) const {
  if (run.capture != 0 && run.capture == captured_.capture)
    return run.stream == captured_.stream ? Wait::none : Wait::within_capture;
  if (run.capture != 0) return Wait::in_graph;
  // Nobody says when graphs are launched, and on which stream.
  return in_graphs_ || (any_ && run.stream != stream_) ? Wait::direct : Wait::none;
}

void OrderOfRuns::after(Where run) {
  if (run.capture != 0) {
    in_graphs_ = true;
    captured_ = run;
  } else {
    any_ = true;
    stream_ = run.stream;
  }
}

void StreamOrder::begin(cudaStream_t stream) {
  const auto capture = capture_of(stream);
  // CUDA does not say the number of a stream that is captured; within one capture its handle is enough.
  run_ = {capture != 0 ? reinterpret_cast<std::uintptr_t>(stream) : id_of(stream), capture};
  switch (order_.before(run_)) {
    case OrderOfRuns::Wait::none: break;
    case OrderOfRuns::Wait::direct: last_.delay(stream); break;
    case OrderOfRuns::Wait::in_graph: last_.delay(stream, Event::Scope::launches_of_graph); break;
    case OrderOfRuns::Wait::within_capture: last_captured_.delay(stream); break;
  }
}

void StreamOrder::end(cudaStream_t stream) {
  if (run_.capture == 0) {
    last_.record(stream);
  } else {
    last_.record(stream, Event::Scope::launches_of_graph);
    last_captured_.record(stream);
  }
  order_.after(run_);
}

}  // namespace gpu
