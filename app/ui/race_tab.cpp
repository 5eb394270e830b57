// The race: a bar per algorithm, sorted, against the bound. A click on a row chooses its algorithm; A and B pin rows that all
// others are compared with.
#include <algorithm>
#include <cmath>

#include "app/support/size_text.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr float number_width = 3.6f;  // of a column, in em
constexpr double longest_bar = 6;     // times the fastest algorithm; longer ones are clipped, with a mark

struct Scale {
  double full = 0;   // microseconds of the longest bar
  double bound = 0;  // 0: none
};

Scale scale_of(const RaceFigures& race) {
  Scale scale;
  double fastest = 0, slowest = 0;
  for (const auto& row : race.rows) {
    if (row.runs == 0) continue;
    if (row.label == race.bound) scale.bound = row.us;
    if (!row.bound && fastest == 0) fastest = row.us;  // they are sorted
    slowest = std::max(slowest, row.us);
  }
  scale.full = std::max({std::min(slowest, fastest * longest_bar), scale.bound, 1e-9});
  return scale;
}

// The row that is pinned, if it has run.
const RaceRow* pinned(const RaceFigures& race, const std::string& label) {
  for (const auto& row : race.rows)
    if (row.label == label && row.runs > 0) return &row;
  return nullptr;
}

std::string note_text(const RaceFigures& race) {
  if (race.size.width == 0) return race.on ? "waits for a picture" : "every algorithm on the picture shown";
  const auto where = std::string(race.device == gpu::Device::cuda        ? "GPU"
                                 : race.device == gpu::Device::simulated ? "simulated GPU"
                                                                         : "CPU");
  const auto what = text_of(race.size) + ", 8u32u, " + where;
  if (race.finished) return what + ", " + grouped(static_cast<std::uint64_t>(race.runs)) + " runs";
  return what + ", " + grouped(static_cast<std::uint64_t>(race.runs)) + " of " +
         grouped(static_cast<std::uint64_t>(race.runs_wanted)) + " runs" + (race.on ? "" : ", stopped");
}

constexpr const char* note_help =
    "The gray picture that was shown at the start is summed by one algorithm after another, between the frames of the "
    "video. "
    "Times are medians. The picture stays in the cache, as every frame does; satscope-bench also measures pictures that are "
    "not in it.";

void head(PanelContext& ui) {
  const auto& race = ui.state.race;
  const auto& style = ImGui::GetStyle();
  const char* const start = race.running() ? "Stop" : race.finished ? "Again" : "Start";
  const auto width = ImGui::CalcTextSize("All parameters").x + ImGui::CalcTextSize(start).x +
                     ImGui::CalcTextSize("Export").x + style.FramePadding.x * 4 + style.ItemInnerSpacing.x * 2 +
                     style.ItemSpacing.x + ImGui::GetFrameHeight();
  ImGui::SameLine();
  const auto room = ImGui::GetContentRegionAvail().x - width - style.ItemSpacing.x;
  if (room < 0) {
    ImGui::NewLine();  // beside many tabs of a small window there is no place
  } else if (room > ImGui::GetFontSize() * 5) {
    const WithFont small(Font::small);
    ImGui::AlignTextToFramePadding();
    text(shortened(note_text(race), room), colour::dim);
    tooltip(note_text(race) + '\n' + note_help);
    ImGui::SameLine();
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, ImGui::GetContentRegionAvail().x - width));
  auto all = ui.settings.race_parameters;
  if (checkbox("All parameters", all, "A row for every combination of an algorithm's parameters"))
    ui.change("race_parameters", all);
  ImGui::SameLine();
  if (button(start, std::string(description(Action::toggle_race)) + "   " + labels(Action::toggle_race)))
    ui.act(race.running() ? Action::stop_race : Action::start_race);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (button("Export", description(Action::export_race), race.runs == 0 ? "nothing has run yet" : ""))
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
                                                : colour::faint,
                                      letter);
}

void choose(PanelContext& ui, const RaceRow& row) {
  std::vector<Change> changes{{"algorithm", row.name}};
  for (const auto& parameter : row.arguments.parameters())
    changes.push_back({row.name + '.' + std::string(parameter.name), row.arguments.text(parameter.name)});
  ui.change(changes);
}

void name_cell(PanelContext& ui, const RaceRow& row) {
  ImGui::TableNextColumn();
  const auto& selection = ui.state.selection;
  const bool current = selection.algorithm && selection.algorithm->name == row.name &&
                       selection.algorithm_arguments == row.arguments;
  const auto shown = shortened(row.label, ImGui::GetContentRegionAvail().x);
  if (row.bound) {
    text(shown, colour::dim);
    return tooltip("What times are compared with: work that touches as much memory and sums nothing");
  }
  if (ImGui::Selectable((shown + "##row").c_str(), current)) choose(ui, row);
  tooltip(row.label + (row.label == shown ? "" : "\n") + "\nClick to use this algorithm");
}

void bar_cell(const RaceRow& row, const Scale& scale) {
  if (!ImGui::TableNextColumn()) return;
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, em = ImGui::GetFontSize();
  const auto top = at.y + std::round(em * 0.2f), bottom = at.y + std::round(em * 0.85f);
  auto& draw = *ImGui::GetWindowDrawList();
  if (row.runs > 0) {
    const bool clipped = row.us > scale.full * 1.0001;
    const auto end = at.x + width * static_cast<float>(std::min(row.us / scale.full, 1.0));
    const auto fill = !row.problem.empty() ? colour::bad : row.bound ? colour::faint : colour::accent;
    draw.AddRectFilled({at.x, top}, {std::max(end, at.x + 1), bottom}, fill);
    if (clipped)  // it goes on
      for (int i = 0; i < 3; ++i) {
        const auto x = end - em * (0.5f + 0.3f * static_cast<float>(i));
        draw.AddRectFilled({x, top}, {x + std::round(em * 0.12f), bottom}, colour::panel);
      }
  }
  if (scale.bound > 0) {
    const auto x = std::round(at.x + width * static_cast<float>(scale.bound / scale.full));
    draw.AddRectFilled({x, at.y - 2}, {x + 1, at.y + em + 2}, colour::warning);
  }
  ImGui::Dummy({width, em});
  if (row.runs > 0) tooltip("median " + microseconds(row.us) + " µs, minimum " + microseconds(row.least_us) + " µs");
}

// A tick, a cross, or nothing yet.
void check_cell(const RaceRow& row) {
  ImGui::TableNextColumn();
  const auto at = ImGui::GetCursorScreenPos();
  const auto em = ImGui::GetFontSize();
  auto& draw = *ImGui::GetWindowDrawList();
  const auto point = [&](float x, float y) { return ImVec2(at.x + em * x, at.y + em * y); };
  const auto thick = std::max(1.5f, em * 0.12f);
  if (!row.problem.empty()) {
    draw.AddLine(point(0.15f, 0.25f), point(0.75f, 0.85f), colour::bad, thick);
    draw.AddLine(point(0.75f, 0.25f), point(0.15f, 0.85f), colour::bad, thick);
  } else if (row.check == RaceRow::Check::equal) {
    const ImVec2 tick[] = {point(0.1f, 0.55f), point(0.35f, 0.85f), point(0.85f, 0.25f)};
    draw.AddPolyline(tick, 3, colour::good, 0, thick);
  }
  ImGui::Dummy({em, em});
  tooltip(!row.problem.empty()                 ? row.problem
          : row.check == RaceRow::Check::equal ? "Equals the reference: every entry of the table is right"
                                               : "");
}

void number_cell(const std::string& text) {
  ImGui::TableNextColumn();
  if (!text.empty()) right_aligned(text);
}

std::string ratio(const RaceRow& row, const RaceRow& to) { return row.runs > 0 ? number(row.us / to.us, 2) : std::string(); }

struct Pins {
  const RaceRow *a = nullptr, *b = nullptr;
};

void draw_row(PanelContext& ui, const RaceRow& row, const Scale& scale, const Pins& pins) {
  ImGui::TableNextRow();
  ImGui::PushID(row.label.c_str());
  ImGui::TableNextColumn();
  pin(ui, row, "A", "race_a", ui.settings.race_a);
  ImGui::SameLine(0, 0);
  pin(ui, row, "B", "race_b", ui.settings.race_b);
  name_cell(ui, row);
  bar_cell(row, scale);
  check_cell(row);
  number_cell(row.runs > 0 ? microseconds(row.us) : "");
  if (!ui.state.race.bound.empty()) number_cell(row.over_bound ? number(*row.over_bound, 2) : "");
  if (ui.state.race.device == gpu::Device::cuda) number_cell(row.gb_per_s ? number(*row.gb_per_s, 0) : "");
  if (pins.a) number_cell(ratio(row, *pins.a));
  if (pins.b) number_cell(ratio(row, *pins.b));
  ImGui::PopID();
}

void draw_absent(const RaceFigures::Absent& absent) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  text(shortened(absent.name, ImGui::GetContentRegionAvail().x), colour::faint);
  ImGui::TableNextColumn();
  text(shortened(absent.why, ImGui::GetContentRegionAvail().x), colour::faint);
  tooltip(absent.name + ": " + absent.why);
}

struct Heading {
  const char* title;
  std::string help;
};

void table(PanelContext& ui) {
  const auto& race = ui.state.race;
  const Pins pins{pinned(race, ui.settings.race_a), pinned(race, ui.settings.race_b)};
  std::vector<Heading> numbers{
      {"µs", "median of all runs; the first of an algorithm, which loads its kernels, not counted"}};
  if (!race.bound.empty())
    numbers.push_back({"/ bound", "divided by the time of " + race.bound + ", which the line in the bars shows"});
  if (race.device == gpu::Device::cuda)
    numbers.push_back({"GB/s", "bytes that the algorithm's threads request, divided by its time"});
  if (pins.a) numbers.push_back({"/ A", "divided by the time of " + pins.a->label});
  if (pins.b) numbers.push_back({"/ B", "divided by the time of " + pins.b->label});

  const auto em = ImGui::GetFontSize();
  constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_PadOuterX;
  ImGui::PushID(static_cast<int>(numbers.size()));
  if (ImGui::BeginTable("race", static_cast<int>(numbers.size()) + 4, flags, ImGui::GetContentRegionAvail())) {
    ImGui::TableSetupScrollFreeze(0, 1);
    const auto fixed = ImGuiTableColumnFlags_WidthFixed;
    // The bars give way first, then the names.
    const auto gaps = ImGui::GetStyle().CellPadding.x * 2 * static_cast<float>(numbers.size() + 4) +
                      ImGui::GetStyle().ScrollbarSize;
    const auto room = ImGui::GetContentRegionAvail().x - gaps -
                      em * (3.4f + number_width * static_cast<float>(numbers.size()));
    const auto names = std::max(em * 3, std::min(em * (ui.settings.race_parameters ? 15.f : 10.5f), room - em));
    ImGui::TableSetupColumn("pins", fixed, em * 2.2f);
    ImGui::TableSetupColumn("algorithm", fixed, names);
    ImGui::TableSetupColumn("bar", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("check", fixed, em * 1.2f);
    for (const auto& each : numbers) ImGui::TableSetupColumn(each.title, fixed, em * number_width);
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(1);
    text(shortened("algorithm", ImGui::GetContentRegionAvail().x), colour::dim);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ImGui::TableSetColumnIndex(static_cast<int>(i) + 4);
      const WithText dim(colour::dim);
      right_aligned(numbers[i].title);
      tooltip(numbers[i].help);
    }
    const auto scale = scale_of(race);
    for (const auto& row : race.rows) draw_row(ui, row, scale, pins);
    for (const auto& absent : race.absent) draw_absent(absent);
    ImGui::EndTable();
  }
  ImGui::PopID();
}

}  // namespace

void race_tab(PanelContext& ui) {
  const auto& race = ui.state.race;
  head(ui);
  const WithFont small(Font::small);
  if (!race.problem.empty()) return text(race.problem, colour::bad);
  if (race.rows.empty()) return wrapped(race.on ? "The race starts with the next picture." : note_help, colour::faint);
  if (!race.finished) progress(race, ui.scale);
  table(ui);
}

}  // namespace app::ui
