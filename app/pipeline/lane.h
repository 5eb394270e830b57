// Lane: computes what one selection makes of a frame: tables, picture, annotations. The lanes of a pipeline run one after
// another, and share the frame and the workspace.
#pragma once

#include <cstddef>
#include <memory>

#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/readback.h"

namespace app {

// The input of all lanes: the frame, in memory of the pipeline's device.
struct FrameViews {
  gpu::ImageView<const gpu::Bgr> colour;
  gpu::ImageView<const std::uint8_t> gray;
};
// Where a lane writes its results. Both images have the frame's size. Annotations, where the effect has any, go to
// `readback`.
struct LaneOutput {
  gpu::ImageView<std::uint32_t> sat;
  gpu::ImageView<gpu::Rgba> picture;
  gpu::Readback* readback = nullptr;
};
// Queues (cuda) or does (host, simulated) the work. `prepared`: what the effect prepared; `timing`: of the algorithm's
// spans.
void run_lane(gpu::Context& context, const Selection& selection, const void* prepared, gpu::SpanTiming timing,
              const FrameViews& frame, const LaneOutput& output);
// The same code on a dry context, which counts what the work needs.
void replay_lane(gpu::Context& dry, gpu::Size size, const Selection& selection, const void* prepared);

// What a lane needs for frames of a size.
struct LanePlan {
  Selection selection;
  gpu::Size size;
  std::shared_ptr<const void> prepared;  // what the effect prepared
  std::size_t workspace_bytes = 0;
  std::size_t annotation_bytes = 0;                 // to be read back for each picture; more where planned ahead
  int spans = 0;                                    // of a timeline
  gpu::SpanTiming timing = gpu::SpanTiming::parts;  // of the algorithm
};

class Lane {
 public:
  explicit Lane(gpu::Device device) : device_(device) {}

  // Throws what compute() would throw: ArgumentError, std::invalid_argument.
  LanePlan plan(gpu::Context& context, gpu::PersistentMemory& persistent, gpu::Size size, const Selection& selection) const;
  // Allocates images for the plan and takes it over; the workspace is the caller's. Where it throws (CudaError,
  // std::bad_alloc: memory exhausted), nothing has changed.
  void adopt(LanePlan plan);
  bool is_ready_for(gpu::Size size, const Selection& selection) const;
  const LanePlan& plan() const { return plan_; }

  // On a GPU two pictures may be under way: with a third, this waits for the annotations of the first.
  void compute(gpu::Context& context, const FrameViews& frame);
  void publish();           // from now on picture() is the one computed last
  Picture picture() const;  // without gray, which is the frame's; of size {0,0} before the first
  std::size_t memory_bytes() const;

 private:
  struct Images {
    std::shared_ptr<gpu::Image<std::uint32_t>> sat;
    gpu::Image<gpu::Rgba> picture;
    std::shared_ptr<gpu::Readback> readback;  // shared with the annotations that come through it
    PictureAnnotations annotations;
  };
  Images make_images(gpu::Size size) const;

  gpu::Device device_;
  LanePlan plan_;
  Images shown_, next_;  // two sets, so that a picture that fails half way is never shown
};

}  // namespace app
