#include "app/pipeline/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "app/pipeline/frame_stage.h"
#include "app/pipeline/lane.h"
#include "app/pipeline/picture.h"
#include "app/pipeline/tile_history.h"
#include "app/support/exit_code.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "gpu/cuda/error.h"
#include "gpu/pictures/canvas.h"

namespace app {
namespace {

// Spans of a frame besides those of its lanes: upload, wait for the GPU, luma, the sides of a comparison and their
// composition, and those of sinks.
constexpr int spans_around = 20;

}  // namespace

struct Pipeline::State {
  State(gpu::Device device, cudaStream_t stream) : work(device, stream), device(device), frame_stage(device, stream) {}

  gpu::Context& context() { return work.timed(); }

  std::span<Lane> lanes_of_frame() { return std::span(lanes).first(lane_count); }

  // Plans and allocates for frames of `size` and the selections of `lanes`, or of the sides of the one that is a comparison.
  // Where it throws, the pictures stay.
  void prepare(gpu::Size size, std::span<const Selection> lanes_wanted) {
    const bool compares = lanes_wanted.size() == 1 && !lanes_wanted[0].sides.empty();
    const auto wanted = compares ? std::span<const Selection>(lanes_wanted[0].sides) : lanes_wanted;
    if (compares && !is_wipe(lanes_wanted[0]) && difference.next.size() != size) difference.next = {size, device};
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
    check_room(size, plans);
    reserve(size, plans);
    frame_stage.prepare(size);
    int spans = spans_around;
    for (const auto& plan : plans) spans += plan.spans;
    work.timeline().reserve(spans);
    draw_pixels();  // what made the published picture is replaced
    lane_count = wanted.size();
    for (std::size_t i = 0; i < lane_count; ++i) lanes[i].adopt(std::move(plans[i]));
  }

  // Before anything is allocated, which a machine may also promise without having it. What every machine has is not asked for.
  void check_room(gpu::Size size, std::span<const LanePlan> plans) {
    constexpr std::size_t everywhere = std::size_t{64} << 20;
    std::size_t scratch = 0, bytes = frame_stage.new_bytes(size);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      scratch = std::max(scratch, plans[i].workspace_bytes);
      bytes += lanes[i].new_bytes(plans[i]);
    }
    const bool cuda = device == gpu::Device::cuda;
    if (!cuda && bytes > 0) bytes += size.pixels() * (sizeof(gpu::Rgba) + 1);  // whoever takes the picture copies it
    // A GPU's workspace is all there. That of the host was reserved, of which no more is there than was used.
    if (scratch > (cuda ? work.workspace_bytes() : used_workspace)) bytes += scratch - (cuda ? 0 : used_workspace);
    if (bytes > everywhere && !plans.empty()) {
      const auto what = "computing " + text_of(size) + " pixels with " + std::string(plans.back().selection.effect->name);
      cuda ? require_gpu_memory(bytes, what)
           : require_memory(static_cast<double>(bytes), what, "choose a smaller picture, or another effect");
    }
    used_workspace = std::max(used_workspace, scratch);
  }

  static void require_gpu_memory(std::size_t bytes, const std::string& what) {
    std::size_t free = 0, total = 0;
    gpu::check(cudaMemGetInfo(&free, &total));
    if (bytes > free)
      throw ExitError(ExitCode::failed, what + " takes " + memory_text(static_cast<double>(bytes)) +
                                            " of the GPU's memory, and " + memory_text(static_cast<double>(free)) +
                                            " are free: choose a smaller picture, or compute on the CPU");
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
    if (!is_wipe(*comparison))
      gpu::draw_difference(context(), sides[0].drawn(), sides[1].drawn(), target.canvas(difference.next.view()),
                           comparison->composition.amplification);
  }

  void publish_lanes() {
    lanes.erase(lanes.begin() + static_cast<std::ptrdiff_t>(lane_count), lanes.end());
    for (auto& lane : lanes) lane.publish();
    frame_stage.publish();
  }

  bool draw_pixels() {
    if (pictures.empty() || pictures.front().in_memory()) return true;
    if (overwritten) return false;
    auto untimed = work.untimed_with_persistent();
    auto& picture = pictures.front();
    if (!picture.compared) {
      picture.pixels = lanes.front().draw_again(untimed, frame_stage.views());
      return true;
    }
    gpu::draw_difference(untimed, lanes[0].picture().pixels.left, lanes[1].picture().pixels.left,
                         PictureTarget().canvas(difference.shown.view()), picture.compared->composition.amplification);
    picture.pixels = difference.shown.view();
    return true;
  }

  // The pictures of the lanes, or the one composed of them.
  std::vector<Picture> published() {
    std::vector<Picture> all;
    for (const auto& lane : lanes) all.push_back(lane.picture());
    if (comparison) all = {composed(*comparison, all[0], all[1], difference.shown.view())};
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
  struct {
    gpu::Image<gpu::Rgba> shown, next;
  } difference;                   // of the lanes: two, so that a picture that fails half way is never shown
  std::vector<Picture> pictures;  // as published last: those that picture() returns
  std::size_t lane_count = 0;     // of the frame computed last; until it is published, there may be more, of the one before
  std::optional<WorkspacePlan> ahead;
  std::size_t used_workspace = 0;      // the most that a plan needed
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
  s.prepare(frame.size, lanes);
  if (traces) {
    if (!s.tracing) s.tracing.emplace(s.device);
    s.tracing->prepare(frame.size, lanes.front(), s.context().threads());
    s.work.grow(s.tracing->workspace_bytes());  // the sides of a comparison may need less
  }
  s.target = {.memory = pixels};
  const bool draws_on_one = s.device == gpu::Device::cuda && lanes.size() == 1 && !is_wipe(lanes.front());
  const auto timing = lanes.empty() ? TimingChoice::off : lanes.front().timing;
  s.work.timeline().set_detail(s.budget.detail(timing, TimingBudget::Clock::now()));
  s.work.timeline().begin_frame(id);
  s.overwritten = true;
  try {
    s.run(frame, timing, draws_on_one ? surface : PictureSurface());
    if (traces) s.trace_tiles();
  } catch (...) {
    s.work.persistent().invalidate();
    throw;
  }
}

Published Pipeline::publish() {
  auto& s = *state_;
  s.publish_lanes();
  std::swap(s.difference.shown, s.difference.next);
  if (!s.comparison || is_wipe(*s.comparison)) s.difference = {};
  s.overwritten = false;
  s.pictures = s.published();
  s.work.timeline().separate();  // what was computed may have ended long ago
  auto handed_out = s.pictures;
  for (auto& one : handed_out) one.on_surface = s.target.surface.has_value();
  return {s.context(), std::move(handed_out), &s.work.timeline()};
}

Published Pipeline::move_wipe(double wipe) {
  auto& s = *state_;
  s.pictures = {with_wipe(s.pictures.front(), wipe)};
  auto handed_out = s.pictures;
  handed_out.front().check = {};  // it was handed on
  return {s.context(), std::move(handed_out), nullptr};
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
  auto bytes = s.work.workspace_bytes() + s.work.persistent().bytes() + s.frame_stage.memory_bytes() +
               s.difference.shown.span().size_bytes() + s.difference.next.span().size_bytes();
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
