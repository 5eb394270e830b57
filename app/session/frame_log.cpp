#include "app/session/frame_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/error.h"

namespace app {
namespace {

// What a log holds and what the figures are of: whole nanoseconds.
double microseconds(FrameLog::Clock::duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()) / 1000;
}

// The answers came before the times. Those of a GPU that failed never come.
void resolve_checks(FrameRecord& record) try {
  for (const auto& check : record.checks)
    if (const auto* answer = check.answer()) record.table_right = record.table_right.value_or(true) && !answer->wrong;
  record.checks.clear();
} catch (const gpu::CudaError&) {
  record.checks.clear();
}

}  // namespace

void FrameLog::begin_turn() {
  turn_ = Clock::now();
  waited_ = {};
}

void FrameLog::idle() { interrupted_ = true; }

void FrameLog::made(const Selection& selection, gpu::Size size) {
  if (!making_) return;
  made_ = std::exchange(making_, {});
  const bool same_source = source_ && *source_ == *made_->source;
  if (!same_source || !selection_ || !same_work(*selection_, selection) || size_ != size || of_work_ == frames_counted)
    reset();
  if (!selection_ || *selection_ != selection) selection_ = std::make_shared<const Selection>(selection);
  size_ = size;
  source_ = made_->source;
  made_->selection = selection_;
  made_->size = size;
  made_->work_number = work_;
  made_->of_work = ++of_work_;
}

void FrameLog::drawn() {
  const auto now = Clock::now();
  drawn_rate_.count(now);
  if (!made_) return;
  picture_rate_.count(now);
  auto record = std::move(*std::exchange(made_, {}));
  record.presented = now;
  record.work_us = microseconds(now - turn_ - waited_);
  if (!interrupted_ && record.of_work > 1) record.interval_us = microseconds(now - presented_);
  if (!record.again) age_us_ = record.age_us();
  presented_ = now;
  interrupted_ = false;
  if (records_.size() >= 2 * frames_kept) {  // half of them at once: cheap
    const auto surplus = std::min(records_.size() - frames_kept, complete_);
    records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(surplus));
    complete_ -= surplus;
  }
  records_.push_back(std::move(record));
  complete_frames(frames_awaited);
}

void FrameLog::add_check(const PictureCheck& check) {
  if (making_ && check.asked()) making_->checks.push_back(check);
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
    if (record.work_number == work_) figures_.add(record);
    if (completed_) completed_(record);
  }
}

void FrameLog::reset() {
  ++work_;
  of_work_ = 0;
  figures_ = {};
}

std::span<const FrameRecord> FrameLog::latest() const {
  return std::span(records_).last(std::min(records_.size(), frames_kept));
}

}  // namespace app
