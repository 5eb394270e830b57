// The bar at the top: the source, the device, how pictures reach the screen, and the frame rate.
#include <algorithm>

#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

std::string device_text(const State& state) {
  if (state.device == gpu::Device::cuda) return state.gpu ? state.gpu->name : "CUDA";
  if (state.device == gpu::Device::simulated) return "simulated GPU";
  return "CPU, " + std::to_string(state.host_threads) + (state.host_threads == 1 ? " thread" : " threads");
}

std::string device_help(const State& state) {
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
         "\nClick for the next device   " + labels(Action::next_device);
}

std::string path_help(const State& state) {
  const auto drawn = "\nDrawn by " + state.gl.renderer + ", OpenGL " + state.gl.version;
  if (state.interop) return "CUDA writes into the OpenGL texture: no copy through host memory." + drawn;
  return "Pixels go through host memory: " + state.staged_reason + drawn;
}

std::string check_help(const State& state) {
  const auto& check = state.check;
  const auto counts = grouped(check.checked) + " checked, " + grouped(check.wrong) + " wrong";
  if (check.wrong == 0)
    return "Every table is checked by the four-point identity: " + counts + "\nClick to stop   " +
           labels(Action::toggle_check);
  return counts + "; the first: " + check.first_wrong + "\nClick to save that frame; " + labels(Action::reset_statistics) +
         " resets the light";
}

std::string rate_help(const State& state) {
  const auto& capture = state.capture;
  if (!no_signal(capture).empty()) return why_no_signal(capture);
  if (state.idle) return "Nothing changes; the window is redrawn when something does";
  return "The window is drawn " + number(state.fps, 1) + " times per second; it shows " + number(state.picture_fps, 1) +
         " frames of the source per second";
}

const char* record_text(const State& state) { return state.recording ? "Stop 00:00.0" : "Record"; }

float width_of(std::string_view text) { return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x; }

void buttons(PanelContext& ui) {
  const auto act = [&](const char* text, Action action, std::string_view why_not = {}) {
    if (button(text, std::string(description(action)) + "   " + labels(action), why_not)) ui.act(action);
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  };
  act("Picture", Action::save_picture);
  act("Window", Action::screenshot);
  if (ui.state.recording) {
    const WithText red(colour::bad);
    act(("Stop " + seconds(ui.state.recorded_seconds) + "###record").c_str(), Action::toggle_record);
  } else {
    act("Record###record", Action::toggle_record);
  }
  act("Folder", Action::open_folder, ui.state.source.no_folder);
  act("Help", Action::toggle_help);
}

}  // namespace

void bar(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("bar", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y + rect.height - 1}, {rect.x + rect.width, rect.y + rect.height});
  const auto& state = ui.state;
  const auto em = ImGui::GetFontSize();
  const auto middle = (rect.height - ImGui::GetFrameHeight()) / 2;
  ImGui::SetCursorPosY(middle);
  ImGui::AlignTextToFramePadding();
  {
    const WithFont title(Font::bold);
    text("satscope", colour::accent);
  }
  ImGui::SameLine(0, em);

  // The chips are at the right end; the source's name takes the space that is left.
  const auto device = device_text(state);
  const std::string path = state.interop ? "interop" : "staged";
  const auto lost = no_signal(state.capture);
  const auto rate = !lost.empty() ? std::string(lost) : state.idle ? "idle" : number(state.fps, 1) + " fps";
  const auto chip_extra = em * 0.9f + ImGui::GetStyle().FramePadding.x * 2 + ImGui::GetStyle().ItemSpacing.x;
  const auto button_extra = ImGui::GetStyle().FramePadding.x * 2 + ImGui::GetStyle().ItemInnerSpacing.x;
  const bool checks = ui.settings.check || state.check.wrong > 0;
  const std::string checked = state.check.wrong ? "table wrong" : state.check.checked ? "table right" : "not checked";
  const std::string saving = "saving video";
  const auto fixed = (checks ? width_of(checked) + chip_extra : 0) +
                     (state.saving_video ? width_of(saving) + chip_extra : 0) + width_of(device) + width_of(path) +
                     width_of(rate) + chip_extra * 3 + width_of("Picture") + width_of("Window") +
                     width_of(record_text(state)) + width_of("Folder") + width_of("Help") + button_extra * 5 + em;
  const auto start = ImGui::GetCursorPosX(), end = rect.width - ImGui::GetStyle().WindowPadding.x;
  const auto& shown = state.capture.description.empty() ? state.capture.message : state.capture.description;
  text(shortened(shown, std::max(0.f, end - start - fixed)), colour::dim);

  ImGui::SetCursorPos({std::max(start, end - fixed + em), middle});
  if (checks)
    if (chip("check", checked,
             state.check.wrong     ? colour::bad
             : state.check.checked ? colour::good
                                   : colour::dim,
             check_help(state)))
      ui.act(state.check.wrong ? Action::save_wrong_frame : Action::toggle_check);
  if (checks) ImGui::SameLine();
  if (state.saving_video) {
    chip("saving", saving, colour::warning, "The video that was stopped is still being written");
    ImGui::SameLine();
  }
  if (chip("device", device, state.device == gpu::Device::cuda ? colour::good : colour::accent, device_help(state)))
    ui.act(Action::next_device);
  ImGui::SameLine();
  const bool on_cpu = state.device != gpu::Device::cuda;
  chip("path", path, state.interop ? colour::good : on_cpu ? colour::dim : colour::warning, path_help(state));
  ImGui::SameLine();
  const bool slow = !state.frames.empty() && state.frames.back().work_us / 1000 > state.graph.target_ms;
  chip("rate", rate, slow || !lost.empty() ? colour::warning : colour::good, rate_help(state));
  ImGui::SameLine();
  buttons(ui);
}

}  // namespace app::ui
