#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "app/control/names.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// After the buttons of a row, at its end; without room there, below them.
void percentage(double part) {
  const auto text = number(part * 100, 0) + "%";
  if (ImGui::GetContentRegionAvail().x < ImGui::CalcTextSize(text.c_str()).x) ImGui::NewLine();
  right_aligned(text);
}

// The row goes on behind them.
void action_buttons(PanelContext& ui, std::initializer_list<std::pair<const char*, Action>> buttons) {
  for (const auto& [text, action] : buttons) {
    action_button(ui, text, action);
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  }
}

void zoom_row(PanelContext& ui) {
  label("Zoom", "The wheel zooms at the mouse, dragging moves the picture");
  action_buttons(ui, {{"-", Action::zoom_out}, {"+", Action::zoom_in}, {"Fit", Action::fit}, {"1:1", Action::actual_size}});
  percentage(ui.state.zoom);
}

void interop_row(PanelContext& ui) {
  label("Interop", "On: CUDA writes into the OpenGL texture; staged: pixels go through host memory");
  const bool host = ui.state.device == gpu::Device::host;
  ImGui::BeginDisabled(host);
  setting_combo(ui, "interop");
  ImGui::EndDisabled();
  tooltip(host               ? "Pictures computed on the CPU are always staged"
          : ui.state.interop ? "CUDA writes into the texture"
                             : ui.state.staged_reason);
}

void text_size_row(PanelContext& ui) {
  label(window_words("ui_scale"), "Size of text and controls");
  ImGui::PushID("text size");
  action_buttons(ui, {{"-", Action::ui_smaller}, {"+", Action::ui_larger}, {"Auto", Action::ui_default}});
  ImGui::PopID();
  percentage(std::min(ui.settings.ui_scale == 0 ? ui.state.display_scale : ui.settings.ui_scale, ui.state.most_scale));
}

// What is typed becomes the setting when the field is left.
void folder_row(PanelContext& ui) {
  constexpr auto help = "The folder of saved files; empty: satscope-out, where the program was started";
  label("Save to", help);
  auto& draft = ui.drafts.folder;
  text_input("##folder", "satscope-out", draft, draft);
  const bool entered = is_entered(), edited = ImGui::IsItemActive();
  tooltip(without_controls(ui.settings.output_folder) + '\n' + help);
  if (entered) ui.change("output_folder", draft);
  if (!edited) draft = ui.settings.output_folder;
}

void record_size_row(PanelContext& ui) {
  label(window_words("record_size"), "The largest size of a recording: larger pictures are scaled down");
  setting_combo(ui, "record_size");
}

void theme_row(PanelContext& ui) {
  label("Theme", ui.help_of(Action::toggle_theme));
  setting_combo(ui, "theme");
}

}  // namespace

void display_section(PanelContext& ui) {
  if (!section("Display", "", number(ui.state.zoom * 100, 0) + "%")) return;
  zoom_row(ui);
  interop_row(ui);
  label("Rectangle", ui.help_of(Action::toggle_rectangle));
  bool rectangle = ui.settings.rectangle_tool;
  if (checkbox("##rectangle", rectangle,
               "Drag on the picture: the sum of a rectangle, from four entries of the table. "
               "Shift+drag does it without the tool",
               why_not(Action::toggle_rectangle, ui.state, ui.settings)))
    ui.act(Action::toggle_rectangle);
  label("Vsync", ui.help_of(Action::toggle_vsync));
  auto vsync = ui.settings.vsync;
  if (ImGui::Checkbox("##vsync", &vsync)) ui.change("vsync", vsync);
  folder_row(ui);
  record_size_row(ui);
  text_size_row(ui);
  theme_row(ui);
  if (button("Reset everything", std::string(description(Action::reset_everything)),
             why_not(Action::reset_everything, ui.state, ui.settings)))
    ui.act(Action::reset_everything);
}

}  // namespace app::ui
