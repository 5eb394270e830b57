// The transport: play and pause, steps, the seek bar, speed and loop. Below the picture; without panels over its lower edge,
// while the mouse is there.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/capture/capture.h"
#include "app/control/fields.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using Phase = capture::Status::Phase;

enum class Icon { to_start, back, play, pause, again, forward };

// Within a square of side 2 around the centre.
void triangle(ImDrawList& draw, ImVec2 centre, float size, bool to_right, ImU32 colour) {
  const float x = to_right ? size : -size;
  const ImVec2 a(centre.x - x * 0.7f, centre.y - size), b(centre.x - x * 0.7f, centre.y + size),
      c(centre.x + x * 0.9f, centre.y);
  to_right ? draw.AddTriangleFilled(a, c, b, colour) : draw.AddTriangleFilled(a, b, c, colour);
}

void upright(ImDrawList& draw, ImVec2 centre, float x, float size, ImU32 colour) {
  const float half = std::max(1.f, std::round(size * 0.2f));
  draw.AddRectFilled({centre.x + x - half, centre.y - size}, {centre.x + x + half, centre.y + size}, colour);
}

void draw_icon(ImDrawList& draw, Icon icon, ImVec2 centre, ImU32 colour) {
  const float size = std::round(ImGui::GetFontSize() * 0.34f);
  switch (icon) {
    case Icon::play: triangle(draw, centre, size, true, colour); break;
    case Icon::pause:
      upright(draw, centre, -size * 0.5f, size, colour);
      upright(draw, centre, size * 0.5f, size, colour);
      break;
    case Icon::back:
      triangle(draw, centre, size, false, colour);
      upright(draw, centre, size, size, colour);
      break;
    case Icon::forward:
      triangle(draw, centre, size, true, colour);
      upright(draw, centre, -size, size, colour);
      break;
    case Icon::to_start:
      upright(draw, centre, -size, size, colour);
      triangle(draw, centre, size, false, colour);
      break;
    case Icon::again:
      draw.PathArcTo(centre, size, -0.3f, 4.6f, 20);
      draw.PathStroke(colour, 0, std::max(1.5f, size * 0.3f));
      triangle(draw, {centre.x + size * 0.5f, centre.y - size}, size * 0.55f, true, colour);
      break;
  }
}

bool icon_button(const char* id, Icon icon, std::string_view help, std::string_view why_not) {
  const auto side = ImGui::GetFrameHeight();
  ImGui::BeginDisabled(!why_not.empty());
  const auto at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(id, {side, side});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::EndDisabled();
  auto& draw = *ImGui::GetWindowDrawList();
  if (hovered) draw.AddRectFilled(at, {at.x + side, at.y + side}, colour::hovered, 3);
  draw_icon(draw, icon, {std::round(at.x + side / 2), std::round(at.y + side / 2)},
            why_not.empty() ? colour::text : colour::faint);
  tooltip(why_not.empty() ? help : why_not);
  ImGui::SameLine(0, 0);
  return clicked;
}

std::string why_not_here(const PanelContext& ui, Action action) { return why_not(action, ui.state, ui.settings); }

void act_button(PanelContext& ui, const char* id, Icon icon, Action action) {
  if (icon_button(id, icon, ui.help_of(action), why_not_here(ui, action))) ui.act(action);
}

void play_button(PanelContext& ui) {
  const auto& capture = ui.state.capture;
  const bool ended = capture.phase == Phase::ended && capture.no_seek.empty();
  const auto key = "   " + ui.keys(Action::toggle_pause);
  const auto help = (ended ? "Play again" : ui.state.paused ? "Resume" : "Pause") + key;
  const auto why = why_not_here(ui, Action::toggle_pause);
  if (icon_button("play", ended ? Icon::again : ui.state.paused ? Icon::play : Icon::pause, help, why))
    ui.act(Action::toggle_pause);
}

// A bar over the length; the mouse moves to any place of it, as soon as it is there.
void seek_bar(PanelContext& ui, float width) {
  const auto& capture = ui.state.capture;
  const auto height = ImGui::GetFrameHeight();
  const auto at = ImGui::GetCursorScreenPos();
  const std::string no_length = capture.length > 0 ? "" : "the length of this source is not known";
  const auto why = why_not_here(ui, Action::seek);
  const auto& reason = why.empty() ? no_length : why;
  ImGui::BeginDisabled(!reason.empty());
  ImGui::InvisibleButton("seek", {std::max(width, 1.f), height});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  ImGui::EndDisabled();
  const double fraction = std::clamp((ImGui::GetIO().MousePos.x - at.x) / std::max(width, 1.f), 0.f, 1.f);
  const double there = fraction * capture.length, frame = capture.fps > 0 ? 1 / capture.fps : 0.04;
  auto& drag = ui.drafts.sought;
  if (active && (!drag || std::abs(*drag - there) >= frame / 2)) ui.result.seek = drag = there;
  if (!active && !ui.state.source.seeking) drag.reset();

  const auto shown = drag.value_or(ui.state.position);
  const auto part = capture.length > 0 ? static_cast<float>(std::clamp(shown / capture.length, 0.0, 1.0)) : 0.f;
  const auto thick = std::round((active || hovered ? 6 : 4) * ui.scale);
  const auto top = std::round(at.y + (height - thick) / 2);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.x, top}, {at.x + width, top + thick}, colour::control, thick / 2);
  if (reason.empty()) {
    draw.AddRectFilled({at.x, top}, {at.x + width * part, top + thick}, colour::accent, thick / 2);
    draw.AddCircleFilled({at.x + width * part, top + thick / 2}, thick, colour::text);
  }
  if (!reason.empty())
    tooltip(reason);
  else if (active || hovered)
    tooltip(seconds(there));
}

constexpr float speed_width = 4.6f;  // times the size of letters

void speed_choice(PanelContext& ui) {
  constexpr std::array choices{0.25, 0.5, 1.0, 2.0, 4.0};
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * speed_width);
  const auto why = why_not_here(ui, Action::normal_speed);
  ImGui::BeginDisabled(!why.empty());
  // One that was typed may have more digits than there is room for.
  const auto text_of = [](double speed) { return number_as_text(std::round(speed * 100) / 100) + "x"; };
  if (begin_combo("##speed", text_of(ui.settings.speed))) {
    for (const auto speed : choices)
      if (ImGui::Selectable(text_of(speed).c_str(), speed == ui.settings.speed)) ui.change("speed", number_as_text(speed));
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  tooltip(!why.empty() ? why
                       : "Speed   " + ui.keys(Action::slower) + " slower, " + ui.keys(Action::faster) + " faster, " +
                             ui.keys(Action::normal_speed) + " normal");
}

}  // namespace

void transport_bar(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("transport", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none,
                           shows_all_panels(ui.settings) ? PanelWindow::Ground::panels : PanelWindow::Ground::over_picture);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  const auto& capture = ui.state.capture;
  const auto em = ImGui::GetFontSize(), gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetCursorPosY(std::round((rect.height - ImGui::GetFrameHeight()) / 2));
  act_button(ui, "start", Icon::to_start, Action::to_start);
  act_button(ui, "back", Icon::back, Action::step_back);
  play_button(ui);
  act_button(ui, "forward", Icon::forward, Action::step_forward);

  const auto at = ui.drafts.sought.value_or(ui.state.position);
  const auto time = capture.length > 0 ? seconds(at) + " / " + seconds(capture.length) : seconds(at);
  const auto widest = capture.length > 0 ? seconds(capture.length) + " / " + seconds(capture.length) : "00:00.0";
  ImGui::SameLine(0, gap);
  const auto start = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  text(time, capture::is_still(capture.kind) ? colour::faint : colour::dim);
  ImGui::SameLine(start + ImGui::CalcTextSize(widest.c_str()).x + gap);

  const auto loop_width = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize("Loop").x;
  // Where there is no room for all of it, the palette and the keys still have what is left out.
  const auto least_seek = em * 4;
  PriorityRow row(rect.width - ImGui::GetCursorPosX() - ImGui::GetStyle().WindowPadding.x - least_seek);
  const bool with_speed = row.has_room_for(em * speed_width + gap), with_loop = row.has_room_for(loop_width + gap);
  seek_bar(ui, std::max(1.f, least_seek + row.left()));
  if (!with_speed) return;
  ImGui::SameLine(0, gap);
  speed_choice(ui);
  if (!with_loop) return;
  ImGui::SameLine(0, gap);
  bool loop = ui.settings.loop;
  if (checkbox("Loop", loop, ui.help_of(Action::toggle_loop), why_not_here(ui, Action::toggle_loop)))
    ui.change("loop", loop);
}

// Without a transport of its own place: while the mouse is near the lower edge.
void transport_overlay(PanelContext& ui, const Rect& window) {
  const auto height = std::round(32 * ui.scale);
  const auto& io = ImGui::GetIO();
  const bool near = ImGui::IsMousePosValid() && io.MousePos.y > window.y + window.height - 2 * height &&
                    io.MousePos.y < window.y + window.height && io.MousePos.x >= window.x &&
                    io.MousePos.x < window.x + window.width;
  if (near || ui.drafts.sought) transport_bar(ui, {window.x, window.y + window.height - height, window.width, height});
}

}  // namespace app::ui
