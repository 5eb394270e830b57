// The study: the algorithms over the size of the picture, as curves in multiples of the bound or in microseconds, beside those
// of a card that the program was measured on; and a table of the size under the mouse.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/control/measured.h"
#include "app/control/names.h"
#include "app/output/study_text.h"
#include "app/session/study.h"
#include "app/support/text.h"
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
  std::optional<double> here(std::string_view name, gpu::Size size) const {
    const auto* race = race_at(size);
    const auto* row = race ? measured_row(*race, name) : nullptr;
    if (!row) return {};
    return times ? times_bound(*race, *row) : std::optional(race->cost(*row));
  }
  std::optional<double> beside(std::string_view name, gpu::Size size) const {
    const auto us = card ? card->us(name, size) : std::nullopt;
    return us && times ? std::optional(*us / card->bound_at(size).value_or(*us)) : us;
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
std::size_t chosen_size(const PanelContext& ui, const StudyView& view) {
  const auto at = std::ranges::find(view.sizes, ui.settings.study_size);
  if (at != view.sizes.end()) return static_cast<std::size_t>(at - view.sizes.begin());
  const auto wanted = std::log(static_cast<double>(std::max<std::size_t>(ui.state.picture.pixels(), 1)));
  std::size_t best = 0;
  const auto distance = [&](std::size_t i) {
    return std::abs(std::log(static_cast<double>(view.sizes[i].pixels())) - wanted);
  };
  for (std::size_t i = 1; i < view.sizes.size(); ++i)
    if (distance(i) < distance(best)) best = i;
  return best;
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
  constexpr double steps[] = {0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 12, 16};
  std::vector<double> levels(std::begin(steps), std::end(steps));
  if (!view.times) {
    levels.clear();
    for (double level = 0.1; level < 1e7; level *= 10) levels.insert(levels.end(), {level, 2 * level, 5 * level});
  }
  float above = 1e9f;
  for (const auto level : levels) {
    if (!plot.holds(level)) continue;
    const auto y = std::round(plot.y(level));
    const bool bound = view.times && level == 1;
    draw.AddLine({plot.from.x, y}, {plot.to.x, y}, bound ? colour::text : colour::line);
    const auto label = short_number(level);
    if (above - y < line) continue;
    above = y;
    draw.AddText({plot.from.x - gap - text_width(label), y - line / 2}, colour::dim, label.c_str());
  }
  float right = -1e9f;
  for (const auto size : view.sizes) {
    const auto x = std::round(plot.x(size));
    const auto label = side_text(size);
    const auto left = std::min(x - text_width(label) / 2, plot.to.x + em() * 0.8f - text_width(label));
    if (size.width != size.height || left < right + gap) continue;
    draw.AddLine({x, plot.from.y}, {x, plot.to.y}, colour::line);
    draw.AddText({left, plot.to.y + gap / 2}, colour::dim, label.c_str());
    right = left + text_width(label);
  }
  if (view.times && !view.traffic())
    draw.AddText({plot.from.x + gap, plot.y(1) - line - 2}, colour::text, "the bound: work on the same bytes without sums");
}

template <class Value>
void draw_curve(ImDrawList& draw, const StudyView& view, const StudyPlot& plot, const Value& value, ImU32 ink, float width,
                bool dashed) {
  std::optional<ImVec2> last;
  const auto dash = em() * 0.35f;
  for (const auto size : view.sizes) {
    const auto here = value(size);
    if (!here || *here <= 0) continue;
    const ImVec2 at(plot.x(size), plot.y(*here));
    if (last && !dashed) draw.AddLine(*last, at, ink, width);
    const auto length = last ? std::hypot(at.x - last->x, at.y - last->y) : 0;
    for (float done = 0; dashed && done < length; done += 2 * dash) {
      const auto point = [&](float part) {
        const auto share = std::min(part / length, 1.f);
        return ImVec2(last->x + (at.x - last->x) * share, last->y + (at.y - last->y) * share);
      };
      draw.AddLine(point(done), point(done + dash), ink, width);
    }
    if (!dashed) draw.AddCircleFilled(at, width + 1, ink);
    last = at;
  }
}

// Returns the size that the table is of. `pointed`: the curve whose row is under the mouse; empty: none.
std::size_t study_plot(PanelContext& ui, const StudyView& view, const std::string& pointed, float height) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const StudyPlot plot(view, {at.x + em() * 2.8f, at.y + line / 2},
                       {at.x + width - em() * 0.8f, at.y + height - line * 1.5f});
  auto& draw = *ImGui::GetWindowDrawList();
  ImGui::InvisibleButton("curves", {width, height});
  auto shown = chosen_size(ui, view);
  if (ImGui::IsItemHovered()) {
    const auto mouse = ImGui::GetIO().MousePos.x;
    for (std::size_t i = 0; i < view.sizes.size(); ++i)
      if (std::abs(plot.x(view.sizes[i]) - mouse) < std::abs(plot.x(view.sizes[shown]) - mouse)) shown = i;
    if (ImGui::IsItemClicked()) ui.settings.study_size = view.sizes[shown];
  }
  draw_axes(draw, view, plot);
  const auto x = std::round(plot.x(view.sizes[shown]));
  draw.AddLine({x, plot.from.y}, {x, plot.to.y}, colour::dim);
  draw.PushClipRect({plot.from.x - 4, plot.from.y}, {plot.to.x + 4, plot.to.y + 4}, true);
  const auto thin = std::max(1.f, 1.5f * ui.scale);
  const auto draw_one = [&](const StudyCurve& curve) {
    const bool marked = curve.live || curve.name == pointed;
    const auto here = [&](gpu::Size size) { return view.here(curve.name, size); };
    const auto beside = [&](gpu::Size size) { return view.beside(curve.name, size); };
    draw_curve(draw, view, plot, here, curve.colour, marked ? 2 * thin : thin, false);
    if (marked || view.study.sizes.empty()) draw_curve(draw, view, plot, beside, curve.colour, thin, true);
  };
  for (const auto& curve : view.curves)
    if (!curve.live) draw_one(curve);
  for (const auto& curve : view.curves)
    if (curve.live) draw_one(curve);  // over the others
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

std::string study_row_words(const StudyView& view, std::string_view name, gpu::Size size) {
  auto words = std::string(name) + " at " + text_of(size);
  const auto* race = view.race_at(size);
  if (const auto* row = race ? measured_row(*race, name) : nullptr) {
    words += "\nmedian " + microseconds(row->us) + " µs, minimum " + microseconds(row->least_us) + " µs, of " +
             counted(static_cast<std::uint64_t>(row->runs), "run") + (view.traffic() ? ", of the CPU that simulates" : "");
    if (const auto times = times_bound(*race, *row)) words += "\n" + number(*times, 2) + " times the bound";
    if (row->gb_per_s) words += "\n" + number(*row->gb_per_s, 0) + " GB/s";
    if (row->bytes_per_pixel) words += "\n" + number(*row->bytes_per_pixel, 2) + " bytes per pixel";
    words += "\nEvery entry of the table is right";
  } else if (const auto why = why_not_measured(view, name, size); !why.empty()) {
    words += "\nNot measured: " + why;
  }
  if (const auto us = view.card ? view.card->us(name, size) : std::nullopt)
    words += "\n" + view.card->title + ": " + microseconds(*us) + " µs, " +
             number(*us / view.card->bound_at(size).value_or(*us), 2) + " times its bound";
  return words + (gpu::find_sat_algorithm(name) ? "\nClick to use this algorithm" : "");
}

// Returns the row under the mouse; empty: none.
std::string study_table_of(PanelContext& ui, const StudyView& view, gpu::Size size) {
  const auto* race = view.race_at(size);
  std::vector<const StudyCurve*> rows;
  for (const auto& curve : view.curves) rows.push_back(&curve);
  const auto cost = [&](const StudyCurve* curve) {
    const auto value = view.study.sizes.empty() ? view.beside(curve->name, size) : view.here(curve->name, size);
    return value.value_or(1e300);
  };
  std::ranges::stable_sort(rows, {}, cost);
  std::string pointed;
  constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings |
                         ImGuiTableFlags_Hideable | ImGuiTableFlags_ContextMenuInBody;
  if (!ImGui::BeginTable("study", view.card ? 5 : 3, flags)) return pointed;
  const auto number_column = [](const std::string& title) {
    ImGui::TableSetupColumn(title.c_str(), ImGuiTableColumnFlags_WidthFixed, std::max(text_width(title), em() * 4));
  };
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Algorithm", ImGuiTableColumnFlags_WidthStretch);
  number_column(device_title(view));
  number_column("× bound");
  if (view.card) number_column(view.card->title + ", µs");
  if (view.card) number_column("× its bound");
  ImGui::TableHeadersRow();
  for (const auto* curve : rows) {
    ImGui::TableNextRow();
    ImGui::PushID(curve->name.c_str());
    ImGui::TableNextColumn();
    const auto at = ImGui::GetCursorScreenPos();
    const bool clicked = ImGui::Selectable("##row", curve->live, ImGuiSelectableFlags_SpanAllColumns);
    if (clicked && gpu::find_sat_algorithm(curve->name)) ui.change("algorithm", curve->name);
    if (ImGui::IsItemHovered()) {
      pointed = curve->name;
      show_tooltip(study_row_words(view, curve->name, size));
    }
    const auto side = std::round(em() * 0.6f), top = at.y + std::round((ImGui::GetTextLineHeight() - side) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, curve->colour, 2);
    ImGui::SameLine(side + em() * 0.5f);
    text(shortened(curve->name, ImGui::GetContentRegionAvail().x));
    const auto cell = [](const std::optional<double>& value, bool us) {
      if (ImGui::TableNextColumn(); value) right_aligned(us ? microseconds(*value) : number(*value, 2));
    };
    const auto* row = race ? measured_row(*race, curve->name) : nullptr;
    cell(row ? std::optional(race->cost(*row)) : std::nullopt, !view.traffic());
    cell(row ? times_bound(*race, *row) : std::nullopt, false);
    if (view.card) {
      const auto us = view.card->us(curve->name, size);
      cell(us, true);
      cell(us ? std::optional(*us / view.card->bound_at(size).value_or(*us)) : std::nullopt, false);
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
  return pointed;
}

// Which algorithms are studied: all that run on the device, or those that are ticked.
void choice_of_algorithms(PanelContext& ui) {
  if (ImGui::Button("Algorithms")) ImGui::OpenPopup("studied");
  tooltip("Which algorithms are studied, with the next start");
  if (!ImGui::BeginPopup("studied")) return;
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
  const auto padding = ImGui::GetStyle().FramePadding.x * 2;
  same_line_at_right(text_width(start) + text_width("Save") + 2 * padding + ImGui::GetStyle().ItemInnerSpacing.x);
  if (button(start, "Measure every size again, in the background"))
    ui.act(study.running() ? Action::stop_study : Action::start_study);
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  if (button("Save", "Save the study as JSON and as CSV", why_not(Action::export_study, ui.state, ui.settings)))
    ui.act(Action::export_study);
}

constexpr const char* about_study =
    "One algorithm after another sums random pixels, from 256 x 256 to what memory and time allow, between the frames of "
    "the "
    "video. Every table is verified; times are medians.";

void study_answer(const StudyFigures& study) {
  {
    const WithFont title(Font::title);
    const auto says = study_sentence(study);
    ImGui::PushTextWrapPos(0);
    text(!study.problem.empty() ? study.problem
         : !says.empty()        ? says
                                : "Which algorithm is nearest to the bound, at which size?",
         study.problem.empty() ? colour::text : colour::bad);
    ImGui::PopTextWrapPos();
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
  if (!study.running()) return;
  ImGui::ProgressBar(static_cast<float>(study.progress()), {-1, std::round(em() * 0.25f)}, "");
}

}  // namespace

void study_tab(PanelContext& ui) {
  const StudyView view(ui);
  study_answer(view.study);
  study_controls(ui, view);
  if (view.sizes.empty() || view.curves.empty()) return;
  const auto key = ImGui::GetID("pointed");
  auto& storage = *ImGui::GetStateStorage();
  const auto before = static_cast<std::size_t>(storage.GetInt(key, -1));
  const auto room = ImGui::GetContentRegionAvail().y;
  const auto shown = view.sizes[study_plot(ui, view, before < view.curves.size() ? view.curves[before].name : std::string(),
                                           std::max(em() * 9, std::round(room * 0.52f)))];
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
  const auto pointed = study_table_of(ui, view, shown);
  const auto at = std::ranges::find(view.curves, pointed, &StudyCurve::name);
  storage.SetInt(key, at == view.curves.end() ? -1 : static_cast<int>(at - view.curves.begin()));
}

}  // namespace app::ui
