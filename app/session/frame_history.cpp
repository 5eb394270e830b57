#include "app/session/frame_history.h"

#include <algorithm>
#include <cmath>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/text.h"

namespace app {
namespace {

// As panels show them: "Border", "Replicate". An effect's position is not a part of the work.
std::vector<Circumstance> parameters_of(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size frame) {
  std::vector<Circumstance> all;
  const auto used = gpu::used_arguments(effect, arguments, frame);
  for (const auto& parameter : used.parameters())
    if (const auto& value = used.text(parameter.name); parameter.name != "x" && parameter.name != "y")
      all.push_back({label_of(parameter.name),
                     std::string(gpu::label_of_choice(parameter, gpu::display_of(effect.display, parameter.name), value))});
  return all;
}

// Two versions of a user's effect are two.
std::string title_of_work(const gpu::Effect& effect) {
  return effect.version ? numbered_name(effect) : std::string(effect.title);
}

// "Box blur (Window: 31x31, Passes: 1)"
std::string effect_text(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size frame) {
  std::string text;
  for (const auto& [name, value] : parameters_of(effect, arguments, frame))
    text += (text.empty() ? " (" : ", ") + name + ": " + value;
  return title_of_work(effect) + (text.empty() ? "" : text + ')');
}

// What a side has in place of the result's own, with its values.
std::string side_text(const Selection& side, const Selection& result, gpu::Size frame) {
  if (side.algorithm && side.algorithm != result.algorithm)
    return with_arguments(numbered_name(*side.algorithm), side.algorithm_arguments);
  if (side.effect != result.effect && side.name == side.effect->name)
    return effect_text(*side.effect, side.effect_arguments, frame);
  return title_of_side(side.name);
}

void add_comparison(std::vector<Circumstance>& all, const Selection& selection, gpu::Size frame) {
  const auto& sides = selection.sides;
  if (sides.empty()) return all.push_back({"comparison", "off"});
  const auto text = [&](const Selection& side) { return side_text(side, selection, frame); };
  all.push_back({"comparison", text(sides[0]) + " and " + text(sides[1])});
  const auto& [mode, wipe, amplification] = selection.composition;
  all.push_back({"comparison mode", title_of_value("compare_mode", name_of(compare_mode_names, mode))});
  if (mode == Composition::Mode::difference) all.push_back({"amplification", number_as_text(amplification)});
}

// In the order in which a user thinks of them. All that same_work() compares. An effect's parameters are each one of its own:
// where the effect is another one, it alone is what changed.
std::vector<Circumstance> all_of(const Work& work) {
  const auto& selection = *work.selection;
  std::vector<Circumstance> all{
      {"source", *work.source},
      {"size", text_of(work.size)},
      {"device", title_of_value("device", gpu::name(selection.device))},
      {"algorithm", with_arguments(numbered_name(*selection.algorithm), selection.algorithm_arguments)},
      {"effect", title_of_work(*selection.effect)}};
  for (const auto& [name, value] : parameters_of(*selection.effect, selection.effect_arguments, work.size))
    all.push_back({std::string(selection.effect->title) + ", " + name, value});
  add_comparison(all, selection, work.size);
  all.push_back({"check", std::string(toggle_names[selection.check])});
  all.push_back({"timing", title_of_value("timing", name_of(timing_names, selection.timing))});
  all.insert(all.end(), work.circumstances.begin(), work.circumstances.end());
  return all;
}

}  // namespace

bool same_source(const Work& a, const Work& b) { return *a.source == *b.source; }

std::string what_changed(const Work& before, const Work& after) {
  const auto old = all_of(before);
  std::string text;
  for (const auto& [name, value] : all_of(after)) {
    const auto at = std::ranges::find(old, name, &Circumstance::name);
    if (at == old.end() || at->value == value) continue;  // a circumstance's first value is not a change
    text += (text.empty() ? "" : "\n") + name + ": " + value;
    if (!at->value.empty()) text += ", before " + at->value;
  }
  return text.empty() ? "statistics reset" : text;
}

namespace {

constexpr std::size_t stages_expected = 8;  // per frame; more cost an allocation now and then
constexpr std::uint64_t most_paths = 1 << 9, most_launches = (1 << 11) - 1, most_nanoseconds = (1ull << 40) - 1;

int depth_of(const std::string& path) { return static_cast<int>(std::ranges::count(path, '/')); }

}  // namespace

// Memory that is never used costs nothing.
FrameHistory::FrameHistory() {
  frames_.reserve(2 * frames_kept);
  stages_.reserve(2 * frames_kept * stages_expected);
}

void FrameHistory::begin(const Work& work) { works_.push_back(work); }

void FrameHistory::add(const FrameRecord& frame) {
  if (frames_.size() == 2 * frames_kept) trim();
  auto& added = frames_.emplace_back();
  added.id = frame.id;
  added.presented = frame.presented;
  added.work_us = frame.work_us;
  added.interval_us = frame.interval_us;
  added.work = frame.work_number;
  added.dropped_before = frame.dropped_before;
  added.again = frame.again;
}

void FrameHistory::complete(const FrameTimes& times) {
  auto& frame = frames_[complete_++];
  static_cast<FrameTimes&>(frame) = times;
  frame.stages = {};
  frame.complete = true;
  frame.first_stage = removed_stages_ + stages_.size();
  const auto nanoseconds = [](double microseconds) {
    return std::min(static_cast<std::uint64_t>(std::llround(microseconds * 1000)), most_nanoseconds);
  };
  for (const auto& time : times.stages) {
    const auto path = path_index(*time.path);
    if (path == most_paths) continue;
    HistoryStage stage{};
    stage.nanoseconds = nanoseconds(time.microseconds);
    stage.launches = std::min(static_cast<std::uint64_t>(time.launches), most_launches);
    stage.path = path;
    stage.kind = static_cast<std::uint64_t>(time.kind);
    stage.leaf = time.leaf;
    stage.outermost = time.depth == 0;
    stages_.push_back(stage);
    if (time.lost > 0) {
      HistoryStage lost{};
      lost.nanoseconds = nanoseconds(time.lost);
      lost.path = path;
      lost.kind = HistoryStage::of_lost_time;
      stages_.push_back(lost);
    }
  }
  frame.stage_count = static_cast<std::uint16_t>(removed_stages_ + stages_.size() - frame.first_stage);
}

// Paths are few: those of the algorithms and effects that were used. most_paths where there is no room for another.
std::uint64_t FrameHistory::path_index(const std::string& path) {
  const auto at = std::ranges::find(paths_, path);
  if (at != paths_.end()) return static_cast<std::uint64_t>(at - paths_.begin());
  if (paths_.size() == most_paths) return most_paths;
  paths_.push_back(path);
  return paths_.size() - 1;
}

// The older half at once, so that what is left stays one piece of memory.
void FrameHistory::trim() {
  const auto surplus = std::min(frames_.size() - frames_kept, complete_);
  if (surplus == 0) return;
  const auto& first_left = frames_[surplus];
  const auto stages = first_left.complete ? first_left.first_stage - removed_stages_ : stages_.size();
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(surplus));
  stages_.erase(stages_.begin(), stages_.begin() + static_cast<std::ptrdiff_t>(stages));
  removed_ += surplus;
  removed_stages_ += stages;
  complete_ -= surplus;
  while (works_.size() > 1 && works_[1].number <= frames_.front().work) works_.pop_front();
}

std::span<const HistoryFrame> FrameHistory::frames() const {
  return std::span(frames_).last(std::min(frames_.size(), frames_kept));
}

std::span<const HistoryStage> FrameHistory::stages(const HistoryFrame& frame) const {
  return std::span(stages_).subspan(frame.stage_count ? frame.first_stage - removed_stages_ : 0, frame.stage_count);
}

const Work* FrameHistory::work(std::uint64_t number) const {
  const auto at = std::ranges::lower_bound(works_, number, {}, &Work::number);
  return at == works_.end() || at->number != number ? nullptr : &*at;
}

FrameHistory::Indices FrameHistory::find(const FrameRange& range) const {
  const auto all = frames();
  const auto first = std::ranges::lower_bound(all, range.first, {}, &HistoryFrame::id);
  const auto end = std::ranges::upper_bound(all, range.last, {}, &HistoryFrame::id);
  if (first >= end) return {};
  const auto of_work = std::ranges::lower_bound(first, end, std::prev(end)->work, {}, &HistoryFrame::work);
  return {static_cast<std::size_t>(of_work - all.begin()), static_cast<std::size_t>(end - all.begin())};
}

FrameTimes FrameHistory::times(const HistoryFrame& frame, std::vector<StageTime>& stages) const {
  stages.clear();
  for (const auto& stage : this->stages(frame)) {
    if (stage.kind == HistoryStage::of_lost_time) {
      stages.back().lost = static_cast<double>(stage.nanoseconds) / 1000;
      continue;
    }
    stages.push_back({&path(stage), stage.outermost ? 0 : depth_of(path(stage)), stage.leaf != 0,
                      static_cast<int>(stage.launches), static_cast<double>(stage.nanoseconds) / 1000,
                      static_cast<gpu::SpanKind>(stage.kind), 0});
  }
  FrameTimes times = frame;
  times.stages = stages;
  return times;
}

FrameRecord FrameHistory::record(const HistoryFrame& frame) const {
  FrameRecord record;
  record.again = frame.again;
  record.work_number = frame.work;
  record.presented = frame.presented;
  if (const auto* work = this->work(frame.work)) {
    record.source = work->source;
    record.selection = work->selection;
    record.size = work->size;
  }
  return record;
}

FrameFigures FrameHistory::figures(Indices indices) const {
  FrameFigures figures;
  std::vector<StageTime> stages;
  for (const auto& frame : frames().subspan(indices.first, indices.count())) {
    if (!frame.complete) break;
    figures.add(times(frame, stages));
  }
  return figures;
}

}  // namespace app
