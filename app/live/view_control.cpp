#include "app/live/view_control.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/ui.h"

namespace app {
namespace {

constexpr double reach_of_wipe = 6;  // screen pixels at scale 1, on both sides of the line

}  // namespace

void WipeDrag::move_to(double wipe) { session_.put(&Settings::wipe, std::clamp(wipe, 0.0, 1.0)); }

bool WipeDrag::is_at(const View& view, Point cursor) const {
  if (!is_wipe(session_.engine().selection()) || view.image.width < 1) return false;
  const auto seen = view.visible();
  return std::abs(cursor.x - line_of_wipe(view, session_.settings().wipe)) <= reach_of_wipe * ui::display_scale() &&
         cursor.y >= seen.y && cursor.y < seen.y + seen.height;
}

bool WipeDrag::follow(const View& view, Point cursor) {
  if (!is_wipe(session_.engine().selection()) || view.image.width < 1) return moving_ = false;
  const bool was_moving = moving_;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) moving_ = false;
  if (!moving_ && !is_at(view, cursor)) return was_moving;  // its release is not a click on the picture
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!moving_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    move_to(0.5);
  } else if (!moving_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    moving_ = true;
    grabbed_at_ = cursor.x - line_of_wipe(view, session_.settings().wipe);
  } else if (moving_ && ImGui::GetIO().MouseDelta.x != 0) {
    move_to(view.screen_to_image({cursor.x - grabbed_at_, cursor.y}).x / view.image.width);
  }
  // A drag that began elsewhere moves the picture, and goes on when it passes the line.
  return moving_ || !ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Left);
}

namespace {

constexpr double zoom_per_notch = 1.2;

bool contains(const Area& area, Point at) {
  return at.x >= area.x && at.y >= area.y && at.x < area.x + area.width && at.y < area.y + area.height;
}

// The press that ends, or is held, has hardly moved.
bool stays_a_click() {
  constexpr float hardly = 4;  // pixels
  return ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] < hardly * hardly;
}

void show_cursor(Grip grip) {
  const bool across = grip.left != grip.right, along = grip.top != grip.bottom;
  ImGui::SetMouseCursor(!grip.any()                                ? ImGuiMouseCursor_Arrow
                        : across && along && grip.left == grip.top ? ImGuiMouseCursor_ResizeNWSE
                        : across && along                          ? ImGuiMouseCursor_ResizeNESW
                        : across                                   ? ImGuiMouseCursor_ResizeEW
                        : along                                    ? ImGuiMouseCursor_ResizeNS
                                                                   : ImGuiMouseCursor_ResizeAll);
}

}  // namespace

void ViewControl::place(gpu::Size picture, const ui::Rect& area) {
  const auto& settings = session_.settings();
  view_.zoom = settings.zoom;
  view_.centre = settings.zoom > 0 ? Point{settings.centre_x, settings.centre_y} : Point{0.5, 0.5};  // else it would not fit
  view_.image = picture;
  view_.area = {area.x, area.y, area.width, area.height};
}

void ViewControl::keep() {
  const auto& settings = session_.settings();
  if (view_.zoom == settings.zoom && (view_.zoom == 0 || view_.centre == Point{settings.centre_x, settings.centre_y}))
    return;
  auto changed = settings;
  changed.zoom = view_.zoom;
  changed.centre_x = view_.centre.x;
  changed.centre_y = view_.centre.y;
  session_.accept(changed, true);
}

std::optional<PixelPosition> ViewControl::navigate(gpu::Size picture, const ui::Rect& area) {
  place(picture, area);
  const auto& io = ImGui::GetIO();
  const Point cursor{io.MousePos.x, io.MousePos.y};
  if (io.WantCaptureMouse || !ImGui::IsMousePosValid()) return {};
  const bool pressed = ImGui::IsMouseDown(ImGuiMouseButton_Left), moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  const bool inside = contains(view_.area, cursor);
  const bool draws = use_rectangle_tool(cursor, inside);
  const bool other_button = ImGui::IsMouseDown(ImGuiMouseButton_Middle) || ImGui::IsMouseDown(ImGuiMouseButton_Right);
  if (!inside && !pressed && !other_button) return {};
  if (io.MouseWheel != 0) view_.zoom_at(cursor, std::pow(zoom_per_notch, io.MouseWheel));
  if (other_button && moved) view_.pan(io.MouseDelta.x, io.MouseDelta.y);
  if (!draws && !wipe_.follow(view_, cursor)) {
    const bool placing = use_handles(cursor, picture);
    choose_window(cursor);
    if (pressed && moved && !placing) view_.pan(io.MouseDelta.x, io.MouseDelta.y);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view_.fit();
  }
  keep();
  return view_.pixel_at(cursor);
}

// The line of the wipe and the sides of an effect are narrow, and have no other place to be held at: the rectangle leaves a
// press there to them, unless it is at an edge of its own. With Shift it is drawn from anywhere.
bool ViewControl::takes_press(Grip grip, Point cursor) const {
  if (wipe_.moving() || drag_.active()) return false;
  if (ImGui::GetIO().KeyShift || (grip.any() && !grip.whole())) return true;
  if (wipe_.is_at(view_, cursor)) return false;
  const auto place = placement();
  const auto held = place ? grip_of_effect(*place, cursor) : Grip();
  return held.whole() || !held.any();
}

// True while the rectangle has the mouse, or would take it at a press. A drag with Shift held draws one at any time, and
// leaves the tool on.
bool ViewControl::use_rectangle_tool(Point cursor, bool over_picture) {
  const auto& settings = session_.settings();
  const auto& io = ImGui::GetIO();
  const bool pressed = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && over_picture;
  if (pressed && io.KeyShift && !settings.rectangle_tool) session_.put(&Settings::rectangle_tool, true);
  if (!settings.rectangle_tool) {
    rectangle_tool_.let_go();
    return false;
  }
  const double reach = std::round(ImGui::GetFontSize() * 0.5f);
  const auto grip_here = [&](const std::optional<PixelBox>& box) {
    return box ? grip_at(view_, *box, cursor, reach) : Grip();
  };
  const bool takes = over_picture && takes_press(grip_here(settings.rectangle), cursor);
  const MouseInput mouse{cursor, pressed && takes, ImGui::IsMouseDown(ImGuiMouseButton_Left)};
  const auto box = rectangle_tool_.update(view_, settings.rectangle, mouse, reach);
  if (box && box != settings.rectangle) session_.put(&Settings::rectangle, box);
  const bool released = ImGui::IsMouseReleased(ImGuiMouseButton_Left);  // a click still places an effect
  const bool held = rectangle_tool_.has_mouse(), would_take = takes && !mouse.down && !released;
  if (const auto grip = grip_here(box); over_picture && (held ? grip.any() : would_take)) show_cursor(grip);
  return held || would_take;
}

std::optional<gpu::Placement> ViewControl::placement() const {
  const auto& settings = session_.settings();
  const auto* effect = gpu::find_effect(settings.effect);
  if (!effect || !effect->placement || view_.image.pixels() == 0) return {};
  try {
    return effect->placement(arguments_of(*effect, settings), view_.image);
  } catch (const gpu::ArgumentError&) {
    return {};
  }
}

Area ViewControl::area_of_effect() const {
  const auto& settings = session_.settings();
  const auto* effect = gpu::find_effect(settings.effect);
  return effect ? area_of(*effect, session_.engine().selection(), settings.wipe, view_) : Area();
}

Grip ViewControl::grip_of_effect(const gpu::Placement& place, Point cursor) const {
  if (!contains(area_of_effect(), cursor)) return {};
  return grip_at(view_, box_of(place), cursor, ImGui::GetFontSize() * 0.5);
}

// An effect that has a place: its handles are dragged, and a click elsewhere moves it there. True while a handle is held.
bool ViewControl::use_handles(Point cursor, gpu::Size picture) {
  const auto place = placement();
  if (!place) {
    drag_.end();
    return false;
  }
  const bool released = ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  if (!released && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) drag_.end();  // released over a panel
  const auto grip = drag_.active() ? drag_.grip() : grip_of_effect(*place, cursor);
  if (grip.any()) show_cursor(grip);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) drag_.begin(*place, grip, cursor);
  if (drag_.active() && !stays_a_click()) {
    put(*place, drag_.at(view_, cursor, picture));
  } else if (released && stays_a_click() && !drag_.active()) {
    if (const auto pixel = view_.pixel_at(cursor)) put(*place, centred_at(*place, *pixel, picture));
  }
  const bool held = drag_.active();
  if (released) drag_.end();
  return held;
}

// For an effect with a cascade: the window at the cursor is shown stage by stage.
void ViewControl::choose_window(Point cursor) {
  const auto& settings = session_.settings();
  const auto* effect = gpu::find_effect(settings.effect);
  if (!effect || !effect->search || !settings.panels) return;
  if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left) || !stays_a_click()) return;
  const auto pixel = view_.pixel_at(cursor);
  if (!pixel) return;
  auto changed = settings;
  changed.dock = Dock::detector;
  changed.dock_open = true;
  changed.cascade_at = {pixel->x, pixel->y};
  changed.cascade_stage = changed.cascade_feature = 0;
  session_.accept(changed, true);
}

void ViewControl::put(const gpu::Placement& before, const gpu::Placement& after) {
  std::vector<Change> changes;
  if (after.width != before.width) changes.push_back({"effect.width", std::to_string(after.width)});
  if (after.height != before.height) changes.push_back({"effect.height", std::to_string(after.height)});
  if (after.x != before.x || after.y != before.y || !changes.empty())
    changes.push_back({"pointer", std::to_string(after.x) + "," + std::to_string(after.y)});
  if (!changes.empty()) session_.change(changes);
}

}  // namespace app
