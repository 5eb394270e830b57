#include "app/ui/trace_chart.h"

#include <algorithm>
#include <cmath>

#include "app/control/fields.h"
#include "app/ui/trace_colours.h"
#include "app/ui/trace_text.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Axes {
  ImVec2 from, to;  // of the bars
  double end;       // nanoseconds at to.x
  std::size_t lines;

  float x(double nanoseconds) const { return from.x + static_cast<float>(nanoseconds / end) * (to.x - from.x); }
  float y(std::size_t line) const { return from.y + (to.y - from.y) * static_cast<float>(line) / static_cast<float>(lines); }
};

// 1, 2 or 5 times a power of ten: about `count` steps in `length`.
double round_step(double length, int count) {
  const auto least = length / count, power = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1, 2, 5})
    if (times * power >= least) return times * power;
  return 10 * power;
}

void time_axis(ImDrawList& draw, const Axes& axes) {
  const WithFont small(Font::small);
  const auto step = round_step(axes.end,
                               std::max(2, static_cast<int>((axes.to.x - axes.from.x) / (ImGui::GetFontSize() * 7))));
  for (double at = 0; at <= axes.end; at += step) {
    const auto x = std::round(axes.x(at));
    draw.AddLine({x, axes.from.y}, {x, axes.to.y}, colour::line);
    const auto label = number(at / 1000, step >= 1000 ? 0 : step >= 100 ? 1 : 2) + (at + step > axes.end ? " µs" : "");
    const auto width = ImGui::CalcTextSize(label.c_str()).x;
    draw.AddText({std::min(x, axes.to.x - width), axes.to.y + 1}, colour::dim, label.c_str());
  }
}

void bars(ImDrawList& draw, const Axes& axes, const TileHistory& history, TraceColour meaning, double now) {
  const auto gap = axes.y(1) - axes.y(0) >= 4 ? 1.0f : 0.0f;
  for (const auto& record : history.records) {
    if (record.launch == 0) continue;
    const auto line = history.place_of(record.multiprocessor);
    const auto left = axes.x(static_cast<double>(record.started));
    const auto right = std::max(axes.x(static_cast<double>(record.finished)), left + 1);
    const TileMoment tile{&record, state_at(record, now), true};
    auto colour = colour_of(meaning, history, tile);
    if (tile.state == TileState::waiting) colour = (colour & ~IM_COL32_A_MASK) | (96u << IM_COL32_A_SHIFT);
    draw.AddRectFilled({left, axes.y(line)}, {right, axes.y(line + 1) - gap}, colour);
    const auto carried = axes.x(static_cast<double>(record.carried));
    if (carried - left >= 2)  // it waited
      draw.AddRectFilled({left, axes.y(line)}, {carried, axes.y(line + 1) - gap}, IM_COL32(0, 0, 0, 110));
  }
}

// The tile under the mouse; null: none.
const gpu::TileRecord* tile_under(const Axes& axes, const TileHistory& history, ImVec2 mouse) {
  const auto found = std::ranges::find_if(history.records, [&](const gpu::TileRecord& record) {
    if (record.launch == 0) return false;
    const auto line = history.place_of(record.multiprocessor);
    return mouse.y >= axes.y(line) && mouse.y < axes.y(line + 1) && mouse.x >= axes.x(static_cast<double>(record.started)) &&
           mouse.x <= axes.x(static_cast<double>(record.finished)) + 1;
  });
  return found == history.records.end() ? nullptr : &*found;
}

}  // namespace

void trace_chart(PanelContext& ui, const TileHistory& history) {
  const auto at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  float text_height = 0;
  {
    const WithFont small(Font::small);
    text_height = ImGui::GetTextLineHeight();
  }
  if (room.x < 8 || room.y < text_height * 2 || history.end == 0) return;
  const Axes axes{at,
                  {at.x + room.x, at.y + room.y - text_height - 1},
                  static_cast<double>(history.end),
                  std::max<std::size_t>(history.multiprocessors.size(), 1)};
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(axes.from, axes.to, colour::background);
  time_axis(draw, axes);
  const auto now = ui.state.trace.nanoseconds();
  bars(draw, axes, history, ui.settings.trace_colour, now);
  const auto cursor = std::round(axes.x(now));
  draw.AddLine({cursor, axes.from.y}, {cursor, axes.to.y}, colour::text);

  ImGui::InvisibleButton("trace chart", {room.x, axes.to.y - axes.from.y});
  const auto mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActive()) {
    const auto fraction = std::clamp((mouse.x - axes.from.x) / (axes.to.x - axes.from.x), 0.0f, 1.0f);
    ui.change("trace_play", false);
    ui.change("trace_at", number_as_text(static_cast<double>(fraction)));
  } else if (const auto* record = ImGui::IsItemHovered() ? tile_under(axes, history, mouse) : nullptr) {
    const WithFont small(Font::small);
    show_tooltip(tile_text(history, *record));
  }
}

}  // namespace app::ui
