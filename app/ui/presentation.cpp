// The presentation: the picture, one statement beside it, and which lesson it is of.
#include "app/control/imgui_keys.h"
#include "app/ui/layout.h"
#include "app/ui/panel.h"
#include "app/ui/rectangle.h"

namespace app::ui {
namespace {

// In pixels of a display of scale 1.
constexpr float margin = 60, above_picture = 24, below_picture = 136, beside_picture = 50;

void write(const std::string& words, ImU32 ink, Font which) {
  const WithFont font(which);
  ImGui::PushTextWrapPos(0);
  text(words, ink);
  ImGui::PopTextWrapPos();
}

void gap(float lines) { ImGui::Dummy({0, std::round(em() * lines)}); }

// "D - B - C + A", and below it the entries of the rectangle's corners, each in its colour, with its sign before and its letter
// behind it.
void terms_of_sum(const RectangleSum& sum) {
  const auto letters = formula_parts(sum.corners, false), values = formula_parts(sum.corners, true);
  text_of_formula(letters);
  gap(0.3f);
  auto widest = text_width(grouped(sum.sum));
  for (const auto& value : values) widest = std::max(widest, text_width(value.text));
  const auto left = ImGui::GetCursorPosX(), right = left + 1.5f * em() + widest;
  const auto line = [&](std::string_view sign, const std::string& value, const FormulaPart& entry) {
    const auto ink = tint_of_entry(entry.letter);
    text(sign, ink);
    ImGui::SameLine();
    ImGui::SetCursorPosX(right - text_width(value));
    text(value, ink);
    ImGui::SameLine();
    ImGui::SetCursorPosX(right + em());
    text(entry.text, ink);
  };
  for (std::size_t i = 0; i < letters.size(); i += 2)
    line(i == 0 ? "" : std::string_view(letters[i - 1].text).substr(1), values[i].text, letters[i]);
  const auto at = ImGui::GetCursorScreenPos();
  hairline(at, {at.x + right - left, at.y + 1});
  gap(0.2f);
  if (sum.known) line("=", grouped(sum.sum), {});
}

void sum_of_rectangle(const PanelContext& ui, Font which) {
  const auto& box = ui.settings.rectangle;
  const auto sum = box && ui.state.probed ? rectangle_sum(*box, ui.state.picture, *ui.state.probed) : std::nullopt;
  if (!sum) return;
  {
    const WithFont large(which);
    terms_of_sum(*sum);
  }
  if (!sum->known) return;
  gap(0.5f);
  const auto pixels = static_cast<std::uint64_t>(sum->box.width) * static_cast<std::uint64_t>(sum->box.height);
  text(counted(pixels, "pixel") + ", mean " + number(sum->mean, 2), colour::dim);
}

// The rows of the race, the fastest first, as many as there is room for.
void rows_of_race(const PanelContext& ui, float height) {
  const auto& race = ui.state.race;
  const auto line = std::round(em() * 1.25f), names = em() * 8;
  const auto words_width = text_width(race.by_traffic() ? "123.4 bytes/pixel" : "123\u2009456 µs") + em();
  const auto room = ImGui::GetContentRegionAvail().x, bars = std::max(room - names - words_width, em());
  double most = 0;
  auto left = static_cast<int>(height / line);
  std::vector<const RaceRow*> rows;
  for (const auto& row : race.rows)
    if (!row.bound && race.cost(row) > 0 && row.problem.empty() && left-- > 0) rows.push_back(&row);
  for (const auto* row : rows) most = std::max(most, race.cost(*row));
  auto& draw = *ImGui::GetWindowDrawList();
  for (const auto* row : rows) {
    const auto at = ImGui::GetCursorScreenPos();
    const auto cost = race.cost(*row);
    const auto length = bars * static_cast<float>(cost / most), thick = std::round(em() * 0.7f);
    const auto words = race.by_traffic() ? number(cost, 1) + " bytes/pixel" : microseconds(cost) + " µs";
    draw.AddText(at, colour::text, shortened(row->label, names - em()).c_str());
    draw.AddRectFilled({at.x + names, at.y + 2}, {at.x + names + length, at.y + 2 + thick}, colour::accent);
    draw.AddText({at.x + names + length + em() * 0.5f, at.y}, colour::dim, words.c_str());
    ImGui::Dummy({room, line - ImGui::GetStyle().ItemSpacing.y});
  }
  if (rows.empty()) text("The race begins with the picture.", colour::dim);
}

// `small`: there is little room.
void figure_of_lesson(PanelContext& ui, const Lesson& lesson, float below, bool small) {
  const auto* card = find_sat_card(lesson.card);
  const WithFont font(small ? Font::regular : Font::slide);
  switch (lesson.shows) {
    case Lesson::Shows::sum: return sum_of_rectangle(ui, small ? Font::slide : Font::sum);
    case Lesson::Shows::race: return rows_of_race(ui, ImGui::GetContentRegionAvail().y - below);
    case Lesson::Shows::steps: return card ? carry_diagrams(card->steps, ImGui::GetTime()) : void();
    case Lesson::Shows::nothing: return;
  }
}

// In a narrow window, where it lies below the picture, the figure is beside the words.
void statement(PanelContext& ui, const Lesson& lesson, const Rect& rect) {
  const PanelWindow window("statement", rect);
  if (!window.visible()) return;
  const bool narrow = is_narrow(ImGui::GetIO().DisplaySize.x, ui.scale);
  const bool beside = narrow && lesson.shows != Lesson::Shows::nothing &&
                      ImGui::BeginTable("parts", 2, ImGuiTableFlags_SizingStretchSame);
  if (beside) {
    ImGui::TableSetupColumn("words", 0, 3);
    ImGui::TableSetupColumn("figure", 0, 2);
    ImGui::TableNextColumn();
  }
  write(lesson.title, colour::dim, Font::slide);
  gap(0.5f);
  write(lesson.statement, colour::text, Font::statement);
  gap(narrow ? 0.5f : 2);
  if (!beside) figure_of_lesson(ui, lesson, 8 * em(), false);  // above the words, in up to four lines
  if (!beside) gap(narrow ? 0 : 1);
  if (!lesson.text.empty()) write(lesson.text, colour::dim, Font::slide);
  if (!beside) return;
  ImGui::TableNextColumn();
  figure_of_lesson(ui, lesson, em(), true);
  ImGui::EndTable();
}

// A piece of a line for each lesson, which a click goes to; and the keys.
void foot(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("lessons", rect, ImGuiWindowFlags_NoScrollbar);
  if (!window.visible()) return;
  const WithFont font(Font::slide);
  const auto at = ImGui::GetCursorScreenPos();
  const auto height = ImGui::GetTextLineHeight(), piece = std::round(44 * ui.scale), thick = std::round(5 * ui.scale);
  for (int number = 1; number <= lesson_count; ++number) {
    if (number > 1) ImGui::SameLine(0, std::round(10 * ui.scale));
    ImGui::PushID(number);
    const auto left = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("lesson", {piece, height})) ui.settings.lesson = number;
    const auto ink = number <= ui.settings.lesson ? ImU32(colour::accent)
                     : ImGui::IsItemHovered()     ? ImU32(colour::hovered)
                                                  : ImU32(colour::control);
    tooltip(lessons()[static_cast<std::size_t>(number - 1)].title);
    const auto top = at.y + std::round((height - thick) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({left.x, top}, {left.x + piece, top + thick}, ink, thick / 2);
    ImGui::PopID();
  }
  ImGui::SameLine(0, em());
  text(std::to_string(ui.settings.lesson) + " of " + std::to_string(lesson_count), colour::dim);
  const std::vector<std::string> wordings{"Left and Right: back and on    Esc: the window", "Left, Right, Esc"};
  ImGui::SameLine();
  if (const auto* keys = first_that_fits(wordings, ImGui::GetContentRegionAvail().x)) {
    same_line_at_right(text_width(*keys));
    text(*keys, colour::dim);
  }
}

}  // namespace

Rect place_in_presentation(float width, float height, float scale) {
  const auto left = std::round(margin * scale), top = std::round(above_picture * scale);
  const auto below = std::min(std::round(below_picture * scale), height / 3);
  if (is_narrow(width, scale)) return {0, 0, width, std::round((height - below / 2) * 0.55f)};
  return {left, top, std::round(width / 2), std::max(height - top - below, 1.f)};
}

void presentation(PanelContext& ui, const Rect& picture) {
  const auto& display = ImGui::GetIO().DisplaySize;
  const auto foot_height = std::min(std::round(below_picture / 2 * ui.scale), display.y / 6),
             left = std::round(margin * ui.scale);
  const auto& lesson = lessons().at(static_cast<std::size_t>(ui.settings.lesson - 1));
  const auto gap = std::round(beside_picture * ui.scale), bottom = display.y - foot_height;
  if (is_narrow(display.x, ui.scale)) {
    const auto top = picture.y + picture.height;
    statement(ui, lesson, {0, top, display.x, bottom - top});
    foot(ui, {0, bottom, display.x, foot_height});
    return;
  }
  const auto padding = ImGui::GetStyle().WindowPadding.x, x = picture.x + picture.width + gap - padding;
  const auto top = picture.y + std::round(picture.height / 12);
  statement(ui, lesson, {x, top, display.x - x - gap / 2, bottom - top});
  foot(ui, {left - padding, bottom, display.x - left - gap + 2 * padding, foot_height});
}

void take_presentation_keys(PanelContext& ui, std::vector<imgui::KeyCode>& taken, bool covered) {
  using imgui::KeyCode;
  const auto pressed = [before = taken](KeyCode key) {
    return std::ranges::find(before, key) == before.end() && imgui::is_pressed(key);
  };
  taken.insert(taken.end(),
               {KeyCode::left, KeyCode::right, KeyCode::up, KeyCode::down, KeyCode::page_up, KeyCode::page_down});
  if (covered) return;
  auto& lesson = ui.settings.lesson;
  for (const auto key : {KeyCode::left, KeyCode::up, KeyCode::page_up}) lesson -= pressed(key);
  for (const auto key : {KeyCode::right, KeyCode::down, KeyCode::page_down}) lesson += pressed(key);
  lesson = std::clamp(lesson, 1, lesson_count);
}

}  // namespace app::ui
