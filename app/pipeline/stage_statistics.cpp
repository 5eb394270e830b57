#include "app/pipeline/stage_statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

void put_figures(const Distribution& values, StageRow& row) {
  row.last = values.last();
  row.mean = values.mean();
  row.p50 = values.percentile(50);
  row.p90 = values.percentile(90);
  row.p99 = values.percentile(99);
  row.p999 = values.permille(999);
  row.max = values.max();
}

void set_shares(std::vector<StageRow>& rows) {
  const auto computes = [](const StageRow& row) { return row.leaf && row.kind == gpu::SpanKind::compute; };
  double all = 0;
  for (const auto& row : rows)
    if (computes(row)) all += row.mean;
  if (all <= 0) return;
  for (auto& row : rows)
    for (const auto& part : rows) {
      const bool within = part.name.starts_with(row.name) && part.name.size() > row.name.size() &&
                          part.name[row.name.size()] == '/';
      if (computes(part) && (within || &part == &row)) row.share += part.mean / all;
    }
}

int depth_of(const std::string& path) { return static_cast<int>(std::count(path.begin(), path.end(), '/')); }

}  // namespace

double whole_nanoseconds(double microseconds) { return std::round(microseconds * 1000) / 1000; }

std::vector<StageTime> stage_times(const gpu::TimelineFrame& frame) {
  std::vector<StageTime> times;
  for (const auto& span : frame.spans) {
    if (!span.timed) continue;
    const auto& path = frame.path(span);
    auto at = std::find_if(times.begin(), times.end(), [&](const auto& time) { return *time.path == path; });
    if (at == times.end()) at = times.insert(at, {&path, depth_of(path), true, 0, 0, span.kind});
    ++at->launches;
    at->microseconds += span.microseconds();
    if (span.parent < 0) continue;
    const auto& around = frame.path(frame.spans[static_cast<std::size_t>(span.parent)]);
    for (auto& time : times)
      if (*time.path == around) time.leaf = false;
  }
  for (auto& time : times) time.microseconds = whole_nanoseconds(time.microseconds);
  return times;
}

DeviceTime device_time(const gpu::TimelineFrame& frame) {
  DeviceTime time;
  double covered = 0, waited = 0;  // covered: up to here; the outermost spans come in the order in which they begin
  for (const auto& span : frame.spans) {
    if (!span.timed || span.parent >= 0) continue;
    const auto begin = std::max(covered, span.started), end = std::max(begin, span.ended);
    waited += begin - covered;
    (span.kind == gpu::SpanKind::compute    ? time.computing
     : span.kind == gpu::SpanKind::transfer ? time.transferring
                                            : waited) += end - begin;
    covered = end;
  }
  return {whole_nanoseconds(time.computing), whole_nanoseconds(time.transferring), whole_nanoseconds(waited)};
}

// At `place` of the frame; most often also at that place of the frame before.
StageStatistics::Stage& StageStatistics::stage(const StageTime& time, std::size_t place) {
  if (place < order_.size() && stages_[order_[place]].path == *time.path) return stages_[order_[place]];
  const auto at = std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.path == *time.path; });
  if (at != stages_.end()) return *at;
  return stages_.emplace_back(Stage{*time.path, time.depth, time.leaf, 0, {}, time.kind, {}, 0});
}

void StageStatistics::add(std::span<const StageTime> times, const DeviceTime& device) {
  next_order_.clear();
  for (const auto& time : times) {
    auto& known = stage(time, next_order_.size());
    known.leaf = time.leaf;
    known.launches += static_cast<std::uint64_t>(time.launches);
    known.times.add(time.microseconds);
    if (known.recent.size() < recent_frames) {
      known.recent.push_back(static_cast<float>(time.microseconds));
    } else {
      known.recent[known.oldest] = static_cast<float>(time.microseconds);
      known.oldest = (known.oldest + 1) % recent_frames;
    }
    next_order_.push_back(static_cast<std::size_t>(&known - stages_.data()));
  }
  order_.swap(next_order_);
  computing_.add(device.computing);
  transfers_.add(device.transferring);
  waiting_.add(device.waiting);
}

StageRow StageStatistics::total() const {
  auto row = StageStatistics::row("frame", computing_);
  row.launches = row.share = 1;
  return row;
}

StageRow StageStatistics::row(std::string name, const Distribution& times) {
  StageRow row;
  row.name = std::move(name);
  row.frames = times.count();
  put_figures(times, row);
  return row;
}

StageRow StageStatistics::row(const Stage& stage) {
  auto row = StageStatistics::row(stage.path, stage.times);
  row.launches = static_cast<double>(stage.launches) / static_cast<double>(stage.times.count());
  row.depth = stage.depth;
  row.leaf = stage.leaf;
  row.kind = stage.kind;
  row.recent = stage.recent;
  std::ranges::rotate(row.recent, row.recent.begin() + static_cast<std::ptrdiff_t>(stage.oldest));
  return row;
}

std::vector<StageRow> StageStatistics::rows() const {
  auto order = order_;
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  std::vector<StageRow> rows;
  for (const auto index : order) rows.push_back(row(stages_[index]));
  set_shares(rows);
  return rows;
}

}  // namespace app
