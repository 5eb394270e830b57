#include "app/control/key_table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "app/control/imgui_keys.h"

namespace app {
namespace {

// Not in highgui's window.
Key with_control(char character, Action action, bool shift = false) {
  return {{character, NamedKey::none, true, shift}, action, description(action), ""};
}

// Likewise.
Key with_shift(NamedKey named, Action action) { return {{0, named, false, true}, action, description(action), ""}; }

// In the order of the help overlay; the keys of one action are adjacent. Where mpv has a key for the same, it is mpv's.
const Key all_keys[] = {
    {{' '}, Action::toggle_pause},
    {{'p'}, Action::toggle_pause},
    {{','}, Action::step_back},
    {{'.'}, Action::step_forward},
    with_shift(NamedKey::left, Action::seek_near_back),
    with_shift(NamedKey::right, Action::seek_near_forward),
    {{0, NamedKey::left}, Action::seek_back},
    {{0, NamedKey::right}, Action::seek_forward},
    {{0, NamedKey::down}, Action::seek_far_back},
    {{0, NamedKey::up}, Action::seek_far_forward},
    {{'0'}, Action::to_start},
    {{'{'}, Action::slower},
    {{'}'}, Action::faster},
    {{'['}, Action::slightly_slower},
    {{']'}, Action::slightly_faster},
    {{0, NamedKey::backspace}, Action::normal_speed},
    {{'l'}, Action::toggle_loop},
    with_control('O', Action::browse),
    {{'o'}, Action::reopen},
    {{'m'}, Action::matrix, description(Action::matrix), ""},
    {{0, NamedKey::page_down}, Action::next_algorithm},
    {{0, NamedKey::page_up}, Action::previous_algorithm},
    {{'a'}, Action::toggle_cards, description(Action::toggle_cards), ""},
    {{'/'}, Action::search_cards, description(Action::search_cards), ""},
    with_control('F', Action::search_cards),
    {{'e'}, Action::next_effect},
    {{'E'}, Action::previous_effect},
    {{'d'}, Action::next_device},
    {{'c'}, Action::toggle_compare},
    {{'C'}, Action::swap_sides},
    {{'D'}, Action::toggle_difference},
    {{'k'}, Action::toggle_check},
    {{'F'}, Action::show_feature, description(Action::show_feature), ""},
    {{'n'}, Action::next_feature, description(Action::next_feature), ""},
    {{'N'}, Action::previous_feature, description(Action::previous_feature), ""},
    {{'>'}, Action::next_stage, description(Action::next_stage), ""},
    {{'<'}, Action::previous_stage, description(Action::previous_stage), ""},
    {{0, NamedKey::home}, Action::fit, description(Action::fit), ""},
    {{'w'}, Action::fit, description(Action::fit), ""},
    {{'1'}, Action::actual_size, description(Action::actual_size), ""},
    {{'+'}, Action::zoom_in, description(Action::zoom_in), ""},
    {{'='}, Action::zoom_in, description(Action::zoom_in), ""},
    {{'-'}, Action::zoom_out, description(Action::zoom_out), ""},
    {{'b'}, Action::toggle_rectangle, description(Action::toggle_rectangle), ""},
    {{0, NamedKey::del}, Action::remove_rectangle, description(Action::remove_rectangle), ""},
    {{0, NamedKey::tab}, Action::toggle_panels, description(Action::toggle_panels), "Show or hide the text"},
    {{'i'}, Action::measure, description(Action::measure), ""},
    {{'L'}, Action::presentation, description(Action::presentation), ""},
    {{'f'}, Action::toggle_fullscreen, description(Action::toggle_fullscreen), ""},
    {{0, NamedKey::f11}, Action::toggle_fullscreen, description(Action::toggle_fullscreen), ""},
    {{'t'}, Action::toggle_theme, description(Action::toggle_theme), ""},
    with_control('+', Action::ui_larger),
    with_control('-', Action::ui_smaller),
    with_control('0', Action::ui_default),
    {{'s'}, Action::screenshot},
    {{'S'}, Action::save_picture},
    with_control('S', Action::save_picture),
    with_control('C', Action::copy_picture),
    {{'r'}, Action::toggle_record},
    {{'O'}, Action::open_folder},
    {{'x'}, Action::toggle_export_menu, description(Action::toggle_export_menu), "Save the timings"},
    {{'T'}, Action::trace_tiles, description(Action::trace_tiles), ""},
    {{'g'}, Action::toggle_graph, description(Action::toggle_graph), ""},
    {{'P'}, Action::reset_statistics},
    {{'A'}, Action::toggle_race, description(Action::toggle_race), ""},
    with_control('Z', Action::undo),
    with_control('Z', Action::redo, true),
    {{'v'}, Action::toggle_vsync, description(Action::toggle_vsync), ""},
    with_control('P', Action::toggle_palette),
    with_control(',', Action::preferences),
    {{'h'}, Action::toggle_help},
    {{'?'}, Action::toggle_help},
    {{0, NamedKey::f1}, Action::toggle_help},
    {{'q'}, Action::quit},
    with_control('Q', Action::quit),
    {{0, NamedKey::escape}, Action::close, description(Action::close), "Close the help"},
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
    {NamedKey::f2, "F2", imgui::KeyCode::f2, {0xffbf, 0x1000031}},
    {NamedKey::f3, "F3", imgui::KeyCode::f3, {0xffc0, 0x1000032}},
    {NamedKey::f4, "F4", imgui::KeyCode::f4, {0xffc1, 0x1000033}},
    {NamedKey::f5, "F5", imgui::KeyCode::f5, {0xffc2, 0x1000034}},
    {NamedKey::f6, "F6", imgui::KeyCode::f6, {0xffc3, 0x1000035}},
    {NamedKey::f7, "F7", imgui::KeyCode::f7, {0xffc4, 0x1000036}},
    {NamedKey::f8, "F8", imgui::KeyCode::f8, {0xffc5, 0x1000037}},
    {NamedKey::f9, "F9", imgui::KeyCode::f9, {0xffc6, 0x1000038}},
    {NamedKey::f10, "F10", imgui::KeyCode::f10, {0xffc7, 0x1000039}},
    {NamedKey::f11, "F11", imgui::KeyCode::f11, {0xffc8, 0x100003a}},
    {NamedKey::f12, "F12", imgui::KeyCode::f12, {0xffc9, 0x100003b}},
    {NamedKey::page_up, "Page up", imgui::KeyCode::page_up, {0xff55, 0x1000016}},
    {NamedKey::page_down, "Page down", imgui::KeyCode::page_down, {0xff56, 0x1000017}},
    {NamedKey::home, "Home", imgui::KeyCode::home, {0xff50, 0x1000010}},
    {NamedKey::end, "End", imgui::KeyCode::end, {0xff57, 0x1000011}},
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

// The keys that can be pressed with Ctrl: letters, digits, +, - and the comma.
struct ControlCode {
  char character;
  imgui::KeyCode imgui;
};
constexpr auto control_codes = [] {
  std::array<ControlCode, 26 + 20 + 5> all{};
  std::size_t n = 0;
  for (char c = 'A'; c <= 'Z'; ++c) all[n++] = {c, imgui::following(imgui::KeyCode::a, c - 'A')};
  for (char c = '0'; c <= '9'; ++c) {
    all[n++] = {c, imgui::following(imgui::KeyCode::zero, c - '0')};
    all[n++] = {c, imgui::following(imgui::KeyCode::pad_zero, c - '0')};
  }
  all[n++] = {'+', imgui::KeyCode::equal};
  all[n++] = {'+', imgui::KeyCode::pad_add};
  all[n++] = {'-', imgui::KeyCode::minus};
  all[n++] = {'-', imgui::KeyCode::pad_subtract};
  all[n++] = {',', imgui::KeyCode::comma};
  return all;
}();

// Its label is as label() writes it, since it was read.
std::optional<Command> find_own(const std::string& label, const OwnKeys& own) try {
  const auto at = own.find(label);
  return at == own.end() ? std::nullopt : std::optional(parse_command(at->second));
} catch (const std::invalid_argument&) {  // refused where it was read
  return {};
}

// The user's own, else that of the table; without Shift where that is not told apart.
std::optional<Command> find_key(KeyPress press, const OwnKeys& own) {
  if (auto command = find_own(label(press), own)) return command;
  for (const auto& key : all_keys)
    if (key.press == press) return key.action;
  const bool shifted = std::exchange(press.shift, false);
  return shifted ? find_key(press, own) : std::nullopt;
}

std::optional<Command> find_in_highgui(char character, NamedKey named, const OwnKeys& own) {
  const KeyPress press{character, named};
  if (auto command = find_own(label(press), own)) return command;
  for (const auto& key : all_keys)
    if (key.press == press && !key.in_highgui.empty()) return key.action;
  return {};
}

char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return small(x) == small(y); });
}

template <class Condition>
std::string labels_where(Action action, const Condition& condition) {
  std::string text;
  for (const auto& key : all_keys)
    if (key.action == action && condition(key)) text += (text.empty() ? "" : ", ") + label(key.press);
  return text;
}

}  // namespace

std::span<const Key> keys() { return all_keys; }

std::string label(const KeyPress& key) {
  const std::string shift = key.shift ? "Shift+" : "";
  if (key.named != NamedKey::none) return shift + std::string(code_of(key.named).label);
  if (key.character == ' ') return "Space";
  if (key.control) return "Ctrl+" + shift + std::string(1, key.character);
  const std::string name(1, capital(key.character));
  return key.character >= 'A' && key.character <= 'Z' ? "Shift+" + name : name;
}

KeyPress parse_key(std::string_view label) {
  auto rest = label;
  const auto take = [&](std::string_view word) {
    if (rest.size() <= word.size() || !same_word(rest.substr(0, word.size()), word)) return false;
    rest.remove_prefix(word.size());
    return true;
  };
  KeyPress key;
  key.control = take("Ctrl+");
  key.shift = take("Shift+");
  const auto quoted = "'" + std::string(label) + "'";
  if (const auto named = std::ranges::find_if(named_codes, [&](const auto& code) { return same_word(code.label, rest); });
      named != std::end(named_codes)) {
    if (key.control) throw std::invalid_argument(quoted + ": Ctrl goes with a letter, a digit, +, - or a comma");
    if (named->key == NamedKey::escape) throw std::invalid_argument("Esc closes what is on top, and nothing else");
    key.named = named->key;
    return key;
  }
  if (same_word(rest, "Space")) rest = " ";
  const auto character = rest.size() == 1 ? rest.front() : '\0';
  const auto known = [&] { return std::ranges::find(control_codes, capital(character), &ControlCode::character); };
  if (character < ' ' || character > '~' || (key.control && known() == control_codes.end()))
    throw std::invalid_argument("no key " + quoted +
                                ": write it as the list of keys does, as R, Shift+R, Ctrl+R, F5 or Page up");
  const bool letter = capital(character) >= 'A' && capital(character) <= 'Z';
  if (key.control)
    key.character = capital(character);
  else if (key.shift && !letter)
    throw std::invalid_argument("no key " + quoted + ": write the character that it types");
  else
    key.character = std::exchange(key.shift, false) ? capital(character) : small(character);
  return key;
}

std::string labels(Action action, const OwnKeys& own) {
  auto text = labels_where(action, [&](const Key& key) { return !own.contains(label(key.press)); });
  for (const auto& [key, line] : own)
    if (find_own(key, own) == Command(action)) text += (text.empty() ? "" : ", ") + key;
  return text;
}

std::string named_labels(Action action, std::span<const NamedKey> taken) {
  return labels_where(action, [&](const Key& key) {
    return key.press.named != NamedKey::none && std::ranges::find(taken, key.press.named) == taken.end();
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

std::vector<Command> pressed(const ImGuiIO& io, const OwnKeys& own, std::span<const NamedKey> taken) {
  std::vector<Command> commands;
  if (io.WantTextInput) return commands;
  const auto add = [&](const KeyPress& press) {
    if (auto command = find_key(press, own)) commands.push_back(std::move(*command));
  };
  for (const auto character : io.InputQueueCharacters)
    if (character < 128) add({static_cast<char>(character)});
  if (io.KeyCtrl && !io.KeyAlt && !io.KeySuper)
    for (const auto& code : control_codes)
      if (imgui::is_pressed(code.imgui)) add({code.character, NamedKey::none, true, io.KeyShift});
  // Alt+Tab and the like belong to the desktop.
  if (!io.KeyAlt && !io.KeyCtrl && !io.KeySuper)
    for (const auto& code : named_codes)
      if (std::ranges::find(taken, code.key) == taken.end() &&
          (code.repeats ? imgui::is_repeated(code.imgui) : imgui::is_pressed(code.imgui)))
        add({0, code.key, false, io.KeyShift});
  return commands;
}

std::optional<Command> from_highgui(int code, const OwnKeys& own) {
  if (code < 0) return {};
  for (const auto& named : named_codes)
    if (code == named.highgui[0] || code == named.highgui[1]) return find_in_highgui(0, named.key, own);
  // GTK stores the state of Shift, Caps lock and the like above the 16 bits of the key.
  const auto character = code & 0xffff;
  for (const auto& named : named_codes)
    if (character == named.highgui[0]) return find_in_highgui(0, named.key, own);
  if (character <= 0 || character >= 128) return {};
  return find_in_highgui(static_cast<char>(character), NamedKey::none, own);
}

}  // namespace app
