// The frame graph: the time of every frame as a bar, against the target, with its figures.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// Of the columns that are seen: work of before may have been much slower. Where nothing was timed, around the target.
GraphScaleOfTimes scale_of(const GraphPlot& plot, GraphScale kind) {
  std::vector<float> highest;
  for (auto number = plot.begin(); number < plot.end(); ++number)
    if (const auto* column = plot.column(number); column->timed) highest.push_back(column->highest / 1000);
  if (highest.empty()) highest.push_back(static_cast<float>(plot.target));
  const auto rank = [&](std::size_t permille) {
    const auto at = highest.begin() + static_cast<std::ptrdiff_t>((highest.size() - 1) * permille / 1000);
    std::nth_element(highest.begin(), at, highest.end());
    return static_cast<double>(*at);
  };
  const auto slowest = rank(1000);
  return kind == GraphScale::log ? logarithmic_scale(rank(500), slowest, plot.target)
                                 : linear_scale(rank(970), slowest, plot.target);
}

// A still or paused picture that is computed again has no intervals.
void say_why_empty(const GraphPlot& plot) {
  if (plot.ui.settings.graph_shows != GraphShows::interval || plot.begin() == plot.end()) return;
  for (auto number = plot.begin(); number < plot.end(); ++number)
    if (plot.column(number)->timed) return;
  const std::string why[] = {"no intervals", "nothing plays"};
  const auto words = line_of(why, ": ", plot.to.x - plot.from.x);
  const auto size = ImGui::CalcTextSize(words.c_str());
  const ImVec2 at(std::round((plot.from.x + plot.to.x - size.x) / 2), std::round((plot.from.y + plot.to.y - size.y) / 2));
  plot.draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, colour::background);  // in a small graph a rate would be below
  plot.draw.AddText(at, colour::dim, words.c_str());
}

void plot(PanelContext& ui, GraphDraft& draft) {
  const auto& graph = ui.state.graph;
  const WithFont small(Font::small);
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const auto room = ImGui::GetContentRegionAvail();
  if (!graph.history || room.x < em * 6 || room.y < em * 3) return;
  const bool histogram = ui.settings.graph_histogram && room.x > em * 16;
  const ImVec2 from(std::round(at.x + em * 2.9f), std::round(at.y + em * 0.4f));
  const ImVec2 to(std::round(at.x + room.x - (histogram ? em * 3.5f : 0)), std::round(at.y + room.y - em * 1.2f));
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton(
      "plot", {to.x - from.x, to.y - from.y},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  GraphPlot all{ui,
                *graph.history,
                draft,
                *ImGui::GetWindowDrawList(),
                from,
                to,
                graph_view(*graph.history, ui.settings, from.x, to.x, ui.scale),
                {},
                graph.target_ms,
                {}};
  draft.columns.update(*graph.history, ui.settings.graph_shows, all.view.per_column);
  graph_input(all);
  all.scale = scale_of(all, ui.settings.graph_scale);
  all.draw.AddRectFilled(from, to, colour::background, 2);
  all.draw.PushClipRect(from, to, true);
  draw_bars(all);
  draw_marks(all);
  draw_selection(all);
  all.draw.PopClipRect();
  draw_time_axis(all);
  draw_frame_axis(all);
  say_why_empty(all);
  if (histogram) draw_histogram(all, at.x + room.x);
  draw_cards(all);
}

}  // namespace

float GraphPlot::y(double ms) const { return to.y - (to.y - from.y) * static_cast<float>(scale.height(ms)); }

std::uint64_t GraphPlot::begin() const { return std::max(view.first(), draft.columns.begin()); }
std::uint64_t GraphPlot::end() const { return std::max(begin(), std::min(view.last + 1, draft.columns.end())); }

const GraphColumn* GraphPlot::column(std::uint64_t number) const {
  return number >= draft.columns.begin() && number < draft.columns.end() ? &draft.columns[number] : nullptr;
}

bool GraphPlot::empty_at(float x) const {
  const auto at = view.column_at(x);
  return !at || !column(*at);
}

// Left of the frames there may be room.
std::optional<std::uint64_t> GraphPlot::nearest(float x) const {
  if (view.columns() == 0 || draft.columns.begin() == draft.columns.end()) return {};
  return std::clamp(view.column_at(x).value_or(0), draft.columns.begin(), draft.columns.end() - 1);
}

void frame_graph_panel(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("frames", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  graph_head(ui);
  graph_figures(ui);
  plot(ui, *ui.drafts.graph);
}

}  // namespace app::ui
