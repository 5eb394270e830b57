#include "app/session/frame_history.h"

#include <algorithm>
#include <cmath>

namespace app {
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
  added.dropped_before = static_cast<std::uint32_t>(frame.dropped_before);
  added.again = frame.again;
}

void FrameHistory::complete(const FrameTimes& times) {
  auto& frame = frames_[complete_++];
  frame.complete = true;
  frame.first_launches = times.first_launches;
  frame.timed = times.timed;
  frame.device = times.device;
  frame.table_right = times.table_right;
  frame.points = times.points;
  frame.timing_us = times.timing_us;
  frame.drawn_bytes = static_cast<std::uint16_t>(times.drawn_bytes);
  frame.dropped_spans = static_cast<std::uint32_t>(times.dropped_spans);
  frame.first_stage = removed_stages_ + stages_.size();
  for (const auto& time : times.stages) {
    const auto path = path_index(*time.path);
    if (path == most_paths) continue;
    HistoryStage stage{};
    stage.nanoseconds = std::min(static_cast<std::uint64_t>(std::llround(time.microseconds * 1000)), most_nanoseconds);
    stage.launches = std::min(static_cast<std::uint64_t>(time.launches), most_launches);
    stage.path = path;
    stage.kind = static_cast<std::uint64_t>(time.kind);
    stage.leaf = time.leaf;
    stage.outermost = time.depth == 0;
    stages_.push_back(stage);
  }
  frame.stages = static_cast<std::uint16_t>(removed_stages_ + stages_.size() - frame.first_stage);
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
  return std::span(stages_).subspan(frame.stages ? frame.first_stage - removed_stages_ : 0, frame.stages);
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

FrameHistory FrameHistory::part(Indices indices) const {
  FrameHistory part;
  const auto some = frames().subspan(indices.first, indices.count());
  part.frames_.assign(some.begin(), some.end());
  part.paths_ = paths_;
  part.works_ = works_;
  for (auto& frame : part.frames_) {
    const auto stages = this->stages(frame);
    frame.first_stage = part.stages_.size();
    part.stages_.insert(part.stages_.end(), stages.begin(), stages.end());
    part.complete_ += frame.complete;
  }
  return part;
}

FrameFigures FrameHistory::figures(Indices indices) const {
  FrameFigures figures;
  std::vector<StageTime> times;
  for (const auto& frame : frames().subspan(indices.first, indices.count())) {
    if (!frame.complete) break;
    times.clear();
    for (const auto& stage : stages(frame))
      times.push_back({&path(stage), stage.outermost ? 0 : depth_of(path(stage)), stage.leaf != 0,
                       static_cast<int>(stage.launches), static_cast<double>(stage.nanoseconds) / 1000,
                       static_cast<gpu::SpanKind>(stage.kind)});
    figures.add({frame.id, frame.dropped_before, frame.interval_us, frame.work_us, frame.table_right, frame.first_launches,
                 frame.timed, frame.dropped_spans, frame.device, times, frame.points, frame.timing_us, frame.drawn_bytes});
  }
  return figures;
}

}  // namespace app
