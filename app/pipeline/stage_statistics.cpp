#include "app/pipeline/stage_statistics.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

double whole_nanoseconds(double microseconds) { return std::round(microseconds * 1000) / 1000; }

void put_figures(const Distribution& values, StageRow& row) {
  row.last = values.last();
  row.mean = values.mean();
  row.p50 = values.percentile(50);
  row.p90 = values.percentile(90);
  row.p99 = values.percentile(99);
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

double& KindTimes::operator[](gpu::SpanKind kind) {
  switch (kind) {
    case gpu::SpanKind::transfer: return transfer;
    case gpu::SpanKind::wait: return wait;
    default: return compute;
  }
}

KindTimes kind_times(std::span<const StageTime> times) {
  KindTimes sums;
  for (const auto& time : times)
    if (time.leaf) sums[time.kind] += time.microseconds;
  return sums;
}

double total_microseconds(const gpu::TimelineFrame& frame) {
  double last = 0;
  for (const auto& span : frame.spans)
    if (span.timed) last = std::max(last, span.ended);
  return whole_nanoseconds(last);
}

StageStatistics::Stage& StageStatistics::stage(const StageTime& time) {
  const auto at = std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.path == *time.path; });
  if (at != stages_.end()) return *at;
  return stages_.emplace_back(Stage{*time.path, time.depth, time.leaf, 0, {}, time.kind, {}, 0});
}

void StageStatistics::add(const gpu::TimelineFrame& frame) {
  order_.clear();
  const auto times = stage_times(frame);
  for (const auto& time : times) {
    auto& known = stage(time);
    known.leaf = time.leaf;
    known.launches += static_cast<std::uint64_t>(time.launches);
    known.times.add(time.microseconds);
    if (known.recent.size() < recent_frames) {
      known.recent.push_back(static_cast<float>(time.microseconds));
    } else {
      known.recent[known.oldest] = static_cast<float>(time.microseconds);
      known.oldest = (known.oldest + 1) % recent_frames;
    }
    order_.push_back(static_cast<std::size_t>(&known - stages_.data()));
  }
  total_.add(total_microseconds(frame));
  auto kinds = kind_times(times);
  for (const auto kind : {gpu::SpanKind::compute, gpu::SpanKind::transfer, gpu::SpanKind::wait})
    kinds_[static_cast<std::size_t>(kind)].add(kinds[kind]);
}

StageRow StageStatistics::row(const Stage& stage) const {
  StageRow row;
  row.name = stage.path;
  row.launches = static_cast<double>(stage.launches) / static_cast<double>(stage.times.count());
  row.depth = stage.depth;
  row.leaf = stage.leaf;
  row.kind = stage.kind;
  row.recent = stage.recent;
  std::ranges::rotate(row.recent, row.recent.begin() + static_cast<std::ptrdiff_t>(stage.oldest));
  put_figures(stage.times, row);
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

StageRow StageStatistics::total() const {
  StageRow row;
  row.name = "frame";
  row.launches = row.share = 1;
  put_figures(total_, row);
  return row;
}

}  // namespace app
