#include "app/control/key_table.h"

#include <algorithm>

#include "app/control/imgui_keys.h"

namespace app {
namespace {

// Not in highgui's window.
Key with_control(char character, Action action) {
  return {character, NamedKey::none, action, description(action), "", true};
}

// Likewise.
Key with_shift(NamedKey named, Action action) { return {0, named, action, description(action), "", false, true}; }

// In the order of the help overlay; the keys of one action are adjacent. Where mpv has a key for the same, it is mpv's.
const Key all_keys[] = {
    {' ', NamedKey::none, Action::toggle_pause},
    {'p', NamedKey::none, Action::toggle_pause},
    {',', NamedKey::none, Action::step_back},
    {'.', NamedKey::none, Action::step_forward},
    with_shift(NamedKey::left, Action::seek_near_back),
    with_shift(NamedKey::right, Action::seek_near_forward),
    {0, NamedKey::left, Action::seek_back},
    {0, NamedKey::right, Action::seek_forward},
    {0, NamedKey::down, Action::seek_far_back},
    {0, NamedKey::up, Action::seek_far_forward},
    {'0', NamedKey::none, Action::to_start},
    {'{', NamedKey::none, Action::slower},
    {'}', NamedKey::none, Action::faster},
    {'[', NamedKey::none, Action::slightly_slower},
    {']', NamedKey::none, Action::slightly_faster},
    {0, NamedKey::backspace, Action::normal_speed},
    {'l', NamedKey::none, Action::toggle_loop},
    with_control('O', Action::browse),
    {'o', NamedKey::none, Action::reopen},
    {'m', NamedKey::none, Action::toggle_matrix, description(Action::toggle_matrix), ""},
    {0, NamedKey::page_down, Action::next_algorithm},
    {0, NamedKey::page_up, Action::previous_algorithm},
    {'a', NamedKey::none, Action::toggle_cards, description(Action::toggle_cards), ""},
    {'/', NamedKey::none, Action::search_cards, description(Action::search_cards), ""},
    with_control('F', Action::search_cards),
    {'e', NamedKey::none, Action::next_effect},
    {'E', NamedKey::none, Action::previous_effect},
    {'d', NamedKey::none, Action::next_device},
    {'c', NamedKey::none, Action::toggle_compare},
    {'C', NamedKey::none, Action::swap_sides},
    {'D', NamedKey::none, Action::toggle_difference},
    {'k', NamedKey::none, Action::toggle_check},
    {'F', NamedKey::none, Action::show_feature, description(Action::show_feature), ""},
    {'n', NamedKey::none, Action::next_feature, description(Action::next_feature), ""},
    {'N', NamedKey::none, Action::previous_feature, description(Action::previous_feature), ""},
    {'>', NamedKey::none, Action::next_stage, description(Action::next_stage), ""},
    {'<', NamedKey::none, Action::previous_stage, description(Action::previous_stage), ""},
    {0, NamedKey::home, Action::fit, description(Action::fit), ""},
    {'w', NamedKey::none, Action::fit, description(Action::fit), ""},
    {'1', NamedKey::none, Action::actual_size, description(Action::actual_size), ""},
    {'+', NamedKey::none, Action::zoom_in, description(Action::zoom_in), ""},
    {'=', NamedKey::none, Action::zoom_in, description(Action::zoom_in), ""},
    {'-', NamedKey::none, Action::zoom_out, description(Action::zoom_out), ""},
    {'b', NamedKey::none, Action::toggle_rectangle, description(Action::toggle_rectangle), ""},
    {0, NamedKey::del, Action::remove_rectangle, description(Action::remove_rectangle), ""},
    {0, NamedKey::tab, Action::toggle_panels, description(Action::toggle_panels), "Show or hide the text"},
    {'L', NamedKey::none, Action::toggle_simple, description(Action::toggle_simple), ""},
    {'i', NamedKey::none, Action::toggle_statistics, description(Action::toggle_statistics), ""},
    {'f', NamedKey::none, Action::toggle_fullscreen, description(Action::toggle_fullscreen), ""},
    {0, NamedKey::f11, Action::toggle_fullscreen, description(Action::toggle_fullscreen), ""},
    {'t', NamedKey::none, Action::toggle_theme, description(Action::toggle_theme), ""},
    with_control('+', Action::ui_larger),
    with_control('-', Action::ui_smaller),
    with_control('0', Action::ui_default),
    {'s', NamedKey::none, Action::screenshot},
    {'S', NamedKey::none, Action::save_picture},
    with_control('S', Action::save_picture),
    {'r', NamedKey::none, Action::toggle_record},
    {'O', NamedKey::none, Action::open_folder},
    {'x', NamedKey::none, Action::toggle_export_menu, description(Action::toggle_export_menu), "Save the timings"},
    {'T', NamedKey::none, Action::trace_tiles, description(Action::trace_tiles), ""},
    {'g', NamedKey::none, Action::toggle_graph, description(Action::toggle_graph), ""},
    {'P', NamedKey::none, Action::reset_statistics},
    {'A', NamedKey::none, Action::toggle_race, description(Action::toggle_race), ""},
    {'v', NamedKey::none, Action::toggle_vsync, description(Action::toggle_vsync), ""},
    with_control('P', Action::toggle_palette),
    {'h', NamedKey::none, Action::toggle_help},
    {'?', NamedKey::none, Action::toggle_help},
    {0, NamedKey::f1, Action::toggle_help},
    {'q', NamedKey::none, Action::quit},
    with_control('Q', Action::quit),
    {0, NamedKey::escape, Action::close, description(Action::close), "Close the help"},
};

struct NamedCode {
  NamedKey key;
  std::string_view label;
  imgui::KeyCode imgui;
  int highgui[2];        // cv::waitKeyEx under GTK (X11 keysyms) and under Qt
  bool repeats = false;  // while it is held down
};
constexpr NamedCode named_codes[] = {
    {NamedKey::tab, "Tab", imgui::KeyCode::tab, {9, 0x1000001}},
    {NamedKey::escape, "Esc", imgui::KeyCode::escape, {27, 0x1000000}},
    {NamedKey::f1, "F1", imgui::KeyCode::f1, {0xffbe, 0x1000030}},
    {NamedKey::f11, "F11", imgui::KeyCode::f11, {0xffc8, 0x100003a}},
    {NamedKey::page_up, "Page up", imgui::KeyCode::page_up, {0xff55, 0x1000016}},
    {NamedKey::page_down, "Page down", imgui::KeyCode::page_down, {0xff56, 0x1000017}},
    {NamedKey::home, "Home", imgui::KeyCode::home, {0xff50, 0x1000010}},
    {NamedKey::left, "Left", imgui::KeyCode::left, {0xff51, 0x1000012}, true},
    {NamedKey::right, "Right", imgui::KeyCode::right, {0xff53, 0x1000014}, true},
    {NamedKey::up, "Up", imgui::KeyCode::up, {0xff52, 0x1000013}, true},
    {NamedKey::down, "Down", imgui::KeyCode::down, {0xff54, 0x1000015}, true},
    {NamedKey::backspace, "Backspace", imgui::KeyCode::backspace, {0xff08, 0x1000003}},
    {NamedKey::del, "Delete", imgui::KeyCode::del, {0xffff, 0x1000007}},
};

const NamedCode& code_of(NamedKey key) {
  const auto is = [&](const NamedCode& code) { return code.key == key; };
  return *std::find_if(std::begin(named_codes), std::end(named_codes), is);
}

// The keys that are used with Ctrl.
struct ControlCode {
  char character;
  imgui::KeyCode imgui;
};
constexpr ControlCode control_codes[] = {
    {'F', imgui::KeyCode::f},       {'O', imgui::KeyCode::o},        {'P', imgui::KeyCode::p},
    {'Q', imgui::KeyCode::q},       {'S', imgui::KeyCode::s},        {'+', imgui::KeyCode::equal},
    {'+', imgui::KeyCode::pad_add}, {'-', imgui::KeyCode::minus},    {'-', imgui::KeyCode::pad_subtract},
    {'0', imgui::KeyCode::zero},    {'0', imgui::KeyCode::pad_zero},
};

std::optional<Action> find_character(char character, bool control) {
  for (const auto& key : all_keys)
    if (key.named == NamedKey::none && key.character == character && key.control == control) return key.action;
  return {};
}

std::optional<Action> find_named(NamedKey named, bool shift) {
  for (const auto& key : all_keys)
    if (key.named == named && key.shift == shift) return key.action;
  return shift ? find_named(named, false) : std::nullopt;  // most do the same with Shift
}

std::optional<Action> find_in_highgui(char character, NamedKey named) {
  for (const auto& key : all_keys)
    if (key.character == character && key.named == named && !key.in_highgui.empty()) return key.action;
  return {};
}

template <class Condition>
std::string labels_where(Action action, const Condition& condition) {
  std::string text;
  for (const auto& key : all_keys)
    if (key.action == action && condition(key)) text += (text.empty() ? "" : ", ") + label(key);
  return text;
}

}  // namespace

std::span<const Key> keys() { return all_keys; }

std::string label(const Key& key) {
  if (key.named != NamedKey::none) return (key.shift ? "Shift+" : "") + std::string(code_of(key.named).label);
  if (key.character == ' ') return "Space";
  if (key.control) return "Ctrl+" + std::string(1, key.character);
  const std::string upper(
      1, key.character >= 'a' && key.character <= 'z' ? static_cast<char>(key.character - 'a' + 'A') : key.character);
  return key.character >= 'A' && key.character <= 'Z' ? "Shift+" + upper : upper;
}

std::string labels(Action action) {
  return labels_where(action, [](const Key&) { return true; });
}

std::string named_labels(Action action, std::span<const NamedKey> taken) {
  return labels_where(action, [&](const Key& key) {
    return key.named != NamedKey::none && std::ranges::find(taken, key.named) == taken.end();
  });
}

std::vector<std::string> highgui_help() {
  const auto works = [](const Key& key) { return !key.in_highgui.empty(); };
  std::vector<std::string> lines;
  std::vector<Action> listed;
  for (const auto& key : all_keys) {
    if (!works(key) || std::find(listed.begin(), listed.end(), key.action) != listed.end()) continue;
    listed.push_back(key.action);
    lines.push_back(labels_where(key.action, works) + '\t' + std::string(key.in_highgui));
  }
  return lines;
}

std::vector<Action> pressed(const ImGuiIO& io, std::span<const NamedKey> taken) {
  std::vector<Action> actions;
  if (io.WantTextInput) return actions;
  for (const auto character : io.InputQueueCharacters)
    if (character < 128)
      if (const auto action = find_character(static_cast<char>(character), false)) actions.push_back(*action);
  if (io.KeyCtrl && !io.KeyAlt && !io.KeySuper)
    for (const auto& code : control_codes)
      if (imgui::is_pressed(code.imgui))
        if (const auto action = find_character(code.character, true)) actions.push_back(*action);
  // Alt+Tab and the like belong to the desktop.
  if (!io.KeyAlt && !io.KeyCtrl && !io.KeySuper)
    for (const auto& code : named_codes)
      if (std::ranges::find(taken, code.key) == taken.end() &&
          (code.repeats ? imgui::is_repeated(code.imgui) : imgui::is_pressed(code.imgui)))
        if (const auto action = find_named(code.key, io.KeyShift)) actions.push_back(*action);
  return actions;
}

std::optional<Action> from_highgui(int code) {
  if (code < 0) return {};
  for (const auto& named : named_codes)
    if (code == named.highgui[0] || code == named.highgui[1]) return find_in_highgui(0, named.key);
  // GTK stores the state of Shift, Caps lock and the like above the 16 bits of the key.
  const auto character = code & 0xffff;
  for (const auto& named : named_codes)
    if (character == named.highgui[0]) return find_in_highgui(0, named.key);
  return character > 0 && character < 128 ? find_in_highgui(static_cast<char>(character), NamedKey::none) : std::nullopt;
}

}  // namespace app
