#include "app/ui/parameters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <variant>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/support/text.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using gpu::Parameter, gpu::ParameterDisplay;

int decimals(const Parameter& parameter) {
  if (parameter.kind != Parameter::Kind::real || parameter.step <= 0) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(parameter.step) - 1e-9)), 0, 6);
}

// A choice with a pictogram has space for it before its text.
std::string choice_text(std::string_view label, std::string_view picture) {
  std::string text(label);
  if (picture.empty()) return text;
  const auto blank = ImGui::CalcTextSize(" ").x;
  return std::string(static_cast<std::size_t>(std::ceil(ImGui::GetFontSize() * 1.3f / blank)), ' ') + text;
}

bool choice_row(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device, std::string& value) {
  const auto choices = gpu::split_choices(parameter.choices), pictures = gpu::split_choices(display.pictograms);
  const auto picture = [&](std::size_t i) { return i < pictures.size() ? pictures[i] : std::string_view(); };
  const auto shown = [&](std::string_view choice, std::size_t i) {
    return choice_text(gpu::label_of_choice(parameter, display, choice, device), picture(i));
  };
  const auto draw = [&](ImDrawList& list, ImVec2 at, float height, std::size_t i) {
    at.y = std::round(at.y + (height - ImGui::GetFontSize() * 0.9f) / 2);
    if (!picture(i).empty()) pictogram(list, at, picture(i));
  };
  const auto current = static_cast<std::size_t>(std::find(choices.begin(), choices.end(), value) - choices.begin());
  auto& below = *ImGui::GetWindowDrawList();  // an open list is a window of its own, with its own
  auto at = ImGui::GetCursorScreenPos();
  at.x += ImGui::GetStyle().FramePadding.x;
  const bool open = begin_combo("##choice", shown(value, current));
  draw(below, at, ImGui::GetFrameHeight(), current);
  if (!open) return false;
  bool changed = false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string name(choices[i]);
    const auto place = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable((shown(name, i) + "##" + name).c_str(), name == value) && name != value) {
      value = name;
      changed = true;
    }
    draw(*ImGui::GetWindowDrawList(), place, ImGui::GetFontSize(), i);
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

// For an automatic value, the value in use is shown, and a word behind the slider; this is the room for the word.
float room_for_auto(bool is_automatic) {
  return is_automatic ? text_width("auto") + ImGui::GetStyle().ItemInnerSpacing.x : 0;
}
void say_auto(bool is_automatic) {
  if (!is_automatic) return;
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  text("auto", colour::dim);
}

// A slider, and a field for the exact value; `automatic`: what 0 stands for, if it stands for something.
bool number_row(const Parameter& parameter, std::string& value, const SliderRange& range,
                std::optional<int> automatic = {}) {
  double current = parameter.minimum;
  std::from_chars(value.data(), value.data() + value.size(), current);
  const bool is_automatic = automatic && current == 0;
  if (is_automatic) current = *automatic;
  const auto field = std::round(ImGui::GetFontSize() * 4.2f), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto format = "%." + std::to_string(decimals(parameter)) + "f";

  const auto width = ImGui::GetContentRegionAvail().x - field - gap - room_for_auto(is_automatic);
  bool changed = slider("##slider", current, range, std::max(8.f, width));
  say_auto(is_automatic);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(field);
  double typed = current;
  ImGui::InputDouble("##exact", &typed, 0, 0, format.c_str());
  if (is_entered()) {
    current = typed;
    changed = true;
  }
  if (!changed) return false;
  const auto text = number_text(parameter, current);
  changed = text != value;
  value = text;
  return changed;
}

// A slider for both sides together, which keeps odd sizes odd, and a field per side; `automatic`: what 0 stands for, if it stands for
// something.
bool size_row(const Parameter& parameter, std::string& value, const SliderRange& range, std::optional<gpu::Size> automatic) {
  gpu::Size current;
  const auto cross = std::min(value.find('x'), value.size());
  std::from_chars(value.data(), value.data() + cross, current.width);
  if (cross < value.size()) std::from_chars(value.data() + cross + 1, value.data() + value.size(), current.height);
  const bool is_automatic = automatic && (current.width == 0 || current.height == 0);
  if (is_automatic && current.width == 0) current.width = automatic->width;
  if (is_automatic && current.height == 0) current.height = automatic->height;

  const auto field = std::round(ImGui::GetFontSize() * 2.9f), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto width = std::max(8.f, ImGui::GetContentRegionAvail().x - 2 * field - 2 * gap - room_for_auto(is_automatic));
  double side = std::max(current.width, current.height);
  bool changed = false;
  if (slider("##both", side, range, width)) {
    const int odd = automatic ? automatic->width & 1 : parameter.initial.empty() ? 0 : (parameter.initial.back() - '0') & 1;
    const int both = static_cast<int>(std::lround(side)) | odd;
    changed = true;
    current = {both, both};
  }
  say_auto(is_automatic);
  const auto exact = [&](const char* id, int& number) {
    ImGui::SameLine(0, gap);
    changed |= whole_number_field(id, number, field);
  };
  exact("##width", current.width);
  exact("##height", current.height);
  if (!changed) return false;
  const auto chosen = size_text(parameter, current);
  changed = chosen != value;
  value = chosen;
  return changed;
}

// A list of the files that have names, at its end the file browser for any other.
bool file_row(PanelContext& ui, const Parameter& parameter, const std::string& path, std::string& value) {
  const auto& known = parameter.known();
  const auto now = std::ranges::find(known, value, &gpu::NamedFile::name);
  const auto room = ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  if (!begin_combo("##file", now == known.end() ? end_of(value, room) : now->title, ImGuiComboFlags_HeightLarge))
    return false;
  const auto before = value;
  for (const auto& [name, title, file] : known) {
    ImGui::PushID(name.c_str());
    if (list_entry(title, name == before)) value = name;
    ImGui::PopID();
    tooltip(without_controls(file.empty() ? name : file));
  }
  ImGui::Separator();
  if (ImGui::Selectable("Browse...")) browse_for(ui, path);
  ImGui::EndCombo();
  return value != before;
}

bool row(PanelContext& ui, const Parameter& parameter, const std::string& path, const ParameterDisplay& display,
         std::string& value, double end, std::optional<gpu::Size> automatic) {
  const SliderRange range{parameter.minimum, end, display.logarithmic};
  switch (parameter.kind) {
    case Parameter::Kind::choice: return choice_row(parameter, display, ui.state.device, value);
    case Parameter::Kind::toggle:
      return parameter.initial == gpu::automatic_choice ? choice_row(parameter, display, ui.state.device, value)
                                                        : toggle_row(value);
    case Parameter::Kind::integer:
    case Parameter::Kind::real:
      return number_row(parameter, value, range, automatic ? std::optional(automatic->width) : std::nullopt);
    case Parameter::Kind::size: return size_row(parameter, value, range, automatic);
    case Parameter::Kind::file: return file_row(ui, parameter, path, value);
  }
  return false;
}

// An effect that has a place is moved into the picture: where it is, not where it was wanted.
std::string placed_text(const Parameter& parameter, const std::string& text, const Fit& fit) {
  if (!fit.placement) return text;
  if (parameter.name == "x") return number_text(parameter, fit.placement->x);
  if (parameter.name == "y") return number_text(parameter, fit.placement->y);
  return text;
}

}  // namespace

bool setting_combo(PanelContext& ui, std::string_view path, std::initializer_list<ChoiceEntry> entries) {
  const auto& choice = std::get<Field::Choice>(find_field(path)->value);
  const auto entry = [&](std::size_t i) { return i < entries.size() ? entries.begin()[i] : ChoiceEntry(); };
  const auto text = [&](std::size_t i) {
    return entry(i).text.empty() ? title_of_value(path, choice.names[i]) : std::string(entry(i).text);
  };
  const auto current = choice.get(ui.settings);
  if (!begin_combo(("##" + std::string(path)).c_str(), text(current))) return false;
  auto chosen = current;
  for (std::size_t i = 0; i < choice.names.size(); ++i) {
    ImGui::BeginDisabled(!entry(i).why_not.empty());
    if (ImGui::Selectable(text(i).c_str(), i == current)) chosen = i;
    ImGui::EndDisabled();
    tooltip(entry(i).why_not);
  }
  ImGui::EndCombo();
  if (chosen == current) return false;
  ui.change(path, std::string(choice.names[chosen]));
  return true;
}

void pictogram(ImDrawList& draw, ImVec2 at, std::string_view signs) {
  const auto rows = static_cast<float>(std::count(signs.begin(), signs.end(), '/') + 1);
  const auto columns = static_cast<float>(std::min(signs.find('/'), signs.size()));
  const auto side = std::round(ImGui::GetFontSize() * 0.9f), gap = std::max(1.f, std::round(side * 0.08f));
  ImVec2 cell(0, 0);
  for (const char sign : signs) {
    if (sign == '/') {
      cell = {0, cell.y + 1};
      continue;
    }
    const ImVec2 from(at.x + std::round(cell.x * side / columns), at.y + std::round(cell.y * side / rows));
    const ImVec2 to(at.x + std::round((cell.x + 1) * side / columns) - gap,
                    at.y + std::round((cell.y + 1) * side / rows) - gap);
    draw.AddRectFilled(from, to, sign == '+' ? colour::warning : colour::accent);
    cell.x += 1;
  }
}

bool number_control(const Parameter& parameter, std::string& value, bool logarithmic) {
  return number_row(parameter, value, {parameter.minimum, parameter.maximum, logarithmic});
}

std::string number_text(const Parameter& parameter, double value) {
  if (std::isnan(value)) value = parameter.minimum;
  const auto step = parameter.kind == Parameter::Kind::integer ? 1.0 : parameter.step;
  if (step > 0) value = std::round(value / step) * step;
  value = std::clamp(value, parameter.minimum, parameter.maximum);
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.*f", decimals(parameter), value);
  std::string text(digits);
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

double slider_end(const Parameter& parameter, const Fit& fit) {
  auto end = parameter.maximum;
  const auto limit = [&](int most) { end = std::clamp(static_cast<double>(most), parameter.minimum, parameter.maximum); };
  const auto [width, height] = std::pair(fit.picture.width, fit.picture.height);
  if (width <= 0 || height <= 0) return end;
  if (parameter.kind == Parameter::Kind::size) limit(std::max(width, height));
  if (!fit.placement) return end;
  const auto& place = *fit.placement;
  if (parameter.name == "x") limit(width - place.full_width());
  if (parameter.name == "y") limit(height - place.full_height());
  if (parameter.name == "width") limit(width / place.columns);
  if (parameter.name == "height") limit(height / place.rows);
  return end;
}

void parameter_rows(PanelContext& ui, std::string_view owner, std::span<const Parameter> parameters,
                    const gpu::Arguments& arguments, const Fit& fit) {
  std::vector<Change> initial;
  for (const auto& parameter : parameters) {
    const std::string name(parameter.name), path = std::string(owner) + '.' + name;
    ImGui::PushID(name.c_str());
    label(label_of(name), parameter.help);
    auto value = placed_text(parameter, arguments.text(name), fit);
    if (arguments.text(name) != parameter.initial) initial.push_back({path, std::string(parameter.initial)});
    const auto why = gpu::why_unused(fit.display, name, arguments);
    ImGui::BeginDisabled(!why.empty());
    ImGui::BeginGroup();
    const auto& display = gpu::display_of(fit.display, name);
    std::optional<gpu::Size> automatic;
    if (display.automatic && fit.picture.pixels() > 0) automatic = display.automatic(arguments, fit.picture);
    if (row(ui, parameter, path, display, value, slider_end(parameter, fit), automatic)) ui.change(path, value);
    ImGui::EndGroup();
    ImGui::EndDisabled();
    tooltip(why.empty() ? std::string(parameter.help) : why);
    ImGui::PopID();
  }
  if (!initial.empty() && button("Reset to defaults", "Gives every parameter above its first value")) ui.change(initial);
}

}  // namespace app::ui
