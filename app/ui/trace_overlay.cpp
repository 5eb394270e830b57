// The tile trace over the picture: every tile in a colour that says when it started, what it does now, or where it runs.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/trace_colours.h"
#include "app/ui/ui.h"

namespace app::ui {
namespace {

constexpr ImU32 alpha(ImU32 colour, unsigned value) { return (colour & ~IM_COL32_A_MASK) | (value << IM_COL32_A_SHIFT); }

// Where tiles are small on the screen, lines between them would hide them.
constexpr float least_side_with_lines = 6;

}  // namespace

void draw_tile_trace(const View& view, const TraceState& trace, const Settings& settings) {
  if (settings.dock != Dock::trace || !trace.history || trace.history->image != view.image) return;
  const auto& history = *trace.history;
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0 || history.passes.empty()) return;
  const auto& pass = history.passes.front();
  auto& draw = *ImGui::GetBackgroundDrawList();
  const ImVec2 corner(static_cast<float>(visible.x), static_cast<float>(visible.y));
  draw.PushClipRect(corner, {corner.x + static_cast<float>(visible.width), corner.y + static_cast<float>(visible.height)});
  const auto edge = [&](int x, int y) {
    const auto point = view.image_to_screen(
        {static_cast<double>(std::min(x, history.image.width)), static_cast<double>(std::min(y, history.image.height))});
    return ImVec2(std::round(static_cast<float>(point.x)), std::round(static_cast<float>(point.y)));
  };
  for (int I = 0; I < pass.rows; ++I)
    for (int J = 0; J < pass.columns; ++J) {
      const auto from = edge(J * pass.W, I * pass.H), to = edge((J + 1) * pass.W, (I + 1) * pass.H);
      if (to.x < corner.x || to.y < corner.y || from.x > corner.x + static_cast<float>(visible.width) ||
          from.y > corner.y + static_cast<float>(visible.height))
        continue;
      const auto tile = tile_at(history, I, J, trace.nanoseconds());
      if (!tile || tile->state == TileState::waiting) continue;  // the picture itself
      const auto colour = colour_of(settings.trace_colour, history, *tile);
      // What is done, and what only an earlier pass has done, steps back behind what is under way.
      const bool done = tile->state == TileState::finished;
      draw.AddRectFilled(from, to, alpha(colour, !done ? 230 : tile->last_pass ? 165 : 80));
      if (to.x - from.x < least_side_with_lines || to.y - from.y < least_side_with_lines) continue;
      draw.AddRect(from, to, IM_COL32(0, 0, 0, 90));
      if (!done) draw.AddRect({from.x + 1, from.y + 1}, {to.x - 1, to.y - 1}, IM_COL32(255, 255, 255, 220));
    }
  draw.PopClipRect();
}

}  // namespace app::ui
