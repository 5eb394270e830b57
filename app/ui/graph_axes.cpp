// The axes of the frame graph: times at the left, with lines at usual frame rates and at the target; frames or seconds below.
// The target's own time is among those at the left, in the colour of its line.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "app/support/text_table.h"
#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr int rates[] = {30, 60, 120, 144};

// As few decimals as `step` needs: 5, 0.5, 0.05.
std::string with_decimals_of(double step, double value) {
  int decimals = 0;
  for (auto rest = step; rest < 0.999 && decimals < 3; rest *= 10) ++decimals;
  return number(std::abs(value) < step * 1e-6 ? 0 : value, decimals);
}

// Keeps texts apart that stand one above the other.
class Places {
 public:
  explicit Places(float distance) : distance_(distance) {}
  bool take(float y) {
    if (std::ranges::any_of(taken_, [&](float other) { return std::abs(other - y) < distance_; })) return false;
    taken_.push_back(y);
    return true;
  }

 private:
  float distance_;
  std::vector<float> taken_;
};

void line(const GraphPlot& plot, float y, ImU32 colour) {
  plot.draw.AddRectFilled({plot.from.x, y}, {plot.to.x, y + 1}, colour);
}

// The leftmost place of `width` pixels where no bar reaches above `y`; nullopt: there is none.
std::optional<float> place_over_bars(const GraphPlot& plot, float width, float y) {
  auto free_from = plot.from.x;
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto x = plot.view.x(number);
    if (x - free_from >= width) break;
    if (plot.y(plot.column(number)->highest / 1000.0) < y) free_from = x + plot.view.pitch;
  }
  return plot.to.x - free_from >= width ? std::optional(free_from) : std::nullopt;
}

// A text above its line. It hides no bar: it stands where none is as high, as far at the left as it can, where the oldest
// ones are; among bars that are all higher there is no place for it.
void axis_label(const GraphPlot& plot, float y, const std::string& text, ImU32 colour) {
  const auto size = ImGui::CalcTextSize(text.c_str());
  const auto top = y - size.y < plot.from.y ? y + 1
                                            : y - size.y - 2;  // a bar as high as the line may reach a pixel above it
  const auto gap = std::round(em() * 0.25f);
  if (const auto x = place_over_bars(plot, size.x + 2 * gap, top + size.y))
    plot.draw.AddText({std::round(*x + gap), top}, colour, text.c_str());
}

// Left of the plot, beside a time; false where the texts before left no place.
bool time_text(const GraphPlot& plot, double ms, const std::string& text, ImU32 colour, Places& places) {
  const auto y = std::clamp(plot.y(ms) - em() / 2, plot.from.y - em() * 0.3f, plot.to.y - em() * 0.8f);
  if (!places.take(y)) return false;
  plot.draw.AddText({plot.from.x - ImGui::CalcTextSize(text.c_str()).x - em() * 0.3f, y}, colour, text.c_str());
  return true;
}

struct Tick {
  double value, step;
  float x;
};

// Seconds before the newest frame, or ids: round numbers, where they are among the frames shown. The newest comes first.
template <class Value>
std::vector<Tick> frame_ticks(const GraphPlot& plot, double least_step, Value value) {
  const auto per = plot.view.per_column;
  const auto kept = plot.history.added() - plot.history.frames().size();
  const auto first = std::max(plot.begin() * per, kept) + 1, last = std::min(plot.end() * per, plot.history.added());
  std::vector<Tick> ticks;
  if (first >= last) return ticks;
  const auto at = [&](std::uint64_t frame) { return value(*frame_numbered(plot.history, frame)); };
  const auto room = std::max(1.0, std::floor(static_cast<double>((plot.to.x - plot.from.x) / (em() * 5))));
  const auto step = round_step(std::max((at(last) - at(first)) / room, least_step));
  for (auto tick = std::ceil(at(first) / step) * step; tick <= at(last) + step * 1e-6; tick += step) {
    auto low = first, high = last;  // the first frame that is not before the tick
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (at(middle) < tick - step * 1e-6)
        low = middle + 1;
      else
        high = middle;
    }
    ticks.push_back({tick, step, plot.view.x(plot.view.column_of(low))});
  }
  std::ranges::reverse(ticks);
  return ticks;
}

// Left of the texts of newer ticks, which end at `free_to`: where there is no room the newer one is shown.
void tick_text(const GraphPlot& plot, const Tick& tick, const std::string& text, float& free_to) {
  const auto width = ImGui::CalcTextSize(text.c_str()).x;
  const auto x = std::clamp(tick.x - width / 2, plot.from.x, plot.to.x - width);
  plot.draw.AddRectFilled({tick.x, plot.to.y}, {tick.x + 1, plot.to.y + 3}, colour::dim);
  if (x + width > free_to + 0.5f) return;
  plot.draw.AddText({x, plot.to.y + 2}, colour::dim, text.c_str());
  free_to = x - em() * 0.6f;
}

}  // namespace

void draw_time_axis(const GraphPlot& plot) {
  Places left(em()), lines(em() * 1.1f);
  const auto target = std::round(plot.y(plot.target));
  const bool target_seen = plot.target <= plot.scale.top && plot.target >= plot.scale.low;
  if (target_seen) lines.take(target);
  for (const auto rate : rates) {
    const auto ms = 1000.0 / rate;
    const auto y = std::round(plot.y(ms));
    if (ms > plot.scale.top || ms < plot.scale.low || !lines.take(y)) continue;
    line(plot, y, colour::translucent(colour::text, 40));
    axis_label(plot, y, std::to_string(rate) + "/s", colour::dim);
  }
  if (target_seen) {
    line(plot, target, colour::translucent(colour::text, 150));
    axis_label(plot, target, "target", colour::text);
  }
  const double unit = plot.scale.top >= 1000 ? 1000 : 1;  // in milliseconds there is no room for so many digits
  bool unit_said = false;
  if (target_seen) time_text(plot, plot.target, number(plot.target / unit, unit > 1 ? 2 : 1), colour::text, left);
  auto values = ticks(plot.scale, static_cast<int>((plot.to.y - plot.from.y) / (em() * 1.6f)) + 1);
  std::ranges::reverse(values);
  const auto step = values.size() > 1 ? values[0] - values[1] : plot.scale.top;
  for (const auto value : values) {
    const auto text = with_decimals_of((plot.scale.logarithmic ? value : step) / unit, value / unit);
    const auto said = unit_said ? "" : unit > 1 ? " s" : " ms";
    if (time_text(plot, value, text + said, colour::dim, left)) unit_said = true;
  }
}

void draw_frame_axis(const GraphPlot& plot) {
  auto free_to = plot.to.x;
  if (plot.ui.settings.graph_axis == GraphAxis::frames) {
    const auto width = ImGui::CalcTextSize("frame").x;
    plot.draw.AddText({plot.from.x - width - em() * 0.3f, plot.to.y + 2}, colour::dim, "frame");
    for (const auto& tick : frame_ticks(plot, 1, [](const HistoryFrame& frame) { return static_cast<double>(frame.id); }))
      tick_text(plot, tick, grouped(static_cast<std::uint64_t>(tick.value + 0.5)), free_to);
    return;
  }
  const auto newest = plot.history.frames().empty() ? FrameRecord::Clock::time_point{}
                                                    : plot.history.frames().back().presented;
  const auto seconds = [&](const HistoryFrame& frame) {
    return std::chrono::duration<double>(frame.presented - newest).count();
  };
  for (const auto& tick : frame_ticks(plot, 1e-3, seconds))
    tick_text(plot, tick, with_decimals_of(tick.step, tick.value) + " s", free_to);
}

}  // namespace app::ui
