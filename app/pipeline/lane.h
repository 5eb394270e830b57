// Lane: what one selection makes of a frame: its tables, its picture, its annotations. The lanes of a pipeline share the frame
// and the workspace, because they run one after another.
#pragma once

#include <cstddef>
#include <memory>

#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/readback.h"

namespace app {

// What all lanes see of a frame, in memory of the pipeline's device.
struct FrameViews {
  gpu::ImageView<const gpu::Bgr> colour;
  gpu::ImageView<const std::uint8_t> gray;
};
// Where a lane leaves what it makes. Both images have the frame's size; annotations go to `readback`, where the effect has any.
struct LaneOutput {
  gpu::ImageView<std::uint32_t> sat;
  gpu::ImageView<gpu::Rgba> picture;
  gpu::Readback* readback = nullptr;
};
// Queues or does what `selection` asks for. `prepared`: by the effect; `timing`: of the algorithm.
void run_lane(gpu::Context& context, const Selection& selection, const void* prepared, gpu::SpanTiming timing,
              const FrameViews& frame, const LaneOutput& output);
// The same on a dry context: the lines that run are the lines that are replayed.
void replay_lane(gpu::Context& dry, gpu::Size size, const Selection& selection, const void* prepared);

// What a lane needs for frames of a size.
struct LanePlan {
  Selection selection;
  gpu::Size size;
  std::shared_ptr<const void> prepared;  // by the effect
  std::size_t workspace_bytes = 0;
  std::size_t annotation_bytes = 0;                 // to be read back for each picture; more where planned ahead
  int spans = 0;                                    // of a timeline
  gpu::SpanTiming timing = gpu::SpanTiming::parts;  // of the algorithm
};

class Lane {
 public:
  explicit Lane(gpu::Device device) : device_(device) {}

  // Throws what running would throw: ArgumentError, std::invalid_argument.
  LanePlan plan(gpu::Context& context, gpu::PersistentMemory& persistent, gpu::Size size, const Selection& selection) const;
  // Changes nothing where it throws (CudaError, std::bad_alloc: memory exhausted). Workspace is the caller's.
  void adopt(LanePlan plan);
  bool is_ready_for(gpu::Size size, const Selection& selection) const;
  const LanePlan& plan() const { return plan_; }

  // Two pictures may be under way on a GPU. Where the one before the last is, still, this waits for its annotations.
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
  Images shown_, next_;  // two, so that one that is drawn while something fails is not shown
};

}  // namespace app
