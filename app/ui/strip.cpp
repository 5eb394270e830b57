// The strip below the bar: at its left the parameters that one changes first, and a list of all; at its right the tools.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/control/fields.h"
#include "app/control/imgui_keys.h"
#include "app/control/names.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/text.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

namespace app::ui {
namespace {

// After a change of one of the parameters: sliders end where the effect fills the picture; another type of feature has more
// rectangles, which become smaller then. What is automatic stays so, and fits as far as anything does.
void keep_inside(PanelContext& ui, const gpu::Effect& effect, const gpu::Arguments& before) {
  const auto arguments = shown_arguments(ui, effect);
  if (arguments == before) return;
  const auto picture = ui.state.picture;
  const auto place = effect.placement(arguments, picture);
  const auto prefix = std::string(effect.name) + '.';
  std::vector<Change> smaller;
  if (place.full_width() > picture.width && arguments.integer("width") > 0)
    smaller.push_back({prefix + "width", std::to_string(std::max(1, picture.width / place.columns))});
  if (place.full_height() > picture.height && arguments.integer("height") > 0)
    smaller.push_back({prefix + "height", std::to_string(std::max(1, picture.height / place.rows))});
  if (!smaller.empty()) ui.change(smaller);
}

Fit fit_of(const PanelContext& ui, const gpu::Effect& effect, const gpu::Arguments& arguments) {
  Fit fit{effect.display, ui.state.picture, {}};
  if (effect.placement && fit.picture.width > 0) fit.placement = effect.placement(arguments, fit.picture);
  return fit;
}

const gpu::SatAlgorithm* algorithm_with_parameters(const PanelContext& ui) {
  const auto& name = ui.state.device == gpu::Device::host ? ui.settings.host_algorithm : ui.settings.cuda_algorithm;
  const auto* algorithm = gpu::find_sat_algorithm(name);
  return algorithm && !algorithm->parameters.empty() ? algorithm : nullptr;
}

void title_of_group(std::string_view title) {
  const WithFont bold(Font::bold);
  text(title);
}

// All parameters, each with the field for its exact value.
void all_parameters(PanelContext& ui, const gpu::Effect* effect, const gpu::SatAlgorithm* algorithm) {
  ImGui::Dummy({em() * 24, 0});
  if (effect) {
    title_of_group(effect->title);
    const auto arguments = shown_arguments(ui, *effect);
    const auto fit = fit_of(ui, *effect, arguments);
    ImGui::PushID("effect");
    parameter_rows(ui, effect->name, effect->parameters, arguments, fit);
    ImGui::PopID();
    if (fit.placement) keep_inside(ui, *effect, arguments);
    wrapped(effect->idea, colour::dim);
    for (const auto& [title, doi] : effect->papers) paper(title, doi);
  }
  if (!algorithm) return;
  ImGui::Separator();
  title_of_group(algorithm->name);
  ImGui::PushID("algorithm");
  parameter_rows(ui, algorithm->name, algorithm->parameters, shown_arguments(ui, *algorithm));
  ImGui::PopID();
}

// Begins a popup at the lower edge of the button before.
bool begin_popup_below(const char* id, float scale, bool at_right = false) {
  const auto& display = ImGui::GetIO().DisplaySize;
  const auto from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const auto top = to.y + std::round(4 * scale);
  ImGui::SetNextWindowPos({at_right ? to.x : from.x, top}, ImGuiCond_Always, {at_right ? 1.f : 0.f, 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, std::max(1.f, display.y - top - 8 * scale)});
  if (!ImGui::BeginPopup(id)) return false;
  if (ImGui::IsWindowAppearing()) imgui::show_focus(true);
  return true;
}

void more_parameters(PanelContext& ui, const gpu::Effect* effect, const gpu::SatAlgorithm* algorithm) {
  ToolButton more{"more", Icon::none, "More", "All parameters of the effect and the algorithm, with their exact values"};
  more.opens = true;
  if (tool_button(more)) ImGui::OpenPopup("parameters");
  if (!begin_popup_below("parameters", ui.scale)) return;
  all_parameters(ui, effect, algorithm);
  ImGui::EndPopup();
}

void parameters_of_strip(PanelContext& ui, float room) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  const auto* algorithm = algorithm_with_parameters(ui);
  if ((!effect || effect->parameters.empty()) && !algorithm) return;
  const auto more = em() * 5;
  if (effect) {
    const auto arguments = shown_arguments(ui, *effect);
    const auto fit = fit_of(ui, *effect, arguments);
    prominent_parameters(ui, effect->name, effect->parameters, arguments, fit, room - more);
    if (fit.placement) keep_inside(ui, *effect, arguments);
  }
  more_parameters(ui, effect, algorithm);
}

// A matrix that is shown as numbers, or could be.
void matrix_of_strip(PanelContext& ui) {
  title_of_group("Matrix | Table");
  ImGui::SameLine();
  ToolButton other{"other", Icon::none, ui.settings.matrix_editor ? "Show as picture" : "Show as numbers",
                   std::string(description("toggle matrix_editor"))};
  if (tool_button(other)) ui.act("toggle matrix_editor");
}

std::string check_help(const PanelContext& ui) {
  const auto& check = ui.state.check;
  const auto counts = grouped(check.checked) + " checked, " + grouped(check.wrong) + " wrong";
  if (check.wrong > 0)
    return counts + "; the first: " + check.first_wrong + "\nClick to save that frame; " +
           ui.keys(Action::reset_statistics) + " resets the light";
  return "Every table is checked by the four-point identity, on its device" +
         std::string(ui.settings.check ? ": " + counts + "\nClick to stop   " : "   ") + ui.keys("toggle check");
}

struct StripTool {
  ToolButton button;
  Command command;
};

std::vector<StripTool> strip_tools(const PanelContext& ui, bool narrow) {
  const auto& check = ui.state.check;
  std::vector<StripTool> tools;
  const auto add = [&](const char* id, Icon icon, const std::string& text, const Command& command, bool on,
                       const std::string& help) {
    ToolButton button{id, icon, narrow ? std::string() : text, help, why_not(command, ui.state, ui.settings)};
    button.on = on;
    tools.push_back({std::move(button), command});
  };
  add("compare", Icon::compare, "Compare", Action::toggle_compare, ui.settings.compare.on,
      ui.help_of(Action::toggle_compare) + "\nThe right button: its sides, the difference, the wipe");
  if (shows_matrix(ui.settings, ui.state.capture.kind)) tools.back().button.why_not = "Numbers are shown, not the picture";
  add("rectangle", Icon::rectangle, "Rectangle", "toggle rectangle_tool", ui.settings.rectangle_tool,
      "Drag on the picture: the sum of a rectangle, from four entries of the table   " + ui.keys("toggle rectangle_tool") +
          "\nShift+drag does it without the tool");
  const bool wrong = check.wrong > 0;
  add("check", wrong ? Icon::close : Icon::check, wrong ? grouped(check.wrong) + " wrong" : "Check",
      wrong ? "save_wrong_frame" : "toggle check", ui.settings.check || wrong, check_help(ui));
  if (wrong || (ui.settings.check && check.checked > 0)) tools.back().button.ink = wrong ? colour::bad : colour::good;
  return tools;
}

void zoom_list(PanelContext& ui) {
  const MenuStyle style;
  for (const auto action : {Action::fit, Action::actual_size, Action::zoom_in, Action::zoom_out})
    menu_item(ui, action, {std::string(description(action))});
  ImGui::Separator();
  text("Values of pixels, where they are large", colour::dim);
  setting_entries(ui, "cells");
}

ToolButton zoom_button(const State& state) {
  ToolButton button{"zoom", Icon::none, state.picture.width > 0 ? number(state.context.zoom * 100, 0) + "%" : "Fit",
                    "The wheel zooms at the mouse, dragging moves the picture"};
  button.opens = true;
  return button;
}

void draw_strip_tools(PanelContext& ui, const std::vector<StripTool>& tools, const ToolButton& zoom) {
  for (const auto& [button, command] : tools) {
    if (tool_button(button)) ui.act(command);
    if (command.action == Action::toggle_compare) {
      if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup("comparison");
      if (begin_popup_below("comparison", ui.scale, true)) {
        comparison(ui);
        ImGui::EndPopup();
      }
    }
    ImGui::SameLine();
  }
  if (tool_button(zoom)) ImGui::OpenPopup("zoom");
  if (!begin_popup_below("zoom", ui.scale, true)) return;
  zoom_list(ui);
  ImGui::EndPopup();
}

}  // namespace

void strip(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("strip", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y + rect.height - 1}, {rect.x + rect.width, rect.y + rect.height});
  const auto tools = strip_tools(ui, is_narrow(rect.width, ui.scale));
  const auto zoom = zoom_button(ui.state);
  const auto padding = ImGui::GetStyle().WindowPadding.x, gap = ImGui::GetStyle().ItemSpacing.x;
  auto width = width_of(zoom);
  for (const auto& tool : tools) width += width_of(tool.button) + gap;
  const auto top = std::round((rect.height - ImGui::GetFrameHeight()) / 2), right = rect.width - padding - width;
  ImGui::SetCursorPosY(top);
  ImGui::AlignTextToFramePadding();
  if (has_matrix(ui.settings, ui.state.capture.kind)) {
    matrix_of_strip(ui);
    ImGui::SameLine();
  }
  if (!shows_matrix(ui.settings, ui.state.capture.kind)) parameters_of_strip(ui, right - ImGui::GetCursorPosX());
  ImGui::SetCursorPos({right, top});
  draw_strip_tools(ui, tools, zoom);
}

}  // namespace app::ui
