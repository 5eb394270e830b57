// Pipeline: everything that happens to one frame on one device. The frame stage, once: upload, luma. Then lanes, one after
// another: tables, effect, picture. It owns the images and the workspace for one frame size, which suffices for every algorithm
// of the device, and makes them anew when the size changes.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {

class Pipeline {
 public:
  // On cuda, work is queued on `stream`, which is the caller's. The host and the simulated GPU use all cores. Throws
  // ExitError (no_gpu) where the simulated GPU is not installed.
  explicit Pipeline(gpu::Device device, cudaStream_t stream = nullptr);
  ~Pipeline();

  // Queues (cuda) or does (host, simulated) the work for one frame, a lane per selection; on any thread, one at a time.
  // Strong guarantee: where it throws (ArgumentError: the effect's arguments do not fit this frame; CudaError, std::bad_alloc:
  // memory exhausted), the pictures of the frame before stay. The frame's pixels must stay until compute() has returned and
  // uploaded() says so. `id`: of the frame in the timeline.
  void compute(const capture::Frame& frame, std::span<const Selection> lanes, std::uint64_t id = 0);
  void compute(const capture::Frame& frame, const Selection& selection, std::uint64_t id = 0) {
    compute(frame, {&selection, 1}, id);
  }
  // From now on, picture() is the one computed last. Until then, and while the next one is computed, it is the one before, so
  // that it may be read meanwhile. Hands all to `sink`, where there is one, and ends the frame; throws what the sink throws.
  void publish(const PictureSink& sink = {});
  // The two together.
  void process(const capture::Frame& frame, std::span<const Selection> lanes, const PictureSink& sink = {});
  void process(const capture::Frame& frame, const Selection& selection, const PictureSink& sink = {}) {
    process(frame, {&selection, 1}, sink);
  }
  bool uploaded() const;  // the GPU has read the frame's pixels: its slot may be used again

  gpu::Device device() const;
  gpu::Size size() const;               // of the picture; {0,0} before the first
  Picture picture(int lane = 0) const;  // of size() {0,0} before the first
  gpu::Context& context();
  gpu::Timeline& timeline();         // compute() begins a frame, publish() ends it
  std::size_t memory_bytes() const;  // held now

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace app
