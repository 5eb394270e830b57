// Pipeline: everything that happens to one frame on one device. First the frame stage: upload, luma. Then lanes, one after
// another: tables, effect, picture. It owns the images and a workspace that suffices for every algorithm of the device, all
// for one frame size, and allocates them again when the size changes.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "app/pipeline/tile_history.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/execution/timeline.h"
#include "gpu/sat.h"

namespace app {

// TimingBudget: which frames are timed, so that in the long run timing takes at most a share of the host's time.
class TimingBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // The largest share of the host's time. An instrument must not slow down what it shows by more than 3%. Events also cost GPU
  // time, which the host does not count, so its share must lie far below that. The host's own clock costs next to nothing.
  static constexpr double largest_share(gpu::Device device) { return device == gpu::Device::cuda ? 0.002 : 1; }

  explicit TimingBudget(double share) : share_(share) {}  // of the host's time, 0..1; 1: no limit

  // What of a frame that begins now is timed: what is wanted, or nothing where that costs too much. Every launch has no limit,
  // because it was asked for; nor have the first frames of a run, until they took 2 ms.
  gpu::TimingDetail detail(TimingChoice wanted, Clock::time_point now);
  bool affords(Clock::time_point now);  // whether it may be timed
  // What timing a frame took: microseconds of the host.
  void spend(double us);

 private:
  static constexpr double most_us = 2000;  // idle time does not add up to more, nor one interruption to a longer debt

  double share_, credit_us_ = most_us;
  Clock::time_point latest_ = Clock::time_point::max();  // when affords() was called last; max: never
};

// The pictures of one frame, a picture per lane. What is queued or done through the context is timed as part of that frame, until
// this goes: take it before the pipeline makes the next one.
class Published {
 public:
  Published(gpu::Context& context, std::vector<Picture> pictures, gpu::Timeline* timed)  // null: the frame has ended
      : context_(&context), pictures_(std::move(pictures)), frame_(timed) {}

  gpu::Context& context() const { return *context_; }
  const std::vector<Picture>& pictures() const { return pictures_; }
  const Picture& picture() const { return pictures_.front(); }
  // Throws what the sink throws.
  void hand_to(const PictureSink& sink) const {
    for (const auto& one : pictures_) sink(*context_, one);
  }

 private:
  struct EndFrame {
    void operator()(gpu::Timeline* timeline) const noexcept { timeline->end_frame(); }
  };

  gpu::Context* context_;
  std::vector<Picture> pictures_;
  std::unique_ptr<gpu::Timeline, EndFrame> frame_;
};

class Pipeline {
 public:
  // On cuda, work is queued on `stream`, which belongs to the caller. The host and the simulated GPU use all cores. Throws
  // ExitError (no_gpu) where the simulated GPU is not installed.
  explicit Pipeline(gpu::Device device, cudaStream_t stream = nullptr);
  ~Pipeline();

  // Queues (cuda) or does (host, simulated) the work for one frame, with one lane per selection; a comparison, alone, has a
  // lane per side, and is one picture. On any thread, one call at a time. Where it throws (ArgumentError: the effect's
  // arguments do not fit this frame; CudaError, std::bad_alloc: memory exhausted), the pictures of the frame before stay. The
  // frame's pixels must not change until compute() has returned and uploaded() is true. `id`: of the frame in the timeline.
  // `surface`: a single picture on cuda that is not a wipe is drawn there, and into memory only after pixels_next().
  void compute(const capture::Frame& frame, std::span<const Selection> lanes, std::uint64_t id = 0,
               const PictureSurface& surface = {});
  void compute(const capture::Frame& frame, const Selection& selection, std::uint64_t id = 0,
               const PictureSurface& surface = {}) {
    compute(frame, {&selection, 1}, id, surface);
  }
  // Makes the pictures computed last those that picture() returns. Until the next publish() they stay, so that they may be read
  // while compute() works on another thread.
  Published publish();
  // The picture published last, which is a comparison, with its wipe elsewhere. Nothing is computed.
  Published move_wipe(double wipe);
  // For whoever needs the pixels of the picture that compute() makes next, also where that is drawn on a surface. Where they are
  // needed of every picture, this is cheaper than to draw each twice.
  void pixels_next();
  // Draws the picture published last into memory, too, where it is on a surface alone, so that picture() has its pixels. False
  // where it is lost: the next one is begun. Does nothing on other devices than cuda.
  bool draw_pixels();
  // compute() and publish(). Throws what the sink throws, too.
  void process(const capture::Frame& frame, std::span<const Selection> lanes, const PictureSink& sink = {}) {
    compute(frame, lanes);
    const auto published = publish();
    if (sink) published.hand_to(sink);
  }
  void process(const capture::Frame& frame, const Selection& selection, const PictureSink& sink = {}) {
    process(frame, {&selection, 1}, sink);
  }
  // The next compute() also runs the algorithm of the first lane a second time, untimed, with a recorder of its tiles. Throws
  // std::invalid_argument, by compute(), where that algorithm records none.
  void trace_next();
  // What was recorded last, once; nothing where it has not arrived. Throws CudaError.
  std::shared_ptr<const TileHistory> take_trace();
  bool uploaded() const;  // the GPU has read the pixels of the last frame: they may change

  gpu::Device device() const;
  gpu::Size size() const;               // of the picture; {0,0} before the first
  Picture picture(int lane = 0) const;  // of size() {0,0} before the first
  gpu::Context& context();
  // The times of the next frame that has finished, as Timeline::take(): compute() begins a frame, publish() ends it.
  std::optional<gpu::TimelineFrame> take_times();
  std::size_t memory_bytes() const;  // of images and scratch memory, as held now

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace app
