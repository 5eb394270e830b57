#include "app/ui/frame_graph_state.h"

#include "app/control/fields.h"
#include "app/support/text_table.h"

namespace app::ui {
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
