#include "app/ui/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using gpu::Parameter;

int decimals(const Parameter& parameter) {
  if (parameter.kind != Parameter::Kind::real || parameter.step <= 0) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(parameter.step) - 1e-9)), 0, 6);
}

bool choice_row(const Parameter& parameter, std::string& value) {
  bool changed = false;
  if (!begin_combo("##choice", value)) return false;
  for (const auto item : gpu::split_choices(parameter.choices)) {
    const std::string name(item);
    if (ImGui::Selectable(name.c_str(), name == value) && name != value) {
      value = name;
      changed = true;
    }
  }
  ImGui::EndCombo();
  return changed;
}

bool toggle_row(std::string& value) {
  bool on = value == "on";
  if (!ImGui::Checkbox("##toggle", &on)) return false;
  value = on ? "on" : "off";
  return true;
}

// Wide ranges are easier to adjust on a logarithmic scale.
ImGuiSliderFlags slider_flags(const Parameter& parameter) {
  const bool wide = parameter.minimum >= 0 && parameter.maximum - parameter.minimum > 200;
  return ImGuiSliderFlags_NoInput | ImGuiSliderFlags_AlwaysClamp | (wide ? ImGuiSliderFlags_Logarithmic : 0);
}

// ImGui's slider on a thin track. Its value is beside it, in a field.
bool slider(const char* id, double& value, const Parameter& parameter, float width) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto middle = std::round(at.y + ImGui::GetFrameHeight() / 2), half = std::round(ImGui::GetFontSize() * 0.12f);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.x, middle - half}, {at.x + width, middle + half}, colour::control, half);
  for (const auto part : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    ImGui::PushStyleColor(part, IM_COL32(0, 0, 0, 0));
  ImGui::SetNextItemWidth(width);
  const bool changed = ImGui::SliderScalar(id, ImGuiDataType_Double, &value, &parameter.minimum, &parameter.maximum, "",
                                           slider_flags(parameter));
  ImGui::PopStyleColor(3);
  return changed;
}

// A slider, and a field for the exact value.
bool number_row(const Parameter& parameter, std::string& value) {
  double current = parameter.minimum;
  std::from_chars(value.data(), value.data() + value.size(), current);
  const auto field = std::round(ImGui::GetFontSize() * 4.2f), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto format = "%." + std::to_string(decimals(parameter)) + "f";

  bool changed = slider("##slider", current, parameter, std::max(8.f, ImGui::GetContentRegionAvail().x - field - gap));
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(field);
  double typed = current;
  ImGui::InputDouble("##exact", &typed, 0, 0, format.c_str());
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    current = typed;
    changed = true;
  }
  if (!changed) return false;
  const auto text = number_text(parameter, current);
  changed = text != value;
  value = text;
  return changed;
}

// A slider for both sides together, which keeps odd sizes odd, and a field per side.
bool size_row(const Parameter& parameter, std::string& value) {
  gpu::Size current;
  const auto cross = std::min(value.find('x'), value.size());
  std::from_chars(value.data(), value.data() + cross, current.width);
  if (cross < value.size()) std::from_chars(value.data() + cross + 1, value.data() + value.size(), current.height);

  const auto field = std::round(ImGui::GetFontSize() * 2.9f), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto width = std::max(8.f, ImGui::GetContentRegionAvail().x - 2 * field - 2 * gap);
  double side = std::max(current.width, current.height);
  bool changed = false;
  if (slider("##both", side, parameter, width)) {
    const int odd = parameter.initial.empty() ? 0 : (parameter.initial.back() - '0') & 1;
    const int both = static_cast<int>(std::lround(side)) | odd;
    changed = true;
    current = {both, both};
  }
  const auto exact = [&](const char* id, int& number) {
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(field);
    int typed = number;
    ImGui::InputInt(id, &typed, 0, 0);
    if (!ImGui::IsItemDeactivatedAfterEdit()) return;
    number = typed;
    changed = true;
  };
  exact("##width", current.width);
  exact("##height", current.height);
  if (!changed) return false;
  const auto text = size_text(parameter, current);
  changed = text != value;
  value = text;
  return changed;
}

bool row(const Parameter& parameter, std::string& value) {
  switch (parameter.kind) {
    case Parameter::Kind::choice: return choice_row(parameter, value);
    case Parameter::Kind::toggle: return toggle_row(value);
    case Parameter::Kind::integer:
    case Parameter::Kind::real: return number_row(parameter, value);
    case Parameter::Kind::size: return size_row(parameter, value);
  }
  return false;
}

}  // namespace

std::string number_text(const Parameter& parameter, double value) {
  if (!std::isfinite(value)) value = parameter.minimum;
  const auto step = parameter.kind == Parameter::Kind::integer ? 1.0 : parameter.step;
  if (step > 0) value = std::round(value / step) * step;
  value = std::clamp(value, parameter.minimum, parameter.maximum);
  auto text = number(value, decimals(parameter));
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string size_text(const Parameter& parameter, gpu::Size value) {
  const auto low = static_cast<int>(parameter.minimum), high = static_cast<int>(parameter.maximum);
  return std::to_string(std::clamp(value.width, low, high)) + 'x' + std::to_string(std::clamp(value.height, low, high));
}

void parameter_rows(PanelContext& ui, std::string_view owner, std::span<const Parameter> parameters,
                    const gpu::Arguments& arguments) {
  std::vector<Change> initial;
  for (const auto& parameter : parameters) {
    const std::string name(parameter.name), path = std::string(owner) + '.' + name;
    ImGui::PushID(name.c_str());
    label(name, parameter.help);
    auto value = arguments.text(name);
    if (value != parameter.initial) initial.push_back({path, std::string(parameter.initial)});
    if (row(parameter, value)) ui.change(path, value);
    tooltip(parameter.help);
    ImGui::PopID();
  }
  if (!initial.empty() && ImGui::SmallButton("Reset to defaults")) ui.change(initial);
}

}  // namespace app::ui
