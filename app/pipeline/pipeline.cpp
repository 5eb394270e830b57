#include "app/pipeline/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "app/pipeline/composer.h"
#include "app/pipeline/frame_stage.h"
#include "app/pipeline/lane.h"
#include "app/pipeline/tile_history.h"
#include "app/pipeline/workspace_plan.h"
#include "gpu/surface.h"

namespace app {
namespace {

// Spans of a frame besides those of its lanes: upload, wait for the GPU, luma, the sides of a comparison and their
// composition, and those of sinks.
constexpr int spans_around = 20;

}  // namespace

// Of which frame the pictures are that a pipeline published last, so that a comparison whose wipe alone has moved is composed of
// them.
class ShownSides {
 public:
  // Something is computed: until it is published, the pictures are of no frame that counts.
  void begin() {
    computed_.reset();
    shown_.reset();
  }
  void computed(const capture::Frame& frame) { computed_ = identity(frame); }  // without an error
  void publish() { shown_ = computed_; }

  // Whether the pictures are the sides of `wanted`, of this frame, and only its wipe differs from that of `made`.
  bool are_of(const capture::Frame& frame, const Selection& made, const Selection& wanted) const {
    if (shown_ != identity(frame)) return false;
    auto before = wanted;
    before.composition.wipe = made.composition.wipe;
    return before == made && wanted != made;
  }

 private:
  struct Identity {
    std::chrono::steady_clock::time_point captured;
    std::uint64_t sequence = 0, seek = 0;
    gpu::Size size;
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  static Identity identity(const capture::Frame& frame) { return {frame.captured, frame.sequence, frame.seek, frame.size}; }

  std::optional<Identity> computed_, shown_;
};

struct Pipeline::State {
  State(gpu::Device device, cudaStream_t stream)
      : work(device, stream), device(device), frame_stage(device, stream), composer(device) {}

  gpu::Context& context() { return work.timed(); }

  std::span<Lane> lanes_of_frame() { return std::span(lanes).first(lane_count); }

  // Plans and allocates for frames of `size` and the selections of `lanes`, or of the sides of the one that is a comparison.
  // Where it throws, the pictures stay.
  void prepare(gpu::Size size, std::span<const Selection> lanes_wanted) {
    const bool compares = lanes_wanted.size() == 1 && !lanes_wanted[0].sides.empty();
    const auto wanted = compares ? std::span<const Selection>(lanes_wanted[0].sides) : lanes_wanted;
    if (compares) composer.prepare(size);
    make_ready(size, wanted, own_tables(wanted, compares));
    if (!compares)
      comparison.reset();
    else if (comparison != lanes_wanted[0])
      comparison = lanes_wanted[0];
  }

  void make_ready(gpu::Size size, std::span<const Selection> wanted, const std::vector<char>& own) {
    const auto ready = [&](const Selection& selection) {
      const auto i = static_cast<std::size_t>(&selection - wanted.data());
      return lanes[i].is_ready_for(size, selection, own[i]);
    };
    if (size == frame_stage.next_size() && wanted.size() == lane_count && std::ranges::all_of(wanted, ready)) return;
    while (lanes.size() < wanted.size()) lanes.emplace_back(device);
    std::vector<LanePlan> plans;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      plans.push_back(lanes[i].plan(context(), work.persistent(), size, wanted[i], own[i]));
    reserve(size, plans);
    frame_stage.prepare(size);
    int spans = spans_around;
    for (const auto& plan : plans) spans += plan.spans;
    work.timeline().reserve(spans);
    draw_pixels();  // what made the published picture is replaced
    lane_count = wanted.size();
    for (std::size_t i = 0; i < lane_count; ++i) lanes[i].adopt(std::move(plans[i]));
  }

  // Allocates a workspace for the plans and for whatever may be chosen next; raises the plans' room for annotations
  // likewise.
  void reserve(gpu::Size size, std::vector<LanePlan>& plans) {
    if (!ahead || ahead->size() != size)
      ahead.emplace(device, context().threads(), size, work.persistent(), workspace_budget(device));
    std::size_t needed = 0, wanted = ahead->bytes();
    for (auto& plan : plans) {
      needed = std::max(needed, plan.workspace_bytes);
      wanted = std::max(wanted, ahead->bytes_under(plan));
      plan.annotation_bytes = std::max(plan.annotation_bytes, ahead->annotation_bytes());
    }
    work.persistent().reserve();
    try {
      work.grow(std::max(needed, wanted));
    } catch (const std::exception&) {  // memory is short: from now on only what the plans need
      ahead->give_up();
      work.grow(needed);
    }
  }

  // Untimed, because nobody asked what the recording costs.
  void trace_tiles() {
    auto untimed = work.untimed();
    tracing->run(untimed, frame_stage.next_gray());
  }

  // The surface is asked for after the upload, which need not wait until OpenGL has drawn what is on it.
  void run(const capture::Frame& frame, TimingChoice timing, const PictureSurface& surface_for) {
    const auto views = frame_stage.upload(context(), frame);
    const auto take_surface = [&] {
      if (surface_for) target.surface = surface_for(context(), frame.size);
    };
    // Points cost a GPU time, and the host hardly any.
    const bool as_whole = timing == TimingChoice::frame && device == gpu::Device::cuda;
    if (as_whole || timing == TimingChoice::off || device != gpu::Device::cuda) {
      take_surface();
      return as_whole ? context().group("frame", [&] { make(views); }) : make(views);
    }
    context().call({"wait for the GPU", gpu::SpanKind::wait}, [&](cudaStream_t) {
      take_surface();
      auto untimed = work.untimed();
      gpu::wait_for_gpu(untimed, "wait for the GPU");
    });
    make(views);
  }

  void make(const FrameViews& views) {
    frame_stage.make_gray(context(), views);
    target.memory = target.memory || !target.surface;
    if (comparison) return compare(views);
    if (lane_count == 1) return lanes.front().compute(context(), views, target);
    int number = 0;
    for (auto& lane : lanes_of_frame())
      context().group(
          "lane " + std::to_string(++number), [&] { lane.compute(context(), views); }, gpu::SpanTiming::parts);
  }

  // What both sides use is computed before them.
  void compare(const FrameViews& views) {
    const auto sides = lanes_of_frame();
    const bool one_table = sides[0].table().empty() || sides[1].table().empty();
    if (one_table)
      for (auto& side : sides) side.compute_table(context(), views);
    for (auto& side : sides) {
      const auto& other = &side == sides.data() ? sides[1] : sides[0];
      context().group((&side == sides.data() ? "A: " : "B: ") + side.plan().selection.name,
                      [&] {
                        if (!one_table) side.compute_table(context(), views);
                        side.draw(context(), views, side.table().empty() ? other.table() : side.table());
                      },
                      gpu::SpanTiming::parts);
    }
    composer.compose(context(), *comparison, sides[0].drawn(), sides[1].drawn(), target);
  }

  void publish_lanes() {
    lanes.erase(lanes.begin() + static_cast<std::ptrdiff_t>(lane_count), lanes.end());
    for (auto& lane : lanes) lane.publish();
    frame_stage.publish();
    shown_sides.publish();
  }

  // Where it throws, the picture stays.
  void recompose(const Selection& wanted) {
    composer.prepare(frame_stage.size());
    auto untimed = work.untimed();
    composer.compose(untimed, wanted, lanes[0].picture().pixels, lanes[1].picture().pixels);
    target = {};
    comparison = wanted;
    only_composed = true;
  }

  bool draw_pixels() {
    if (pictures.empty() || pictures.front().in_memory()) return true;
    if (overwritten) return false;
    auto untimed = work.untimed_with_persistent();
    if (pictures.front().compared)
      pictures.front().pixels = composer.compose_again(untimed, lanes[0].picture().pixels, lanes[1].picture().pixels);
    else
      pictures.front().pixels = lanes.front().draw_again(untimed, frame_stage.views());
    return true;
  }

  // The pictures of the lanes, or the one composed of them.
  std::vector<Picture> published() {
    std::vector<Picture> all;
    for (const auto& lane : lanes) all.push_back(lane.picture());
    if (comparison) {
      auto composed = composer.picture(all[0], all[1]);
      composed.sat = all[1].sat.empty() ? all[0].sat : all[1].sat;
      if (!only_composed) composed.check = PictureCheck::both(all[0].check, all[1].check);  // else it was handed on
      all = {composed};
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].gray = frame_stage.gray();
      if (device == gpu::Device::cuda) all[i].colour = frame_stage.views().colour;
      all[i].lane = static_cast<int>(i);
    }
    if (!target.memory) all[0].pixels = gpu::view_without_memory<const gpu::Rgba>(all[0].size());
    if (target.surface && target.memory) all[0].drawn_bytes *= 2;
    return all;
  }

  DeviceContext work;
  gpu::Device device;
  TimingBudget budget{TimingBudget::largest_share(device)};
  FrameStage frame_stage;
  PictureTarget target;                 // of the frame made last
  bool pixels_wanted = false;           // of the next one
  bool overwritten = false;             // what the published picture was made of: another one was begun since
  std::vector<Lane> lanes;              // compute()'s, on any thread
  std::optional<Selection> comparison;  // of the frame computed last, where its lanes are two sides
  bool only_composed = false;           // it: the lanes are those published
  ShownSides shown_sides;
  Composer composer;
  std::vector<Picture> pictures;  // as published last: those that picture() returns
  std::size_t lane_count = 0;     // of the frame computed last; until it is published, there may be more, of the one before
  std::optional<WorkspacePlan> ahead;
  std::optional<TileTracing> tracing;  // once something was traced
  bool trace_wanted = false;           // of the next frame
};

Pipeline::Pipeline(gpu::Device device, cudaStream_t stream) : state_(std::make_unique<State>(device, stream)) {}
Pipeline::~Pipeline() = default;  // releasing device memory waits for the work that still uses it

void Pipeline::compute(const capture::Frame& frame, std::span<const Selection> lanes, std::uint64_t id,
                       const PictureSurface& surface) {
  auto& s = *state_;
  const bool traces = std::exchange(s.trace_wanted, false), pixels = std::exchange(s.pixels_wanted, false);
  if (frame.size.width <= 0 || frame.size.height <= 0) throw std::invalid_argument("the frame is empty");
  s.shown_sides.begin();
  s.only_composed = false;
  s.prepare(frame.size, lanes);
  if (traces) {
    if (!s.tracing) s.tracing.emplace(s.device);
    s.tracing->prepare(frame.size, lanes.front(), s.context().threads());
    s.work.grow(s.tracing->workspace_bytes());  // the sides of a comparison may need less
  }
  s.target = {.memory = pixels};
  const bool draws_on_one = s.device == gpu::Device::cuda && lanes.size() == 1;
  const auto timing = lanes.empty() ? TimingChoice::off : lanes.front().timing;
  s.work.timeline().set_detail(s.budget.detail(timing, TimingBudget::Clock::now()));
  s.work.timeline().begin_frame(id);
  s.overwritten = true;
  try {
    s.run(frame, timing, draws_on_one ? surface : PictureSurface());
    if (traces) s.trace_tiles();
  } catch (...) {
    s.work.persistent().distrust();
    throw;
  }
  s.shown_sides.computed(frame);
}

bool Pipeline::has_sides_of(const capture::Frame& frame, const Selection& comparison) const {
  const auto& s = *state_;
  return s.comparison && s.lanes.size() == 2 && s.shown_sides.are_of(frame, *s.comparison, comparison);
}

void Pipeline::recompose(const Selection& comparison) { state_->recompose(comparison); }

Published Pipeline::publish() {
  auto& s = *state_;
  if (!s.only_composed) s.publish_lanes();
  s.comparison ? s.composer.publish() : s.composer.clear();
  s.overwritten = false;
  s.pictures = s.published();
  s.work.timeline().separate();  // what was computed may have ended long ago
  auto handed_out = s.pictures;
  for (auto& one : handed_out) one.on_surface = s.target.surface.has_value();
  return {s.context(), std::move(handed_out), s.only_composed ? nullptr : &s.work.timeline()};
}

void Pipeline::pixels_next() { state_->pixels_wanted = true; }
bool Pipeline::draw_pixels() { return state_->draw_pixels(); }

void Pipeline::trace_next() { state_->trace_wanted = true; }
std::shared_ptr<const TileHistory> Pipeline::take_trace() { return state_->tracing ? state_->tracing->take() : nullptr; }
bool Pipeline::uploaded() const { return state_->frame_stage.uploaded(); }
gpu::Device Pipeline::device() const { return state_->device; }
gpu::Size Pipeline::size() const { return state_->frame_stage.size(); }
gpu::Context& Pipeline::context() { return state_->context(); }
std::optional<gpu::TimelineFrame> Pipeline::take_times() {
  auto frame = state_->work.timeline().take();
  if (frame) state_->budget.spend(frame->timing_us);
  return frame;
}

Picture Pipeline::picture(int lane) const {
  return state_->pictures.empty() ? Picture() : state_->pictures.at(static_cast<std::size_t>(lane));
}

std::size_t Pipeline::memory_bytes() const {
  const auto& s = *state_;
  auto bytes = s.work.workspace_bytes() + s.work.persistent().bytes() + s.composer.memory_bytes() +
               s.frame_stage.memory_bytes();
  for (const auto& lane : s.lanes) bytes += lane.memory_bytes();
  if (s.tracing) bytes += s.tracing->memory_bytes();
  return bytes;
}

bool TimingBudget::affords(Clock::time_point now) {
  const double passed_us = std::chrono::duration<double, std::micro>(now - std::min(now, latest_)).count();
  latest_ = now;
  credit_us_ = std::min(credit_us_ + share_ * passed_us, most_us);
  return share_ >= 1 || credit_us_ > 0;
}

gpu::TimingDetail TimingBudget::detail(TimingChoice wanted, Clock::time_point now) {
  const bool affordable = affords(now) || wanted == TimingChoice::every;
  if (wanted == TimingChoice::off || !affordable) return gpu::TimingDetail::off;
  return wanted == TimingChoice::frame ? gpu::TimingDetail::frame : gpu::TimingDetail::launches;
}

void TimingBudget::spend(double us) { credit_us_ = std::max(credit_us_ - us, -most_us); }

}  // namespace app
