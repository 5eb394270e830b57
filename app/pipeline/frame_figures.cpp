#include "app/pipeline/frame_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "gpu/choice/meter.h"
#include "gpu/tables/tables.h"

namespace app {
namespace {

constexpr std::size_t few = 1024;

// The value with `rank` smaller or equal ones before it when two sorted runs are merged.
double of_rank(std::span<const double> a, std::span<const double> b, std::size_t rank) {
  // Binary search: how many values of a are among the first rank + 1.
  auto low = rank + 1 - std::min(rank + 1, b.size()), high = std::min(rank + 1, a.size());
  while (low < high) {
    const auto middle = (low + high) / 2;
    if (a[middle] < b[rank - middle])
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return b[rank];
  return low > rank ? a[low - 1] : std::max(a[low - 1], b[rank - low]);
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

std::string_view last_name(const StageRow& row) { return std::string_view(row.name).substr(row.name.rfind('/') + 1); }

// The rates that are known so far. What is added goes to the first row of its name that has none: another side of a
// comparison has another row.
class Rates {
 public:
  Rates(std::span<const StageRow> rows, gpu::Size size, std::optional<double> bound_us)
      : rows_(rows), size_(size), bound_us_(bound_us), rates_(rows.size()) {}

  void add_algorithm(const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rates_[i].gb_per_s || rows_[i].mean <= 0 || !is_row_of(rows_[i], algorithm.name)) continue;
      set(i, static_cast<double>(bytes_of(algorithm, size_, gpu::SatType::u8_u32, arguments)));
      if (bound_us_) rates_[i].of_bound = *bound_us_ / rows_[i].mean;
      return;
    }
  }

  void add_launches(std::string_view name, double bytes) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& row = rows_[i];
      if (rates_[i].gb_per_s || row.kind != gpu::SpanKind::compute || row.mean <= 0 || last_name(row) != name) continue;
      return set(i, bytes);
    }
  }

  // Adds the effect's own launches; those with one name are one row. `drawn_bytes`: of the picture, per pixel, on average.
  void add_effect(const gpu::Effect& effect, const gpu::Arguments& arguments, double drawn_bytes) {
    if (!effect.traffic) return;
    constexpr int pixel = sizeof(gpu::Rgba);
    const auto bytes_of = [&](int drawn) {
      std::map<std::string_view, double> bytes;
      for (const auto& launch : effect.traffic(arguments, size_, drawn))
        bytes[launch.name] += static_cast<double>(launch.traffic.bytes());
      return bytes;
    };
    const auto once = bytes_of(pixel), twice = bytes_of(2 * pixel);
    for (const auto& [name, bytes] : once) add_launches(name, bytes + (twice.at(name) - bytes) * (drawn_bytes / pixel - 1));
  }

  std::vector<KernelRates> take() { return std::move(rates_); }

 private:
  void set(std::size_t i, double bytes) { rates_[i].gb_per_s = bytes / rows_[i].mean / 1000; }  // bytes per us / 1000

  std::span<const StageRow> rows_;
  gpu::Size size_;
  std::optional<double> bound_us_;
  std::vector<KernelRates> rates_;
};

}  // namespace

double Distribution::Sum::per_second() const {
  return nanoseconds > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(nanoseconds) : 0;
}

void Distribution::add(double microseconds) {
  max_ = values_.empty() ? microseconds : std::max(max_, microseconds);
  last_ = microseconds;
  nanoseconds_ += std::llround(microseconds * 1000);
  values_.push_back(microseconds);
}

double Distribution::mean() const {
  if (values_.empty()) return 0;
  const auto count = static_cast<std::int64_t>(values_.size());
  return static_cast<double>((2 * nanoseconds_ + count) / (2 * count)) / 1000;
}

void Distribution::sort() const {
  if (sorted_ == values_.size()) return;
  const auto at = [&](std::size_t index) { return values_.begin() + static_cast<std::ptrdiff_t>(index); };
  std::sort(at(sorted_), values_.end());
  std::inplace_merge(at(older_), at(sorted_), values_.end());
  sorted_ = values_.size();
  if (sorted_ - older_ <= older_ / 8 + few) return;
  std::inplace_merge(values_.begin(), at(older_), values_.end());
  older_ = sorted_;
}

double Distribution::permille(unsigned permille) const {
  if (values_.empty()) return 0;
  sort();
  return of_rank(older(), newer(), gpu::nearest_rank_permille(values_.size(), permille));
}

Distribution::Sum Distribution::largest(unsigned permille) const {
  sort();
  const auto wanted = (values_.size() * permille + 999) / 1000;
  Sum sum{wanted, 0};
  auto a = older(), b = newer();
  for (std::size_t i = 0; i < wanted; ++i) {
    auto& run = b.empty() || (!a.empty() && a.back() > b.back()) ? a : b;
    sum.nanoseconds += std::llround(run.back() * 1000);
    run = run.first(run.size() - 1);
  }
  return sum;
}

std::size_t Distribution::count_above(double limit) const {
  sort();
  const auto above = [&](std::span<const double> run) {
    return static_cast<std::size_t>(run.end() - std::upper_bound(run.begin(), run.end(), limit));
  };
  return above(older()) + above(newer());
}

double Distribution::share_above(double limit) const {
  if (values_.empty()) return 0;
  return static_cast<double>(count_above(limit)) / static_cast<double>(values_.size());
}

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
    if (at == times.end()) at = times.insert(at, {&path, depth_of(path), true, 0, 0, span.kind, 0});
    ++at->launches;
    at->microseconds += span.microseconds();
    at->lost += span.lost;
    if (span.parent < 0) continue;
    const auto& around = frame.path(frame.spans[static_cast<std::size_t>(span.parent)]);
    for (auto& time : times)
      if (*time.path == around) time.leaf = false;
  }
  for (auto& time : times) {
    time.microseconds = whole_nanoseconds(time.microseconds);
    time.lost = whole_nanoseconds(time.lost);
  }
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
                                            : waited) += end - begin - span.lost;
    waited += span.lost;
    covered = end;
  }
  return {whole_nanoseconds(time.computing), whole_nanoseconds(time.transferring), whole_nanoseconds(waited)};
}

// At `place` of the frame; most often also at that place of the frame before.
StageStatistics::Stage& StageStatistics::stage(const StageTime& time, std::size_t place) {
  if (place < order_.size() && stages_[order_[place]].path == *time.path) return stages_[order_[place]];
  const auto at = std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.path == *time.path; });
  if (at != stages_.end()) return *at;
  return stages_.emplace_back(Stage{*time.path, time.depth, time.leaf, 0, {}, {}, time.kind, {}, 0});
}

void StageStatistics::add(std::span<const StageTime> times, const DeviceTime& device) {
  next_order_.clear();
  for (const auto& time : times) {
    auto& known = stage(time, next_order_.size());
    known.leaf = time.leaf;
    next_order_.push_back(static_cast<std::size_t>(&known - stages_.data()));
    if (time.lost > 0) {
      known.lost.add(time.lost);
      continue;
    }
    known.launches += static_cast<std::uint64_t>(time.launches);
    known.times.add(time.microseconds);
    if (known.recent.size() < recent_frames) {
      known.recent.push_back(static_cast<float>(time.microseconds));
    } else {
      known.recent[known.oldest] = static_cast<float>(time.microseconds);
      known.oldest = (known.oldest + 1) % recent_frames;
    }
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
  if (row.frames > 0) row.launches = static_cast<double>(stage.launches) / static_cast<double>(row.frames);
  row.lost_frames = stage.lost.count();
  row.lost_us = stage.lost.mean();
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

FrameTimes frame_times(const FrameRecord& record, std::vector<StageTime>& stages) {
  FrameTimes frame;
  frame.id = record.id;
  frame.dropped_before = record.dropped_before;
  frame.interval_us = record.interval_us;
  frame.work_us = record.work_us;
  frame.table_right = record.table_right;
  frame.first_launches = record.times.first_launches > 0;
  frame.timed = record.times.timed;
  frame.dropped_spans = static_cast<std::uint64_t>(record.times.dropped);
  if (!frame.timed) return frame;
  frame.device = device_time(record.times);
  stages = stage_times(record.times);
  frame.stages = stages;
  frame.points = static_cast<std::uint32_t>(record.times.points);
  frame.timing_us = whole_nanoseconds(record.times.timing_us);
  frame.drawn_bytes = record.drawn_bytes;
  return frame;
}

double FrameTimes::lost_us() const {
  double lost = 0;
  for (const auto& stage : stages)
    if (stage.depth == 0) lost += stage.lost;
  return whole_nanoseconds(lost);
}

void FrameFigures::add(const FrameTimes& frame) {
  if (frames++ == 0) first = frame.id;
  last = frame.id;
  dropped += frame.dropped_before;
  if (frame.interval_us > 0) interval_us.add(frame.interval_us);
  work_us.add(frame.work_us);
  checked += frame.table_right.has_value();
  wrong += frame.table_right == false;
  first_launches += frame.first_launches;
  untimed += !frame.timed && !frame.first_launches;
  dropped_spans += frame.dropped_spans;
  if (!frame.timed) return;
  stages.add(frame.stages, frame.device);
  timing_us.add(frame.timing_us);
  if (const auto lost = frame.lost_us(); lost > 0) lost_us.add(lost);
  points += frame.points;
  drawn_bytes += static_cast<std::uint64_t>(frame.drawn_bytes);
}

void FrameFigures::add(const FrameRecord& record) {
  std::vector<StageTime> stages;
  add(frame_times(record, stages));
}

double FrameFigures::timing_share() const {
  const auto frame = std::max({interval_us.mean(), work_us.mean(), stages.mean_on_device()});
  if (frame <= 0) return 0;
  return timing_us.mean() / frame * static_cast<double>(timing_us.count()) / static_cast<double>(frames);
}

std::uint64_t least_bytes(gpu::Size size, gpu::SatType type) {
  const auto& types = gpu::info(type);
  return size.pixels() * (gpu::size_of(types.input) + gpu::size_of(types.sum));
}

std::uint64_t bytes_of(const gpu::SatAlgorithm& algorithm, gpu::Size size, gpu::SatType type,
                       const gpu::Arguments& arguments) {
  if (algorithm.traffic) return algorithm.traffic(size, type, arguments, gpu::current_gpu_limits()).bytes();
  return least_bytes(size, type);
}

// Launches are counted on a GPU alone. One picture is drawn into memory, on the texture, or both; those of a comparison into
// memory.
std::vector<KernelRates> kernel_rates(std::span<const StageRow> rows, const FrameFigures& figures,
                                      const Selection& selection, gpu::Size size, std::optional<double> bound_us) {
  Rates rates(rows, size, bound_us);
  if (selection.device == gpu::Device::simulated) return rates.take();
  const bool counted = selection.device == gpu::Device::cuda;
  const auto add = [&](const Selection& each, double drawn_bytes) {
    if (each.algorithm) rates.add_algorithm(*each.algorithm, each.algorithm_arguments);
    if (counted && each.effect) rates.add_effect(*each.effect, each.effect_arguments, drawn_bytes);
  };
  if (counted) rates.add_launches("luma", static_cast<double>(gpu::luma_traffic(size).bytes()));
  constexpr int pixel = sizeof(gpu::Rgba);
  if (const auto timed = figures.stages.frames(); selection.sides.empty() && timed > 0)
    add(selection, static_cast<double>(figures.drawn_bytes) / static_cast<double>(timed));
  for (const auto& side : selection.sides) add(side, pixel);
  return rates.take();
}

}  // namespace app
