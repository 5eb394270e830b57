#include <array>
#include <bit>

#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/control/palette_entries.h"
#include "app/support/address.h"
#include "app/ui/parameters.h"

namespace app::ui {
namespace {

// Why a source was lost, and the key that opens it at once.
std::string with_retry_key(const std::string& loss) { return loss + "; " + labels(Action::reopen) + " tries at once"; }

using capture::SourceKind;
using Phase = capture::Status::Phase;

void group_of_sources(const char* title) {
  ImGui::Separator();
  text(title, colour::dim);
}

// `note`: at the right, as far as it has room beside the text.
void entry(PanelContext& ui, const std::string& text, const std::string& source, std::string_view note = {},
           const std::string& problem = {}) {
  ImGui::PushID(source.c_str());
  const bool chosen = source == ui.settings.source;
  const auto at = ImGui::GetCursorScreenPos();
  const auto left = at.x + ImGui::GetContentRegionAvail().x - text_width(note);
  if (disabled_if(problem, without_controls(shown_address(source)), [&] { return list_entry(text, chosen); }))
    open_source(ui, source);
  if (!note.empty() && left > at.x + text_width(text) + em())
    ImGui::GetWindowDrawList()->AddText({left, at.y}, chosen ? colour::text : colour::dim, note.data(),
                                        note.data() + note.size());
  ImGui::PopID();
}

void source_field(PanelContext& ui) {
  auto& drafts = ui.drafts;
  // The field has the form that is shown, also while it is edited: open_source() adds what it hides.
  const auto& failed = ui.context.failed_source;
  const auto shown = shown_address(ui.settings.source);
  if (drafts.source_of == ui.settings.source && drafts.source == drafts.source_shown) drafts.source = shown;
  drafts.source_shown = shown;
  if (drafts.source_of != ui.settings.source) {
    drafts.source_of = ui.settings.source;
    // A source that could not be opened stays in the field to be corrected, although the previous source continues.
    if (failed.empty() || drafts.source != shown_address(failed)) drafts.source = shown;
  }
  ImGui::SetNextItemWidth(-1);
  const bool entered = text_input("##source", "rtsp:// or http:// address", drafts.source, shown_address(drafts.source),
                                  ImGuiInputTextFlags_EnterReturnsTrue);
  const bool failing = !failed.empty() &&
                       drafts.source == shown_address(failed);  // the reason is below, where a tooltip would hide it
  tooltip(failing ? ""
                  : "A camera (0, /dev/video0, its name), a video or image file, a stream's URL, synthetic or "
                    "synthetic:3840x2160, matrix:8x8 or a CSV file. Empty: the first camera that sends frames, "
                    "otherwise the bundled clip. Enter opens it. Files can be dropped on the window.");
  if (failing) wrapped(ui.state.failed_because, colour::bad);
  if (!entered) return;
  open_source(ui, std::string(unquoted(drafts.source)));
  ImGui::CloseCurrentPopup();
}

// The camera that plays: its description begins with its number.
const capture::CameraInfo* playing_camera(const State& state) {
  if (state.capture.kind != SourceKind::camera) return nullptr;
  const auto named = [&](const capture::CameraInfo& camera) {
    return state.capture.description.starts_with("camera " + std::to_string(camera.number) + " (");
  };
  const auto found = std::ranges::find_if(state.cameras, named);
  return found == state.cameras.end() ? nullptr : &*found;
}

void camera_mode_row(PanelContext& ui, const capture::CameraInfo& camera) {
  if (camera.modes.empty()) return;
  label("Mode", "Sizes and rates that this camera offers");
  const auto& settings = ui.settings;
  const auto name = [](gpu::Size size, double rate) {
    return text_of(size) + (rate > 0 ? ", " + number_as_text(rate) + "/s" : "");
  };
  std::vector<std::pair<gpu::Size, double>> all{{}};
  std::vector<ComboEntry> entries{{"The camera's own"}};
  const auto add = [&](gpu::Size size, double rate) {
    all.emplace_back(size, rate);
    entries.push_back({name(size, rate)});
  };
  for (const auto& mode : camera.modes) {
    for (const auto rate : mode.rates) add(mode.size, rate);
    if (mode.rates.empty()) add(mode.size, 0);
  }
  const auto now = std::ranges::find(all, std::pair(settings.size, settings.fps)) - all.begin();
  const auto shown = settings.size.pixels() > 0 ? name(settings.size, settings.fps) : entries[0].text;
  if (const auto chosen = combo("##mode", shown, entries, static_cast<std::size_t>(now))) {
    const auto& [size, rate] = all[*chosen];
    ui.change(std::array{Change{"size", size.pixels() > 0 ? text_of(size) : ""}, Change{"fps", number_as_text(rate)}});
  }
}

// A row for a setting that is typed.
void field_row(PanelContext& ui, const char* name, const char* path, const char* hint, const char* help,
               const std::string& why_not = {}) {
  label(name, help);
  disabled_if(why_not, help, [&] { setting_field(ui, path, hint); });
}

bool value_row(const char* name, const char* help, int& value, double end) {
  static constexpr auto whole = gpu::integer("value", "0", 0, capture::largest_value, "");
  auto written = std::to_string(value);
  label(name, help);
  ImGui::PushID(name);
  const bool changed = number_control(whole, written, false, end);
  ImGui::PopID();
  tooltip(help);
  if (changed) value = std::stoi(written);
  return changed;
}

// Rows for the window of values, which a source of 16 bits alone has. Neither end passes the other.
void values_rows(PanelContext& ui) {
  const auto& automatic = ui.state.capture.automatic;
  if (!automatic) return;
  auto [from, to] = ui.settings.values.value_or(*automatic);
  constexpr auto help =
      "The source has 16 bits, and effects and tables see the 8 that are shown of them. Automatic: from the "
      "least to the greatest value of its first picture, without a thousandth at each end";
  label(window_words("values"), help);
  bool is_automatic = !ui.settings.values;
  const bool chosen = checkbox("Automatic", is_automatic, help);
  // With room above what is there; more can be typed.
  const auto end = std::min<unsigned>(2 * std::bit_ceil(static_cast<unsigned>(automatic->to) + 1) - 1,
                                      capture::largest_value);
  const bool black = value_row("Black", "The value that is black, and all below", from, end);
  if (black) from = std::clamp(from, 0, to - 1);
  const bool white = value_row("White", "The value that is white, and all above", to, end);
  if (white) to = std::clamp(to, from + 1, capture::largest_value);
  if (chosen && is_automatic)
    ui.settings.values.reset();
  else if (chosen || black || white)
    ui.settings.values = {from, to};
}

void playback_row(PanelContext& ui) {
  const auto kind = ui.state.capture.kind;
  checkbox("Max speed", ui.settings.max_speed, "Every frame, as fast as possible",
           kind == SourceKind::camera ? "A camera has its own rate"
           : ui.state.capture.live    ? "A live stream has its own rate"
           : capture::is_still(kind)  ? "A single picture has no speed"
                                      : "");
}

void status(const PanelContext& ui) {
  const auto& capture = ui.state.capture;
  switch (capture.phase) {
    case Phase::opening: wrapped(capture.message.empty() ? "opening..." : capture.message, colour::accent); return;
    case Phase::retrying:  // between two attempts it says that it was lost; an attempt says what it does
      wrapped(capture.message.starts_with(capture.loss) ? with_retry_key(capture.message) : capture.message,
              colour::warning);
      return;
    case Phase::failed: wrapped(capture.message, colour::bad); return;
    case Phase::ended:
    case Phase::playing: break;
  }
  wrapped(shortened(capture.description, em() * 60), colour::text);
  if (!capture.message.empty()) wrapped(capture.message, capture.silent ? colour::warning : colour::dim);
  if (capture::is_still(capture.kind)) return;
  const std::string phase = capture.phase == Phase::ended ? "ended" : ui.state.paused ? "paused" : "playing";
  wrapped(phase + "   " + latency_text(ui.state), colour::dim);
  if (capture.live)
    wrapped(capture.measured_fps > 0 ? "sends " + number(capture.measured_fps, 1) + "/s, as measured" : "rate not known yet",
            colour::dim);
  wrapped("since it was opened: " + counted(capture.delivered, "frame") + ", " + grouped(capture.dropped) + " dropped",
          capture.dropped ? colour::warning : colour::dim);
}

void cameras(PanelContext& ui) {
  group_of_sources("Cameras");
  for (const auto& camera : ui.state.cameras) {
    entry(ui, camera.name, camera.path, camera.path, camera.reason);
    if (&camera == playing_camera(ui.state)) camera_mode_row(ui, camera);
  }
  if (ui.state.cameras.empty()) text("none is connected", colour::dim);
}

// The scenes have a list of their own: a size each.
void things_to_try(PanelContext& ui) {
  group_of_sources("Try");
  bool in_scenes = false, scenes = false;
  for (const auto& [title, source] : built_in_sources) {
    const bool scene = source.starts_with("synthetic");
    if (scene && !std::exchange(in_scenes, true)) scenes = ImGui::BeginMenu("Test scene");
    if (!scene && std::exchange(in_scenes, false) && std::exchange(scenes, false)) ImGui::EndMenu();
    if (scene && !scenes) continue;
    const bool of_key = source == "matrix:8x8", clip = source.empty() && ui.state.cameras.empty();
    entry(ui, clip ? "Bundled clip" : std::string(title), std::string(source),
          of_key ? ui.keys(Action::matrix) : std::string());
  }
  if (scenes) ImGui::EndMenu();
}

void lately(PanelContext& ui) {
  if (std::ranges::all_of(ui.state.recent, &std::string::empty)) return;
  group_of_sources("Lately");
  for (const auto& source : ui.state.recent)
    if (!source.empty()) entry(ui, end_of(shown_address(source), em() * 19), source);
}

// What is requested of a source, and how it is played.
void requests(PanelContext& ui) {
  if (!ImGui::TreeNodeEx("Size, rate and memory", ImGuiTreeNodeFlags_NoTreePushOnOpen)) return;
  const auto kind = ui.state.capture.kind;
  const auto why_not = kind == SourceKind::camera || kind == SourceKind::synthetic || kind == SourceKind::unknown ? ""
                       : kind == SourceKind::matrix ? "A matrix has its own size"
                       : ui.state.capture.live      ? "A live stream has its own size and rate"
                                                    : "A file has its own size and rate";
  constexpr auto own = "the source's own";
  field_row(ui, "Size", "size", own, "Requested size, as 1280x720; empty: the source's own", why_not);
  field_row(ui, "Rate", "fps", own, "Requested frames per second; empty: the source's own", why_not);
  field_row(ui, "Memory, MB", "memory_budget", "a quarter of all",
            "Memory that reading a picture may take, in MB, by what its file says of its size; empty: a quarter of the "
            "machine's. It holds for what is opened from now on");
  playback_row(ui);
}

}  // namespace

std::string_view no_signal(const capture::Status& capture) {
  return !capture.loss.empty() ? "lost" : capture.silent ? "no signal" : "";
}

std::string why_no_signal(const capture::Status& capture) {
  return capture.loss.empty() ? capture.message : with_retry_key(capture.loss);
}

std::string latency_text(const State& state) {
  const auto& capture = state.capture;
  const bool due = capture.phase == Phase::playing && !state.paused && !capture.silent;
  return due ? "latency " + number(state.frame_age_ms, 1) + " ms" : "latency -";
}

void open_source(PanelContext& ui, const std::string& name) {
  if (is_kernel_file(name)) {
    Command open(Action::open);
    open.text = name;
    return ui.act(open);
  }
  const auto source = named_source(name, ui.settings, ui.context);
  if (source == ui.settings.source) ui.act(Action::reopen);
  ui.change("source", source);
  ui.drafts.source_of = source;
  ui.drafts.source = shown_address(source);
}

void source_list(PanelContext& ui) {
  const MenuStyle style;
  ImGui::Dummy({em() * 20, 0});
  menu_item(ui, "toggle browse", {"Open file"});
  source_field(ui);
  cameras(ui);
  things_to_try(ui);
  lately(ui);
  ImGui::Separator();
  values_rows(ui);
  requests(ui);
  status(ui);
}

}  // namespace app::ui
