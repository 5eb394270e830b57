// The tab of the race: who wins; a bar per algorithm, from the bound on. A click on a row chooses its algorithm.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/control/names.h"
#include "app/output/race_figures.h"
#include "app/support/text.h"
#include "app/ui/panel.h"
#include "app/ui/race_scale.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr const char* what_it_is =
    "The gray picture that was shown at the start is summed by one algorithm after another, between the frames of the "
    "video. "
    "Times are medians. The picture stays in the cache, as every frame does; satscope-bench also measures pictures that are "
    "not in it.";

std::string runs_text(const RaceFigures& race) {
  const auto runs = grouped(static_cast<std::uint64_t>(race.runs));
  if (race.runs == race.runs_wanted && race.running()) return "counts sectors";
  if (race.finished) return runs + " runs";
  return runs + " of " + grouped(static_cast<std::uint64_t>(race.runs_wanted)) + " runs";
}

std::string subject_text(const RaceFigures& race) {
  if (race.size.width == 0) return {};
  return text_of(race.size) + ", 8u32u, " + device_words(gpu::name(race.device)) + ", " + runs_text(race);
}

std::string help_of_sentence(const RaceFigures& race) {
  auto help = subject_text(race);
  if (!race.source.empty()) help += "\nMeasured on " + race.source;
  if (race.by_traffic()) help += '\n' + std::string(why_by_traffic);
  return help + (help.empty() ? "" : "\n") + what_it_is;
}

bool has_sectors(const RaceFigures& race) {
  return std::ranges::any_of(race.rows, [](const RaceRow& row) { return row.sectors_per_pixel.has_value(); });
}

// The best of what was raced, with a right table so far; null: there is none.
const RaceRow* winner_of(const RaceFigures& race) {
  const auto at = std::ranges::find_if(
      race.rows, [&](const RaceRow& row) { return !row.bound && race.cost(row) > 0 && row.problem.empty(); });
  return at == race.rows.end() ? nullptr : &*at;
}

std::string answer(const RaceFigures& race) {
  if (!race.problem.empty()) return "There is no race";
  if (race.rows.empty()) return race.on ? "The race starts with the next picture" : "Which algorithm is the fastest here?";
  const auto* winner = winner_of(race);
  if (!race.finished) {
    const auto progress = (race.on ? "Racing: " : "Stopped: ") + runs_text(race);
    return winner ? progress + ", " + winner->label + " leads" : progress;
  }
  if (!winner) return "No table was right";
  if (race.by_traffic())
    return winner->label + " moves the fewest bytes: " + number(*winner->bytes_per_pixel, 2) + " per pixel";
  if (winner->over_bound) return winner->label + " wins: " + number(*winner->over_bound, 1) + " times the bound";
  return winner->label + " wins: " + narrow_microseconds(winner->us) + " µs";
}

// What has changed since it finished; empty if nothing has.
std::string what_changed(const RaceFigures& race) {
  if (race.earlier && race.earlier_device) return "Of an earlier device: Again races on the one in use.";
  if (race.earlier)
    return "Of an earlier picture" + (race.source.empty() ? "" : ", " + race.source) + ": Again races on what is shown.";
  return race.earlier_effect ? "Of an earlier effect, or other parameters of it: Again races with what is shown." : "";
}

void more(PanelContext& ui) {
  const auto& settings = ui.settings;
  const MenuStyle style;
  ImGui::MenuItem(window_words("race_parameters on").data(), nullptr, &ui.settings.race_parameters);
  tooltip(std::string("A row for every combination of an algorithm's parameters") +
          (ui.state.race.finished ? "; Again races them" : ""));
  const auto why = why_not(Action::export_race, ui.state, settings);
  if (ImGui::MenuItem("Save the race", ui.keys(Action::export_race).c_str(), false, why.empty()))
    ui.act(Action::export_race);
  tooltip(why.empty() ? "As JSON and as CSV" : why);
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

void head(PanelContext& ui) {
  const auto& race = ui.state.race;
  const auto& style = ImGui::GetStyle();
  const char* const start = race.running() ? "Stop" : race.finished ? "Again" : "Start";
  const auto width = text_width(start) + text_width("...") + 4 * style.FramePadding.x + style.ItemSpacing.x;
  sentence(answer(race), width + style.ItemSpacing.x);
  tooltip(help_of_sentence(race));
  same_line_at_right(width);
  if (button(start, ui.help_of(Action::toggle_race))) ui.act(race.running() ? Action::stop_race : Action::start_race);
  ImGui::SameLine();
  if (button("...", "Parameters, saving")) ImGui::OpenPopup("race options");
  if (ImGui::BeginPopup("race options")) {
    more(ui);
    ImGui::EndPopup();
  }
  if (const auto changed = what_changed(race); !changed.empty()) wrapped(changed, colour::warning);
  if (race.by_traffic() && !race.rows.empty()) {
    wrapped(std::string("Simulated: ranked by bytes") + (has_sectors(race) ? ", then sectors" : "") +
                ". Times of the CPU that simulates say nothing about a GPU.",
            colour::dim);
    tooltip(why_by_traffic);
  }
  if (!race.finished && !race.rows.empty()) progress(race, ui.scale);
}

// The columns of numbers. What is left out is in the tooltip of every row.

struct RaceNumber {
  std::string title, help;
  std::function<double(const RaceRow&)> value;  // 0: it is not known
  int decimals = -1;                            // of microseconds: as they need
  bool hidden = false;                          // until the titles' menu shows it
  bool gray = false;                            // says nothing about the algorithm

  std::string text(const RaceRow& row) const {
    const auto known = value(row);
    return known <= 0 ? std::string() : decimals < 0 ? narrow_microseconds(known) : number(known, decimals);
  }
};

bool in_use(const PanelContext& ui, const RaceRow& row) {
  const auto& selection = ui.state.selection;
  return selection.algorithm && selection.algorithm->name == row.name && selection.algorithm_arguments == row.arguments;
}

// The row of the algorithm in use, once it has run.
const RaceRow* row_in_use(const PanelContext& ui, const RaceFigures& race) {
  for (const auto& row : race.rows)
    if (!row.bound && in_use(ui, row) && race.cost(row) > 0) return &row;
  return nullptr;
}

RaceNumber number_of_effect(const RaceFigures& race) {
  const std::string title(race.effect->title);
  const auto help =
      race.by_traffic()
          ? "bytes of global memory that the algorithm's threads request for the tables of the effect " + title +
                ", per pixel of the frame: by the algorithm's formula. The frame's own table is the column bytes"
          : "µs of the effect " + title +
                " with its tables computed by this algorithm: median of all runs. The frame's own "
                "table is the column µs";
  return {title, help, [&race](const RaceRow& row) { return race.effect_cost(row); }, race.by_traffic() ? 1 : -1};
}

// The first is what rows are ranked by.
std::vector<RaceNumber> numbers_of(const PanelContext& ui, const RaceFigures& race) {
  const auto time = [](const RaceRow& row) { return row.runs > 0 ? row.us : 0; };
  std::vector<RaceNumber> all;
  if (race.by_traffic()) {
    all.push_back({"bytes", "of global memory per pixel that the algorithm's threads read and write, exact for this size",
                   [](const RaceRow& row) { return row.bytes_per_pixel.value_or(0); }, 2});
    if (has_sectors(race))
      all.push_back(
          {"sectors",
           "of 32 bytes per pixel that the algorithm's warps access: as the observed simulated GPU counts them, on at "
           "most " +
               std::to_string(RaceFigures::counted_side) + " x " + std::to_string(RaceFigures::counted_side) +
               " pixels, at the end of the race. More of them for as many bytes: threads of a warp access memory far "
               "apart",
           [](const RaceRow& row) { return row.sectors_per_pixel.value_or(0); }, 2});
    if (race.runs_wanted > 0)
      all.push_back(
          {"CPU µs", "of the CPU that simulates, median of all runs: it says nothing about a GPU", time, -1, false, true});
  } else {
    all.push_back({"µs", "median of all runs; the first of an algorithm, which loads its kernels, not counted", time});
  }
  if (!race.bound.empty())
    all.push_back(
        {"× bound",
         "the time divided by that of " + race.bound + ", where the bars begin. The table of kernels uses the same number",
         [](const RaceRow& row) { return row.over_bound.value_or(0); }, 2});
  if (race.effect) all.push_back(number_of_effect(race));
  const auto* used = row_in_use(ui, race);
  all.push_back({"× in use", "divided by that of the algorithm in use" + (used ? ", " + used->label : ""),
                 [&race, used](const RaceRow& row) { return used ? race.cost(row) / race.cost(*used) : 0; }, 2, true});
  if (!race.by_traffic())
    all.push_back(
        {"GB/s",
         "bytes that the algorithm's threads request or, where nobody counts them, of image and table; divided by its time",
         [](const RaceRow& row) { return row.gb_per_s.value_or(0); }, 0, true});
  return all;
}

// Every figure of the row, also those without a column.
std::string explained(const PanelContext& ui, const RaceFigures& race, const RaceRow& row) {
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
  if (const auto* used = row_in_use(ui, race); used && used != &row && race.cost(row) > 0)
    all += "\n" + number(race.cost(row) / race.cost(*used), 2) + " times that of " + used->label + ", in use";
  if (!row.problem.empty())
    all += "\n\n" + row.problem;
  else if (row.check == RaceRow::Check::equal)
    all += std::string("\n\nEquals the reference: every entry of the table is right") +
           (row.effect_runs > 0 ? ", and so is what the effect made" : "");
  return all + (row.bound || row.peer ? "" : "\nClick to use this algorithm");
}

// The table.

// With the device that runs it.
void choose(PanelContext& ui, const RaceFigures& race, const RaceRow& row) {
  std::vector<Change> changes;
  if (race.by_traffic() && !ui.state.race.by_traffic()) changes.push_back({"device", "simulated"});
  changes.push_back({"algorithm", row.name});
  for (const auto& parameter : row.arguments.parameters())
    changes.push_back({row.name + '.' + std::string(parameter.name), row.arguments.text(parameter.name)});
  ui.change(changes);
}

std::string words_of(const RaceRow& row, const RaceFigures& race) {
  return row.label + (row.bound && row.label == race.bound ? ", the bound" : "");
}

// Of one that is too long the parameters are shortened, not the name.
std::string label_within(const RaceRow& row, const RaceFigures& race, float room) {
  const auto words = words_of(row, race);
  const auto name = text_width(row.name);
  if (words.size() <= row.name.size() || text_width(words) <= room || name > room) return shortened(words, room);
  return row.name + shortened(std::string_view(words).substr(row.name.size()), room - name);
}

void name_cell(PanelContext& ui, const RaceFigures& race, const RaceRow& row) {
  ImGui::TableNextColumn();
  const auto shown = label_within(row, race, ImGui::GetContentRegionAvail().x);
  if (row.bound || row.peer)
    text(shown, row.bound ? colour::dim : colour::text);
  else if (ImGui::Selectable((shown + "##row").c_str(), in_use(ui, row), ImGuiSelectableFlags_SpanAllColumns))
    choose(ui, race, row);
}

// Places in the column of bars, in pixels of the screen.
struct BarColumn {
  const RaceScale& scale;
  float left, width;

  float x(double position) const { return std::round(left + width * static_cast<float>(position)); }
};
BarColumn bar_column(const RaceScale& scale) {
  return {scale, ImGui::GetCursorScreenPos().x, ImGui::GetContentRegionAvail().x - em() * 0.5f};
}

// The axis in the titles. Numbers that would touch others are left out.
void axis(const RaceScale& scale) {
  const auto column = bar_column(scale);
  const auto y = ImGui::GetCursorScreenPos().y, end = column.left + ImGui::GetContentRegionAvail().x;
  ImGui::TableHeader("##axis");
  tooltip("Times the bound, where the bars begin; beyond 5 on a logarithmic scale, fainter");
  auto free_from = column.left;
  for (const auto mark : scale.marks()) {
    const auto words = number(mark, 0);
    const auto width = text_width(words), x = std::round(column.x(scale.position_of(mark)) - (mark > 1 ? width / 2 : 0));
    if (x < free_from || x + width > end) continue;
    ImGui::GetWindowDrawList()->AddText({x, y}, colour::dim, words.c_str());
    free_from = x + width + em() * 0.3f;
  }
}

void bar(const RaceFigures& race, const RaceRow& row, const RaceScale& scale) {
  const auto column = bar_column(scale);
  const auto y = ImGui::GetCursorScreenPos().y;
  auto& draw = *ImGui::GetWindowDrawList();
  for (const auto mark : scale.marks()) {
    const auto x = column.x(scale.position_of(mark));
    if (mark > 1) draw.AddRectFilled({x, y - 2}, {x + 1, y + em() + 2}, colour::line);
  }
  if (const auto cost = race.cost(row); cost > 0) {
    const auto fill = !row.problem.empty() ? ImU32(colour::bad) : row.bound ? ImU32(colour::box) : ImU32(colour::accent);
    const auto seen = scale.is_linear(cost) ? fill : colour::translucent(fill, 130);
    draw.AddRectFilled({column.left, y + std::round(em() * 0.12f)},
                       {std::max(column.x(scale.position(cost)), column.left + 1), y + std::round(em() * 0.88f)}, seen);
  }
  ImGui::Dummy({1, em()});
}

// A tick, a cross, or nothing yet.
void check_cell(const RaceRow& row) {
  if (!ImGui::TableNextColumn()) return;
  if (!row.problem.empty())
    verdict(false);
  else
    verdict(row.check == RaceRow::Check::equal ? std::optional(true) : std::nullopt);
}

// By a click on a title; as ranked where that is what it asks for. Rows without the number are last.
void sort(std::vector<const RaceRow*>& rows, const std::vector<RaceNumber>& numbers) {
  const auto* specs = ImGui::TableGetSortSpecs();
  if (!specs || specs->SpecsCount == 0) return;
  const auto by = specs->Specs->ColumnUserID;
  const bool down = specs->Specs->SortDirection == ImGuiSortDirection_Descending;
  if (by == 1 && !down) return;
  std::ranges::stable_sort(rows, [&](const RaceRow* a, const RaceRow* b) {
    if (by == 0) return down ? b->label < a->label : a->label < b->label;
    const auto left = numbers[by - 1].value(*a), right = numbers[by - 1].value(*b);
    if (left <= 0 || right <= 0) return left > 0 && right <= 0;
    return down ? left > right : left < right;
  });
}

// While the race runs, rows change places; under the mouse they stay, so that a click hits what it was aimed at.
std::vector<const RaceRow*> rows_in_order(PanelContext& ui, const RaceFigures& race, const std::vector<RaceNumber>& numbers,
                                          bool mouse_there) {
  std::vector<const RaceRow*> rows;
  for (const auto& row : race.rows) rows.push_back(&row);
  if (&race != &ui.state.race) {  // nothing runs there
    sort(rows, numbers);
    return rows;
  }
  auto& order = ui.drafts.race_order;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  const auto has_place = [&](const RaceRow* row) { return places.contains(row->label); };
  if (mouse_there && std::ranges::all_of(rows, has_place))
    std::ranges::sort(rows, {}, [&](const RaceRow* row) { return places[row->label]; });
  else
    sort(rows, numbers);
  std::vector<std::string> drawn;
  for (const auto* row : rows) drawn.push_back(row->label);
  order = std::move(drawn);
  return rows;
}

float width_of_names(const RaceFigures& race, float room) {
  float widest = text_width("Algorithm"), names = widest;
  for (const auto& row : race.rows) {
    widest = std::max(widest, text_width(words_of(row, race)));
    names = std::max(names, text_width(row.name));
  }
  return std::min(std::max(names, std::min(widest, em() * 11)), std::max(room * 0.5f, em() * 4));
}

// In a narrow dock numbers give way to names and bars, the last ones first.
void set_up_columns(const RaceFigures& race, const std::vector<RaceNumber>& numbers, float room, float scale) {
  const auto padding = 2 * ImGui::GetStyle().CellPadding.x, names = width_of_names(race, room), bars = 80 * scale;
  constexpr auto fixed = ImGuiTableColumnFlags_WidthFixed;
  ImGui::TableSetupColumn("Algorithm", fixed | ImGuiTableColumnFlags_NoHide, names, 0);
  ImGui::TableSetupColumn("Bars", ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoSort);
  PriorityRow row(room - names - bars - em() - 3 * padding);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& each = numbers[i];
    const auto width = std::round(std::clamp(text_width(each.title) + em() * 0.6f, em() * 3.2f, em() * 5));
    auto flags = fixed | (i == 0 ? ImGuiTableColumnFlags_DefaultSort : 0);
    if (each.hidden) flags |= ImGuiTableColumnFlags_DefaultHide;
    const bool fits = each.hidden || row.has_room_for(width + padding);
    if (!fits && i > 0) flags |= ImGuiTableColumnFlags_Disabled;
    ImGui::TableSetupColumn(each.title.c_str(), flags, width, static_cast<ImGuiID>(i) + 1);
  }
  ImGui::TableSetupColumn("Checked", fixed | ImGuiTableColumnFlags_NoSort, em());
}

void titles(const std::vector<RaceNumber>& numbers, const RaceScale& scale) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableNextColumn();
  header_cell("Algorithm", "Click a title to sort by it; the right button chooses the columns", false);
  if (ImGui::TableNextColumn()) axis(scale);
  for (const auto& each : numbers)
    if (ImGui::TableNextColumn()) header_cell(each.title, each.help);
}

void draw_row(PanelContext& ui, const RaceFigures& race, const RaceRow& row, const RaceScale& scale,
              const std::vector<RaceNumber>& numbers) {
  ImGui::TableNextRow();
  ImGui::PushID(row.label.c_str());
  name_cell(ui, race, row);
  if (ImGui::TableNextColumn()) bar(race, row, scale);
  for (const auto& each : numbers) {
    if (!ImGui::TableNextColumn()) continue;
    const WithText shade(each.gray || row.bound ? colour::dim : colour::text);
    right_aligned(each.text(row));
  }
  check_cell(row);
  if (row_hovered()) show_tooltip(explained(ui, race, row));
  ImGui::PopID();
}

void table(PanelContext& ui, const RaceFigures& race) {
  const auto numbers = numbers_of(ui, race);
  const RaceScale scale(race);
  const auto at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const auto line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const bool mouse_there = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                           ImGui::IsMouseHoveringRect(
                               {at.x, at.y + line}, {at.x + room.x, at.y + line * static_cast<float>(race.rows.size() + 1)});
  constexpr auto flags = ImGuiTableFlags_Sortable | ImGuiTableFlags_Hideable | ImGuiTableFlags_ContextMenuInBody |
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit |
                         ImGuiTableFlags_PadOuterX;
  ImGui::PushID(race.by_traffic() ? "by traffic" : "by time");
  if (ImGui::BeginTable("race", static_cast<int>(numbers.size()) + 3, flags)) {
    set_up_columns(race, numbers, room.x, ui.scale);
    const auto rows = rows_in_order(ui, race, numbers, mouse_there);
    titles(numbers, scale);
    for (const auto* row : rows) draw_row(ui, race, *row, scale, numbers);
    ImGui::EndTable();
  }
  ImGui::PopID();
}

// On the CPU: those of a GPU that the simulated GPU runs, by their formulas.
RaceFigures simulated_rows(const RaceFigures& race) {
  RaceFigures all;
  all.device = gpu::Device::simulated;
  all.size = race.size;
  for (const auto& absent : race.absent) {
    if (!absent.bytes_per_pixel) continue;
    auto& row = all.rows.emplace_back();
    row.name = row.label = absent.name;
    row.bytes_per_pixel = absent.bytes_per_pixel;
    if (const auto* algorithm = gpu::find_sat_algorithm(absent.name)) row.arguments = gpu::Arguments(algorithm->parameters);
  }
  std::ranges::stable_sort(all.rows, {}, [](const RaceRow& row) { return *row.bytes_per_pixel; });
  return all;
}

void add_simulated(PanelContext& ui) {
  const auto count = std::ranges::count_if(ui.state.race.absent,
                                           [](const auto& absent) { return absent.bytes_per_pixel.has_value(); });
  if (count == 0) return;
  auto& storage = *ImGui::GetStateStorage();
  const auto added = ImGui::GetID("added");
  const bool shown = storage.GetBool(added);
  const auto words = "Add " + std::to_string(count) + " on the simulated GPU";
  const auto& why = ui.context.no_simulated;
  if (!shown) {
    if (button(words.c_str(), "By the bytes of global memory that their threads request, exact for this size", why))
      storage.SetBool(added, true);
    const std::string_view ranked = "ranked by the bytes that they move";
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < text_width(ranked)) return ImGui::NewLine();
    ImGui::AlignTextToFramePadding();
    return text(ranked, colour::dim);
  }
  wrapped("Of a GPU, ranked by the bytes per pixel that they move; times need one.", colour::dim);
  tooltip(why_by_traffic);
  table(ui, simulated_rows(ui.state.race));
  if (button("Run them", "Races all of them on the simulated GPU, which checks their tables", why)) {
    ui.change("device", "simulated");
    ui.act(Action::start_race);
  }
  ImGui::SameLine();
  if (button("Remove", "Only what runs on the CPU")) storage.SetBool(added, false);
}

// Those that cannot run, folded.
void absent_rows(const RaceFigures& race) {
  if (race.absent.empty()) return;
  std::string names;
  for (const auto& absent : race.absent) names += (names.empty() ? ": " : ", ") + absent.name;
  const auto head = std::to_string(race.absent.size()) + " cannot run " +
                    (race.device == gpu::Device::host ? "on the CPU" : "here");
  const auto room = ImGui::GetContentRegionAvail().x - 2 * em();
  const bool all = race.absent.size() <= 3 && text_width(head + names) < room;
  const bool open = ImGui::TreeNodeEx("absent", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth,
                                      "%s", (all ? head + names : head).c_str());
  tooltip(head + names);
  if (!open) return;
  ImGui::Indent(em());
  for (const auto& absent : race.absent) wrapped(absent.name + ": " + absent.why, colour::dim);
  ImGui::Unindent(em());
}

}  // namespace

void race_tab(PanelContext& ui) {
  const auto& race = ui.state.race;
  head(ui);
  if (!race.problem.empty()) return wrapped(race.problem, colour::bad);
  if (race.rows.empty()) return wrapped(what_it_is, colour::dim);
  table(ui, race);
  {
    const WithText dim(colour::dim);
    absent_rows(race);
  }
  add_simulated(ui);
  if (const auto worth = effect_worth(race, "µs"); !worth.empty())
    wrapped(worth, race.effect_problem.empty() ? colour::text : colour::warning);
}

}  // namespace app::ui
