#include "app/control/key_table.h"

#include <algorithm>
#include <cmath>

#include "app/control/imgui_keys.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

constexpr std::string_view source = "Source", compute = "Table and effect", view = "View", results = "Results",
                           program = "Program";

// In the order of the help overlay; several keys of one action stand next to each other.
constexpr Key table[] = {
    {' ', NamedKey::none, Action::pause, source, "Pause or resume"},
    {'o', NamedKey::none, Action::reopen, source, "Open the source again"},
    {'l', NamedKey::none, Action::toggle_loop, source, "Loop at the end of a file"},
    {']', NamedKey::none, Action::next_algorithm, compute, "Next algorithm"},
    {0, NamedKey::page_down, Action::next_algorithm, compute, "Next algorithm"},
    {'[', NamedKey::none, Action::previous_algorithm, compute, "Previous algorithm"},
    {0, NamedKey::page_up, Action::previous_algorithm, compute, "Previous algorithm"},
    {'e', NamedKey::none, Action::next_effect, compute, "Next effect"},
    {'E', NamedKey::none, Action::previous_effect, compute, "Previous effect"},
    {'d', NamedKey::none, Action::switch_device, compute, "Next device: GPU, host, simulated GPU"},
    {'f', NamedKey::none, Action::fit, view, "Fit the picture", ""},
    {0, NamedKey::home, Action::fit, view, "Fit the picture", ""},
    {'1', NamedKey::none, Action::actual_size, view, "Zoom to 100%", ""},
    {'+', NamedKey::none, Action::zoom_in, view, "Zoom in (wheel: at the mouse)", ""},
    {'=', NamedKey::none, Action::zoom_in, view, "Zoom in (wheel: at the mouse)", ""},
    {'-', NamedKey::none, Action::zoom_out, view, "Zoom out", ""},
    {0, NamedKey::tab, Action::toggle_panels, view, "Show or hide the panels", "Show or hide the text"},
    {'s', NamedKey::none, Action::screenshot, results, "Save a screenshot"},
    {'r', NamedKey::none, Action::record, results, "Start or stop recording"},
    {'x', NamedKey::none, Action::export_timings, results, "Export the timings"},
    {'p', NamedKey::none, Action::reset_statistics, results, "Reset the statistics"},
    {'v', NamedKey::none, Action::toggle_vsync, program, "Wait for the screen (vsync) or not", ""},
    {'h', NamedKey::none, Action::toggle_help, program, "This help"},
    {0, NamedKey::f1, Action::toggle_help, program, "This help"},
    {'q', NamedKey::none, Action::quit, program, "Quit"},
    {0, NamedKey::escape, Action::quit, program, "Close the help or a list; else quit", "Quit"},
};

struct NamedCode {
  NamedKey key;
  std::string_view label;
  imgui::KeyCode imgui;
  int highgui[2];  // cv::waitKeyEx under GTK (X11 keysyms) and under Qt
};
constexpr NamedCode named_codes[] = {
    {NamedKey::tab, "Tab", imgui::KeyCode::tab, {9, 0x1000001}},
    {NamedKey::escape, "Esc", imgui::KeyCode::escape, {27, 0x1000000}},
    {NamedKey::f1, "F1", imgui::KeyCode::f1, {0xffbe, 0x1000030}},
    {NamedKey::page_up, "Page up", imgui::KeyCode::page_up, {0xff55, 0x1000016}},
    {NamedKey::page_down, "Page down", imgui::KeyCode::page_down, {0xff56, 0x1000017}},
    {NamedKey::home, "Home", imgui::KeyCode::home, {0xff50, 0x1000010}},
};

const NamedCode& code_of(NamedKey key) {
  const auto is = [&](const NamedCode& code) { return code.key == key; };
  return *std::find_if(std::begin(named_codes), std::end(named_codes), is);
}

std::optional<Action> find(char character, NamedKey named) {
  for (const auto& key : table)
    if (key.character == character && key.named == named) return key.action;
  return {};
}

std::optional<Action> find_in_highgui(char character, NamedKey named) {
  for (const auto& key : table)
    if (key.character == character && key.named == named && !key.in_highgui.empty()) return key.action;
  return {};
}

// The name `step` places after `current` in a round of names; the first where `current` is not among them.
std::string turn(const std::vector<std::string_view>& names, const std::string& current, int step) {
  if (names.empty()) return current;
  const auto at = std::find(names.begin(), names.end(), current);
  if (at == names.end()) return std::string(names.front());
  const auto count = static_cast<int>(names.size());
  return std::string(names[static_cast<std::size_t>((static_cast<int>(at - names.begin()) + step + count) % count)]);
}

void turn_algorithm(Settings& settings, gpu::Device device, int step) {
  std::vector<std::string_view> names;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (gpu::runs_on(*algorithm, device) && gpu::why_unavailable(*algorithm).empty()) names.push_back(algorithm->name);
  auto& name = device == gpu::Device::host ? settings.host_algorithm : settings.cuda_algorithm;
  name = turn(names, name, step);
}

// In a round: the GPU, the host, the simulated GPU, of which only the host is always there.
bool turn_device(Settings& settings, const ActionContext& context) {
  if (!context.cuda && !context.simulated) return false;
  switch (context.device) {
    case gpu::Device::cuda: settings.device = DeviceChoice::host; break;
    case gpu::Device::host: settings.device = context.simulated ? DeviceChoice::simulated : DeviceChoice::cuda; break;
    case gpu::Device::simulated: settings.device = context.cuda ? DeviceChoice::cuda : DeviceChoice::host; break;
  }
  return true;
}

void turn_effect(Settings& settings, int step) {
  std::vector<std::string_view> names;
  for (const auto* effect : gpu::all_effects()) names.push_back(effect->name);
  settings.effect = turn(names, settings.effect, step);
}

// Steps of a half octave that land on whole zooms: 50%, 71%, 100%, 141%, 200%.
double zoomed(double zoom, int steps) {
  const auto place = std::log2(zoom) * 2;
  const auto next = steps > 0 ? std::floor(place + 1e-6) + steps : std::ceil(place - 1e-6) + steps;
  return std::exp2(std::clamp(next, -10.0, 14.0) / 2);
}

}  // namespace

std::span<const Key> keys() { return table; }

std::string label(const Key& key) {
  if (key.named != NamedKey::none) return std::string(code_of(key.named).label);
  if (key.character == ' ') return "Space";
  const std::string upper(1, key.character >= 'a' && key.character <= 'z' ? static_cast<char>(key.character - 'a' + 'A')
                                                                          : key.character);
  return key.character >= 'A' && key.character <= 'Z' ? "Shift+" + upper : upper;
}

std::string labels(Action action) {
  std::string text;
  for (const auto& key : table)
    if (key.action == action) text += (text.empty() ? "" : ", ") + label(key);
  return text;
}

std::vector<std::string> highgui_help() {
  std::vector<std::string> lines;
  std::vector<Action> told;
  for (const auto& key : table) {
    if (key.in_highgui.empty() || std::find(told.begin(), told.end(), key.action) != told.end()) continue;
    told.push_back(key.action);
    lines.push_back(labels(key.action) + "  " + std::string(key.in_highgui));
  }
  return lines;
}

std::string_view description(Action action) {
  for (const auto& key : table)
    if (key.action == action) return key.description;
  return {};
}

std::vector<Action> pressed(const ImGuiIO& io) {
  std::vector<Action> actions;
  if (io.WantTextInput) return actions;
  for (const auto character : io.InputQueueCharacters)
    if (character < 128)
      if (const auto action = find(static_cast<char>(character), NamedKey::none)) actions.push_back(*action);
  // Alt+Tab and the like are the desktop's.
  if (!io.KeyAlt && !io.KeyCtrl && !io.KeySuper)
    for (const auto& code : named_codes)
      if (imgui::is_pressed(code.imgui))
        if (const auto action = find(0, code.key)) actions.push_back(*action);
  return actions;
}

std::optional<Action> from_highgui(int code) {
  if (code < 0) return {};
  for (const auto& named : named_codes)
    if (code == named.highgui[0] || code == named.highgui[1]) return find_in_highgui(0, named.key);
  // GTK puts the state of Shift, Caps lock and the like above the 16 bits of the key.
  const auto character = code & 0xffff;
  for (const auto& named : named_codes)
    if (character == named.highgui[0]) return find_in_highgui(0, named.key);
  return character > 0 && character < 128 ? find_in_highgui(static_cast<char>(character), NamedKey::none) : std::nullopt;
}

bool apply(Action action, Settings& settings, const ActionContext& context) {
  switch (action) {
    case Action::toggle_loop: settings.loop = !settings.loop; return true;
    case Action::next_algorithm: turn_algorithm(settings, context.device, 1); return true;
    case Action::previous_algorithm: turn_algorithm(settings, context.device, -1); return true;
    case Action::next_effect: turn_effect(settings, 1); return true;
    case Action::previous_effect: turn_effect(settings, -1); return true;
    case Action::switch_device:
      return turn_device(settings, context);
    case Action::fit:
      settings.zoom = 0;
      settings.centre_x = settings.centre_y = 0.5;
      return true;
    case Action::actual_size: settings.zoom = 1; return true;
    case Action::zoom_in: settings.zoom = zoomed(context.zoom, 1); return true;
    case Action::zoom_out: settings.zoom = zoomed(context.zoom, -1); return true;
    case Action::toggle_panels: settings.panels = !settings.panels; return true;
    case Action::toggle_help: settings.help = !settings.help; return true;
    case Action::toggle_vsync: settings.vsync = !settings.vsync; return true;
    case Action::pause:
    case Action::reopen:
    case Action::screenshot:
    case Action::record:
    case Action::export_timings:
    case Action::reset_statistics:
    case Action::quit: return false;
  }
  return false;
}

}  // namespace app
