#include "app/session/frame_graph_state.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "app/control/fields.h"
#include "app/support/text.h"

namespace app {

const Distribution& values_of(const FrameFigures& figures, GraphShows shows) {
  if (shows == GraphShows::work) return figures.work_us;
  return shows == GraphShows::interval ? figures.interval_us : figures.stages.computing();
}

FrameSummary summarise(const FrameFigures& figures, GraphShows shows, double target_ms) {
  const auto& values = values_of(figures, shows);
  const auto milliseconds = [&](unsigned permille) { return values.permille(permille) / 1000; };
  FrameSummary summary;
  summary.frames = values.count();
  summary.p50 = milliseconds(500);
  summary.p90 = milliseconds(900);
  summary.p99 = milliseconds(990);
  summary.max = values.max() / 1000;
  summary.late = figures.interval_us.share_above(latest_on_time(target_ms) * 1000);
  summary.fps = figures.fps();
  summary.low_1 = figures.low_fps(10);
  summary.low_01 = figures.low_fps(1);
  constexpr std::size_t enough = 10;  // the first frames are slow
  if (figures.interval_us.count() < enough) return summary;
  summary.interval = figures.interval_us.permille(500) / 1000;
  summary.work = figures.work_us.permille(500) / 1000;
  summary.drops = figures.dropped * 10 >= figures.frames + figures.dropped;
  return summary;
}

// Who shows fewer frames than come does not wait for the source.
std::string why_late(const FrameSummary& summary, double computing, double target, bool processor_draws) {
  if (computing <= 0 || on_time(summary.interval, target) || !on_time(computing, target)) return {};
  const auto text = [](double ms) { return number(ms, ms < 9.95 ? 1 : 0); };
  const auto reason = summary.work * 2 >= summary.interval ? "the processor works " + text(summary.work) + " for the window"
                      : !summary.drops                     ? "the window waits for the source or the display"
                      : processor_draws                    ? "the window waits for the processor, which draws it"
                                                           : "the window waits for the display";
  return "Frames take " + text(summary.interval) + " ms, computing " + text(computing) + ": " + reason;
}

namespace {

constexpr double shortest = 0.001, sliver = 8;

// The first of these times a power of ten that is not below `least`.
double rounded_up(double least, std::initializer_list<double> steps) {
  const auto decade = std::pow(10.0, std::floor(std::log10(least) + 1e-9));
  for (const auto step : steps)
    if (decade * step >= least * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

}  // namespace

double top_of_times(double slow, double slowest, double target) {
  auto wanted = std::max(std::min(slowest, slow * 2) * 1.1, shortest);
  if (wanted * sliver >= target) wanted = std::max(wanted, target * 1.25);
  return rounded_up(wanted, {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8});
}

double round_step(double least) { return rounded_up(std::max(least, 1e-12), {1, 2, 5}); }

namespace {

constexpr std::size_t bins = 48;
constexpr double usual_rate = 60;  // per second, of monitors

// How fast the source plays, times its own rate.
double speed_of(const Settings& settings, const capture::Status& source) {
  return source.live || settings.max_speed ? 1 : settings.speed;
}

}  // namespace

std::string frames_text(const FiguresFrames& frames) {
  const auto count = counted(frames.count, "frame");
  if (!frames.selected) return count;
  if (frames.count == 0) return "no frame of those selected";
  const auto first = grouped(frames.first), last = grouped(frames.last);
  return (frames.first == frames.last ? "frame " + first : "frames " + first + " to " + last) + ", " + count;
}

double target_of(const Settings& settings, const capture::Status& source) {
  if (settings.target_ms > 0) return settings.target_ms;
  const double rate = source.rate() * speed_of(settings, source);
  return 1000 / (rate > 0 ? rate : usual_rate);
}

std::string target_origin(const Settings& settings, const capture::Status& source) {
  if (settings.target_ms > 0) return "as chosen";
  if (source.rate() <= 0) return "the usual one of monitors: the source's rate is not known";
  const auto speed = speed_of(settings, source);
  return std::string("the source's rate") + (source.measured_fps > 0 ? ", as measured" : "") +
         (speed == 1 ? "" : ", played at " + number_as_text(speed) + "x");
}

void summarise(const FrameFigures& figures, const Settings& settings, FrameGraphState& state) {
  state.summary = summarise(figures, settings.graph_shows, state.target_ms);
  state.summary_of = state.of;
  const auto& summary = state.summary;
  state.histogram_top = top_of_times(summary.p99, summary.max, state.target_ms);
  state.histogram.assign(summary.frames > 0 ? bins : 0, 0);
  const auto& values = values_of(figures, settings.graph_shows);
  auto above = values.count();
  for (std::size_t i = 0; i < state.histogram.size(); ++i) {
    const auto upper = state.histogram_top * static_cast<double>(i + 1) / bins * 1000;
    const auto left = i + 1 == bins ? 0 : values.count_above(upper);
    state.histogram[i] = above - left;
    above = left;
  }
}

namespace {

constexpr float wide_bar = 3, widest_bar = 24;
constexpr double zoom_per_step = 1.25;

}  // namespace

std::optional<std::uint64_t> GraphView::column_at(float x) const {
  if (columns() == 0) return {};
  const auto back = std::floor((right - std::clamp(x, left, right - 0.5f)) / pitch);
  const auto column = static_cast<std::int64_t>(last) - static_cast<std::int64_t>(back);
  return column >= 0 ? std::optional(static_cast<std::uint64_t>(column)) : std::nullopt;
}

GraphView graph_view(const FrameHistory& history, const Settings& settings, float left, float right, float scale) {
  GraphView view;
  view.left = left;
  view.right = right;
  const auto width = std::max(right - left, 1.f), pixel = std::max(std::round(scale), 1.f);
  const auto wanted = settings.graph_frames > 0 ? static_cast<float>(settings.graph_frames) : width / (wide_bar * pixel);
  if (wanted * pixel <= width) {
    view.pitch = std::clamp(std::floor(width / wanted), pixel, widest_bar * pixel);
  } else {
    view.pitch = pixel;
    view.per_column = static_cast<std::uint64_t>(std::ceil(wanted * pixel / width));
  }
  auto end = history.added();
  if (settings.graph_end > 0)
    end = frame_number_of(history, static_cast<std::uint64_t>(settings.graph_end)).value_or(history.added());
  view.last = end > 0 ? view.column_of(end) : 0;
  return view;
}

int zoomed_frames(const GraphView& view, float steps) {
  const auto width = view.right - view.left;
  const auto now = static_cast<double>(view.frames());
  auto wanted = now * std::pow(zoom_per_step, -steps);
  // At least one step of what whole pixels allow.
  if (view.per_column > 1) {
    const auto per_column = static_cast<double>(view.per_column), columns = now / per_column;
    wanted = steps > 0 ? std::min(wanted, (per_column - 1) * columns) : std::max(wanted, (per_column + 1) * columns);
  } else {
    const auto narrower = view.pitch > 1 ? std::floor(width / (view.pitch - 1)) : 2 * width;
    wanted = steps > 0 ? std::min(wanted, std::floor(static_cast<double>(width / (view.pitch + 1))))
                       : std::max(wanted, static_cast<double>(narrower));
  }
  return static_cast<int>(std::clamp(wanted, 8.0, static_cast<double>(FrameHistory::frames_kept)));
}

int end_at(const FrameHistory& history, std::int64_t number) {
  const auto frames = history.frames();
  if (frames.empty() || number >= static_cast<std::int64_t>(history.added())) return 0;
  const auto first = static_cast<std::int64_t>(history.removed()) + 1;
  return static_cast<int>(frames[static_cast<std::size_t>(std::max(number, first) - first)].id);
}

const HistoryFrame* frame_numbered(const FrameHistory& history, std::uint64_t number) {
  const auto frames = history.frames();
  const auto first = history.removed() + 1;
  return number >= first && number <= history.added() ? &frames[number - first] : nullptr;
}

std::optional<std::uint64_t> frame_number_of(const FrameHistory& history, std::uint64_t id) {
  const auto frames = history.frames();
  const auto after = std::ranges::upper_bound(frames, id, {}, &HistoryFrame::id);
  if (after == frames.begin()) return {};
  return history.added() - static_cast<std::uint64_t>(frames.end() - after);
}

const Work* work_of(const FrameHistory& history, std::uint64_t number) {
  const auto* frame = frame_numbered(history, number);
  return frame ? history.work(frame->work) : nullptr;
}

std::string change_at(const FrameHistory& history, std::uint64_t number) {
  const auto *before = work_of(history, number - 1), *work = work_of(history, number);
  return before && work && before->number != work->number ? what_changed(*before, *work) : std::string();
}

FrameRange frames_of(const FrameHistory& history, const GraphView& view, std::uint64_t column) {
  const auto per = view.per_column, first = history.removed() + 1, last = history.added();
  return {std::clamp(column * per + 1, first, last), std::clamp((column + 1) * per, first, last)};
}

FrameRange range_between(const FrameHistory& history, const GraphView& view, std::uint64_t from, std::uint64_t to) {
  auto first = frames_of(history, view, std::min(from, to)).first, last = frames_of(history, view, std::max(from, to)).last;
  const auto frame = [&](std::uint64_t number) -> const HistoryFrame& { return *frame_numbered(history, number); };
  const auto work = frame(from < to ? first : last).work;
  while (first < last && frame(first).work != work) ++first;
  while (last > first && frame(last).work != work) --last;
  return {frame(first).id, frame(last).id};
}

namespace {

// Reorders them; 0 of none.
float median_of(std::vector<float>& times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

double shown_time(const HistoryFrame& frame, GraphShows shows) {
  if (shows == GraphShows::work) return frame.work_us;
  if (shows == GraphShows::interval) return frame.interval_us > 0 ? frame.interval_us : -1;
  return frame.timed ? frame.device.computing : -1;
}

void GraphColumns::update(const FrameHistory& history, GraphShows shows, std::uint64_t per_column) {
  const auto frames = history.frames();
  const auto first = history.removed();
  const auto begin = (first + per_column - 1) / per_column, end = (history.added() + per_column - 1) / per_column;
  // Another history that looks the same has fewer frames, or others at the end: a pause begins or ends.
  if (history_ != &history || shows_ != shows || per_column_ != per_column || begin < begin_ || begin > this->end() ||
      end < final_) {
    columns_.clear();
    begin_ = final_ = begin;
    history_ = &history;
    shows_ = shows;
    per_column_ = per_column;
  }
  if (begin > begin_) {
    columns_.erase(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(begin - begin_));
    begin_ = begin;
    final_ = std::max(final_, begin);
  }
  columns_.resize(end - begin_);
  for (auto number = final_; number < end; ++number) {
    columns_[number - begin_] = column(history, number);
    const auto last = (number + 1) * per_column;  // number of its last frame
    if (number == final_ && last <= history.added() && frames[last - 1 - first].complete) ++final_;
  }
}

GraphColumn GraphColumns::column(const FrameHistory& history, std::uint64_t number) {
  const auto frames = history.frames();
  const auto first = history.removed();
  const auto from = std::max(number * per_column_, first) - first;
  const auto to = std::min((number + 1) * per_column_, history.added()) - first;
  GraphColumn column;
  times_.clear();
  intervals_.clear();
  for (auto i = from; i < to; ++i) {
    const auto& frame = frames[i];
    if (column.change == 0 && i > 0 && frame.work != frames[i - 1].work) column.change = first + i + 1;
    column.dropped |= frame.dropped_before > 0;
    const auto time = static_cast<float>(shown_time(frame, shows_));
    if (column.slowest == 0 || time > column.highest) {
      column.slowest = first + i + 1;
      column.highest = std::max(time, 0.f);
    }
    if (time >= 0) times_.push_back(time);
    if (frame.interval_us > 0) intervals_.push_back(static_cast<float>(frame.interval_us));
  }
  column.timed = !times_.empty();
  column.median = median_of(times_);
  column.median_interval = median_of(intervals_);
  column.longest_interval = intervals_.empty() ? 0 : std::ranges::max(intervals_);
  return column;
}

}  // namespace app
