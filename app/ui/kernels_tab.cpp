// The tab of kernels: what their figures are of and cost, a bar of their shares, their table.
#include <algorithm>
#include <cmath>

#include "app/control/names.h"
#include "app/control/window_words.h"
#include "app/pipeline/timing_budget.h"
#include "app/ui/kernel_cells.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// All computing as one bar, a piece per kernel.
void shares_bar(const KernelsState& state, float scale) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(6 * scale);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, colour::control);
  const bool reachable = ImGui::IsWindowHovered();  // nothing is over it
  auto x = at.x;
  for (const auto& row : state.rows) {
    if (!row.stage.leaf) continue;  // only its parts have pieces
    const auto piece = width * static_cast<float>(std::clamp(row.stage.share, 0.0, 1.0));
    const auto end = std::min(x + std::max(piece - 1, 0.f), at.x + width);
    if (end > x) draw.AddRectFilled({x, at.y}, {end, at.y + height}, row_colour(row));
    if (reachable && ImGui::IsMouseHoveringRect({x, at.y}, {x + piece, at.y + height})) {
      ImGui::BeginTooltip();
      text(row.title() + ": " + number(row.stage.share * 100, 1) + "% of computing");
      ImGui::EndTooltip();
    }
    x += piece;
  }
  ImGui::Dummy({width, height});
}

std::string cost_of_timing(const KernelsState& state) {
  const auto percent = state.timing_share * 100;
  return number(percent, percent < 9.95 ? 1 : 0) + "%";
}

// The unit, what the timing costs, and how many frames the figures are of, of which the graph speaks too: as much of it as
// there is room for. The unit says where times are simulated, so it comes first.
void note(const PanelContext& ui, float room) {
  const auto& state = ui.state.kernels;
  const WithFont small(Font::small);
  const bool simulated = ui.state.device == gpu::Device::simulated;
  const bool missing = state.untimed_frames > 0 || state.dropped_spans > 0;
  const std::string unit = simulated ? "simulated: µs per frame" : "µs per frame",
                    narrow = simulated ? "simulated µs" : "µs";
  auto frames = unit + ", " + frames_text(ui.state.graph.of);
  if (state.untimed_frames > 0) frames += ", " + grouped(state.untimed_frames) + " untimed";
  if (state.dropped_spans > 0) frames += ", " + grouped(state.dropped_spans) + " launches not timed";
  const auto cost = cost_of_timing(state), timing = ", timing " + cost + " CPU";
  const auto all = frames + ", timing costs the CPU " + cost + " of the time";
  const std::string candidates[] = {all, frames + timing, unit + timing, narrow + timing, unit};
  const auto fits = [&](const std::string& candidate) { return ImGui::CalcTextSize(candidate.c_str()).x <= room; };
  const auto* shown = std::ranges::find_if(candidates, fits);
  ImGui::AlignTextToFramePadding();
  text(shown == std::end(candidates) ? shortened(narrow, room) : *shown, missing ? colour::warning : colour::dim);
  if (!ImGui::IsItemHovered()) return;
  auto explanation = all + "\n\n";
  if (missing)
    explanation +=
        "Frames are untimed if earlier timings could not be read before they started, and as many as needed so that in the "
        "long run timing costs the CPU at most " +
        number(TimingBudget::largest_share(gpu::Device::cuda) * 100, 1) +
        "% of the time; \"Every launch\" has no such limit.\n";
  explanation += simulated
                     ? "Microseconds of the CPU that simulates the GPU: they say nothing about a real GPU."
                     : "Microseconds. Kernels on the GPU are timed by events on its own clock; nothing waits for them.";
  explanation += "\nThe timing takes " + microseconds(state.timing_us) + " µs of the CPU per timed frame, for " +
                 number(state.timing_points, 0) + " points.";
  if (ui.state.device == gpu::Device::cuda) explanation += "\nEvents also take GPU time, which is not counted.";
  if (state.bound)
    explanation += "\nThe bound for this size, " + std::string(state.bound->name) + ", takes " +
                   microseconds(state.bound->us) + " µs: the median of " +
                   grouped(static_cast<std::uint64_t>(state.bound->runs)) +
                   " runs between two frames, as the race measures it, or its own number.";
  tooltip(explanation);
}

void timing_choice(PanelContext& ui, float width) {
  auto timing = static_cast<int>(ui.settings.timing);
  ImGui::SetNextItemWidth(width);
  if (combo("##timing", timing, {{"Off", {}}, {"Frame", {}}, {window_words("timing kernels"), {}}, {"Every launch", {}}}))
    ui.change("timing", std::string(timing_names[static_cast<std::size_t>(timing)]));
  tooltip(
      "What is timed. Off: nothing, no events at all. Frame: its work on the device as a whole. Each kernel: every launch, "
      "but "
      "an algorithm with more than 16 as a whole, because timing a launch takes time itself. Every launch: these too");
}

// Right of the tabs. Where there is no room for all, the last controls are left out: there are keys for them.
void kernels_head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto width_of = [&](const char* title) { return ImGui::CalcTextSize(title).x + style.FramePadding.x * 2; };
  const float widths[] = {width_of("Every launch") + ImGui::GetFontSize(), width_of("Reset"), width_of("Save...")};
  ImGui::SameLine();
  const auto room = ImGui::GetContentRegionAvail().x;
  std::size_t shown = 0;
  float width = 0;
  for (; shown < std::size(widths); ++shown) {
    const auto with = width + (shown > 0 ? style.ItemInnerSpacing.x : 0) + widths[shown];
    if (with > room) break;
    width = with;
  }
  note(ui, room - width - style.ItemSpacing.x);
  if (shown == 0) return;
  same_line_at_right(width);
  timing_choice(ui, widths[0]);
  if (shown > 1) ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (shown > 1 && button("Reset", ui.help_of(Action::reset_statistics))) ui.act(Action::reset_statistics);
  if (shown > 2) ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (shown > 2 && button("Save...", ui.help_of(Action::toggle_export_menu))) ui.act(Action::toggle_export_menu);
}

}  // namespace

void kernels_tab(PanelContext& ui) {
  kernels_head(ui);
  shares_bar(ui.state.kernels, ui.scale);
  const WithFont small(Font::small);
  if (!ui.state.kernels.rows.empty())
    kernel_table(ui);
  else if (ui.settings.timing == TimingChoice::off)
    text("timing is off", colour::dim);
  else
    text("nothing timed yet", colour::dim);
}

// The choice of what to save of the timings: a small menu over the picture, at its lower edge.

namespace {

struct Entry {
  Action action;
  const char* text;
  const char* help;
};
constexpr Entry entries[] = {
    {Action::export_timings, "Timings as JSON", "Means, percentiles and lows of frames and kernels, with the selection"},
    {Action::export_csv, "Timings as CSV", "The same as a table, a row per kernel"},
    {Action::export_frames, "Frames as CSV", "A row per frame, as far as the graph keeps them"},
    {Action::export_timeline, "Timeline for Perfetto",
     "The latest frames span by span, for ui.perfetto.dev or about:tracing: their way from capture to screen, what the CPU "
     "queued, what the device did"},
};

}  // namespace

void export_menu(PanelContext& ui, const Rect& rect) {
  if (!ui.settings.export_menu) return;
  ImGui::SetNextWindowPos({rect.x + rect.width / 2, rect.y + rect.height - 8 * ui.scale}, ImGuiCond_Always, {0.5f, 1});
  const OverlayWindow window("export", ui.scale, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_AlwaysAutoResize);
  if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();  // it has the arrows
  if (window.visible()) {
    {
      const WithFont bold(Font::bold);
      text("Save");
    }
    const WithFont small(Font::small);
    text("of " + frames_text(ui.state.graph.of), colour::dim);
    for (const auto& entry : entries) {
      if (ImGui::Selectable(entry.text)) {
        ui.act(entry.action);
        ui.change("export_menu", false);
      }
      tooltip(entry.help);
    }
  }
  // A click elsewhere closes it, as that of a menu.
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
      !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && !ImGui::IsWindowAppearing())
    ui.change("export_menu", false);
}

}  // namespace app::ui
