// The race: a bar per algorithm, sorted, against the bound. A click on a row chooses its algorithm; A and B pin rows that all
// others are compared with.
#include <algorithm>
#include <cmath>
#include <map>

#include "app/control/names.h"
#include "app/output/race_figures.h"
#include "app/support/text.h"
#include "app/ui/panel.h"
#include "app/ui/race_scale.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr float least_lines = 7;  // of the table and the one below it, which small windows have in the note's tooltip

// What has changed since it finished; empty if nothing has.
std::string earlier_words(const RaceFigures& race) {
  if (race.earlier) return race.earlier_device ? "earlier device" : "earlier picture";
  return race.earlier_effect ? "earlier effect" : "";
}

std::string runs_text(const RaceFigures& race) {
  const auto runs = grouped(static_cast<std::uint64_t>(race.runs));
  const auto earlier = earlier_words(race);
  if (race.runs == race.runs_wanted && race.running()) return "counts sectors";
  if (race.finished) return runs + " runs" + (earlier.empty() ? "" : ", ") + earlier;
  return runs + " of " + grouped(static_cast<std::uint64_t>(race.runs_wanted)) + " runs" + (race.on ? "" : ", stopped");
}

std::string note_text(const RaceFigures& race) {
  if (race.size.width == 0) return race.on ? "waits for a picture" : "every algorithm on the picture shown";
  return text_of(race.size) + ", 8u32u, " + device_words(gpu::name(race.device)) +
         (race.by_traffic() ? " by traffic, " : ", ") + runs_text(race);
}

constexpr const char* note_help =
    "The gray picture that was shown at the start is summed by one algorithm after another, between the frames of the "
    "video. "
    "Times are medians. The picture stays in the cache, as every frame does; satscope-bench also measures pictures that are "
    "not in it.";

// The note, what it is about, and what is not obvious.
std::string note_help_of(const RaceFigures& race) {
  auto help = note_text(race);
  if (!race.source.empty()) help += "\nMeasured on " + race.source;
  if (race.earlier)
    help += race.earlier_device ? "\nThe device has changed. Press Again to race on it."
                                : "\nThe source or its size has changed. Press Again to race on what is shown.";
  if (race.earlier_effect) help += "\nThe effect or its parameters have changed. Press Again to race with them.";
  if (const auto worth = effect_worth(race, "µs"); !worth.empty()) help += '\n' + worth;
  if (race.by_traffic()) help += '\n' + std::string(why_by_traffic);
  return help + '\n' + note_help;
}

// Where there is no room for all: that times are simulated comes first.
std::string note_that_fits(const RaceFigures& race, float room) {
  std::vector<std::string> wordings{note_text(race)};
  const bool simulated = race.device == gpu::Device::simulated;
  const std::string kind = simulated ? "simulated" : "", then = simulated && race.earlier ? ", " : "",
                    earlier = race.earlier ? earlier_words(race) : "";
  if (race.size.width > 0)
    wordings.insert(wordings.end(), {device_words(gpu::name(race.device)) + ", " + runs_text(race),
                                     simulated ? device_words(gpu::name(race.device)) + then + earlier : runs_text(race),
                                     kind + then + earlier, kind + then + (race.earlier ? "earlier" : "")});
  const auto* shown = first_that_fits(wordings, room);
  return shown ? *shown : std::string();
}

void race_head(PanelContext& ui) {
  const auto& race = ui.state.race;
  const auto& style = ImGui::GetStyle();
  const char* const all_parameters = window_words("race_parameters on").data();
  const char* const start = race.running() ? "Stop" : race.finished ? "Again" : "Start";
  const auto width = ImGui::CalcTextSize(all_parameters).x + ImGui::CalcTextSize(start).x + ImGui::CalcTextSize("Save").x +
                     style.FramePadding.x * 4 + style.ItemInnerSpacing.x * 2 + style.ItemSpacing.x + ImGui::GetFrameHeight();
  ImGui::SameLine();
  const auto room = [&] { return ImGui::GetContentRegionAvail().x - width - style.ItemSpacing.x; };
  const auto note_in = [&] {
    const WithFont small(Font::small);
    return note_that_fits(race, room());
  };
  auto note = note_in();
  if (room() < 0 || (note.empty() && race.device == gpu::Device::simulated)) {
    ImGui::NewLine();  // beside many tabs of a small window there is no place
    note = note_in();
    if (note.empty() && race.device == gpu::Device::simulated) note = "simulated";  // its colour says the rest
  }
  if (!note.empty()) {
    const WithFont small(Font::small);
    ImGui::AlignTextToFramePadding();
    text(note, race.earlier || race.earlier_effect ? colour::warning : colour::dim);
    tooltip(note_help_of(race));
    ImGui::SameLine();
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, ImGui::GetContentRegionAvail().x - width));
  auto all = ui.settings.race_parameters;
  if (checkbox(all_parameters, all,
               std::string("A row for every combination of an algorithm's parameters") +
                   (race.finished ? "; Again races them" : "")))
    ui.change("race_parameters", all);
  ImGui::SameLine();
  if (button(start, ui.help_of(Action::toggle_race))) ui.act(race.running() ? Action::stop_race : Action::start_race);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (button("Save", "Save the race as JSON and as CSV", why_not(Action::export_race, ui.state, ui.settings)))
    ui.act(Action::export_race);
}

void progress(const RaceFigures& race, float scale) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(3 * scale);
  const auto done = race.runs_wanted > 0 ? static_cast<float>(race.runs) / static_cast<float>(race.runs_wanted) : 0;
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, colour::control);
  draw.AddRectFilled(at, {at.x + width * std::clamp(done, 0.f, 1.f), at.y + height}, colour::accent);
  ImGui::Dummy({width, height});
}

// A letter that pins the row, or releases it.
void pin(PanelContext& ui, const RaceRow& row, const char* letter, const char* path, const std::string& now) {
  const bool on = now == row.label;
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const ImVec2 size(em, ImGui::GetTextLineHeight());
  if (ImGui::InvisibleButton(path, size)) ui.change(path, on ? std::string() : row.label);
  const bool hovered = ImGui::IsItemHovered();
  tooltip(on ? "Release this row" : std::string("Pin this row: column ") + letter + " has every time divided by its time");
  const auto width = ImGui::CalcTextSize(letter).x;
  ImGui::GetWindowDrawList()->AddText({at.x + (em - width) / 2, at.y},
                                      on        ? colour::accent
                                      : hovered ? colour::text
                                                : colour::dim,
                                      letter);
}

void choose(PanelContext& ui, const RaceRow& row) {
  std::vector<Change> changes{{"algorithm", row.name}};
  for (const auto& parameter : row.arguments.parameters())
    changes.push_back({row.name + '.' + std::string(parameter.name), row.arguments.text(parameter.name)});
  ui.change(changes);
}

// Returns where it begins, on the screen.
float name_cell(PanelContext& ui, const RaceRow& row) {
  ImGui::TableNextColumn();
  const auto left = ImGui::GetCursorScreenPos().x;
  const auto& selection = ui.state.selection;
  const bool current = selection.algorithm && selection.algorithm->name == row.name &&
                       selection.algorithm_arguments == row.arguments;
  const auto shown = label_within(row, ImGui::GetContentRegionAvail().x);
  if (row.bound || row.peer)
    text(shown, row.bound ? colour::dim : colour::text);
  else if (ImGui::Selectable((shown + "##row").c_str(), current))
    choose(ui, row);
  return left;
}

// A tick, a cross, or nothing yet.
void check_cell(const RaceRow& row) {
  ImGui::TableNextColumn();
  if (!row.problem.empty())
    verdict(false);
  else
    verdict(row.check == RaceRow::Check::equal ? std::optional(true) : std::nullopt);
}

void number_cell(const std::string& text) {
  if (ImGui::TableNextColumn(); !text.empty()) right_aligned(text);
}

// Every figure of the row, also those without a column.
std::string explained(const RaceRow& row, const RaceFigures& race, const RacePins& pins) {
  auto all = row.label;
  if (row.peer) all += "\ncv::integral, on as many threads as OpenCV takes";
  if (row.bound) all += "\nWhat times are compared with: work that touches as much memory and sums nothing";
  if (row.runs > 0) {
    all += "\n\nmedian " + microseconds(row.us) + " µs, minimum " + microseconds(row.least_us) + " µs, of " +
           grouped(static_cast<std::uint64_t>(row.runs)) + (row.runs == 1 ? " run" : " runs");
    if (race.by_traffic()) all += ", of the CPU: they say nothing about a GPU";
    if (row.over_bound && !row.bound) all += "\n" + number(*row.over_bound, 2) + " times the bound, " + race.bound;
    if (row.gb_per_s) all += "\n" + number(*row.gb_per_s, 0) + " GB/s";
  }
  if (row.effect_runs > 0)
    all += "\n" + std::string(race.effect->title) + ": median " + microseconds(row.effect_us) + " µs, minimum " +
           microseconds(row.effect_least_us) + " µs, of " + grouped(static_cast<std::uint64_t>(row.effect_runs)) +
           (row.effect_runs == 1 ? " run" : " runs");
  if (row.bytes_per_pixel) all += "\n" + number(*row.bytes_per_pixel, 2) + " bytes per pixel";
  if (row.sectors_per_pixel) all += ", " + number(*row.sectors_per_pixel, 2) + " sectors per pixel";
  if (row.effect_bytes_per_pixel)
    all += "\n" + number(*row.effect_bytes_per_pixel, 1) + " bytes per pixel for the tables of " +
           std::string(race.effect->title);
  for (const auto& [letter, pin] : {std::pair("A", pins.a), std::pair("B", pins.b)})
    if (pin && race.cost(row) > 0) all += "\n" + ratio(race, row, *pin) + " times " + letter + ", " + pin->label;
  if (!row.problem.empty())
    all += "\n\n" + row.problem;
  else if (row.check == RaceRow::Check::equal)
    all += std::string("\n\nEquals the reference: every entry of the table is right") +
           (row.effect_runs > 0 ? ", and so is what the effect made" : "");
  return all + (row.bound || row.peer ? "" : "\nClick to use this algorithm");
}

void draw_row(PanelContext& ui, const RaceRow& row, const RaceScale& scale, const RacePins& pins,
              const RaceColumns& columns) {
  ImGui::TableNextRow();
  ImGui::PushID(row.label.c_str());
  ImGui::TableNextColumn();
  pin(ui, row, "A", "race_a", ui.settings.race_a);
  ImGui::SameLine(0, 0);
  pin(ui, row, "B", "race_b", ui.settings.race_b);
  const auto left = name_cell(ui, row);
  if (ImGui::TableNextColumn()) race_bar(ui.state.race, row, scale);
  check_cell(row);
  for (const auto& number : columns.numbers) {
    const WithText shade(number.gray ? colour::dim : colour::text);
    number_cell(number.text(row));
  }
  if (row_hovered(left)) show_tooltip(explained(row, ui.state.race, pins));
  ImGui::PopID();
}

void draw_absent(const RaceFigures::Absent& absent) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(1);
  text(shortened(absent.name, ImGui::GetContentRegionAvail().x), colour::dim);
  ImGui::TableNextColumn();
  const auto at = ImGui::GetCursorScreenPos();
  const auto right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize;
  auto& draw = *ImGui::GetWindowDrawList();  // also over the columns of numbers, which are empty
  draw.PushClipRect({at.x, draw.GetClipRectMin().y}, {right, draw.GetClipRectMax().y});
  draw.AddText(at, colour::dim, shortened(absent.why, right - at.x).c_str());
  draw.PopClipRect();
  if (row_hovered()) show_tooltip(absent.name + ": " + absent.why);
}

// While the race runs, rows change places; under the mouse they stay, so that a click hits what it was aimed at.
std::vector<const RaceRow*> rows_in_order(PanelContext& ui) {
  auto& order = ui.drafts.race_order;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  std::vector<const RaceRow*> rows;
  for (const auto& row : ui.state.race.rows) rows.push_back(&row);
  const auto has_place = [&](const RaceRow* row) { return places.contains(row->label); };
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && std::ranges::all_of(rows, has_place))
    std::ranges::sort(rows, {}, [&](const RaceRow* row) { return places[row->label]; });
  std::vector<std::string> drawn;
  for (const auto* row : rows) drawn.push_back(row->label);
  order = std::move(drawn);
  return rows;
}

void table(PanelContext& ui, float height) {
  const auto& race = ui.state.race;
  const auto pins = pinned_rows(race, ui.settings);
  const auto columns = race_columns(race, pins, ImGui::GetContentRegionAvail().x, ui.scale);
  const auto& numbers = columns.numbers;
  constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_PadOuterX;
  ImGui::PushID(static_cast<int>(numbers.size()));
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {columns.padding, ImGui::GetStyle().CellPadding.y});
  if (ImGui::BeginTable("race", static_cast<int>(numbers.size()) + 4, flags, {ImGui::GetContentRegionAvail().x, height})) {
    ImGui::TableSetupScrollFreeze(0, 1);
    const auto fixed = ImGuiTableColumnFlags_WidthFixed;
    ImGui::TableSetupColumn("pins", fixed, columns.pins);
    ImGui::TableSetupColumn("Algorithm", fixed, columns.names);
    ImGui::TableSetupColumn("bar", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("check", fixed, columns.check);
    for (const auto& each : numbers) ImGui::TableSetupColumn(each.title.c_str(), fixed, each.width);
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(1);
    text(shortened("Algorithm", ImGui::GetContentRegionAvail().x), colour::dim);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ImGui::TableSetColumnIndex(static_cast<int>(i) + 4);
      const WithText dim(colour::dim);
      right_aligned(numbers[i].title);
      tooltip(numbers[i].help);
    }
    const auto scale = race_scale(race);
    for (const auto* row : rows_in_order(ui)) draw_row(ui, *row, scale, pins, columns);
    for (const auto& absent : race.absent) draw_absent(absent);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
}

}  // namespace

void race_tab(PanelContext& ui) {
  const auto& race = ui.state.race;
  race_head(ui);
  const WithFont small(Font::small);
  if (!race.problem.empty()) return text(race.problem, colour::bad);
  if (race.rows.empty()) return wrapped(race.on ? "The race starts with the next picture." : note_help, colour::dim);
  if (!race.finished) progress(race, ui.scale);
  if (race.by_traffic()) {
    text(shortened(std::string("Ranked by bytes") + (has_sectors(race) ? ", then sectors" : "") +
                       ": times of the CPU that simulates say nothing about a GPU.",
                   ImGui::GetContentRegionAvail().x),
         colour::dim);
    tooltip(why_by_traffic);
  }
  const auto worth = effect_worth(race, "µs");
  const auto all = ImGui::GetContentRegionAvail().y, line = ImGui::GetTextLineHeightWithSpacing();
  const bool has_room = !worth.empty() && all > line * least_lines;
  table(ui, has_room ? all - line : all);
  if (!has_room) return;
  text(shortened(worth, ImGui::GetContentRegionAvail().x), race.effect_problem.empty() ? colour::text : colour::warning);
  tooltip(worth);
}

}  // namespace app::ui
