#include "app/live/kernels_state.h"

#include <algorithm>
#include <utility>

#include "app/pipeline/kernel_rates.h"

namespace app {
namespace {

std::string why_no_timeline(const FrameRecord& frame) {
  if (frame.selection->timing == TimingChoice::off) return "timing is off";
  if (frame.times.first_launches > 0)
    return "a kernel ran for the first time in this frame: its time would be that of loading it";
  return "this frame was not timed";
}

}  // namespace

ui::KernelsState kernels_state(const FrameFigures& figures, const Selection& selection, gpu::Size size,
                               const std::optional<TableBound::Figure>& bound) {
  const auto& stages = figures.stages;
  ui::KernelsState state;
  auto rows = stages.rows();
  const auto rates = kernel_rates(rows, figures, selection, size, bound ? std::optional(bound->us) : std::nullopt);
  for (std::size_t i = 0; i < rows.size(); ++i)
    state.rows.push_back({std::move(rows[i]), 0, rates[i].gb_per_s, rates[i].of_bound});
  ui::number_colours(state.rows);
  state.total = stages.total();
  state.computing = stages.computing().mean();
  state.transfers = stages.transfers().mean();
  state.waiting = stages.waiting().mean();
  state.timed_frames = stages.frames();
  state.untimed_frames = selection.timing == TimingChoice::off ? 0 : figures.untimed;
  state.dropped_spans = figures.dropped_spans;
  if (bound) state.bound = ui::KernelBound{bound->us, bound->name, bound->runs};
  state.timing_share = figures.timing_share();
  state.timing_us = figures.timing_us.mean();
  state.timing_points = state.timed_frames > 0
                            ? static_cast<double>(figures.points) / static_cast<double>(state.timed_frames)
                            : 0;
  return state;
}

ui::TimelineState timeline_state(std::span<const FrameRecord> frames, std::optional<std::uint64_t> pinned) {
  ui::TimelineState state;
  state.pinned = pinned.has_value();
  const auto shown = [&](const FrameRecord& frame) { return pinned ? frame.id == *pinned : frame.times.timed; };
  const auto at = std::ranges::find_if(frames.rbegin(), frames.rend(), shown);
  if (at == frames.rend()) {
    if (pinned) state.missing = "the pinned frame's timeline is no longer kept: it is one of the latest frames only";
    if (!pinned && !frames.empty()) state.missing = why_no_timeline(frames.back());
    return state;
  }
  state.id = at->id;
  state.host_queues = at->selection && at->selection->device == gpu::Device::cuda;
  if (at->times.timed)
    state.frame = at->times;
  else
    state.missing = why_no_timeline(*at);
  return state;
}

}  // namespace app
