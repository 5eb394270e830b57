#include "app/control/key_table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "app/control/imgui_keys.h"

namespace app {
namespace {

using imgui::KeyCode;
using Where = Key::Where;

struct KeyRow {
  std::array<std::string_view, 3> keys;  // their labels
  std::string_view line;                 // the command
  Where where = Where::everywhere;
  std::string_view words = {};  // what it does there, where the command does more
};
constexpr auto window = Where::window, highgui = Where::highgui;

// In the order of the help overlay. Where mpv has a key for the same, it is mpv's.
constexpr KeyRow rows[] = {
    {{"Space", "P"}, "toggle_pause"},
    {{","}, "step -1"},
    {{"."}, "step 1"},
    {{"Shift+Left"}, "seek -1"},
    {{"Shift+Right"}, "seek +1"},
    {{"Left"}, "seek -5"},
    {{"Right"}, "seek +5"},
    {{"Down"}, "seek -60"},
    {{"Up"}, "seek +60"},
    {{"0"}, "seek 0"},
    {{"{"}, "multiply speed 0.5"},
    {{"}"}, "multiply speed 2"},
    {{"["}, "speed /1.1"},
    {{"]"}, "multiply speed 1.1"},
    {{"Backspace"}, "reset speed"},
    {{"L"}, "toggle loop"},
    {{"Ctrl+O"}, "toggle browse"},
    {{"O"}, "reopen"},
    {{"M"}, "matrix", window},
    {{"Page down"}, "cycle algorithm"},
    {{"Page up"}, "cycle algorithm back"},
    {{"A"}, "toggle_cards", window},
    {{"/", "Ctrl+F"}, "search_cards", window},
    {{"E"}, "cycle effect"},
    {{"Shift+E"}, "cycle effect back"},
    {{"D"}, "cycle device"},
    {{"C"}, "toggle_compare"},
    {{"Shift+C"}, "swap_sides"},
    {{"Shift+D"}, "toggle_difference"},
    {{"K"}, "toggle check"},
    {{"Shift+F"}, "show_feature", window},
    {{"N"}, "next_feature", window},
    {{"Shift+N"}, "previous_feature", window},
    {{">"}, "next_stage", window},
    {{"<"}, "previous_stage", window},
    {{"Home", "W"}, "fit", window},
    {{"1"}, "actual_size", window},
    {{"+", "="}, "zoom_in", window},
    {{"-"}, "zoom_out", window},
    {{"B"}, "toggle rectangle_tool", window},
    {{"Delete"}, "reset rectangle", window},
    {{"Tab"}, "toggle panels", window},
    {{"Tab"}, "toggle panels", highgui, "Show or hide the text"},
    {{"I"}, "measure", window},
    {{"Shift+L"}, "toggle presentation", window},
    {{"F", "F11"}, "toggle fullscreen", window},
    {{"T"}, "cycle theme", window},
    {{"Ctrl++"}, "ui_larger"},
    {{"Ctrl+-"}, "ui_smaller"},
    {{"Ctrl+0"}, "reset ui_scale"},
    {{"S"}, "screenshot"},
    {{"Ctrl+S", "Shift+S"}, "save_picture"},
    {{"Ctrl+C"}, "copy_picture"},
    {{"R"}, "toggle_record"},
    {{"Shift+O"}, "open_folder"},
    {{"X"}, "toggle export_menu", window},
    {{"X"}, "export", highgui},
    {{"Shift+T"}, "trace", window},
    {{"G"}, "toggle graph_paused", window},
    {{"Shift+P"}, "reset_statistics"},
    {{"Shift+A"}, "toggle_race", window},
    {{"Ctrl+Z"}, "undo"},
    {{"Ctrl+Shift+Z"}, "redo"},
    {{"V"}, "toggle vsync", window},
    {{"Ctrl+P"}, "toggle palette"},
    {{"Ctrl+,"}, "toggle preferences"},
    {{"H", "?", "F1"}, "toggle help"},
    {{"Q", "Ctrl+Q"}, "quit"},
    {{"Esc"}, "close", window},
    {{"Esc"}, "close", highgui, "Close the help"},
};

struct NamedCode {
  KeyCode key;
  std::string_view label;
  int highgui[2];        // cv::waitKeyEx under GTK (X11 keysyms) and under Qt
  bool repeats = false;  // while it is held down
};
constexpr auto named_codes = [] {
  constexpr std::string_view functions[] = {"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"};
  std::array<NamedCode, 12 + std::size(functions)> all{{
      {KeyCode::tab, "Tab", {9, 0x1000001}},
      {KeyCode::escape, "Esc", {27, 0x1000000}},
      {KeyCode::page_up, "Page up", {0xff55, 0x1000016}},
      {KeyCode::page_down, "Page down", {0xff56, 0x1000017}},
      {KeyCode::home, "Home", {0xff50, 0x1000010}},
      {KeyCode::end, "End", {0xff57, 0x1000011}},
      {KeyCode::left, "Left", {0xff51, 0x1000012}, true},
      {KeyCode::right, "Right", {0xff53, 0x1000014}, true},
      {KeyCode::up, "Up", {0xff52, 0x1000013}, true},
      {KeyCode::down, "Down", {0xff54, 0x1000015}, true},
      {KeyCode::backspace, "Backspace", {0xff08, 0x1000003}},
      {KeyCode::del, "Delete", {0xffff, 0x1000007}},
  }};
  for (int i = 0; i < 12; ++i)
    all[all.size() - 12 + i] = {imgui::following(KeyCode::f1, i), functions[i], {0xffbe + i, 0x1000030 + i}};
  return all;
}();

const NamedCode& code_of(KeyCode key) {
  const auto is = [&](const NamedCode& code) { return code.key == key; };
  return *std::find_if(std::begin(named_codes), std::end(named_codes), is);
}

// The keys that can be pressed with Ctrl: letters, digits, +, - and the comma.
struct ControlCode {
  char character;
  KeyCode imgui;
};
constexpr auto control_codes = [] {
  std::array<ControlCode, 26 + 20 + 5> all{};
  std::size_t n = 0;
  for (char c = 'A'; c <= 'Z'; ++c) all[n++] = {c, imgui::following(KeyCode::a, c - 'A')};
  for (char c = '0'; c <= '9'; ++c) {
    all[n++] = {c, imgui::following(KeyCode::zero, c - '0')};
    all[n++] = {c, imgui::following(KeyCode::pad_zero, c - '0')};
  }
  all[n++] = {'+', KeyCode::equal};
  all[n++] = {'+', KeyCode::pad_add};
  all[n++] = {'-', KeyCode::minus};
  all[n++] = {'-', KeyCode::pad_subtract};
  all[n++] = {',', KeyCode::comma};
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
  for (const auto& key : keys())
    if (key.press == press && key.where != highgui) return key.command;
  const bool shifted = std::exchange(press.shift, false);
  return shifted ? find_key(press, own) : std::nullopt;
}

std::optional<Command> find_in_highgui(char character, KeyCode named, const OwnKeys& own) {
  const KeyPress press{character, named};
  if (auto command = find_own(label(press), own)) return command;
  for (const auto& key : keys())
    if (key.press == press && key.where != window) return key.command;
  return {};
}

char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return small(x) == small(y); });
}

// Of a label, whoever has the key.
KeyPress key_of(std::string_view label) {
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

template <class Condition>
std::string labels_where(const Command& command, const Condition& condition) {
  std::string text;
  for (const auto& key : keys())
    if (key.command == command && condition(key)) text += (text.empty() ? "" : ", ") + label(key.press);
  return text;
}

}  // namespace

std::span<const Key> keys() {
  static const std::vector<Key> all = [] {
    std::vector<Key> keys;
    for (const auto& row : rows) {
      const auto command = parse_command(row.line);
      for (const auto label : row.keys)
        if (!label.empty())
          keys.push_back({key_of(label), command, row.where, row.words.empty() ? description(command) : row.words});
    }
    return keys;
  }();
  return all;
}

std::string label(const KeyPress& key) {
  const std::string shift = key.shift ? "Shift+" : "";
  if (key.named != KeyCode{}) return shift + std::string(code_of(key.named).label);
  if (key.character == ' ') return "Space";
  if (key.control) return "Ctrl+" + shift + std::string(1, key.character);
  const std::string name(1, capital(key.character));
  return key.character >= 'A' && key.character <= 'Z' ? "Shift+" + name : name;
}

KeyPress parse_key(std::string_view label) {
  const auto key = key_of(label);
  if (key.named == KeyCode::escape) throw std::invalid_argument("Esc closes what is on top, and nothing else");
  return key;
}

std::string labels(const Command& command, const OwnKeys& own) {
  auto text = labels_where(command, [&](const Key& key) { return key.where != highgui && !own.contains(label(key.press)); });
  for (const auto& [key, line] : own)
    if (find_own(key, own) == command) text += (text.empty() ? "" : ", ") + key;
  return text;
}

std::vector<std::string> highgui_help() {
  const auto works = [](const Key& key) { return key.where != window && !key.press.control && !key.press.shift; };
  std::vector<std::string> lines;
  const Command* before = nullptr;
  for (const auto& key : keys()) {
    if (!works(key) || (before && *before == key.command)) continue;
    before = &key.command;
    lines.push_back(labels_where(key.command, works) + '\t' + std::string(key.description));
  }
  return lines;
}

std::vector<Command> pressed(const ImGuiIO& io, const OwnKeys& own, std::span<const KeyCode> taken) {
  std::vector<Command> commands;
  if (io.WantTextInput) return commands;
  const auto add = [&](const KeyPress& press) {
    if (auto command = find_key(press, own)) commands.push_back(std::move(*command));
  };
  for (const auto character : io.InputQueueCharacters)
    if (character < 128) add({static_cast<char>(character)});
  if (io.KeyCtrl && !io.KeyAlt && !io.KeySuper)
    for (const auto& code : control_codes)
      if (imgui::is_pressed(code.imgui)) add({code.character, {}, true, io.KeyShift});
  // Alt+Tab and the like belong to the desktop.
  if (!io.KeyAlt && !io.KeyCtrl && !io.KeySuper)
    for (const auto& code : named_codes)
      if (std::ranges::find(taken, code.key) == taken.end() &&
          (code.repeats ? imgui::is_repeated(code.key) : imgui::is_pressed(code.key)))
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
  return find_in_highgui(static_cast<char>(character), {}, own);
}

}  // namespace app
