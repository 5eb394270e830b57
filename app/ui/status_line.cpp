// The line at the bottom: the pixel under the mouse, and figures of the picture.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/capture/still_source.h"
#include "app/ui/matrix_edit.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

void field(std::string_view name, const std::string& value, float width) {
  const auto start = ImGui::GetCursorPosX();
  text(name, colour::dim);
  ImGui::SameLine(0, ImGui::GetFontSize() * 0.4f);
  text(value);
  // Fixed positions: a figure that changes does not move those after it.
  ImGui::SameLine(start + width * ImGui::GetFontSize());
}

void colour_sample(gpu::Rgba shown) {
  const auto side = std::round(ImGui::GetFontSize() * 0.8f);
  const auto at = ImGui::GetCursorScreenPos();
  const auto top = at.y + std::round((ImGui::GetFontSize() - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, IM_COL32(shown.r, shown.g, shown.b, 255),
                                            2);
  ImGui::Dummy({side, side});
  ImGui::SameLine(0, ImGui::GetFontSize() * 0.5f);
  field("picture", std::to_string(shown.r) + ' ' + std::to_string(shown.g) + ' ' + std::to_string(shown.b), 10.5f);
}

// Its colour is of the picture, after the effect; its gray level and its entry of the table are of the frame, before it.
void pixel(const Pixel& pixel) {
  field("x", std::to_string(pixel.x), 4);
  field("y", std::to_string(pixel.y), 4);
  if (pixel.shown) colour_sample(*pixel.shown);
  if (pixel.gray) field("frame gray", std::to_string(*pixel.gray), 8);
  if (pixel.sum) field("table", grouped(*pixel.sum), 10);
}

constexpr float pixel_width = 42;  // of pixel(), in em

// What the mouse does here, and the keys.
std::string hint_of_picture(const PanelContext& ui) {
  return shows_matrix(ui.state, ui.settings) ? "Click: change a number    " + ui.keys(Action::toggle_matrix) + ": picture"
         : ui.settings.rectangle_tool        ? "Wheel: zoom    drag: draw the rectangle"
                                             : "Wheel: zoom    drag: move    Shift+drag: rectangle";
}

// Of a number that is selected: then most of the window's keys are the grid's.
std::string hint_of_number(const MatrixDraft& number) {
  return number.editing ? "Enter: accept    Esc: leave the number as it was"
                        : "Arrows: another number    Enter: edit    Esc: end";
}

// Also while the mouse is on the picture, so before what it is on. Shorter where there is no room; false where there is none at
// all.
bool hint(const PanelContext& ui, float room) {
  const auto grid = keys_of_matrix(ui);
  const auto what = grid.empty() ? hint_of_picture(ui) : hint_of_number(ui.drafts.matrix);
  auto all = what;
  for (const auto& [action, words] : {std::pair(Action::toggle_panels, ": panels"), {Action::toggle_help, ": keys"}}) {
    const auto keys = grid.empty() ? ui.keys(action) : named_labels(action, grid);
    if (!keys.empty() && (grid.empty() || !ui.drafts.matrix.editing)) all += "    " + keys + words;
  }
  const auto fits = [room](const std::string& words) { return ImGui::CalcTextSize(words.c_str()).x <= room; };
  if (room < ImGui::GetFontSize() * 6) return false;
  text(fits(all) ? all : shortened(what, room), colour::dim);
  return true;
}

// The most important ones first.
std::vector<std::string> figures(const State& state) {
  if (state.picture.width <= 0) return {};
  std::vector<std::string> all{std::to_string(state.picture.width) + " x " + std::to_string(state.picture.height),
                               number(state.zoom * 100, 0) + "%"};
  const bool still = capture::is_still(state.capture.kind);  // it has no latency
  if (const auto lost = no_signal(state.capture); !lost.empty())
    all.emplace_back(lost);
  else if (state.idle)
    all.push_back("idle");
  if (!still) all.push_back(latency_text(state));
  all.push_back(bytes(state.memory_bytes));
  return all;
}

constexpr const char* figures_help =
    "\n\nThe size of the picture, and its magnification. Latency: from the time at which the frame was read until it was "
    "shown. At the end: memory that "
    "the pipeline holds.";

}  // namespace

void status_line(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("status", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  const WithFont small(Font::small);
  ImGui::SetCursorPosY(std::round((rect.height - ImGui::GetFontSize()) / 2));
  if (!ui.state.refusal.empty()) {
    text(shortened("refused: " + ui.state.refusal, rect.width * 0.55f), colour::warning);
    tooltip("What the panels choose was refused; the picture shows the last choice that works, or the source itself. " +
            ui.state.refusal);
  } else if (const auto& warning = ui.state.capture.warning; !warning.empty() && !ui.state.pixel)
    text(shortened(warning, rect.width * 0.55f), colour::warning);
  else if (hint(ui, rect.width - ImGui::GetFontSize() * (ui.state.pixel ? pixel_width : 0)) && ui.state.pixel)
    ImGui::SameLine(0, ImGui::GetFontSize() * 2);
  if (ui.state.pixel && ui.state.refusal.empty()) pixel(*ui.state.pixel);
  const auto& style = ImGui::GetStyle();
  ImGui::SameLine();
  const auto left = ImGui::GetCursorPosX() + ImGui::GetFontSize();
  const auto all = figures(ui.state);
  const auto right = line_of(all, "    ", rect.width - style.WindowPadding.x - left);
  ImGui::SetCursorPosX(rect.width - ImGui::CalcTextSize(right.c_str()).x - style.WindowPadding.x);
  text(right, colour::dim);
  if (ImGui::IsItemHovered()) show_tooltip(line_of(all, "    ", std::numeric_limits<float>::max()) + figures_help);
}

}  // namespace app::ui
