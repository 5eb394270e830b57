// Lane: computes what one selection makes of a frame: tables, picture, annotations. The lanes of a pipeline run one after
// another, and share the frame and the workspace. WorkspacePlan: how large that must be, whatever is chosen next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/execution/readback.h"

namespace app {

// The input of all lanes: the frame, in memory of the pipeline's device.
struct FrameViews {
  gpu::ImageView<const gpu::Bgr> colour;
  gpu::ImageView<const std::uint8_t> gray;
};
// Both queue (cuda) or do (host, simulated) a part of a lane's work. The table of sums, by the selected algorithm; `timing`:
// of its spans.
void compute_table(gpu::Context& context, const Selection& selection, gpu::SpanTiming timing, const FrameViews& frame,
                   gpu::ImageView<std::uint32_t> sat);
// The picture, by the selected effect from that table. `prepared`: what the effect prepared. Annotations, where the effect
// has any, go to `readback`.
void draw_effect(gpu::Context& context, const Selection& selection, const void* prepared, const FrameViews& frame,
                 gpu::ImageView<const std::uint32_t> sat, const gpu::Canvas& canvas, gpu::Readback* readback);
// The same code on a dry context, which counts what the work needs.
void replay_lane(gpu::Context& dry, gpu::Size size, const Selection& selection, const void* prepared);
// The tables of a frame's channels, which some algorithms take at once, by kernels and in persistent memory of their own.
void replay_channels(gpu::Context& dry, gpu::Size size, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments);
// Stands for whatever algorithm is chosen, where a lane is replayed.
gpu::SatAlgorithm stand_in_algorithm(gpu::Device device, decltype(gpu::SatAlgorithm::run) run);

// Which of the lanes compute a table of their own. The sides of a comparison share one where they have the same.
std::vector<char> own_tables(std::span<const Selection> lanes, bool sides);

// What a lane needs for frames of a size.
struct LanePlan {
  Selection selection;
  gpu::Size size;
  bool own_table = true;                 // else it has none, or uses that of another lane
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
  LanePlan plan(gpu::Context& context, gpu::PersistentMemory& persistent, gpu::Size size, const Selection& selection,
                bool own_table) const;
  // Bytes of images that adopt() would allocate for the plan.
  std::size_t new_bytes(const LanePlan& plan) const;
  // Allocates images for the plan and takes it over; the workspace is the caller's. Where it throws (CudaError,
  // std::bad_alloc: memory exhausted), nothing has changed.
  void adopt(LanePlan plan);
  bool is_ready_for(gpu::Size size, const Selection& selection, bool own_table) const;
  const LanePlan& plan() const { return plan_; }

  // The plan's own table; does nothing where it has none.
  void compute_table(gpu::Context& context, const FrameViews& frame);
  gpu::ImageView<const std::uint32_t> table() const;  // computed last; empty where it has none of its own
  // The picture, from a table of the frame. On a GPU two pictures may be under way: with a third, this waits for the
  // annotations of the first.
  void draw(gpu::Context& context, const FrameViews& frame, gpu::ImageView<const std::uint32_t> table,
            const PictureTarget& target = {});
  // Computes both, with the lane's own table.
  void compute(gpu::Context& context, const FrameViews& frame, const PictureTarget& target = {}) {
    compute_table(context, frame);
    draw(context, frame, table(), target);
  }
  // Redraws the published picture into memory, if it was drawn on a surface alone: from the same frame, by the same plan, and the
  // lane's own table. Returns it.
  gpu::ImageView<const gpu::Rgba> draw_again(gpu::Context& context, const FrameViews& frame);
  gpu::ImageView<const gpu::Rgba> drawn() const { return next_.picture.view(); }  // the picture before it is published
  void publish();  // from now on picture() is the one computed last
  // Without gray, which is the frame's, and without a table that is not its own; of size {0,0} before the first.
  Picture picture() const;
  std::size_t memory_bytes() const;

 private:
  struct Images {
    std::shared_ptr<gpu::Image<std::uint32_t>> sat;  // null: no table of its own
    gpu::Image<gpu::Rgba> picture;
    std::shared_ptr<gpu::Readback> readback;  // shared with the annotations that come through it
    PictureAnnotations annotations;
    std::shared_ptr<gpu::Readback> findings = {};  // likewise; null until a selection asks for a check
    PictureCheck check = {};
  };
  bool needs_images(const LanePlan& plan) const;
  bool shares_table(gpu::Size size) const;
  Images make_images(gpu::Size size, bool own_table) const;

  gpu::Device device_;
  LanePlan plan_;
  Images shown_, next_;  // two sets, so that a picture that fails half way is never shown
};

// WorkspacePlan: how much memory frames of a size can need, whatever algorithm or effect is chosen next. It is allocated with the
// first frame of that size, so that a choice allocates nothing.
class WorkspacePlan {
 public:
  // Replays every algorithm and every effect of `device` with initial arguments, and with each choice and limit of each
  // parameter. Those that need more than `budget` bytes are left out. `persistent` notes what they ask for, while all that it
  // has noted stays within the budget. `threads`: of the host's pool.
  WorkspacePlan(gpu::Device device, int threads, gpu::Size size, gpu::PersistentMemory& persistent, std::size_t budget);

  gpu::Size size() const { return size_; }
  std::size_t bytes() const { return most_; }  // scratch memory for any algorithm with any effect
  // Scratch memory for any algorithm with the effect of `plan` and its arguments; 0 where that exceeds the budget.
  std::size_t bytes_under(const LanePlan& plan) const;
  // Host memory for the annotations of one picture, by any effect.
  std::size_t annotation_bytes() const { return annotations_; }
  void give_up() { most_ = budget_ = 0; }  // from now on no scratch memory is planned

 private:
  std::size_t scratch(const std::function<void(gpu::Context&)>& work) const;
  std::size_t of_algorithms(gpu::SatType type) const;
  std::size_t of_effect(const gpu::Effect& effect, const gpu::Arguments& arguments, const void* prepared) const;

  gpu::Device device_;
  int threads_;
  gpu::Size size_;
  gpu::PersistentMemory& persistent_;
  std::size_t budget_;
  std::size_t sums_ = 0, squares_ = 0, most_ = 0, annotations_ = 0;
};

// How much scratch memory a pipeline may allocate for selections that nobody has made yet: a quarter of the GPU's free
// memory, or of what is available to this program on the host and for the simulated GPU, at most 1 GiB. Of the host's only what is
// touched is taken.
std::size_t workspace_budget(gpu::Device device);

}  // namespace app
