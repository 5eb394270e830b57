#include "app/ui/parameters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>
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
  if (!checkbox("##toggle", on, {})) return false;
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

// Both sides together: odd sizes stay odd.
int both_sides(double side, const Parameter& parameter, const std::optional<gpu::Size>& automatic) {
  const int odd = automatic ? automatic->width & 1 : parameter.initial.empty() ? 0 : (parameter.initial.back() - '0') & 1;
  return static_cast<int>(std::lround(side)) | odd;
}

gpu::Size size_of(const std::string& value, const std::optional<gpu::Size>& automatic) {
  gpu::Size size;
  const auto cross = std::min(value.find('x'), value.size());
  std::from_chars(value.data(), value.data() + cross, size.width);
  if (cross < value.size()) std::from_chars(value.data() + cross + 1, value.data() + value.size(), size.height);
  if (automatic && size.width == 0) size.width = automatic->width;
  if (automatic && size.height == 0) size.height = automatic->height;
  return size;
}

// A slider for both sides together, which keeps odd sizes odd, and a field per side; `automatic`: what 0 stands for, if it stands for
// something.
bool size_row(const Parameter& parameter, std::string& value, const SliderRange& range, std::optional<gpu::Size> automatic) {
  const bool is_automatic = automatic && size_of(value, {}).pixels() == 0;
  auto current = size_of(value, automatic);

  const auto field = std::round(ImGui::GetFontSize() * 2.9f), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto width = std::max(8.f, ImGui::GetContentRegionAvail().x - 2 * field - 2 * gap - room_for_auto(is_automatic));
  double side = std::max(current.width, current.height);
  bool changed = false;
  if (slider("##both", side, range, width)) {
    const int both = both_sides(side, parameter, automatic);
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

// Two controls in one: a slider, and beside it the value that it has; typed after a click with Ctrl.
bool value_slider(double& value, const SliderRange& range, const std::string& shown) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::CalcItemWidth(), pad = ImGui::GetStyle().FramePadding.x;
  const auto numbers = std::max(text_width(shown), em() * 2) + 2 * pad;
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + ImGui::GetFrameHeight()}, colour::control, ImGui::GetStyle().FrameRounding);
  for (const auto part : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    ImGui::PushStyleColor(part, IM_COL32(0, 0, 0, 0));
  ImGui::SetNextItemWidth(std::max(em(), width - numbers));
  const auto flags = ImGuiSliderFlags_AlwaysClamp | (range.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  const bool changed = ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &range.least, &range.most, "", flags);
  ImGui::PopStyleColor(3);
  draw.AddText({at.x + width - pad - text_width(shown), at.y + ImGui::GetStyle().FramePadding.y},
               ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
  ImGui::SameLine(0, 0);
  ImGui::Dummy({std::max(0.f, at.x + width - ImGui::GetCursorScreenPos().x), ImGui::GetFrameHeight()});
  return changed;
}

bool compact_size(const Parameter& parameter, std::string& value, const SliderRange& range,
                  const std::optional<gpu::Size>& automatic) {
  const auto size = size_of(value, automatic);
  double side = std::max(size.width, size.height);
  if (!value_slider(side, range, std::to_string(size.width) + " x " + std::to_string(size.height))) return false;
  const int both = both_sides(side, parameter, automatic);
  const auto chosen = size_text(parameter, {both, both});
  return std::exchange(value, chosen) != chosen;
}

bool compact_number(const Parameter& parameter, std::string& value, const SliderRange& range,
                    const std::optional<gpu::Size>& automatic) {
  double current = parameter.minimum;
  std::from_chars(value.data(), value.data() + value.size(), current);
  if (automatic && current == 0) current = automatic->width;
  if (!value_slider(current, range, number(current, decimals(parameter)))) return false;
  const auto chosen = number_text(parameter, current);
  return std::exchange(value, chosen) != chosen;
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

// The control of row(), as wide as the next item: for a line that has others.
bool compact(PanelContext& ui, const Parameter& parameter, const std::string& path, const ParameterDisplay& display,
             std::string& value, double end, const std::optional<gpu::Size>& automatic) {
  const SliderRange range{parameter.minimum, end, display.logarithmic};
  switch (parameter.kind) {
    case Parameter::Kind::integer:
    case Parameter::Kind::real: return compact_number(parameter, value, range, automatic);
    case Parameter::Kind::size: return compact_size(parameter, value, range, automatic);
    default: return row(ui, parameter, path, display, value, end, automatic);
  }
}

// Room for the longest of the choices, within reason.
float width_of_choices(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device) {
  const auto choices = gpu::split_choices(parameter.choices), pictures = gpu::split_choices(display.pictograms);
  float widest = 0;
  for (std::size_t i = 0; i < choices.size(); ++i)
    widest = std::max(widest, text_width(choice_text(gpu::label_of_choice(parameter, display, choices[i], device),
                                                     i < pictures.size() ? pictures[i] : std::string_view())));
  return std::clamp(widest + 2 * ImGui::GetStyle().FramePadding.x + em() * 1.2f, em() * 7, em() * 18);
}

float compact_width(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device) {
  switch (parameter.kind) {
    case Parameter::Kind::toggle: return parameter.initial == gpu::automatic_choice ? em() * 6 : ImGui::GetFrameHeight();
    case Parameter::Kind::choice: return width_of_choices(parameter, display, device);
    case Parameter::Kind::file: return em() * 7;
    default: return em() * 9;
  }
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
  ui.change(path, choice.names[chosen]);
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

namespace {

// What a control shows of a parameter, and changes.
struct Shown {
  Shown(const Parameter& parameter, std::string_view owner, const gpu::Arguments& arguments, const Fit& fit)
      : name(parameter.name),
        path(std::string(owner) + '.' + name),
        value(placed_text(parameter, arguments.text(name), fit)),
        why_unused(gpu::why_unused(fit.display, name, arguments)),
        display(gpu::display_of(fit.display, name)),
        end(slider_end(parameter, fit)) {
    if (display.automatic && fit.picture.pixels() > 0) automatic = display.automatic(arguments, fit.picture);
  }

  std::string name, path, value, why_unused;
  const ParameterDisplay& display;
  double end;
  std::optional<gpu::Size> automatic;
};

}  // namespace

void prominent_parameters(PanelContext& ui, std::string_view owner, std::span<const Parameter> parameters,
                          const gpu::Arguments& arguments, const Fit& fit, float room) {
  PriorityRow line(room);
  const auto gap = ImGui::GetStyle().ItemSpacing.x;
  for (const auto& parameter : parameters) {
    Shown shown(parameter, owner, arguments, fit);
    if (!shown.display.prominent || !shown.why_unused.empty()) continue;
    const auto words = label_of(shown.name);
    const auto width = std::round(compact_width(parameter, shown.display, ui.state.device));
    if (!line.has_room_for(text_width(words) + width + 3 * gap)) break;
    ImGui::PushID(shown.name.c_str());
    ImGui::AlignTextToFramePadding();
    text(words, colour::dim);
    tooltip(parameter.help);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    ImGui::BeginGroup();
    if (compact(ui, parameter, shown.path, shown.display, shown.value, shown.end, shown.automatic))
      ui.change(shown.path, shown.value);
    ImGui::EndGroup();
    tooltip(parameter.help);
    ImGui::SameLine(0, 2 * gap);
    ImGui::PopID();
  }
}

void parameter_rows(PanelContext& ui, std::string_view owner, std::span<const Parameter> parameters,
                    const gpu::Arguments& arguments, const Fit& fit) {
  std::vector<Change> initial;
  for (const auto& parameter : parameters) {
    Shown shown(parameter, owner, arguments, fit);
    ImGui::PushID(shown.name.c_str());
    label(label_of(shown.name), parameter.help);
    if (arguments.text(shown.name) != parameter.initial) initial.push_back({shown.path, std::string(parameter.initial)});
    ImGui::BeginDisabled(!shown.why_unused.empty());
    ImGui::BeginGroup();
    if (row(ui, parameter, shown.path, shown.display, shown.value, shown.end, shown.automatic))
      ui.change(shown.path, shown.value);
    ImGui::EndGroup();
    ImGui::EndDisabled();
    tooltip(shown.why_unused.empty() ? std::string(parameter.help) : shown.why_unused);
    ImGui::PopID();
  }
  if (!initial.empty() && button("Reset to defaults", "Gives every parameter above its first value")) ui.change(initial);
}

}  // namespace app::ui
