// The strip below the bar: at its left the parameters that one changes first, and a list of all; at its right the tools.

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/pipeline/picture_drawing.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"

namespace app::ui {
namespace {

// After a change of one of the parameters.
void keep_inside(PanelContext& ui, const gpu::Effect& effect, const gpu::Arguments& before) {
  const auto arguments = shown_arguments(ui, effect);
  if (arguments == before) return;
  if (const auto smaller = changes_to_fit(effect, arguments, ui.state.picture); !smaller.empty()) ui.change(smaller);
}

const gpu::SatAlgorithm* algorithm_with_parameters(const PanelContext& ui) {
  const auto* algorithm = shown_algorithm(ui);
  return algorithm && !algorithm->parameters.empty() ? algorithm : nullptr;
}

void parameters_of_strip(PanelContext& ui, float room) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  const auto* algorithm = algorithm_with_parameters(ui);
  if ((!effect || effect->parameters.empty()) && !algorithm) return;
  if (effect) {
    const auto arguments = shown_arguments(ui, *effect);
    const auto fit = fit_of(*effect, arguments, ui.state.picture);
    prominent_parameters(ui, effect->name, effect->parameters, arguments, fit, room - em() * 5);
    if (fit.placement) keep_inside(ui, *effect, arguments);
  }
  ToolButton more{"more", Icon::none, "More", "All parameters of the effect and the algorithm, with their exact values"};
  more.opens = true;
  if (tool_button(more)) ui.drafts.list_to_open = "parameters";
  ui.drafts.targets.more = last_item();
}

// A matrix that is shown as numbers, or could be.
void matrix_of_strip(PanelContext& ui) {
  heading("Matrix | Table");
  ImGui::SameLine();
  ToolButton other{"other", Icon::none, ui.settings.matrix_editor ? "Show as picture" : "Show as numbers",
                   ui.keys("toggle matrix_editor")};
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

std::vector<Tool> strip_tools(const PanelContext& ui, bool narrow) {
  const auto& check = ui.state.check;
  auto& targets = ui.drafts.targets;
  std::vector<Tool> tools;
  const auto add = [&](const char* id, Icon icon, const std::string& text, const Command& command, bool on,
                       const std::string& help) {
    ToolButton button{id, icon, narrow ? std::string() : text, help, why_not(command, ui.state, ui.settings)};
    button.on = on;
    tools.push_back({std::move(button), command});
  };
  add("compare", Icon::compare, "Compare", Action::toggle_compare, ui.settings.compare.on,
      "Two results in one picture   " + ui.keys(Action::toggle_compare) +
          "\nThe right button: its sides, the difference, the wipe");
  if (shows_matrix(ui.settings, ui.state.capture.kind)) tools.back().button.why_not = "Numbers are shown, not the picture";
  tools.back().list = "comparison";
  tools.back().place = &targets.compare;
  add("rectangle", Icon::rectangle, "Rectangle", "toggle rectangle_tool", ui.settings.rectangle_tool,
      "Drag on the picture: the sum of a rectangle, from four entries of the table   " + ui.keys("toggle rectangle_tool") +
          "\nShift+drag does it without the tool");
  const bool wrong = check.wrong > 0;
  add("check", wrong ? Icon::close : Icon::check, wrong ? grouped(check.wrong) + " wrong" : "Check",
      wrong ? "save_wrong_frame" : "toggle check", ui.settings.check || wrong, check_help(ui));
  if (wrong || (ui.settings.check && check.checked > 0)) tools.back().button.ink = wrong ? colour::bad : colour::good;
  if (shows_matrix(ui.settings, ui.state.capture.kind)) return tools;  // nobody sees its picture
  ToolButton zoom{"zoom", Icon::none, ui.state.picture.width > 0 ? number(ui.state.context.zoom * 100, 0) + "%" : "Fit",
                  "The wheel zooms at the mouse, dragging moves the picture"};
  zoom.opens = true;
  tools.push_back({std::move(zoom), {}, "zoom", &targets.zoom});
  return tools;
}

}  // namespace

void strip(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("strip", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y + rect.height - 1}, {rect.x + rect.width, rect.y + rect.height});
  const auto tools = strip_tools(ui, is_narrow(rect.width, ui.scale));
  const auto right = rect.width - ImGui::GetStyle().WindowPadding.x;
  const auto top = std::round((rect.height - ImGui::GetFrameHeight()) / 2);
  ImGui::SetCursorPosY(top);
  ImGui::AlignTextToFramePadding();
  if (has_matrix(ui.settings, ui.state.capture.kind)) {
    matrix_of_strip(ui);
    ImGui::SameLine();
  }
  if (!shows_matrix(ui.settings, ui.state.capture.kind))
    parameters_of_strip(ui, left_of_tools(tools, right) - ImGui::GetCursorPosX());
  ImGui::SetCursorPosY(top);
  tool_row(ui, tools, right);
}

void parameter_list(PanelContext& ui) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  const auto* algorithm = algorithm_with_parameters(ui);
  ImGui::Dummy({em() * 24, 0});
  if (effect) {
    heading(effect->title);
    const auto arguments = shown_arguments(ui, *effect);
    const auto fit = fit_of(*effect, arguments, ui.state.picture);
    ImGui::PushID("effect");
    parameter_rows(ui, effect->name, effect->parameters, arguments, fit);
    ImGui::PopID();
    if (fit.placement) keep_inside(ui, *effect, arguments);
    wrapped(effect->idea, colour::dim);
    for (const auto& [title, doi] : effect->papers) paper(title, doi);
  }
  if (!algorithm) return;
  ImGui::Separator();
  heading(algorithm->name);
  ImGui::PushID("algorithm");
  parameter_rows(ui, algorithm->name, algorithm->parameters, shown_arguments(ui, *algorithm));
  ImGui::PopID();
}

}  // namespace app::ui
