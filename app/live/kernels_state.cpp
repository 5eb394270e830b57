#include "app/live/kernels_state.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "gpu/tables.h"

namespace app {
namespace {

std::string why_no_timeline(const FrameRecord& frame) {
  if (frame.selection->timing == TimingChoice::off) return "timing is off";
  return "this frame was not timed";
}

// Whether it is the algorithm's own row: of the whole of it, in the frame or in a side of a comparison. Its kernel may have
// the same name.
bool is_row_of(const StageRow& row, std::string_view algorithm) {
  const auto slash = row.name.rfind('/');
  if (slash == row.name.npos) return row.name == algorithm;
  const auto around = std::string_view(row.name).substr(0, slash);
  return std::string_view(row.name).substr(slash + 1) == algorithm && !around.ends_with('/' + std::string(algorithm)) &&
         around != algorithm;
}

void set_rate(ui::KernelRow& row, std::uint64_t bytes) {
  row.gb_per_s = static_cast<double>(bytes) / row.stage.mean / 1000;  // bytes per us / 1000
}

void add_rates(ui::KernelsState& state, const Selection& selection, gpu::Size size) {
  const auto* algorithm = selection.algorithm;
  if (!algorithm) return;
  for (auto& row : state.rows) {
    if (row.gb_per_s || row.of_bound || row.stage.mean <= 0 || !is_row_of(row.stage, algorithm->name)) continue;
    if (algorithm->traffic) {
      const auto& arguments = selection.algorithm_arguments;
      const auto traffic = algorithm->traffic(size, gpu::SatType::u8_u32, arguments, gpu::current_gpu_limits());
      set_rate(row, traffic.bytes());
    }
    if (state.bound) row.of_bound = state.bound->us / row.stage.mean;
    return;  // another side has another row
  }
}

// Of the first row with this name that has none: another side of a comparison has another row.
void add_rate(ui::KernelsState& state, std::string_view name, std::uint64_t bytes) {
  const auto row = std::ranges::find_if(state.rows, [&](const ui::KernelRow& each) {
    return !each.gb_per_s && each.computes() && each.stage.mean > 0 && each.short_name() == name;
  });
  if (row != state.rows.end()) set_rate(*row, bytes);
}

// Of the effect's own launches; those with one name are one row. `drawn_bytes`: of the picture, per pixel, on average.
void add_effect_rates(ui::KernelsState& state, const Selection& selection, gpu::Size size, double drawn_bytes) {
  if (!selection.effect || !selection.effect->traffic) return;
  constexpr int pixel = sizeof(gpu::Rgba);
  const auto bytes_of = [&](int drawn) {
    std::map<std::string_view, double> bytes;
    for (const auto& launch : selection.effect->traffic(selection.effect_arguments, size, drawn))
      bytes[launch.name] += static_cast<double>(launch.traffic.bytes());
    return bytes;
  };
  const auto once = bytes_of(pixel), twice = bytes_of(2 * pixel);
  for (const auto& [name, bytes] : once)
    add_rate(state, name, static_cast<std::uint64_t>(bytes + (twice.at(name) - bytes) * (drawn_bytes / pixel - 1)));
}

// Bytes that are requested per second, where they are counted: by kernels on a GPU. One picture is drawn into memory, on the
// texture, or both; those of a comparison into memory.
void add_all_rates(ui::KernelsState& state, const Selection& selection, gpu::Size size, const FrameFigures& figures) {
  const auto add = [&](const Selection& each, double drawn_bytes) {
    add_rates(state, each, size);
    if (selection.device == gpu::Device::cuda) add_effect_rates(state, each, size, drawn_bytes);
  };
  if (selection.device == gpu::Device::simulated) return;
  if (selection.device == gpu::Device::cuda) add_rate(state, "luma", gpu::luma_traffic(size).bytes());
  constexpr int pixel = sizeof(gpu::Rgba);
  if (const auto timed = figures.stages.frames(); selection.sides.empty() && timed > 0)
    add(selection, static_cast<double>(figures.drawn_bytes) / static_cast<double>(timed));
  for (const auto& side : selection.sides) add(side, pixel);
}

}  // namespace

ui::KernelsState kernels_state(const FrameFigures& figures, const Selection& selection, gpu::Size size,
                               const std::optional<TableBound::Figure>& bound) {
  const auto& stages = figures.stages;
  ui::KernelsState state;
  for (auto& stage : stages.rows()) state.rows.push_back({std::move(stage), 0, {}, {}});
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
  add_all_rates(state, selection, size, figures);
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
