// The study: the algorithms over the size of the picture, as curves in multiples of the bound or in microseconds, beside those
// of a card that the program was measured on; and a table of the size under the mouse.
#include <ranges>

#include "app/control/measured.h"
#include "app/control/names.h"
#include "app/output/study_view.h"
#include "app/session/study.h"
#include "app/ui/figure_table.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"

namespace app::ui {
namespace {

ImU32 curve_colour(const StudyView::Curve& curve) {
  return curve.live ? ImU32(colour::accent) : curve.colour ? colour::row(*curve.colour + 1) : ImU32(colour::box);
}

// Both axes are logarithmic.
class StudyPlot {
 public:
  StudyPlot(const StudyView& view, ImVec2 from, ImVec2 to) : from(from), to(to) {
    const auto side = [](gpu::Size size) { return std::log2(static_cast<double>(size.pixels())) / 2; };
    first_ = side(view.sizes.front());
    last_ = std::max(side(view.sizes.back()), first_ + 1);
    const auto range = view.range();
    least_ = std::log2(range.from);
    most_ = std::log2(range.to);
  }
  float x(gpu::Size size) const {
    const auto at = (std::log2(static_cast<double>(size.pixels())) / 2 - first_) / (last_ - first_);
    return from.x + (to.x - from.x) * static_cast<float>(at);
  }
  float y(double value) const {
    return to.y - (to.y - from.y) * static_cast<float>((std::log2(value) - least_) / (most_ - least_));
  }
  bool holds(double value) const { return std::log2(value) >= least_ - 1e-9 && std::log2(value) <= most_ + 1e-9; }

  ImVec2 from, to;

 private:
  double first_, last_, least_, most_;
};

std::string side_text(gpu::Size size) {
  return size.width == size.height ? std::to_string(size.width) + "\u00b2" : text_of(size);
}

void draw_axes(ImDrawList& draw, const StudyView& view, const StudyPlot& plot) {
  const auto line = ImGui::GetTextLineHeight(), gap = em() * 0.4f;
  const auto steps = view.times ? std::vector{1., 1.5, 2., 3., 4., 6., 8.} : std::vector{1., 2., 5.};
  std::vector<AxisMark> levels, sizes;
  for (double decade = 0.1; decade < 1e7; decade *= 10)
    for (const auto step : steps)
      if (const auto level = decade * step; plot.holds(level))
        levels.push_back({std::round(plot.y(level)), axis_number(level, step == 1.5 ? decade / 2 : decade)});
  for (const auto y : axis_marks(draw, {plot.from.y - line, plot.to.y + line, plot.from.x - gap, true}, levels))
    draw.AddLine({plot.from.x, y}, {plot.to.x, y}, colour::line);
  for (const auto size : std::views::reverse(view.sizes))
    if (size.width == size.height) sizes.push_back({std::round(plot.x(size)), side_text(size)});
  for (const auto x : axis_marks(draw, {plot.from.x - 2 * em(), plot.to.x + 2 * em(), plot.to.y + gap}, sizes))
    draw.AddLine({x, plot.from.y}, {x, plot.to.y}, colour::line);
  if (!view.times) return;
  const auto bound = std::round(plot.y(1));
  draw.AddLine({plot.from.x, bound}, {plot.to.x, bound}, colour::text);
  if (!view.traffic())
    draw.AddText({plot.from.x + gap, bound - line - 2}, colour::text, "the bound: work on the same bytes without sums");
}

void draw_dashed(ImDrawList& draw, ImVec2 from, ImVec2 to, ImU32 ink, float width) {
  const auto length = std::hypot(to.x - from.x, to.y - from.y), dash = em() * 0.35f;
  const auto point = [&](float at) {
    const auto share = std::min(at / length, 1.f);
    return ImVec2(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  };
  for (float done = 0; done < length; done += 2 * dash) draw.AddLine(point(done), point(done + dash), ink, width);
}

// What was measured here: points with the spread of their runs, and lines; what is beside it is dashed.
void draw_curve(ImDrawList& draw, const StudyView& view, const StudyPlot& plot, const StudyView::Curve& curve, bool beside,
                float width) {
  std::optional<ImVec2> last;
  const auto ink = curve_colour(curve);
  for (const auto size : view.sizes) {
    const auto value = beside ? view.beside(curve.name, size) : view.here(curve.name, size);
    if (!value || *value <= 0) continue;
    const ImVec2 at(plot.x(size), plot.y(*value));
    if (last) beside ? draw_dashed(draw, *last, at, ink, width) : draw.AddLine(*last, at, ink, width);
    last = at;
    if (beside) continue;
    draw.AddCircleFilled(at, width + 1, ink);
    const auto spread = view.spread(curve.name, size);
    if (!spread) continue;
    const auto low = plot.y(spread->from), high = plot.y(spread->to), end = width + 2;
    draw.AddLine({at.x, low}, {at.x, high}, ink);
    for (const auto y : {low, high}) draw.AddLine({at.x - end, y}, {at.x + end, y}, ink);
  }
}

// Returns the size that the table is of. `pointed`: the number of the curve whose row is under the mouse; -1: none.
gpu::Size study_plot(PanelContext& ui, const StudyView& view, int pointed, float height) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const StudyPlot plot(
      view, {at.x + em() * 2.8f, at.y + line / 2},
      {at.x + width - std::max(em() * 0.8f, text_width(side_text(view.sizes.back())) / 2), at.y + height - line * 1.5f});
  auto& draw = *ImGui::GetWindowDrawList();
  ImGui::InvisibleButton("curves", {width, height});
  auto shown = view.size_for(ui.settings.study_size, ui.state.picture);
  if (ImGui::IsItemHovered()) {
    const auto mouse = ImGui::GetIO().MousePos.x;
    shown = *std::ranges::min_element(view.sizes, {}, [&](gpu::Size size) { return std::abs(plot.x(size) - mouse); });
    if (ImGui::IsItemClicked()) ui.settings.study_size = shown;
  }
  draw_axes(draw, view, plot);
  const auto x = std::round(plot.x(shown));
  draw.AddLine({x, plot.from.y}, {x, plot.to.y}, colour::dim);
  draw.PushClipRect({plot.from.x - 4, plot.from.y}, {plot.to.x + 4, plot.to.y + 4}, true);
  const auto thin = std::max(1.f, 1.5f * ui.scale);
  for (const bool live : {false, true})  // over the others
    for (const auto& curve : view.curves) {
      if (curve.live != live) continue;
      const bool marked = live || &curve - view.curves.data() == pointed;
      draw_curve(draw, view, plot, curve, false, marked ? 2 * thin : thin);
      const bool measured = std::ranges::any_of(view.sizes,
                                                [&](auto size) { return view.here(curve.name, size).has_value(); });
      if (marked || !measured) draw_curve(draw, view, plot, curve, true, thin);
    }
  draw.PopClipRect();
  return shown;
}

std::string device_title(const StudyView& view) {
  return view.traffic() ? "Bytes per pixel" : device_words(gpu::name(view.study.device)) + ", µs";
}

std::vector<FigureColumn> columns_of(const StudyView& view, gpu::Size size) {
  const bool studied = !view.study.sizes.empty();
  const auto column = [&](const std::string& title, std::string help, bool there, auto figure, int decimals) {
    const auto value = [&view, size, figure](std::size_t i) { return (view.*figure)(view.curves[i].name, size); };
    return FigureColumn{title, std::move(help), em() * 4, there ? 0 : ImGuiTableColumnFlags_Disabled, value, decimals};
  };
  const std::string at = " at " + text_of(size), card = view.card ? view.card->title : "Card";
  std::vector<FigureColumn> all{
      {"Algorithm", "Click a title to sort by it", em() * 5,
       ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoHide},
      column(device_title(view), "Measured here" + at + ", median of all runs", studied, &StudyView::cost,
             view.traffic() ? 2 : -1),
      column("× bound", "Divided by the bound: what work on the same bytes without sums costs", studied,
             &StudyView::over_bound, 2),
      column(card + ", µs", "Measured on this card" + at, view.card, &StudyView::card_us, -1),
      column("× its bound", "Divided by the bound of this card", view.card, &StudyView::card_over_bound, 2)};
  all[studied ? 1 : 3].flags |= ImGuiTableColumnFlags_DefaultSort;
  all[0].stays = all[1].stays = true;
  return all;
}

// Returns the number of the curve whose row is under the mouse; -1: none.
int study_table_of(PanelContext& ui, const StudyView& view, gpu::Size size) {
  int pointed = -1;
  const auto columns = columns_of(view, size);
  if (!begin_figures(view.study.sizes.empty() ? "card" : "study", columns, ImGuiTableFlags_ScrollY)) return pointed;
  for (const auto i : sorted_rows(columns, view.curves.size(), [&](std::size_t row) { return view.curves[row].name; })) {
    const auto& curve = view.curves[i];
    ImGui::TableNextRow();
    ImGui::PushID(curve.name.c_str());
    ImGui::TableNextColumn();
    const auto at = ImGui::GetCursorScreenPos();
    const bool clicked = ImGui::Selectable("##row", curve.live, ImGuiSelectableFlags_SpanAllColumns);
    if (clicked && gpu::find_sat_algorithm(curve.name)) ui.change("algorithm", curve.name);
    if (ImGui::IsItemHovered()) {
      pointed = static_cast<int>(i);
      show_tooltip(view.row_words(curve.name, size));
    }
    const auto side = std::round(em() * 0.6f), top = at.y + std::round((ImGui::GetTextLineHeight() - side) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, curve_colour(curve), 2);
    ImGui::SameLine(side + em() * 0.5f);
    text(shortened(curve.name, ImGui::GetContentRegionAvail().x));
    for (const auto& column : columns)
      if (column.value && ImGui::TableNextColumn()) figure(column, i);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return pointed;
}

// Which algorithms are studied: all that run on the device, or those that are ticked.
void studied_algorithms(PanelContext& ui) {
  auto& list = ui.settings.study_algorithms;
  std::vector<std::string> chosen;
  try {
    chosen = algorithms_in(list);
  } catch (const std::invalid_argument&) {}  // a name that a script has given: it is said when the study starts
  const bool open = begin_combo("##studied", chosen.empty() ? "All algorithms" : counted(chosen.size(), "algorithm"));
  if (!open) return tooltip("Which algorithms are studied, with the next start");
  if (ImGui::Selectable("All that run here", chosen.empty())) list.clear();
  ImGui::Separator();
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (!gpu::runs_on(*algorithm, ui.state.device)) continue;
    const std::string name(algorithm->name);
    bool on = std::ranges::find(chosen, name) != chosen.end();
    if (!checkbox(name.c_str(), on, algorithm->idea)) continue;
    on ? chosen.push_back(name) : void(std::erase(chosen, name));
    list.clear();
    for (const auto& one : chosen) (list += list.empty() ? "" : ",") += one;
  }
  ImGui::EndCombo();
}

void study_controls(PanelContext& ui, const StudyView& view) {
  const auto& study = view.study;
  ImGui::SetNextItemWidth(em() * 9);
  setting_combo(ui, "study_shows");
  ImGui::SameLine();
  if (study.device != gpu::Device::simulated && !measured_cards().empty()) {
    const auto title = [](std::string_view name) {
      const auto* card = find_measured_card(name);
      return card ? card->title + ", shipped" : "Nothing beside";
    };
    auto& beside = ui.settings.study_beside;
    ImGui::SetNextItemWidth(em() * 9);
    if (begin_combo("##study_beside", title(beside))) {
      for (const auto name : measured_names())
        if (ImGui::Selectable(title(name).c_str(), name == beside)) beside = name;
      ImGui::EndCombo();
    }
    if (view.card) tooltip(view.card->device + "\n" + view.card->how + "\n" + view.card->source);
    ImGui::SameLine();
  }
  ImGui::SetNextItemWidth(em() * 9);
  studied_algorithms(ui);
  const char* const start = study.running() ? "Stop" : study.sizes.empty() ? "Start" : "Again";
  same_line_at_right(width_of_buttons({start}));
  const auto help = study.running() ? description(Action::stop_study) : "Measure every size, in the background";
  if (button(start, help)) ui.act(study.running() ? Action::stop_study : Action::start_study);
}

constexpr const char* about_study =
    "One algorithm after another sums random pixels, from 256 x 256 to what memory and time allow, between the frames of "
    "the video. Every table is verified; times are medians.";

void study_answer(const StudyFigures& study) {
  {
    const WithText ink(study.problem.empty() ? colour::text : colour::bad);
    sentence(study_title(study));
  }
  const auto state = study_state(study, about_study);
  wrapped(state, colour::dim);
  if (state != about_study) tooltip(about_study, TooltipSide::above);  // below are the buttons
  if (study.running()) progress(study.progress());
}

}  // namespace

void study_tab(PanelContext& ui) {
  const auto* algorithm = ui.state.selection.algorithm;
  const StudyView view(ui.state.study, ui.settings, algorithm ? algorithm->name : std::string_view());
  study_answer(view.study);
  study_controls(ui, view);
  if (view.sizes.empty() || view.curves.empty()) return;
  const auto key = ImGui::GetID("pointed");
  auto& storage = *ImGui::GetStateStorage();
  const auto height = std::max(em() * 9, std::round(ImGui::GetContentRegionAvail().y * 0.52f));
  const auto shown = study_plot(ui, view, storage.GetInt(key, -1), height);
  text(shortened("size of the picture; " + view.units() + ", both logarithmic", ImGui::GetContentRegionAvail().x),
       colour::dim);
  heading("At " + text_of(shown));
  if (view.card) {
    const auto legend = "dashed: " + view.card->title;
    same_line_at_right(text_width(legend));
    text(legend, colour::dim);
  }
  storage.SetInt(key, study_table_of(ui, view, shown));
}

}  // namespace app::ui
