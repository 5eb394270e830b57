// The bar at the top: the source, the device, how pictures reach the screen, and the frame rate.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/capture/capture.h"
#include "app/pipeline/picture_drawing.h"
#include "app/ui/frame_graph.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

std::string device_text(const State& state) {
  if (state.device == gpu::Device::cuda) return state.gpu ? state.gpu->name : "CUDA";
  if (state.device == gpu::Device::simulated) return "simulated GPU";
  return "CPU, " + std::to_string(state.host_threads) + (state.host_threads == 1 ? " thread" : " threads");
}

std::string device_help(const PanelContext& ui) {
  const auto& state = ui.state;
  std::string help;
  if (state.gpu)
    help = state.gpu->name + ", compute capability " + std::to_string(state.gpu->major) + '.' +
           std::to_string(state.gpu->minor) + ", " + std::to_string(state.gpu->multiprocessors) + " multiprocessors, " +
           bytes(state.gpu->memory_bytes);
  else
    help = "No CUDA device: " + state.cuda_unavailable;
  return help + "\nThe pipeline holds " + bytes(state.memory_bytes) + "." +
         (state.device == gpu::Device::simulated
              ? "\nThe CUDA kernels run thread by thread on the CPU: the results are those of a GPU, the times are not."
              : "") +
         "\nClick for the next device   " + ui.keys(Action::next_device);
}

std::string path_help(const State& state) {
  const auto drawn = "\nDrawn by " + state.gl.renderer + ", OpenGL " + state.gl.version;
  if (state.interop) return "CUDA writes into the OpenGL texture: no copy through host memory." + drawn;
  return "Pixels go through host memory: " + state.staged_reason + drawn;
}

std::string check_help(const PanelContext& ui) {
  const auto& check = ui.state.check;
  const auto counts = grouped(check.checked) + " checked, " + grouped(check.wrong) + " wrong";
  if (check.wrong == 0)
    return "Every table is checked by the four-point identity: " + counts + "\nClick to stop   " +
           ui.keys(Action::toggle_check);
  return counts + "; the first: " + check.first_wrong + "\nClick to save that frame; " + ui.keys(Action::reset_statistics) +
         " resets the light";
}

std::string rate_help(const State& state) {
  const auto& capture = state.capture;
  if (!no_signal(capture).empty()) return why_no_signal(capture);
  if (state.idle) return "Nothing changes; the window is redrawn when something does";
  return "fps: new pictures shown per second, over the last second; the target is " +
         rate_text(1000 / state.graph.target_ms) + ". The window itself is drawn " + number(state.fps, 1) +
         " times per second";
}

// The one rate that is called fps: what people call the frame rate. A still source has none, however often its numbers are changed.
double rate(const State& state) { return capture::is_still(state.capture.kind) ? 0 : state.picture_fps; }

std::string rate_words(const State& state) {
  if (const auto lost = no_signal(state.capture); !lost.empty()) return std::string(lost);
  if (state.idle) return "idle";
  if (rate(state) > 0) return number(rate(state), 1) + " fps";
  // The last one: frames should come, and none has come for a second.
  return state.paused ? "paused" : capture::is_still(state.capture.kind) ? "still" : "- fps";
}

// What the bar says; an empty text is not there. Those that save pictures always are.
struct Words {
  std::string title = "satscope", check, saving, device, path, rate, picture = "Save picture", window = "Screenshot",
              record = "Record", folder = "Open folder", help = "Help";
};

Words words_of(const State& state, bool checks) {
  Words words;
  if (checks) words.check = state.check.wrong ? "table wrong" : state.check.checked ? "table right" : "not checked";
  if (state.saving_video) words.saving = "saving video";
  if (state.saving_video && state.saved_part > 0) words.saving += ' ' + number(state.saved_part * 100, 0) + '%';
  words.device = device_text(state);
  words.path = state.interop ? "interop" : "staged";
  words.rate = rate_words(state);
  if (state.recording) words.record = "Stop " + seconds(state.recorded_seconds);
  return words;
}

// What gives way where the bar is too narrow, one after another: texts become shorter, then parts are left out.
constexpr void (*ways[])(Words& words, const State& state) = {
    [](Words& words, const State& state) {
      words.device = state.device == gpu::Device::cuda        ? "GPU"
                     : state.device == gpu::Device::simulated ? "simulated"
                                                              : "CPU";
    },
    [](Words& words, const State&) {
      if (!words.saving.empty()) words.saving = "saving";
    },
    [](Words& words, const State& state) {
      if (!words.check.empty()) words.check = state.check.wrong ? "wrong" : state.check.checked ? "right" : "check";
    },
    [](Words& words, const State&) { words.title.clear(); },
    [](Words& words, const State&) { words.path.clear(); },
    [](Words& words, const State&) { words.picture = "Save"; },
    [](Words& words, const State&) { words.window = "Screen"; },
    [](Words& words, const State&) { words.folder = "Folder"; },
    [](Words& words, const State&) { words.folder.clear(); },
    [](Words& words, const State&) { words.help = "?"; },
};

float title_width(const Words& words) {
  if (words.title.empty()) return 0;
  const WithFont title(Font::bold);
  return text_width(words.title) + ImGui::GetFontSize();
}

// The width of the chips and buttons, and of a gap before them.
float width_of(const Words& words) {
  const auto& style = ImGui::GetStyle();
  const auto em = ImGui::GetFontSize();
  const auto chip_extra = em * 0.9f + style.FramePadding.x * 2 + style.ItemSpacing.x;
  const auto button_extra = style.FramePadding.x * 2 + style.ItemInnerSpacing.x;
  auto width = em;
  for (const std::string_view text : {words.check, words.saving, words.device, words.path, words.rate})
    if (!text.empty()) width += text_width(text) + chip_extra;
  for (const std::string_view text : {words.picture, words.window, words.folder, words.help})
    if (!text.empty()) width += text_width(text) + button_extra;
  // As wide as it will be soon: nothing moves while it counts.
  const auto record = text_width(words.record), counting = text_width("Stop 00:00.0");
  return width + (words.record == "Record" ? record : std::max(record, counting)) + button_extra;
}

std::string_view short_name(const capture::Status& capture) {
  if (capture.description.empty()) return capture.message;
  return capture.name.empty() ? capture.description : capture.name;
}

// As much text about the source as fits: its description, its name, the end of its name; of a message both ends.
std::string source_text(const capture::Status& capture, float room) {
  if (capture.description.empty()) return shortened(capture.message, room);
  return text_width(capture.description) <= room ? capture.description : end_of(short_name(capture), room);
}

Words fitting_words(const PanelContext& ui, float room) {
  auto words = words_of(ui.state, ui.settings.check || ui.state.check.wrong > 0);
  const auto least = std::min(text_width(short_name(ui.state.capture)), ImGui::GetFontSize() * 7);  // of the source's name
  for (const auto give_way : ways) {
    if (title_width(words) + least + width_of(words) <= room) break;
    give_way(words, ui.state);
  }
  return words;
}

void saving_chip(const std::string& words) {
  chip("saving", words, colour::warning, "The video that was stopped is still being written");
}

void chips(PanelContext& ui, const Words& words) {
  const auto& state = ui.state;
  if (!words.check.empty()) {
    const auto light = state.check.wrong ? colour::bad : state.check.checked ? colour::good : colour::dim;
    if (chip("check", words.check, light, check_help(ui)))
      ui.act(state.check.wrong ? Action::save_wrong_frame : Action::toggle_check);
    ImGui::SameLine();
  }
  if (!words.saving.empty()) {
    saving_chip(words.saving);
    ImGui::SameLine();
  }
  const auto path = path_help(state);
  const bool on_gpu = state.device == gpu::Device::cuda;
  if (chip("device", words.device, on_gpu ? colour::good : colour::accent,
           device_help(ui) + (words.path.empty() ? "\n" + path : "")))
    ui.act(Action::next_device);
  ImGui::SameLine();
  if (!words.path.empty()) {
    chip("path", words.path, state.interop ? colour::good : on_gpu ? colour::warning : colour::dim, path);
    ImGui::SameLine();
  }
  const bool slow = rate(state) > 0 && !on_time(1000 / rate(state), state.graph.target_ms);
  const bool runs = rate(state) > 0 && !state.idle;  // else there is nothing that could be on time
  const auto light = slow || !no_signal(state.capture).empty() ? colour::warning : runs ? colour::good : colour::dim;
  chip("rate", words.rate, light, rate_help(state));
  ImGui::SameLine();
}

void buttons(PanelContext& ui, const Words& words) {
  const auto act = [&](const std::string& text, const char* id, Action action) {
    if (text.empty()) return;
    action_button(ui, (text + "###" + id).c_str(), action);
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  };
  act(words.picture, "picture", Action::save_picture);
  act(words.window, "window", Action::screenshot);
  {
    const WithText red(ui.state.recording ? colour::bad : colour::text);
    act(words.record, "record", Action::toggle_record);
  }
  act(words.folder, "folder", Action::open_folder);
  act(words.help, "help", Action::toggle_help);
}

}  // namespace

void bar(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("bar", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y + rect.height - 1}, {rect.x + rect.width, rect.y + rect.height});
  const auto em = ImGui::GetFontSize(), padding = ImGui::GetStyle().WindowPadding.x;
  const auto middle = (rect.height - ImGui::GetFrameHeight()) / 2;
  const auto words = fitting_words(ui, rect.width - 2 * padding);
  ImGui::SetCursorPosY(middle);
  ImGui::AlignTextToFramePadding();
  if (!words.title.empty()) {
    const WithFont title(Font::bold);
    text(words.title, colour::accent);
    ImGui::SameLine(0, em);
  }
  // The chips are at the right end; the source's name takes the space that is left.
  const auto start = ImGui::GetCursorPosX(), chips_at = rect.width - padding - width_of(words);
  const auto& capture = ui.state.capture;
  text(source_text(capture, std::max(0.f, chips_at - start)), colour::dim);
  tooltip(capture.description.empty() ? capture.message : capture.description);
  ImGui::SetCursorPos({std::max(start, chips_at + em), middle});
  chips(ui, words);
  buttons(ui, words);
}

// The light is the same as that of the bar's button.
void recording_mark(PanelContext& ui) {
  const auto& state = ui.state;
  if (state.recording && chip("recording", "Recording " + seconds(state.recorded_seconds), colour::bad,
                              "Click to stop   " + ui.keys(Action::toggle_record)))
    ui.act(Action::toggle_record);
  if (state.recording && state.saving_video) ImGui::SameLine();
  if (state.saving_video) saving_chip(words_of(state, false).saving);
}

void recording_overlay(PanelContext& ui, const Rect& picture) {
  if (!ui.state.recording && !ui.state.saving_video) return;
  const auto gap = std::round(10 * ui.scale);
  ImGui::SetNextWindowPos({picture.x + picture.width - gap, picture.y + gap}, ImGuiCond_Always, {1, 0});
  const OverlayWindow overlay("recording", ui.scale,
                              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_AlwaysAutoResize |
                                  ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoScrollbar,
                              ImVec2(0, 0));
  if (overlay.visible()) recording_mark(ui);
}

// The line at the bottom: the pixel under the mouse, and figures of the picture.
namespace {

void field(std::string_view name, const std::string& value, float width) {
  const auto start = ImGui::GetCursorPosX();
  text(name, colour::dim);
  ImGui::SameLine(0, ImGui::GetFontSize() * 0.4f);
  text(value);
  // Fixed positions: a figure that changes does not move those after it.
  ImGui::SameLine(start + width * ImGui::GetFontSize());
}

void colour_sample(gpu::Rgba shown) {
  const auto side = std::round(ImGui::GetFontSize() * 0.8f);
  const auto at = ImGui::GetCursorScreenPos();
  const auto top = at.y + std::round((ImGui::GetFontSize() - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, IM_COL32(shown.r, shown.g, shown.b, 255),
                                            2);
  ImGui::Dummy({side, side});
  ImGui::SameLine(0, ImGui::GetFontSize() * 0.5f);
  field("picture", std::to_string(shown.r) + ' ' + std::to_string(shown.g) + ' ' + std::to_string(shown.b), 10.5f);
}

float width_of_values(const Pixel& pixel) { return pixel.values.empty() ? 0 : pixel.values.size() == 1 ? 7.f : 14.f; }

// Its colour is of the picture, after the effect; its gray level and its entry of the table are of the frame, before it; the values
// of 16 bits are the source's own.
void pixel(const Pixel& pixel) {
  field("x", std::to_string(pixel.x), 4);
  field("y", std::to_string(pixel.y), 4);
  if (pixel.shown) colour_sample(*pixel.shown);
  if (pixel.gray) field("frame gray", std::to_string(*pixel.gray), 8);
  if (pixel.sum) field("table", grouped(*pixel.sum), 10);
  if (pixel.values.empty()) return;
  std::string values;
  for (const auto value : pixel.values) values += (values.empty() ? "" : " ") + std::to_string(value);
  field("16-bit", values, width_of_values(pixel));
}

// The width of pixel(), in em.
float width_of(const Pixel& pixel) { return 42 + width_of_values(pixel); }

// What the mouse does here, and the keys.
std::string hint_of_picture(const PanelContext& ui) {
  return shows_matrix(ui.settings, ui.state.capture.kind)
             ? "Click: change a number    " + ui.keys(Action::toggle_matrix) + ": picture"
         : ui.settings.rectangle_tool ? "Wheel: zoom    drag: draw the rectangle"
                                      : "Wheel: zoom    drag: move    Shift+drag: rectangle";
}

// The hint while a number is selected: then most of the window's keys are the grid's.
std::string hint_of_number(const MatrixDraft& number) {
  return number.editing ? "Enter: accept    Esc: leave the number as it was"
                        : "Arrows: another number    Enter: edit    Esc: end";
}

// Also while the mouse is on the picture, so before what it is on. Shorter where there is no room; false where there is none at
// all.
bool hint(const PanelContext& ui, float room) {
  const auto grid = keys_of_matrix(ui);
  const auto what = grid.empty() ? hint_of_picture(ui) : hint_of_number(ui.drafts.matrix);
  auto all = what;
  for (const auto& [action, words] : {std::pair(Action::toggle_panels, ": panels"), {Action::toggle_help, ": keys"}}) {
    const auto keys = grid.empty() ? ui.keys(action) : named_labels(action, grid);
    if (!keys.empty() && (grid.empty() || !ui.drafts.matrix.editing)) all += "    " + keys + words;
  }
  const auto fits = [room](const std::string& words) { return ImGui::CalcTextSize(words.c_str()).x <= room; };
  if (room < ImGui::GetFontSize() * 6) return false;
  text(fits(all) ? all : shortened(what, room), colour::dim);
  return true;
}

// The most important ones first.
std::vector<std::string> figures(const State& state) {
  if (state.picture.width <= 0) return {};
  std::vector<std::string> all{std::to_string(state.picture.width) + " x " + std::to_string(state.picture.height),
                               number(state.zoom * 100, 0) + "%"};
  const bool still = capture::is_still(state.capture.kind);  // it has no latency
  if (const auto lost = no_signal(state.capture); !lost.empty())
    all.emplace_back(lost);
  else if (state.idle)
    all.push_back("idle");
  if (!still) all.push_back(latency_text(state));
  all.push_back(bytes(state.memory_bytes));
  return all;
}

constexpr const char* figures_help =
    "\n\nThe size of the picture, and its magnification. Latency: from the time at which the frame was read until it was "
    "shown. At the end: memory that "
    "the pipeline holds.";

}  // namespace

void status_line(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("status", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  const WithFont small(Font::small);
  ImGui::SetCursorPosY(std::round((rect.height - ImGui::GetFontSize()) / 2));
  if (!ui.state.refusal.empty()) {
    text(shortened("refused: " + ui.state.refusal, rect.width * 0.55f), colour::warning);
    tooltip("What the panels choose was refused; the picture shows the last choice that works, or the source itself. " +
            ui.state.refusal);
  } else if (const auto& warning = ui.state.capture.warning; !warning.empty() && !ui.state.pixel)
    text(shortened(warning, rect.width * 0.55f), colour::warning);
  else if (hint(ui, rect.width - ImGui::GetFontSize() * (ui.state.pixel ? width_of(*ui.state.pixel) : 0)) && ui.state.pixel)
    ImGui::SameLine(0, ImGui::GetFontSize() * 2);
  if (ui.state.pixel && ui.state.refusal.empty()) pixel(*ui.state.pixel);
  const auto& style = ImGui::GetStyle();
  ImGui::SameLine();
  const auto left = ImGui::GetCursorPosX() + ImGui::GetFontSize();
  const auto all = figures(ui.state);
  const auto right = line_of(all, "    ", rect.width - style.WindowPadding.x - left);
  ImGui::SetCursorPosX(rect.width - ImGui::CalcTextSize(right.c_str()).x - style.WindowPadding.x);
  text(right, colour::dim);
  if (ImGui::IsItemHovered()) show_tooltip(line_of(all, "    ", std::numeric_limits<float>::max()) + figures_help);
}

}  // namespace app::ui
