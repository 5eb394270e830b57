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

int depth_of(const std::string& path) { return static_cast<int>(std::count(path.begin(), path.end(), '/')); }

}  // namespace

std::vector<StageTime> stage_times(const gpu::TimelineFrame& frame) {
  std::vector<StageTime> times;
  for (const auto& span : frame.spans) {
    if (!span.timed) continue;
    const auto& path = frame.path(span);
    auto at = std::find_if(times.begin(), times.end(), [&](const auto& time) { return *time.path == path; });
    if (at == times.end()) at = times.insert(at, {&path, depth_of(path), true, 0, 0});
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

double total_microseconds(const gpu::TimelineFrame& frame) {
  double last = 0;
  for (const auto& span : frame.spans)
    if (span.timed) last = std::max(last, span.ended);
  return whole_nanoseconds(last);
}

StageStatistics::Stage& StageStatistics::stage(const StageTime& time) {
  const auto at = std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.path == *time.path; });
  if (at != stages_.end()) return *at;
  return stages_.emplace_back(Stage{*time.path, time.depth, time.leaf, 0, {}});
}

void StageStatistics::add(const gpu::TimelineFrame& frame) {
  order_.clear();
  for (const auto& time : stage_times(frame)) {
    auto& known = stage(time);
    known.leaf = time.leaf;
    known.launches += static_cast<std::uint64_t>(time.launches);
    known.times.add(time.microseconds);
    order_.push_back(static_cast<std::size_t>(&known - stages_.data()));
  }
  total_.add(total_microseconds(frame));
}

StageRow StageStatistics::row(const Stage& stage) const {
  StageRow row;
  row.name = stage.path;
  row.launches = static_cast<double>(stage.launches) / static_cast<double>(stage.times.count());
  row.depth = stage.depth;
  row.leaf = stage.leaf;
  put_figures(stage.times, row);
  return row;
}

std::vector<StageRow> StageStatistics::rows() const {
  auto order = order_;
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  std::vector<StageRow> rows;
  double sum = 0;
  for (const auto index : order) {
    rows.push_back(row(stages_[index]));
    if (rows.back().depth == 0) sum += rows.back().mean;
  }
  for (auto& row : rows) row.share = sum > 0 ? row.mean / sum : 0;
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
