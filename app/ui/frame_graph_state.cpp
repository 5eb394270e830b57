#include "app/ui/frame_graph_state.h"

#include <algorithm>
#include <cmath>

#include "app/control/fields.h"
#include "app/support/text_table.h"

namespace app::ui {

const Distribution& values_of(const FrameFigures& figures, GraphShows shows) {
  switch (shows) {
    case GraphShows::work: return figures.work_us;
    case GraphShows::interval: return figures.interval_us;
    case GraphShows::kernels:
    case GraphShows::stages: break;
  }
  return figures.stages.computing();
}

FrameSummary summarise(const FrameFigures& figures, GraphShows shows, double target_ms) {
  const auto& values = values_of(figures, shows);
  const auto milliseconds = [&](unsigned permille) { return values.permille(permille) / 1000; };
  FrameSummary summary;
  summary.frames = values.count();
  summary.p50 = milliseconds(500);
  summary.p90 = milliseconds(900);
  summary.p99 = milliseconds(990);
  summary.p999 = milliseconds(999);
  summary.max = values.max() / 1000;
  summary.late = figures.interval_us.share_above(latest_on_time(target_ms) * 1000);
  summary.fps = figures.fps();
  summary.low_1 = figures.low_fps(10);
  summary.low_01 = figures.low_fps(1);
  return summary;
}

namespace {

constexpr double shortest = 0.001, sliver = 8;

double decade_below(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }

double round_top(double wanted) {
  const auto decade = decade_below(wanted);
  for (const auto step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (decade * step >= wanted * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

}  // namespace

double GraphScaleOfTimes::height(double ms) const {
  if (!(ms > low)) return 0;
  return std::min(1.0, logarithmic ? std::log(ms / low) / std::log(top / low) : (ms - low) / (top - low));
}

double GraphScaleOfTimes::at(double height) const {
  return logarithmic ? low * std::pow(top / low, height) : low + (top - low) * height;
}

GraphScaleOfTimes linear_scale(double slow, double slowest, double target) {
  auto wanted = std::max({std::min(slowest, slow * 2) * 1.1, shortest});
  if (wanted * sliver >= target) wanted = std::max(wanted, target * 1.25);
  return {0, round_top(wanted), false};
}

GraphScaleOfTimes logarithmic_scale(double typical, double slowest, double target) {
  const auto low = std::max(typical > 0 ? std::min(typical / 2, target) : target, shortest);
  const auto top = std::max({slowest, target, low});
  return {decade_below(low), decade_below(top) * 10, true};
}

double round_step(double least) {
  const auto decade = decade_below(std::max(least, 1e-12));
  for (const auto step : {1.0, 2.0, 5.0})
    if (decade * step >= least * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

std::vector<double> ticks(const GraphScaleOfTimes& scale, int most) {
  std::vector<double> values;
  if (scale.logarithmic) {
    const auto decades = std::log10(scale.top / scale.low);
    const bool fine = decades * 3 < most;
    for (auto decade = scale.low; decade <= scale.top * 1.001; decade *= 10)
      for (const auto step : {1.0, 2.0, 5.0})
        if (step == 1 || (fine && decade * step < scale.top)) values.push_back(decade * step);
    return values;
  }
  const auto step = round_step((scale.top - scale.low) / std::max(most - 1, 1));
  for (int i = 0; i * step <= scale.top * 1.001; ++i) values.push_back(i * step);
  return values;
}

namespace {

constexpr std::size_t bins = 48;
constexpr double usual_rate = 60;  // per second, of monitors

// How fast the source plays, times its own rate.
double speed_of(const Settings& settings, const capture::Status& source) {
  return source.live || settings.max_speed ? 1 : settings.speed;
}

}  // namespace

std::string frames_text(const FiguresFrames& frames) { return frames_texts(frames).front(); }

std::vector<std::string> frames_texts(const FiguresFrames& frames) {
  const auto count = grouped(frames.count) + (frames.count == 1 ? " frame" : " frames");
  if (!frames.selected) return {count};
  if (frames.count == 0) return {"no frame of those selected", "no frame selected"};
  const auto first = grouped(frames.first), last = grouped(frames.last);
  if (frames.first == frames.last) return {"frame " + first + ", " + count, "frame " + first};
  const auto which = "frames " + first + " to " + last;
  return {which + ", " + count, which, first + " to " + last};
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
  state.histogram_scale = settings.graph_scale == GraphScale::log
                              ? logarithmic_scale(summary.p50, summary.max, state.target_ms)
                              : linear_scale(summary.p99, summary.max, state.target_ms);
  state.histogram.assign(summary.frames > 0 ? bins : 0, 0);
  const auto& values = values_of(figures, settings.graph_shows);
  auto above = values.count();
  for (std::size_t i = 0; i < state.histogram.size(); ++i) {
    const auto upper = state.histogram_scale.at(static_cast<double>(i + 1) / bins) * 1000;
    const auto left = i + 1 == bins ? 0 : values.count_above(upper);
    state.histogram[i] = above - left;
    above = left;
  }
}

}  // namespace app::ui
