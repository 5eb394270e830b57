#include <algorithm>
#include <array>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using capture::SourceKind;
using Phase = capture::Status::Phase;

void open(Panel& panel, const std::string& source) {
  // The same source once more is no change of settings, but is meant: a camera that came back, a file that changed.
  if (source == panel.settings.source) panel.act(Action::reopen);
  panel.change("source", source);
  panel.drafts.source = panel.drafts.source_of = source;
}

void entry(Panel& panel, const std::string& text, const std::string& source, const std::string& problem = {}) {
  ImGui::PushID(source.c_str());
  ImGui::BeginDisabled(!problem.empty());
  if (ImGui::Selectable(text.c_str(), source == panel.settings.source)) open(panel, source);
  ImGui::EndDisabled();
  tooltip(problem.empty() ? source : problem);
  ImGui::PopID();
}

void heading(const char* title) {
  const WithFont small(Font::small);
  text(title, colour::dim);
}

void source_list(Panel& panel) {
  ImGui::SetNextItemWidth(ImGui::GetFrameHeight());
  if (!begin_combo("##choose", "", ImGuiComboFlags_HeightLargest)) {
    tooltip("Cameras of this machine, recent sources, and those that are built in");
    return;
  }
  heading("Cameras");
  for (const auto& camera : panel.state.cameras)
    entry(panel, camera.name + "  (" + camera.source + ")", camera.source, camera.problem);
  if (panel.state.cameras.empty()) text("none found", colour::faint);
  heading("Recent");
  for (const auto& source : panel.state.recent)
    if (!source.empty()) entry(panel, shortened(source, ImGui::GetFontSize() * 22), source);
  heading("Built in");
  entry(panel, "First camera, else the bundled clip", "");
  for (const char* size : {"960x540", "1920x1080", "3840x2160", "7680x4320"})
    entry(panel, std::string("Test scene ") + size, std::string("synthetic:") + size);
  ImGui::EndCombo();
}

void source_field(Panel& panel) {
  auto& drafts = panel.drafts;
  if (drafts.source_of != panel.settings.source) {
    drafts.source_of = panel.settings.source;
    // What could not be opened stays to be corrected, although the source before goes on.
    if (panel.state.failed_source.empty() || drafts.source != panel.state.failed_source) drafts.source = drafts.source_of;
  }
  const auto& style = ImGui::GetStyle();
  const auto button = ImGui::CalcTextSize("Open").x + style.FramePadding.x * 2 + style.ItemInnerSpacing.x;
  ImGui::SetNextItemWidth(std::max(20.f, ImGui::GetContentRegionAvail().x - button - ImGui::GetFrameHeight()));
  const bool entered = ImGui::InputTextWithHint("##source", "camera, file, URL", &drafts.source,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip(
      "A camera (0, /dev/video0, its name), a video or image file, a stream's URL, synthetic or "
      "synthetic:3840x2160. Empty: the first camera that delivers a picture, else the bundled clip. Files can be "
      "dropped on the window.");
  ImGui::SameLine(0, 0);
  source_list(panel);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (ImGui::Button("Open") || entered) open(panel, drafts.source);
}

// A side of 0: the source's own.
std::string requested_size(gpu::Size size) {
  const auto width = std::clamp(size.width, 0, maximum_side), height = std::clamp(size.height, 0, maximum_side);
  return width == 0 || height == 0 ? "" : text_of({width, height});
}

// What is asked of the source. 0: as it comes.
void format_rows(Panel& panel, const std::string& why_not) {
  label("Size", "Requested size; 0: the source's own");
  const auto width = std::round(ImGui::GetFontSize() * 3.6f), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  auto size = panel.settings.size;
  bool entered = false;
  const auto field = [&](const char* id, int& side) {
    ImGui::SetNextItemWidth(width);
    ImGui::InputInt(id, &side, 0, 0);
    entered |= ImGui::IsItemDeactivatedAfterEdit();
    tooltip(why_not.empty() ? "Requested size; 0: the source's own" : why_not);
  };
  ImGui::BeginDisabled(!why_not.empty());
  field("##width", size.width);
  ImGui::SameLine(0, gap);
  text("x", colour::dim);
  ImGui::SameLine(0, gap);
  field("##height", size.height);
  ImGui::EndDisabled();
  label("Rate", "Requested frames per second; 0: the source's own");
  ImGui::BeginDisabled(!why_not.empty());
  double fps = panel.settings.fps;
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble("##fps", &fps, 0, 0, "%g");
  if (ImGui::IsItemDeactivatedAfterEdit()) panel.change("fps", number_as_text(std::clamp(fps, 0.0, maximum_fps)));
  tooltip(why_not.empty() ? "Requested frames per second; 0: the source's own" : why_not);
  ImGui::SameLine(0, gap);
  text("/s", colour::dim);
  ImGui::EndDisabled();
  if (entered) panel.change("size", requested_size(size));
}

void playback_row(Panel& panel) {
  const auto kind = panel.state.capture.kind;
  const char* name = panel.state.paused ? "Resume" : "Pause";
  if (button(name, "Pause or resume   " + labels(Action::toggle_pause))) panel.act(Action::toggle_pause);
  ImGui::SameLine();
  auto loop = panel.settings.loop, max_speed = panel.settings.max_speed;
  if (checkbox("Loop", loop, "Start again at the end of the file",
               kind == SourceKind::unknown || kind == SourceKind::video ? "" : "Only a video file has an end"))
    panel.change("loop", loop);
  ImGui::SameLine();
  if (checkbox("Max speed", max_speed, "Every frame, as fast as possible",
               kind == SourceKind::camera  ? "A camera has its own rate"
               : kind == SourceKind::image ? "An image is a single frame"
                                           : ""))
    panel.change("max_speed", max_speed);
}

void progress(const Panel& panel) {
  const auto& capture = panel.state.capture;
  if (capture.length <= 0) return;
  const auto part = static_cast<float>(std::clamp(panel.state.position / capture.length, 0.0, 1.0));
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(3 * panel.scale);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, colour::control, height / 2);
  draw.AddRectFilled(at, {at.x + width * part, at.y + height}, colour::accent, height / 2);
  ImGui::Dummy({width, height});
}

void status(const Panel& panel) {
  const auto& capture = panel.state.capture;
  const WithFont small(Font::small);
  switch (capture.phase) {
    case Phase::opening: wrapped(capture.message.empty() ? "opening..." : capture.message, colour::accent); return;
    case Phase::retrying: wrapped(capture.message, colour::warning); return;
    case Phase::failed: wrapped(capture.message, colour::bad); return;
    case Phase::ended:
    case Phase::playing: break;
  }
  wrapped(capture.description, colour::text);
  if (!capture.message.empty()) wrapped(capture.message, colour::dim);
  progress(panel);
  std::string line = capture.phase == Phase::ended ? "ended" : panel.state.paused ? "paused" : "playing";
  if (capture.length > 0) line += "  " + seconds(panel.state.position) + " of " + seconds(capture.length);
  line += "   latency " + number(panel.state.frame_age_ms, 1) + " ms";
  text(line, colour::dim);
  text(grouped(capture.delivered) + " frames, " + grouped(capture.dropped) + " dropped",
       capture.dropped ? colour::warning : colour::dim);
}

}  // namespace

void source_section(Panel& panel) {
  const auto kind = panel.state.capture.kind;
  if (!section("Source", name(kind), panel.state.capture.description)) return;
  source_field(panel);
  format_rows(panel, kind == SourceKind::video || kind == SourceKind::image ? "A file has its own size and rate" : "");
  playback_row(panel);
  status(panel);
}

}  // namespace app::ui
