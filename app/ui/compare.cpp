#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/control/side_value.h"
#include "app/pipeline/picture_drawing.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "gpu/effect.h"
#include "gpu/pictures/composition.h"

namespace app::ui {
namespace {

using Mode = Composition::Mode;

constexpr gpu::Parameter wipe_parameter = gpu::real("wipe", "0.5", 0, 1, 0.01,
                                                    "Where B begins; drag the line on the picture");
constexpr gpu::Parameter amplification_parameter = gpu::real("amplification", "8", 1, gpu::most_amplification, 0.5,
                                                             "Factor of the differences between A and B");

std::string not_comparing(const PanelContext& ui) {
  return "Nothing is compared: choose two sides, or press " + ui.keys(Action::toggle_compare);
}

std::string help_of_side(std::string_view name) {
  if (const auto* algorithm = gpu::find_sat_algorithm(name)) return std::string(algorithm->idea);
  if (const auto* effect = gpu::find_effect(name)) return std::string(effect->idea);
  if (const auto own = side_value(name)) return "The chosen effect with this " + std::string(own->parameter);
  return name == original_side ? "The frame before the effect, in colour"
                               : "What the chosen algorithm and effect make of the frame";
}

void side_entry(PanelContext& ui, const std::string& name, bool first) {
  const auto& sides = ui.settings.compare;
  const auto &mine = first ? sides.a : sides.b, &other = first ? sides.b : sides.a;
  const auto why = name == other ? "This is the other side" : why_no_side(name, ui.state.device);
  const auto words = title_of_side(name) + "##" + name;
  if (disabled_if(why, help_of_side(name), [&] { return ImGui::Selectable(words.c_str(), name == mine); }))
    ui.change("compare", text_of(first ? Sides{true, name, other} : Sides{true, other, name}));
}

// The chosen effect by each of the files that its first choice has: faces by another cascade.
void file_entries(PanelContext& ui, bool first) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  if (!effect) return;
  for (const auto& parameter : effect->parameters) {
    const auto shown = std::ranges::find(effect->display, parameter.name, &gpu::ParameterDisplay::parameter);
    if (parameter.kind != gpu::Parameter::Kind::file || shown == effect->display.end() || !shown->prominent) continue;
    ImGui::Separator();
    const auto path = std::string(effect->name) + '.' + std::string(parameter.name) + '=';
    for (const auto& known : parameter.known()) side_entry(ui, path + known.name, first);
  }
}

void side_entries(PanelContext& ui, bool first) {
  const auto& side = first ? ui.settings.compare.a : ui.settings.compare.b;
  for (const auto name : {original_side, result_side}) side_entry(ui, std::string(name), first);
  ImGui::Separator();
  for (const auto name : effect_names()) side_entry(ui, std::string(name), first);
  file_entries(ui, first);
  int left_out = 0;
  for (const auto& family : sat_families()) {
    auto algorithms = family.algorithms();
    left_out += static_cast<int>(std::erase_if(algorithms, [&](const gpu::SatAlgorithm* algorithm) {
      return algorithm->name != side && !why_no_side(algorithm->name, ui.state.device).empty();
    }));
    if (algorithms.empty()) continue;
    ImGui::Separator();
    text(family.name, colour::accent);
    tooltip(family.description);
    for (const auto* algorithm : algorithms) side_entry(ui, std::string(algorithm->name), first);
  }
  if (left_out == 0) return;
  ImGui::Separator();
  text(counted(static_cast<std::size_t>(left_out), "algorithm") +
           (ui.state.device == gpu::Device::host ? " more on the GPU or the simulated GPU" : " more on other devices"),
       colour::dim);
  tooltip("Both sides are computed on one device: the list of algorithms has the others");
}

void side_row(PanelContext& ui, const char* title, bool first) {
  label(title, first ? "What is left of the wipe" : "What is right of the wipe");
  const auto& side = first ? ui.settings.compare.a : ui.settings.compare.b;
  if (!begin_combo(first ? "##a" : "##b", title_of_side(side))) return;
  side_entries(ui, first);
  ImGui::EndCombo();
}

void compared_number(PanelContext& ui, const char* title, const gpu::Parameter& parameter, double value,
                     const std::string& why_not) {
  const std::string path(parameter.name);
  label(title, parameter.help);
  ImGui::PushID(path.c_str());
  auto written = number_text(parameter, value);
  if (disabled_if(why_not, parameter.help, [&] { return number_control(parameter, written, parameter.maximum > 100); }))
    ui.change(path, written);
  ImGui::PopID();
}

// What the name of a side opens.
void list_of_side(PanelContext& ui, bool first) {
  const MenuStyle style;
  side_entries(ui, first);
  ImGui::Separator();
  for (const auto action : {Action::toggle_difference, Action::swap_sides, Action::toggle_compare})
    menu_item(ui, action, {std::string(description(action))});
}

// Whether the only name that has room is that of the left side.
bool is_left_side(const State& state, const Settings& settings, const Rect& name) {
  if (const auto& handle = state.wipe_handle) return name.x < handle->x + handle->width / 2;
  return settings.wipe > 0.5;
}

// A window as large as a name, which is drawn already.
void side_name(PanelContext& ui, const char* id, const Rect& name, bool difference, bool first) {
  ImGui::SetNextWindowPos({name.x, name.y});
  ImGui::SetNextWindowSize({name.width, name.height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar(2);
  if (ImGui::InvisibleButton("name", {std::max(name.width, 1.f), std::max(name.height, 1.f)})) ImGui::OpenPopup("sides");
  if (ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRect({name.x, name.y}, {name.x + name.width, name.y + name.height}, colour::accent, 3);
  if (!ui.settings.presentation) tooltip(difference ? "What is compared" : "What is shown on this side");
  ImGui::SetNextWindowPos({name.x, name.y + name.height});
  const auto most = ImGui::GetIO().DisplaySize.y - name.y - name.height - em();
  ImGui::SetNextWindowSizeConstraints({0, 0}, {ImGui::GetIO().DisplaySize.x, std::max(1.f, most)});
  if (ImGui::BeginPopup("sides")) {
    difference ? comparison(ui) : list_of_side(ui, first);
    ImGui::EndPopup();
  }
  ImGui::End();
}

}  // namespace

void side_names(PanelContext& ui) {
  const auto& names = ui.state.side_names;
  const bool difference = ui.state.selection.composition.mode == Mode::difference;
  constexpr const char* ids[] = {"side a", "side b"};
  for (std::size_t i = 0; i < std::min(names.size(), std::size(ids)); ++i)
    side_name(ui, ids[i], names[i], difference, names.size() > 1 ? i == 0 : is_left_side(ui.state, ui.settings, names[i]));
}

void comparison(PanelContext& ui) {
  const auto& settings = ui.settings;
  const auto& sides = settings.compare;
  ImGui::Dummy({em() * 22, 0});
  bool on = sides.on;
  if (checkbox("Compare", on, ui.help_of(Action::toggle_compare))) ui.act(Action::toggle_compare);
  same_line_at_right(width_of_buttons({"Swap"}));
  if (button("Swap", ui.help_of(Action::swap_sides), sides.on ? "" : not_comparing(ui))) ui.act(Action::swap_sides);
  side_row(ui, "A", true);
  side_row(ui, "B", false);
  label("View", ui.help_of(Action::toggle_difference));
  disabled_if(sides.on ? "" : not_comparing(ui), "", [&] { return setting_combo(ui, "compare_mode"); });
  const auto unless = [&](Mode mode, const char* why) {
    return !sides.on ? not_comparing(ui) : settings.compare_mode == mode ? std::string() : std::string(why);
  };
  compared_number(ui, "Wipe", wipe_parameter, settings.wipe, unless(Mode::wipe, "A difference has no wipe"));
  compared_number(ui, window_words("amplification").data(), amplification_parameter, settings.amplification,
                  unless(Mode::difference, "Only differences are amplified: choose Difference"));
}

// What a comparison shows, over the picture: the line of the wipe with its handle, and the name of each side beside it; or
// both names above a difference.
namespace {

constexpr ImU32 shadow = IM_COL32(0, 0, 0, 140), bright = IM_COL32(255, 255, 255, 255);

Note label_of(std::string text) { return Note({{std::move(text), bright}}); }

float handle_radius() { return std::round(ImGui::GetFontSize() * 0.8f); }

// The handle lies in the middle of the visible part of the line.
Rect place_of_handle(const Rect& seen, float line) {
  const auto half = handle_radius() + 2;
  return {line - half, std::round(seen.y + seen.height / 2) - half, 2 * half, 2 * half};
}

// Two arrows on a disc.
void draw_handle(ImDrawList& draw, const Rect& place) {
  const float x = place.x + place.width / 2, y = place.y + place.height / 2;
  const float radius = handle_radius(), tip = radius * 0.7f, root = radius * 0.25f, half = radius * 0.38f;
  draw.AddCircleFilled({x, y}, radius + 1.5f, shadow);
  draw.AddCircleFilled({x, y}, radius, bright);
  for (const float side : {-1.f, 1.f}) {
    const ImVec2 point(x + side * tip, y), up(x + side * root, y - half), down(x + side * root, y + half);
    draw.AddTriangleFilled(point, side < 0 ? up : down, side < 0 ? down : up, colour::rgb(0x202428));
  }
}

// The part of it between `left` and `right`, as far as it goes.
Rect part(const Rect& of, float left, float right) {
  const auto from = std::max(left, of.x), to = std::min(right, of.x + of.width);
  return {from, of.y, to - from, of.height};
}
bool is_seen(float line, const Rect& seen) { return line >= seen.x && line <= seen.x + seen.width; }

std::vector<Rect> joined(std::span<const Rect> some, std::span<const Rect> more) {
  std::vector<Rect> all(some.begin(), some.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Where names are put: of the picture, and of all that its panel has.
struct Room {
  Rect seen, panel;
  std::span<const Rect> numbers;

  // Between `left` and `right`: beside the numbers of cells, else beside the picture; where neither has room, over the numbers.
  Rect place_of(const Rect& wanted, float left, float right, std::span<const Rect> taken) const {
    const auto side = part(seen, left, right);
    const auto usual = free_place(side, wanted, taken);
    if (numbers.empty()) return usual;
    for (const auto& [area, others] :
         {std::pair(side, joined(taken, numbers)), std::pair(part(panel, left, right), joined(taken, {&seen, 1}))})
      if (const auto place = free_place(area, wanted, others); !overlaps(place, others)) return place;
    return usual;
  }
};

// Names stay in sight while their side does, beside what is taken, and are left out where they do not fit.
std::vector<Rect> draw_wipe(ImDrawList& draw, const Room& room, float line, const Selection& comparison,
                            std::span<const Rect> taken) {
  const auto& seen = room.seen;
  const auto bottom = seen.y + seen.height;
  const float width = std::max(1.f, std::round(ImGui::GetFontSize() / 12)), gap = std::round(ImGui::GetFontSize() * 0.4f);
  std::vector<Rect> occupied(taken.begin(), taken.end());
  if (is_seen(line, seen)) {
    draw.PushClipRect({seen.x, seen.y}, {seen.x + seen.width, bottom});
    draw.AddRectFilled({line - width, seen.y}, {line + 2 * width, bottom}, shadow);
    draw.AddRectFilled({line, seen.y}, {line + width, bottom}, bright);
    occupied.push_back(place_of_handle(seen, line));
    draw_handle(draw, occupied.back());
    draw.PopClipRect();
  }
  std::vector<Rect> names;
  const auto name = [&](const Note& label, float left, float right, float x) {
    if (label.width() > part(seen, left, right).width) return;
    const auto place = room.place_of(label.place({x, seen.y + gap}), left, right, occupied);
    if (overlaps(place, occupied)) return;
    label.draw(draw, place);
    names.push_back(place);
  };
  const auto a = label_of(title_of_side(comparison.sides[0].name)), b = label_of(title_of_side(comparison.sides[1].name));
  const float a_right = std::min(line, seen.x + seen.width) - gap, b_left = std::max(line, seen.x) + gap;
  name(a, room.panel.x, a_right, a_right - a.width());
  name(b, b_left, room.panel.x + room.panel.width, b_left);
  return names;
}

// The names are one block.
std::vector<Rect> draw_difference(ImDrawList& draw, const Room& room, const Selection& comparison,
                                  std::span<const Rect> taken) {
  const float gap = std::round(ImGui::GetFontSize() * 0.4f), between = std::round(gap / 2);
  const Note labels[] = {label_of(difference_name(comparison.composition.amplification)),
                         label_of("A  " + title_of_side(comparison.sides[0].name)),
                         label_of("B  " + title_of_side(comparison.sides[1].name))};
  Rect wanted{room.seen.x + gap, room.seen.y + gap, 0, -between};
  for (const auto& label : labels) {
    wanted.width = std::max(wanted.width, label.width());
    wanted.height += label.height() + between;
  }
  const auto place = room.place_of(wanted, room.panel.x, room.panel.x + room.panel.width, taken);
  auto y = place.y;
  for (const auto& label : labels) {
    label.draw(draw, label.place({place.x, y}));
    y += label.height() + between;
  }
  return {place};
}

}  // namespace

std::vector<Rect> draw_comparison(const View& view, const Selection& in_use, double wipe, std::span<const Rect> taken,
                                  std::span<const Rect> numbers) {
  if (in_use.sides.empty()) return {};
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0) return {};
  const Room room{as_rect(visible), as_rect(view.area), numbers};
  const ClipToPicture clip(view.area);
  return in_use.composition.mode == Composition::Mode::wipe
             ? draw_wipe(clip.draw, room, static_cast<float>(line_of_wipe(view, wipe)), in_use, taken)
             : draw_difference(clip.draw, room, in_use, taken);
}

std::optional<Rect> wipe_handle(const View& view, const Selection& in_use, double wipe) {
  const auto visible = view.visible();
  if (!is_wipe(in_use) || visible.width <= 0) return {};
  const auto seen = as_rect(visible);
  const auto line = static_cast<float>(line_of_wipe(view, wipe));
  return is_seen(line, seen) ? std::optional(place_of_handle(seen, line)) : std::nullopt;
}

}  // namespace app::ui
