#include "app/ui/race_scale.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr float least_bar = 80;       // pixels at scale 1
constexpr float longest_label = 15;   // that has a place of its own, in em
constexpr float number_width = 4.3f;  // where there is room, in em
constexpr int other_columns = 4;      // besides those of numbers: pins, names, bars, checks

// In the list that follows, the column whose title is the effect's.
constexpr std::string_view of_effect = "effect";

// Besides what rows are ranked by, which stays; the first one is left out first.
constexpr std::string_view left_out[] = {"GB/s", "CPU µs", "/ bound", "/ B", "/ A", "sectors", of_effect};

// The row that is pinned, if it has run.
const RaceRow* pinned(const RaceFigures& race, const std::string& label) {
  for (const auto& row : race.rows)
    if (row.label == label && race.cost(row) > 0) return &row;
  return nullptr;
}

std::string time_of(const RaceRow& row) { return row.runs > 0 ? narrow_microseconds(row.us, 1e7) : ""; }

std::vector<RaceNumber> numbers_of_traffic(const RaceFigures& race) {
  const auto text_of = [](const std::optional<double>& value) { return value ? number(*value, 2) : std::string(); };
  std::vector<RaceNumber> numbers{
      {"bytes", "of global memory per pixel that the algorithm's threads read and write, exact for this size",
       [=](const RaceRow& row) { return text_of(row.bytes_per_pixel); }},
      {"sectors",
       "of 32 bytes per pixel that the algorithm's warps access: as the observed simulated GPU counts them, on at most " +
           std::to_string(RaceFigures::counted_side) + " x " + std::to_string(RaceFigures::counted_side) +
           " pixels, at the end of the race. More of them for as many bytes: threads of a warp access memory far apart",
       [=](const RaceRow& row) { return text_of(row.sectors_per_pixel); }},
      {"CPU µs", "of the CPU that simulates, median of all runs: it says nothing about a GPU", time_of, 0, true}};
  if (!has_sectors(race)) numbers.erase(numbers.begin() + 1);
  return numbers;
}

RaceNumber number_of_effect(const RaceFigures& race) {
  const std::string title(race.effect->title);
  const auto help =
      race.by_traffic()
          ? "bytes of global memory that the algorithm's threads request for the tables of the effect " + title +
                ", per pixel of the frame: by the algorithm's formula. The frame's own table is the column bytes"
          : "µs of the effect " + title +
                " with its tables computed by this algorithm: median of all runs. The frame's own "
                "table is the column µs; rows are ranked by that";
  return {title, help, [&race](const RaceRow& row) {
            const auto cost = race.effect_cost(row);
            return cost <= 0 ? std::string() : race.by_traffic() ? number(cost, 1) : narrow_microseconds(cost, 1e7);
          }};
}

std::vector<RaceNumber> all_numbers(const RaceFigures& race, const RacePins& pins) {
  std::vector<RaceNumber> all;
  if (race.by_traffic())
    all = numbers_of_traffic(race);
  else
    all.push_back({"µs", "median of all runs; the first of an algorithm, which loads its kernels, not counted", time_of});
  if (!race.bound.empty())
    all.push_back({"/ bound",
                   "divided by the time of " + race.bound +
                       ", which the line in the bars shows: the median of its runs, as in every row. The tab of kernels "
                       "uses the same number",
                   [](const RaceRow& row) { return row.over_bound ? number(*row.over_bound, 2) : ""; }});
  if (!race.by_traffic())
    all.push_back(
        {"GB/s",
         "bytes that the algorithm's threads request or, where nobody counts them, of image and table; divided by its time",
         [](const RaceRow& row) { return row.gb_per_s ? number(*row.gb_per_s, 0) : ""; }});
  if (race.effect) all.push_back(number_of_effect(race));
  for (const auto& [title, pin] : {std::pair("/ A", pins.a), std::pair("/ B", pins.b)})
    if (pin)
      all.push_back({title, (race.by_traffic() ? "bytes divided by those of " : "divided by the time of ") + pin->label,
                     [&race, pin](const RaceRow& row) { return ratio(race, row, *pin); }});
  return all;
}

void set_usual_widths(RaceColumns& columns) {
  const auto em = ImGui::GetFontSize();
  columns.pins = em * 2.2f;
  columns.check = em * 1.2f;
  columns.padding = ImGui::GetStyle().CellPadding.x;
  for (auto& number : columns.numbers) number.width = em * number_width;
}

// As narrow as what the columns contain.
void set_narrow_widths(RaceColumns& columns, const RaceFigures& race) {
  const auto em = ImGui::GetFontSize();
  columns.pins = em * 2;
  columns.check = em;
  columns.padding = std::floor(ImGui::GetStyle().CellPadding.x / 2);
  for (auto& number : columns.numbers) {
    number.width = text_width(number.title);
    for (const auto& row : race.rows) number.width = std::max(number.width, text_width(number.text(row)));
  }
}

bool leave_out(RaceColumns& columns, const RaceFigures& race, std::string_view title) {
  if (title == of_effect) title = race.effect ? race.effect->title : std::string_view();
  return std::erase_if(columns.numbers, [&](const RaceNumber& number) { return number.title == title; }) > 0;
}

// The room that the columns leave to names and bars.
float rest_of(const RaceColumns& columns, float room) {
  auto rest = room - ImGui::GetStyle().ScrollbarSize - columns.pins - columns.check;
  for (const auto& number : columns.numbers) rest -= number.width;
  return rest - 2 * columns.padding * static_cast<float>(columns.numbers.size() + other_columns);
}

}  // namespace

RacePins pinned_rows(const RaceFigures& race, const Settings& settings) {
  return {pinned(race, settings.race_a), pinned(race, settings.race_b)};
}

bool has_sectors(const RaceFigures& race) {
  return std::ranges::any_of(race.rows, [](const RaceRow& row) { return row.sectors_per_pixel.has_value(); });
}

std::string ratio(const RaceFigures& race, const RaceRow& row, const RaceRow& to) {
  const auto cost = race.cost(row);
  return cost > 0 ? number(cost / race.cost(to), 2) : std::string();
}

RaceColumns race_columns(const RaceFigures& race, const RacePins& pins, float room, float scale) {
  const auto em = ImGui::GetFontSize(), bar = least_bar * scale;
  float label = text_width("Algorithm"), name = label;
  for (const auto& row : race.rows) {
    label = std::max(label, text_width(row.label));
    name = std::max(name, text_width(row.name));
  }
  for (const auto& absent : race.absent) name = std::max(name, text_width(absent.name));
  label = std::max(name, std::min(label, em * longest_label));

  RaceColumns columns;
  columns.numbers = all_numbers(race, pins);
  set_usual_widths(columns);
  if (rest_of(columns, room) < label + bar) set_narrow_widths(columns, race);
  // The names give way before most numbers: their parameters.
  for (const auto title : left_out)
    if (rest_of(columns, room) < (title == left_out[0] ? label : name) + bar) leave_out(columns, race, title);
  const auto rest = rest_of(columns, room);
  columns.names = std::max(em * 3, std::min({label, std::max(name, rest - bar), rest - em}));
  return columns;
}

std::string label_within(const RaceRow& row, float room) {
  const auto name = text_width(row.name);
  if (row.label.size() <= row.name.size() || text_width(row.label) <= room || name > room) return shortened(row.label, room);
  return row.name + shortened(row.label.substr(row.name.size()), room - name);
}

namespace {

constexpr double whole = 6;  // bars up to so many times the shortest are never clipped

// A gap of three lines at the end of the bar: it goes on.
void clip_mark(ImDrawList& draw, float end, float top, float bottom, const std::string& value) {
  const auto em = ImGui::GetFontSize();
  for (int i = 0; i < 3; ++i) {
    const auto x = end - em * (0.4f + 0.3f * static_cast<float>(i));
    draw.AddRectFilled({x, top}, {x + std::max(1.f, std::round(em * 0.12f)), bottom}, colour::panel);
  }
  draw.AddText({std::round(end - em * 1.3f - ImGui::CalcTextSize(value.c_str()).x), std::round((top + bottom - em) / 2)},
               colour::background, value.c_str());
}

}  // namespace

RaceScale race_scale(const RaceFigures& race) {
  RaceScale scale;
  std::vector<double> costs;
  for (const auto& row : race.rows) {
    const auto cost = race.cost(row);
    if (cost <= 0) continue;
    if (row.label == race.bound) scale.bound = cost;
    if (!row.bound) costs.push_back(cost);
  }
  std::ranges::sort(costs);
  if (!costs.empty()) {
    const auto slow = costs[std::min(costs.size() * 3 / 4, costs.size() - 1)];
    scale.full = std::min(costs.back(), std::max(whole * costs.front(), slow * 1.2));
  }
  scale.full = std::max({scale.full, scale.bound, 1e-9});
  return scale;
}

void race_bar(const RaceFigures& race, const RaceRow& row, const RaceScale& scale) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, em = ImGui::GetFontSize();
  const auto top = at.y + std::round(em * 0.1f), bottom = at.y + std::round(em * 0.95f);
  auto& draw = *ImGui::GetWindowDrawList();
  if (const auto cost = race.cost(row); cost > 0) {
    const auto end = at.x + width * static_cast<float>(std::min(cost / scale.full, 1.0));
    const auto fill = !row.problem.empty() ? colour::bad : row.bound ? colour::faint : colour::accent;
    draw.AddRectFilled({at.x, top}, {std::max(end, at.x + 1), bottom}, fill);
    const auto value = race.by_traffic() ? number(cost, 0) + " bytes"
                                         : narrow_microseconds(cost) + (cost < 1e6 ? " µs" : "");
    const bool fits = width > ImGui::CalcTextSize(value.c_str()).x + em * 1.6f;
    if (scale.clips(cost)) clip_mark(draw, end, top, bottom, fits ? value : std::string());
  }
  if (scale.bound > 0) {
    const auto x = std::round(at.x + width * static_cast<float>(scale.bound / scale.full));
    draw.AddRectFilled({x, at.y - 2}, {x + 1, at.y + em + 2}, colour::warning);
  }
  ImGui::Dummy({width, em});
}

}  // namespace app::ui
