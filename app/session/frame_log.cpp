#include "app/session/frame_log.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/pipeline/frame_figures.h"

namespace app {
namespace {

// What a log holds and what the figures are of: whole nanoseconds.
double microseconds(FrameLog::Clock::duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()) / 1000;
}

// That of the calling thread, since it began.
FrameLog::Clock::duration thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::duration_cast<FrameLog::Clock::duration>(std::chrono::seconds(time.tv_sec) +
                                                               std::chrono::nanoseconds(time.tv_nsec));
}

// The answers came before the times.
void resolve_checks(FrameRecord& record) {
  for (const auto& check : record.checks)
    if (const auto* answer = check.take(); answer && !answer->lost)
      record.table_right = record.table_right.value_or(true) && !answer->wrong;
  record.checks.clear();
}

}  // namespace

void FrameLog::begin_turn() {
  turn_ = Clock::now();
  waited_ = {};
  const auto cpu = thread_cpu_time();
  if (turn_cpu_ != Clock::duration()) longest_cpu_ = std::max(longest_cpu_, cpu - turn_cpu_);
  turn_cpu_ = cpu;
}

void FrameLog::idle() { interrupted_ = true; }

void FrameLog::made(const Selection& selection, gpu::Size size, int drawn_bytes) {
  if (!making_) return;
  made_ = std::exchange(making_, {});
  const bool same = work_.selection && *work_.source == *made_->source && same_work(*work_.selection, selection) &&
                    work_.size == size && work_.circumstances == circumstances_ && of_work_ < frames_counted;
  if (!same || std::exchange(reset_, false)) begin_work(selection, size);
  if (!selection_ || *selection_ != selection) selection_ = std::make_shared<const Selection>(selection);
  made_->selection = selection_;
  made_->size = size;
  made_->drawn_bytes = drawn_bytes;
  made_->work_number = work_.number;
  made_->of_work = ++of_work_;
}

void FrameLog::begin_work(const Selection& selection, gpu::Size size) {
  ++work_.number;
  work_.source = made_->source;
  work_.selection = std::make_shared<const Selection>(selection);
  work_.size = size;
  work_.circumstances = circumstances_;
  history_.begin(work_);
  reset_ = false;
  of_work_ = 0;
  figures_ = {};
}

void FrameLog::drawn(bool on_screen) {
  const auto now = Clock::now();
  if (on_screen) drawn_rate_.count(now);
  if (!made_) return;
  if (!made_->again) picture_rate_.count(now);
  auto record = std::move(*std::exchange(made_, {}));
  record.presented = now;
  record.work_us = microseconds(now - turn_ - waited_);
  record.cpu_us = microseconds(std::max(std::exchange(longest_cpu_, {}), thread_cpu_time() - turn_cpu_));
  if (!interrupted_ && !record.again && record.of_work > 1) record.interval_us = microseconds(now - presented_);
  if (!record.again && on_screen) age_us_ = record.age_us();
  presented_ = now;
  interrupted_ = record.again;
  if (records_.size() >= 2 * frames_kept) {  // half of them at once: cheap
    const auto surplus = std::min(records_.size() - frames_kept, complete_);
    records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(surplus));
    complete_ -= surplus;
  }
  history_.add(record);
  records_.push_back(std::move(record));
  complete_frames(frames_awaited);
}

void FrameLog::add_check(const PictureCheck& check) {
  if (making_ && !check.none()) making_->checks.push_back(check);
}

void FrameLog::take(gpu::TimelineFrame times) {
  times_.push_back(std::move(times));
  if (times_.size() > 2 * frames_awaited) times_.pop_front();  // of a frame that was never drawn
  complete_frames(frames_awaited);
}

void FrameLog::flush() { complete_frames(0); }

// In order: the times of a frame may come before those of one before it.
void FrameLog::complete_frames(std::size_t awaited) {
  for (; complete_ < records_.size(); ++complete_) {
    auto& record = records_[complete_];
    const auto there = std::ranges::find(times_, record.id, &gpu::TimelineFrame::id);
    if (there == times_.end() && records_.size() - complete_ <= awaited) return;
    if (there != times_.end()) {
      record.times = std::move(*there);
      times_.erase(there);
    }
    resolve_checks(record);
    mark_lost_time(record);
    const auto times = frame_times(record, stages_);
    history_.complete(times);
    if (record.work_number == work_.number && !reset_) figures_.add(times);
    if (completed_) completed_(record);
  }
}

void FrameLog::mark_lost_time(FrameRecord& record) {
  if (!draws_on_gpu_ || record.selection->device != gpu::Device::cuda) return;
  if (std::exchange(lost_time_of_, record.work_number) != record.work_number) lost_time_.restart();
  lost_time_.mark(record.times);
}

void FrameLog::reset() {
  reset_ = true;
  of_work_ = 0;
  figures_ = {};
}

void FrameLog::set_circumstance(std::string_view name, std::string_view value) {
  const auto at = std::ranges::find(circumstances_, name, &Circumstance::name);
  if (at != circumstances_.end()) {
    at->value = value;
    return;
  }
  circumstances_.push_back({std::string(name), std::string(value)});
  work_.circumstances.push_back(circumstances_.back());
}

const FrameFigures& FrameLog::shown() {
  if (!range_) return figures_;
  const auto indices = history_.find(*range_);
  const auto frames = history_.frames().subspan(indices.first, indices.count());
  const auto complete = static_cast<std::size_t>(std::ranges::count_if(frames, &HistoryFrame::complete));
  const bool known = figured_range_ == range_;
  // Figures stay when their frames are no longer kept.
  if (known && complete <= figured_) return range_figures_;
  figured_range_ = range_;
  figured_ = complete;
  range_figures_ = history_.figures(indices);
  const auto* work = frames.empty() ? nullptr : history_.work(frames.back().work);
  range_work_ = work ? std::optional(*work) : std::nullopt;
  return range_figures_;
}

std::vector<FrameRecord> FrameLog::shown_records() const {
  std::vector<FrameRecord> records;
  if (reset_ && !range_) return records;
  const auto* work = shown_work();
  for (const auto& record : latest())
    if (work && record.work_number == work->number && (!range_ || (record.id >= range_->first && record.id <= range_->last)))
      records.push_back(record);
  return records;
}

FrameHistory::Indices FrameLog::shown_indices() const {
  if (range_) return history_.find(*range_);
  const auto frames = history_.frames();
  const auto first = std::ranges::lower_bound(frames, work_.number, {}, &HistoryFrame::work);
  return {reset_ ? frames.size() : static_cast<std::size_t>(first - frames.begin()), frames.size()};
}

const Work* FrameLog::shown_work() const {
  if (range_) return range_work_ ? &*range_work_ : nullptr;
  return work_.selection ? &work_ : nullptr;
}

std::span<const FrameRecord> FrameLog::latest() const {
  return std::span(records_).last(std::min(records_.size(), frames_kept));
}

namespace {

// The longest span of the path is the one that was interrupted.
void give(gpu::TimelineFrame& frame, const std::string& path, double lost) {
  auto longest = frame.spans.end();
  for (auto span = frame.spans.begin(); span != frame.spans.end(); ++span)
    if (span->timed && frame.path(*span) == path &&
        (longest == frame.spans.end() || span->microseconds() > longest->microseconds()))
      longest = span;
  for (auto i = longest - frame.spans.begin(); i >= 0; i = frame.spans[static_cast<std::size_t>(i)].parent)
    frame.spans[static_cast<std::size_t>(i)].lost += lost;
}

}  // namespace

double LostTime::Times::above_usual(double microseconds) const {
  if (count < fewest || microseconds <= least_us) return 0;
  auto sorted = latest;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return microseconds > *middle + least_us && microseconds > 2 * *middle ? microseconds - *middle : 0;
}

void LostTime::Times::add(double microseconds) {
  latest[next] = microseconds;
  next = (next + 1) % latest.size();
  count = std::min(count + 1, latest.size());
}

void LostTime::mark(gpu::TimelineFrame& frame) {
  if (!frame.timed) return;
  for (const auto& time : stage_times(frame)) {
    if (!time.leaf || time.kind == gpu::SpanKind::wait) continue;
    auto& usual = usual_[*time.path];
    if (const auto lost = usual.above_usual(time.microseconds); lost > 0) give(frame, *time.path, lost);
    usual.add(time.microseconds);
  }
}

}  // namespace app
