// The study: the algorithms over the size of the picture, as curves in multiples of the bound or in microseconds, beside those
// of a card that the program was measured on; and a table of the size under the mouse.
#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "app/control/measured.h"
#include "app/control/names.h"
#include "app/output/race_view.h"
#include "app/output/study_text.h"
#include "app/session/study.h"
#include "app/support/text.h"
#include "app/ui/figure_table.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr std::size_t coloured_curves = 7;  // besides the live one; the others are gray
constexpr double most_times = 16;           // the bound: a curve above leaves the plot

struct StudyCurve {
  std::string name;
  ImU32 colour = 0;
  bool live = false;
};

// What is drawn: the study's sizes and, beside it, the card's.
struct StudyView {
  explicit StudyView(const PanelContext& ui)
      : study(ui.state.study),
        card(find_measured_card(ui.settings.study_beside)),
        times(ui.settings.study_shows == StudyShows::bound) {
    for (const auto& race : study.sizes) sizes.push_back(race.size);
    if (card && !traffic()) sizes.insert(sizes.end(), card->sizes.begin(), card->sizes.end());
    std::ranges::sort(sizes, {}, &gpu::Size::pixels);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (traffic()) card = nullptr;  // its times are of another kind
    name_curves(ui.state.selection.algorithm ? ui.state.selection.algorithm->name : std::string_view());
  }
  bool traffic() const { return study.device == gpu::Device::simulated && !study.sizes.empty(); }
  const RaceFigures* race_at(gpu::Size size) const {
    const auto at = std::ranges::find(study.sizes, size, &RaceFigures::size);
    return at == study.sizes.end() ? nullptr : &*at;
  }
  const RaceRow* row_at(std::string_view name, gpu::Size size) const {
    const auto* race = race_at(size);
    return race ? measured_row(*race, name) : nullptr;
  }
  std::optional<double> cost(std::string_view name, gpu::Size size) const {
    const auto* row = row_at(name, size);
    return row ? std::optional(race_at(size)->cost(*row)) : std::nullopt;
  }
  std::optional<double> over_bound(std::string_view name, gpu::Size size) const {
    const auto* row = row_at(name, size);
    return row ? times_bound(*race_at(size), *row) : std::nullopt;
  }
  std::optional<double> card_us(std::string_view name, gpu::Size size) const {
    return card ? card->us(name, size) : std::nullopt;
  }
  std::optional<double> card_over_bound(std::string_view name, gpu::Size size) const {
    const auto us = card_us(name, size);
    return us ? std::optional(*us / card->bound_at(size).value_or(*us)) : std::nullopt;
  }
  // What curves show: of what was measured here, and of the card.
  std::optional<double> here(std::string_view name, gpu::Size size) const {
    return times ? over_bound(name, size) : cost(name, size);
  }
  std::optional<double> beside(std::string_view name, gpu::Size size) const {
    return times ? card_over_bound(name, size) : card_us(name, size);
  }
  // Half of the runs are in it; none of what is not timed.
  struct Spread {
    double from, to;
  };
  std::optional<Spread> spread(std::string_view name, gpu::Size size) const {
    const auto* row = row_at(name, size);
    const auto value = here(name, size);
    if (!row || !value || traffic() || row->lower_us <= 0) return {};
    return Spread{*value * row->lower_us / row->us, *value * row->upper_us / row->us};
  }

  const StudyFigures& study;
  const MeasuredCard* card;
  bool times;
  std::vector<gpu::Size> sizes;
  std::vector<StudyCurve> curves;  // the best at the largest size first

 private:
  void name_curves(std::string_view live) {
    const auto add = [&](std::string_view name) {
      if (std::ranges::find(curves, name, &StudyCurve::name) == curves.end()) curves.push_back({std::string(name)});
    };
    for (auto race = study.sizes.rbegin(); race != study.sizes.rend(); ++race)
      for (const auto& row : race->rows)
        if (!row.bound && measured_row(*race, row.name)) add(row.name);
    if (study.sizes.empty() && card) {
      auto rows = card->rows;
      std::ranges::sort(rows, {}, [](const MeasuredCard::Row& row) { return row.us.back().value_or(1e12); });
      for (const auto& row : rows) add(row.algorithm);
    }
    std::size_t number = 0;
    for (auto& curve : curves) {
      curve.live = curve.name == live;
      curve.colour = curve.live                   ? ImU32(colour::accent)
                     : number++ < coloured_curves ? colour::row(number)
                                                  : ImU32(colour::box);
    }
  }
};

// The size that the table is of where the mouse is on none: the chosen one, or the one nearest to the picture.
gpu::Size chosen_size(const PanelContext& ui, const StudyView& view) {
  const auto& chosen = ui.settings.study_size;
  if (std::ranges::find(view.sizes, chosen) != view.sizes.end()) return chosen;
  const auto side = [](gpu::Size size) { return std::log(static_cast<double>(std::max<std::size_t>(size.pixels(), 1))); };
  const auto wanted = side(ui.state.picture);
  return *std::ranges::min_element(view.sizes, {}, [&](gpu::Size size) { return std::abs(side(size) - wanted); });
}

// Both axes are logarithmic.
class StudyPlot {
 public:
  StudyPlot(const StudyView& view, ImVec2 from, ImVec2 to) : from(from), to(to) {
    const auto side = [](gpu::Size size) { return std::log2(static_cast<double>(size.pixels())) / 2; };
    first_ = side(view.sizes.front());
    last_ = std::max(side(view.sizes.back()), first_ + 1);
    double least = 1e300, most = 0;
    for (const auto& curve : view.curves)
      for (const auto size : view.sizes)
        for (const auto& value : {view.here(curve.name, size), view.beside(curve.name, size)})
          if (value && *value > 0) least = std::min(least, *value), most = std::max(most, *value);
    if (most <= 0) least = most = 1;
    if (view.times) least = std::min(least * 0.98, 1.0), most = std::clamp(most * 1.05, 2.0, most_times);
    least_ = std::log2(least);
    most_ = std::max(std::log2(most), least_ + 1);
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
void draw_curve(ImDrawList& draw, const StudyView& view, const StudyPlot& plot, const StudyCurve& curve, bool beside,
                float width) {
  std::optional<ImVec2> last;
  for (const auto size : view.sizes) {
    const auto value = beside ? view.beside(curve.name, size) : view.here(curve.name, size);
    if (!value || *value <= 0) continue;
    const ImVec2 at(plot.x(size), plot.y(*value));
    if (last) beside ? draw_dashed(draw, *last, at, curve.colour, width) : draw.AddLine(*last, at, curve.colour, width);
    last = at;
    if (beside) continue;
    draw.AddCircleFilled(at, width + 1, curve.colour);
    const auto spread = view.spread(curve.name, size);
    if (!spread) continue;
    const auto low = plot.y(spread->from), high = plot.y(spread->to), end = width + 2;
    draw.AddLine({at.x, low}, {at.x, high}, curve.colour);
    for (const auto y : {low, high}) draw.AddLine({at.x - end, y}, {at.x + end, y}, curve.colour);
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
  auto shown = chosen_size(ui, view);
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
      if (marked || view.study.sizes.empty()) draw_curve(draw, view, plot, curve, true, thin);
    }
  draw.PopClipRect();
  return shown;
}

std::string device_title(const StudyView& view) {
  return view.traffic() ? "Bytes per pixel" : device_words(gpu::name(view.study.device)) + ", µs";
}

// Why an algorithm has no figure at that size; empty: it has, or nobody knows.
std::string why_not_measured(const StudyView& view, std::string_view name, gpu::Size size) {
  const auto* race = view.race_at(size);
  if (!race) return view.study.end;
  const auto at = std::ranges::find(race->absent, name, &RaceFigures::Absent::name);
  if (at != race->absent.end()) return at->why;
  const auto row = std::ranges::find(race->rows, name, &RaceRow::name);
  return row == race->rows.end() ? std::string() : row->problem;
}

std::string study_row_words(const StudyView& view, const std::string& name, gpu::Size size) {
  auto words = name + " at " + text_of(size);
  if (const auto* row = view.row_at(name, size))
    words += row_figures(*view.race_at(size), *row) + "\nEvery entry of the table is right";
  else if (const auto why = why_not_measured(view, name, size); !why.empty())
    words += "\nNot measured: " + why;
  if (const auto us = view.card_us(name, size))
    words += "\n" + view.card->title + ": " + microseconds(*us) + " µs, " + number(*view.card_over_bound(name, size), 2) +
             " times its bound";
  return words + (gpu::find_sat_algorithm(name) ? "\nClick to use this algorithm" : "");
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
      show_tooltip(study_row_words(view, curve.name, size));
    }
    const auto side = std::round(em() * 0.6f), top = at.y + std::round((ImGui::GetTextLineHeight() - side) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, curve.colour, 2);
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
void ticked_algorithms(PanelContext& ui) {
  const MenuStyle style;
  std::vector<std::string> chosen;
  try {
    chosen = algorithms_in(ui.settings.study_algorithms);
  } catch (const std::invalid_argument&) {}  // a name that a script has given: it is said when the study starts
  if (ImGui::MenuItem("All that run here", nullptr, chosen.empty())) ui.settings.study_algorithms.clear();
  ImGui::Separator();
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (!gpu::runs_on(*algorithm, ui.state.device)) continue;
    const auto at = std::ranges::find(chosen, algorithm->name);
    bool on = at != chosen.end();
    if (!checkbox(std::string(algorithm->name).c_str(), on, algorithm->idea)) continue;
    if (on)
      chosen.emplace_back(algorithm->name);
    else
      chosen.erase(at);
    auto& list = ui.settings.study_algorithms;
    list.clear();
    for (const auto& name : chosen) (list += list.empty() ? "" : ",") += name;
    break;
  }
}

void choice_of_algorithms(PanelContext& ui) {
  if (button("Algorithms", "Which algorithms are studied, with the next start")) ImGui::OpenPopup("studied");
  if (!ImGui::BeginPopup("studied")) return;
  ticked_algorithms(ui);
  ImGui::EndPopup();
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
  choice_of_algorithms(ui);
  const char* const start = study.running() ? "Stop" : study.sizes.empty() ? "Start" : "Again";
  same_line_at_right(width_of_buttons({start}));
  if (button(start, "Measure every size again, in the background"))
    ui.act(study.running() ? Action::stop_study : Action::start_study);
}

constexpr const char* about_study =
    "One algorithm after another sums random pixels, from 256 x 256 to what memory and time allow, between the frames of "
    "the "
    "video. Every table is verified; times are medians.";

void study_answer(const StudyFigures& study) {
  {
    const auto says = study_sentence(study);
    const WithText ink(study.problem.empty() ? colour::text : colour::bad);
    sentence(!study.problem.empty() ? study.problem
             : !says.empty()        ? says
                                    : "Which algorithm is nearest to the bound, at which size?");
  }
  std::string state = about_study;
  const auto all = std::to_string(study.sizes_wanted), done = std::to_string(study.sizes.size());
  if (study.running())
    state = study.under_way.width > 0 ? "Measures " + text_of(study.under_way) + ", after " + done + " of " + all + " sizes"
                                      : "Waits for a picture, or for the race";
  else if (!study.sizes.empty())
    state = done + " sizes of random pixels" + (study.finished ? "" : ", stopped") +
            (study.end.empty() ? "" : "; no larger one: " + study.end);
  wrapped(state, colour::dim);
  tooltip(about_study);
  if (study.running()) progress(study.progress());
}

}  // namespace

void study_tab(PanelContext& ui) {
  const StudyView view(ui);
  study_answer(view.study);
  study_controls(ui, view);
  if (view.sizes.empty() || view.curves.empty()) return;
  const auto key = ImGui::GetID("pointed");
  auto& storage = *ImGui::GetStateStorage();
  const auto height = std::max(em() * 9, std::round(ImGui::GetContentRegionAvail().y * 0.52f));
  const auto shown = study_plot(ui, view, storage.GetInt(key, -1), height);
  text(shortened("size of the picture; " +
                     std::string(view.times       ? "multiples of the bound"
                                 : view.traffic() ? "bytes per pixel"
                                                  : "microseconds") +
                     ", both logarithmic",
                 ImGui::GetContentRegionAvail().x),
       colour::dim);
  {
    const WithFont bold(Font::bold);
    text("At " + text_of(shown));
  }
  if (view.card) {
    const auto legend = "dashed: " + view.card->title;
    same_line_at_right(text_width(legend));
    text(legend, colour::dim);
  }
  storage.SetInt(key, study_table_of(ui, view, shown));
}

}  // namespace app::ui
