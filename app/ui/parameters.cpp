#include "app/ui/parameters.h"

#include "app/control/fields.h"
#include "app/control/names.h"

namespace app::ui {
namespace {

using gpu::Parameter, gpu::ParameterDisplay;

// A choice with a pictogram has space for it before its text.
std::vector<ComboEntry> entries_of(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device) {
  const auto blanks = static_cast<std::size_t>(std::ceil(em() * 1.3f / text_width(" ")));
  std::vector<ComboEntry> entries;
  for (const auto choice : gpu::split_choices(parameter.choices))
    entries.push_back({std::string(display.pictograms.empty() ? 0 : blanks, ' ') +
                       std::string(gpu::label_of_choice(parameter, display, choice, device))});
  return entries;
}

bool choice_row(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device, std::string& value) {
  const auto choices = gpu::split_choices(parameter.choices), pictures = gpu::split_choices(display.pictograms);
  const auto entries = entries_of(parameter, display, device);
  const auto current = static_cast<std::size_t>(std::ranges::find(choices, value) - choices.begin());
  auto at = ImGui::GetCursorScreenPos();
  at.x += ImGui::GetStyle().FramePadding.x;
  auto& below = *ImGui::GetWindowDrawList();
  const auto chosen = combo("##choice", entries[current].text, entries, current, [&](std::size_t i, ImVec2 place) {
    if (i < pictures.size())
      pictogram(*ImGui::GetWindowDrawList(), {place.x, std::round(place.y + em() * 0.05f)}, pictures[i]);
  });
  if (current < pictures.size())
    pictogram(below, {at.x, std::round(at.y + (ImGui::GetFrameHeight() - em() * 0.9f) / 2)}, pictures[current]);
  if (chosen) value = choices[*chosen];
  return chosen.has_value();
}

bool toggle_row(std::string& value) {
  bool on = value == "on";
  if (!checkbox("##toggle", on, {})) return false;
  value = on ? "on" : "off";
  return true;
}

// Two controls in one: a slider, and beside it the value that it has; typed after a click with Ctrl. There is room for the
// `widest` one, so that the slider becomes no shorter while it is dragged.
bool value_slider(double& value, const SliderRange& range, const std::string& shown, const std::string& widest) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::CalcItemWidth(), pad = ImGui::GetStyle().FramePadding.x;
  const auto numbers = std::max({text_width(shown), text_width(widest), em() * 2}) + 2 * pad;
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + ImGui::GetFrameHeight()}, colour::control, ImGui::GetStyle().FrameRounding);
  const bool changed = slider("##value", value, range, std::max(em(), width - numbers), false);
  draw.AddText({at.x + width - pad - text_width(shown), at.y + ImGui::GetStyle().FramePadding.y},
               ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
  ImGui::SameLine(0, 0);
  ImGui::Dummy({std::max(0.f, at.x + width - ImGui::GetCursorScreenPos().x), ImGui::GetFrameHeight()});
  return changed;
}

// What an automatic value is shows in its place, with a word behind its slider; `fields`: the room for what follows.
bool row_slider(double& value, const SliderRange& range, bool is_automatic, float fields) {
  const auto gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto room = ImGui::GetContentRegionAvail().x - fields - (is_automatic ? text_width("auto") + gap : 0);
  const bool changed = slider("##slider", value, range, std::max(8.f, room));
  if (is_automatic) ImGui::SameLine(0, gap), text("auto", colour::dim);
  return changed;
}

double slid_to(const Parameter& parameter, double number, const std::optional<gpu::Size>& automatic) {
  number = std::clamp(number, parameter.minimum, parameter.maximum);
  if (parameter.kind != Parameter::Kind::size) return number;
  // A slider keeps odd sizes odd.
  const int odd = automatic ? automatic->width & 1 : parameter.initial.empty() ? 0 : (parameter.initial.back() - '0') & 1;
  return static_cast<double>(std::lround(number) | odd);
}

// A slider for all numbers together, and unless it is compact a field for each; `automatic`: what 0 stands for, if it stands
// for something.
bool numbers_row(const Parameter& parameter, std::string& value, const SliderRange& range, bool compact,
                 const std::optional<gpu::Size>& automatic) {
  auto numbers = numbers_of(parameter, value);
  const bool is_automatic = automatic && std::ranges::find(numbers, 0) != numbers.end();
  std::string shown, widest;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (automatic && numbers[i] == 0) numbers[i] = i == 0 ? automatic->width : automatic->height;
    shown += (i > 0 ? " x " : "") + number(numbers[i], decimals(parameter));
    widest += (i > 0 ? " x " : "") + number(range.most, decimals(parameter));
  }
  const auto width = std::round(em() * (numbers.size() > 1 ? 2.9f : 4.2f)), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  auto slid = std::ranges::max(numbers);
  bool changed = compact ? value_slider(slid, range, shown, widest)
                         : row_slider(slid, range, is_automatic, static_cast<float>(numbers.size()) * (width + gap));
  if (changed) std::ranges::fill(numbers, slid_to(parameter, slid, automatic));
  for (std::size_t i = 0; i < numbers.size() && !compact; ++i) {
    ImGui::SameLine(0, gap);
    ImGui::PushID(static_cast<int>(i));
    changed |= number_field("##exact", numbers[i], width, decimals(parameter));
    ImGui::PopID();
  }
  if (!changed) return false;
  const auto before = std::exchange(value, text_of_numbers(parameter, numbers));
  return value != before;
}

// A list of the files that have names, at its end the file browser for any other.
bool file_row(PanelContext& ui, const Parameter& parameter, const std::string& path, std::string& value) {
  const auto& known = parameter.known();
  std::vector<ComboEntry> entries;
  for (const auto& [name, title, file] : known) entries.push_back({title, {}, without_controls(file.empty() ? name : file)});
  entries.push_back({"Browse..."});
  const auto now = static_cast<std::size_t>(std::ranges::find(known, value, &gpu::NamedFile::name) - known.begin());
  const bool named = now < known.size();
  const auto room = ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  const auto chosen = combo("##file", named ? known[now].title : end_of(value, room), entries, named ? now : entries.size());
  if (!chosen) return false;
  if (*chosen == known.size()) return browse_for(ui, path), false;
  value = known[*chosen].name;
  return true;
}

// Room for the longest of the choices, within reason.
float width_of_choices(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device) {
  float widest = 0;
  for (const auto& entry : entries_of(parameter, display, device)) widest = std::max(widest, text_width(entry.text));
  return std::clamp(widest + 2 * ImGui::GetStyle().FramePadding.x + em() * 1.2f, em() * 7, em() * 18);
}

// `room`: a slider for values of very different sizes takes more, where there is.
float compact_width(const Parameter& parameter, const ParameterDisplay& display, gpu::Device device, float room) {
  switch (parameter.kind) {
    case Parameter::Kind::toggle: return parameter.initial == gpu::automatic_choice ? em() * 6 : ImGui::GetFrameHeight();
    case Parameter::Kind::choice: return width_of_choices(parameter, display, device);
    case Parameter::Kind::file: return em() * 7;
    default:
      if (!display.logarithmic) return em() * 9;
      return std::clamp(room, em() * 9, em() * (parameter.kind == Parameter::Kind::size ? 12 : 10));
  }
}

}  // namespace

const gpu::SatAlgorithm* shown_algorithm(const PanelContext& ui) {
  const auto& settings = ui.settings;
  const bool host = ui.state.device == gpu::Device::host;
  const auto* algorithm = gpu::find_sat_algorithm(host ? settings.host_algorithm : settings.cuda_algorithm);
  return algorithm ? algorithm : ui.state.selection.algorithm;
}

bool setting_combo(PanelContext& ui, std::string_view path) {
  const auto& choice = std::get<Field::Choice>(find_field(path)->value);
  std::vector<ComboEntry> entries;
  for (const auto name : choice.names) entries.push_back({title_of_value(path, name)});
  const auto current = choice.get(ui.settings);
  const auto chosen = combo(("##" + std::string(path)).c_str(), entries[current].text, entries, current);
  if (chosen) ui.change(path, choice.names[*chosen]);
  return chosen.has_value();
}

void setting_entries(PanelContext& ui, std::string_view path) {
  const auto& choice = std::get<Field::Choice>(find_field(path)->value);
  for (std::size_t i = 0; i < choice.names.size(); ++i)
    if (ImGui::MenuItem(title_of_value(path, choice.names[i]).c_str(), nullptr, choice.get(ui.settings) == i))
      choice.set(ui.settings, i);
}

// What is typed becomes the setting when the field is left.
void setting_field(PanelContext& ui, std::string_view path, const char* hint) {
  auto now = text_of(*find_field(path), ui.settings);
  if (now == "0") now.clear();
  auto& draft = ui.drafts.fields.try_emplace(std::string(path), now).first->second;
  text_input(("##" + std::string(path)).c_str(), hint, draft, draft);
  const bool active = ImGui::IsItemActive();
  if (is_entered())
    ui.change(path, draft.empty() && path != "output_folder" ? "0" : draft);
  else if (!active)
    draft = now;
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

bool number_control(const Parameter& parameter, std::string& value, bool logarithmic, double end) {
  ImGui::BeginGroup();
  const bool changed = numbers_row(parameter, value, {parameter.minimum, end > 0 ? end : parameter.maximum, logarithmic},
                                   false, {});
  ImGui::EndGroup();
  return changed;
}

namespace {

// What a control shows of a parameter, and changes.
struct Shown {
  Shown(const Parameter& parameter, std::string_view owner, const gpu::Arguments& arguments, const Fit& fit)
      : name(parameter.name),
        path(std::string(owner) + '.' + name),
        value(placed_text(parameter, arguments, fit)),
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

// The control of a parameter, one item, in what is left of the line; compact: as wide as the next item, in a line that has
// others.
void control(PanelContext& ui, const Parameter& parameter, Shown& shown, bool compact) {
  SliderRange range{parameter.minimum, shown.end, shown.display.logarithmic};
  if (range.logarithmic && compact) {
    if (shown.automatic) range.least = std::max(range.least, 1.);  // below that most of it would be
    range.most = short_slider_end(range.most, shown.automatic);
  }
  ImGui::BeginGroup();
  const bool changed = [&] {
    switch (parameter.kind) {
      case Parameter::Kind::toggle:
        if (parameter.initial != gpu::automatic_choice) return toggle_row(shown.value);
        [[fallthrough]];
      case Parameter::Kind::choice: return choice_row(parameter, shown.display, ui.state.device, shown.value);
      case Parameter::Kind::integer:
      case Parameter::Kind::real:
      case Parameter::Kind::size: return numbers_row(parameter, shown.value, range, compact, shown.automatic);
      case Parameter::Kind::file: return file_row(ui, parameter, shown.path, shown.value);
    }
    return false;
  }();
  ImGui::EndGroup();
  if (changed) ui.change(shown.path, shown.value);
}

}  // namespace

void prominent_parameters(PanelContext& ui, std::string_view owner, std::span<const Parameter> parameters,
                          const gpu::Arguments& arguments, const Fit& fit, float room) {
  PriorityRow line(room);
  const auto gap = ImGui::GetStyle().ItemSpacing.x;
  for (const auto& parameter : parameters) {
    Shown shown(parameter, owner, arguments, fit);
    if (!shown.display.prominent || !shown.why_unused.empty()) continue;
    const auto words = label_of(shown.name);
    const auto rest = std::floor(line.left() - text_width(words) - 3 * gap);
    const auto width = std::round(compact_width(parameter, shown.display, ui.state.device, rest));
    if (!line.has_room_for(text_width(words) + width + 3 * gap)) break;
    ImGui::PushID(shown.name.c_str());
    ImGui::AlignTextToFramePadding();
    text(words, colour::dim);
    tooltip(parameter.help);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    control(ui, parameter, shown, true);
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
    disabled_if(shown.why_unused, parameter.help, [&] { control(ui, parameter, shown, false); });
    ImGui::PopID();
  }
  if (!initial.empty() && button("Reset to defaults", "Sets every parameter above to its default")) ui.change(initial);
}

}  // namespace app::ui
