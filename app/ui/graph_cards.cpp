// The cards of the frames under the mouse and pinned: over the picture, so that they hide no bar.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/control/comparison.h"
#include "app/support/text_table.h"
#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

void stage_lines(const GraphPlot& plot, const HistoryFrame& frame) {
  for (const auto& stage : plot.history.stages(frame))
    if (stage.outermost)
      text("  " + title_of_path(plot.history.path(stage)) + "  " +
               microseconds(static_cast<double>(stage.nanoseconds) / 1000) + " µs",
           colour::dim);
}

void frame_lines(const GraphPlot& plot, std::uint64_t frame_number) {
  const auto& frame = *frame_numbered(plot.history, frame_number);
  text("frame " + grouped(frame.id) + (frame.again ? ", the previous one computed again" : ""));
  text("work " + number(frame.work_us / 1000, 2) + " ms");
  text(frame.interval_us > 0 ? "interval " + number(frame.interval_us / 1000, 2) + " ms" : "the first after idling");
  if (frame.timed)
    text("kernels " + number(frame.device.computing / 1000, 3) + " ms, transfers " +
         number(frame.device.transferring / 1000, 3) + " ms, waiting " + number(frame.device.waiting / 1000, 3) + " ms");
  else if (frame.complete)
    text("without times of its kernels", colour::dim);
  stage_lines(plot, frame);
  if (frame.dropped_before > 0)
    text(grouped(frame.dropped_before) + (frame.dropped_before == 1 ? " frame" : " frames") + " dropped before it",
         colour::warning);
  if (const auto change = change_at(plot.history, frame_number); !change.empty()) text(change, colour::accent);
}

void column_line(const GraphPlot& plot, std::uint64_t column) {
  const auto per = plot.view.per_column;
  if (per == 1) return;
  const auto kept = plot.history.added() - plot.history.frames().size();
  const auto first = std::max(column * per, kept) + 1, last = std::min((column + 1) * per, plot.history.added());
  const auto& shown = *plot.column(column);
  text(grouped(last - first + 1) + " frames, " +
           (shown.timed ? "median " + number(shown.median / 1000, 2) + " ms; the slowest:" : "none timed; the first:"),
       colour::dim);
  for (auto frame = first; frame <= last; ++frame)
    if (frame != shown.slowest)
      if (const auto change = change_at(plot.history, frame); !change.empty()) text(change, colour::accent);
}

// A card lies over the panels, and below all that opens over them: menus, lists, dialogs.
void lay_on_panels(ImGuiWindow* card) {
  for (auto* window : ImGui::GetCurrentContext()->Windows)
    if (window != card && window == window->RootWindow && !(window->Flags & ImGuiWindowFlags_NoBringToFrontOnFocus))
      return ImGui::BringWindowToDisplayBehind(card, window);
}

// With its lower edge at `bottom`; returns the upper one.
template <class Lines>
float card(const GraphPlot& plot, const char* name, float x, float bottom, Lines lines) {
  constexpr auto flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
  const auto& display = ImGui::GetIO().DisplaySize;
  const bool right_half = x > display.x / 2;  // towards the middle, inside the window
  ImGui::SetNextWindowPos({std::clamp(x, 0.f, display.x), bottom}, 0, {right_half ? 1.f : 0.f, 1});
  float top = bottom;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  const bool visible = ImGui::Begin(name, nullptr, flags);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  lay_on_panels(ImGui::GetCurrentWindow());
  if (ImGui::IsWindowAppearing()) ImGui::GetCurrentWindow()->Hidden = true;  // its size is that of another frame's lines
  if (visible) {
    const WithFont small(Font::small);
    lines();
    top = ImGui::GetWindowPos().y;
  }
  ImGui::End();
  return top - 4 * plot.ui.scale;
}

}  // namespace

void draw_cards(const GraphPlot& plot) {
  const auto& display = ImGui::GetIO().DisplaySize;
  const auto transport = layout(plot.ui.settings, static_cast<int>(display.x), static_cast<int>(display.y)).transport.y;
  auto bottom = std::min(ImGui::GetWindowPos().y, transport) - 4 * plot.ui.scale;
  const auto pinned_id = static_cast<std::uint64_t>(plot.ui.settings.graph_pinned);
  const auto pinned = pinned_id > 0 ? number_of(plot.history, pinned_id) : std::nullopt;
  if (pinned && frame_numbered(plot.history, *pinned)->id == pinned_id) {
    const auto x = plot.view.x(plot.view.column_of(*pinned)) + std::floor(plot.view.pitch / 2);
    if (x >= plot.from.x && x <= plot.to.x)
      plot.draw.AddRectFilled({x, plot.from.y}, {x + std::max(1.f, plot.ui.scale), plot.to.y}, colour::text);
    bottom = card(plot, "pinned frame", plot.to.x, bottom, [&] { frame_lines(plot, *pinned); });
  }
  if (!plot.hovered || plot.draft.dragged) return;
  if (pinned && plot.column(*plot.hovered)->slowest == *pinned) return;  // it has its card
  card(plot, "hovered frame", plot.to.x, bottom, [&] {
    column_line(plot, *plot.hovered);
    frame_lines(plot, plot.column(*plot.hovered)->slowest);
  });
}

}  // namespace app::ui
