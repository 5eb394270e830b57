// The tab of the race: who wins; a bar per algorithm, from the bound on. A click on a row chooses its algorithm.
#include "app/control/names.h"
#include "app/output/race_view.h"
#include "app/ui/figure_table.h"
#include "app/ui/panel.h"
#include "app/ui/tool_button.h"

namespace app::ui {
namespace {

constexpr const char* what_it_is =
    "The gray picture that was shown at the start is summed by one algorithm after another, between the frames of the "
    "video. Times are medians. The picture stays in the cache, as every frame does; satscope-bench also measures pictures "
    "that are not in it.";

void head(PanelContext& ui) {
  const auto& race = ui.state.race;
  const char* const start = race.running() ? "Stop" : race.finished ? "Again" : "Start";
  const ToolButton options{"options", Icon::none, "...", "Parameters"};
  const auto gap = ImGui::GetStyle().ItemSpacing.x, width = width_of_buttons({start}) + gap + width_of(options);
  sentence(race_sentence(race), width + gap);
  if (!race.rows.empty()) tooltip(race_conditions(race) + what_it_is);  // else that is said below
  same_line_at_right(width);
  if (button(start, ui.help_of(Action::toggle_race))) ui.act(race.running() ? Action::stop_race : Action::start_race);
  ImGui::SameLine();
  if (tool_button(options)) ImGui::OpenPopup("race options");
  if (begin_popup_below("race options", last_item(), true)) {
    const MenuStyle style;
    const std::string help("A row for every combination of an algorithm's parameters"),
        words(window_words("race_parameters on"));
    menu_item(ui, "toggle race_parameters",
              {words, {}, help + (race.finished ? "; Again races them" : ""), ui.settings.race_parameters});
    ImGui::EndPopup();
  }
  if (const auto stale = race_is_stale(race); !stale.empty()) wrapped(stale, colour::warning);
  if (race.by_traffic() && !race.rows.empty()) {
    wrapped(std::string("Simulated: ranked by bytes") + (has_sectors(race) ? ", then sectors" : "") +
                ". Times of the CPU that simulates say nothing about a GPU.",
            colour::dim);
    tooltip(why_by_traffic);
  }
  if (!race.finished && race.runs_wanted > 0)
    progress(static_cast<double>(race.runs) / static_cast<double>(race.runs_wanted));
}

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

// All that there can be, in one order, by which ImGui knows them. What is left out is in the tooltip of every row.
std::vector<FigureColumn> columns_of(const PanelContext& ui, const RaceFigures& race, float names) {
  std::vector<FigureColumn> all{
      {"Algorithm", "Click a title to sort by it; the right button chooses the columns", names,
       ImGuiTableColumnFlags_NoHide},
      {"Bars", "", 80 * ui.scale,
       ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoSort | ImGuiTableColumnFlags_NoHeaderLabel}};
  for (const auto& column : race_columns(race, row_in_use(ui, race))) {
    const auto flags = column.shown == RaceColumn::Shown::never        ? ImGuiTableColumnFlags_Disabled
                       : column.shown == RaceColumn::Shown::on_request ? ImGuiTableColumnFlags_DefaultHide
                                                                       : ImGuiTableColumnFlags_None;
    const auto value = [&race, of = column.value](std::size_t i) { return of(race.rows[i]); };
    auto& last = all.emplace_back(FigureColumn{column.title, column.help, em() * 3.2f, flags, value, column.decimals});
    last.dim = column.of_cpu;
  }
  all.push_back({"Checked", "", em(), ImGuiTableColumnFlags_NoSort | ImGuiTableColumnFlags_NoHeaderLabel});
  all[2].flags |= ImGuiTableColumnFlags_DefaultSort;
  all[0].stays = all[1].stays = all[2].stays = all.back().stays = true;
  return all;
}

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

void name_cell(PanelContext& ui, const RaceFigures& race, const RaceRow& row) {
  ImGui::TableNextColumn();
  const auto room = ImGui::GetContentRegionAvail().x, name = text_width(row.name);
  const auto words = words_of(row, race);
  // Of one that is too long the parameters are shortened, not the name.
  const auto shown = text_width(words) <= room || name > room
                         ? shortened(words, room)
                         : row.name + shortened(std::string_view(words).substr(row.name.size()), room - name);
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

// The axis in the titles. Returns the places of its numbers, where every row has a line.
std::vector<float> axis(const RaceScale& scale) {
  const auto column = bar_column(scale);
  const auto y = ImGui::GetCursorScreenPos().y, end = column.left + ImGui::GetContentRegionAvail().x;
  ImGui::TableHeader("##axis");
  tooltip("Times the bound, where the bars begin; beyond 5 on a logarithmic scale, fainter");
  std::vector<AxisMark> marks;
  for (const auto mark : scale.marks()) marks.push_back({column.x(scale.position_of(mark)), number(mark, 0)});
  return axis_marks(*ImGui::GetWindowDrawList(), {column.left, end, y}, marks);
}

void bar(const RaceFigures& race, const RaceRow& row, const RaceScale& scale, std::span<const float> lines) {
  const auto column = bar_column(scale);
  const auto y = ImGui::GetCursorScreenPos().y;
  auto& draw = *ImGui::GetWindowDrawList();
  for (const auto x : lines)
    if (x > column.left) draw.AddRectFilled({x, y - 2}, {x + 1, y + em() + 2}, colour::line);
  if (const auto cost = race.cost(row); cost > 0) {
    const auto fill = !row.problem.empty() ? ImU32(colour::bad) : row.bound ? ImU32(colour::box) : ImU32(colour::accent);
    const auto seen = scale.is_linear(cost) ? fill : colour::translucent(fill, 130);
    draw.AddRectFilled({column.left, y + std::round(em() * 0.12f)},
                       {std::max(column.x(scale.position(cost)), column.left + 1), y + std::round(em() * 0.88f)}, seen);
  }
  ImGui::Dummy({1, em()});
}

// While the race runs, rows change places; under the mouse they stay, so that a click hits what it was aimed at.
std::vector<std::size_t> rows_in_order(const RaceFigures& race, std::span<const FigureColumn> columns, float top) {
  auto order = sorted_rows(columns, race.rows.size(), [&](std::size_t i) { return race.rows[i].label; });
  auto& places = *ImGui::GetStateStorage();
  const auto place_of = [&](std::size_t i) { return ImGui::GetID(race.rows[i].label.c_str()); };
  const auto line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const auto at = (ImGui::GetIO().MousePos.y - top) / line;
  if (at >= 1 && at <= static_cast<float>(order.size() + 1) &&
      ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places.GetInt(place_of(i), 1 << 30); });
  for (std::size_t i = 0; i < order.size(); ++i) places.SetInt(place_of(order[i]), static_cast<int>(i));
  return order;
}

float width_of_names(const RaceFigures& race, float room) {
  float widest = text_width("Algorithm"), names = widest;
  for (const auto& row : race.rows) {
    widest = std::max(widest, text_width(words_of(row, race)));
    names = std::max(names, text_width(row.name));
  }
  return std::min(std::max(names, std::min(widest, em() * 11)), std::max(room * 0.5f, em() * 4));
}

void draw_row(PanelContext& ui, const RaceFigures& race, std::size_t index, const RaceScale& scale,
              std::span<const float> lines, std::span<const FigureColumn> columns) {
  const auto& row = race.rows[index];
  ImGui::TableNextRow();
  ImGui::PushID(row.label.c_str());
  name_cell(ui, race, row);
  if (ImGui::TableNextColumn()) bar(race, row, scale, lines);
  {
    const WithText shade(row.bound ? colour::dim : colour::text);
    for (const auto& column : columns)
      if (column.value && ImGui::TableNextColumn()) figure(column, index);
  }
  // A cross, a tick, or nothing yet.
  const bool right = row.check == RaceRow::Check::equal;
  if (ImGui::TableNextColumn())
    verdict(!row.problem.empty() ? std::optional(false) : right ? std::optional(true) : std::nullopt);
  if (row_hovered()) show_tooltip(row_words(race, row, row_in_use(ui, race)));
  ImGui::PopID();
}

void table(PanelContext& ui, const RaceFigures& race) {
  const auto columns = columns_of(ui, race, width_of_names(race, ImGui::GetContentRegionAvail().x));
  const RaceScale scale(race);
  const auto top = ImGui::GetCursorScreenPos().y;
  if (!begin_figures(race.by_traffic() ? "race by traffic" : "race", columns)) return;
  std::vector<float> lines;
  if (ImGui::TableSetColumnIndex(1)) lines = axis(scale);
  for (const auto row : rows_in_order(race, columns, top)) draw_row(ui, race, row, scale, lines, columns);
  ImGui::EndTable();
}

void add_simulated(PanelContext& ui) {
  const auto race = simulated_rows(ui.state.race);
  if (race.rows.empty()) return;
  auto& storage = *ImGui::GetStateStorage();
  const auto added = ImGui::GetID("added");
  const auto& why = ui.context.no_simulated;
  if (!storage.GetBool(added)) {
    ToolButton add{"add", Icon::race, "Add " + std::to_string(race.rows.size()) + " on the simulated GPU",
                   "By the bytes of global memory that their threads request, exact for this size", why};
    add.raised = true;
    if (tool_button(add)) storage.SetBool(added, true);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    return text(shortened("ranked by the bytes that they move", ImGui::GetContentRegionAvail().x), colour::dim);
  }
  wrapped("Of a GPU, ranked by the bytes per pixel that they move; times need one.", colour::dim);
  tooltip(why_by_traffic);
  table(ui, race);
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
  if (!all) tooltip(head + names);
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
