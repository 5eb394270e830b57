#include "app/live/wipe_drag.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/control/fields.h"
#include "app/ui/ui.h"

namespace app {
namespace {

constexpr double reach = 6;  // screen pixels at scale 1, on both sides of the line

bool shows_wipe(const Selection& selection) {
  return !selection.sides.empty() && selection.composition.mode == gpu::Composition::Mode::wipe;
}

}  // namespace

void WipeDrag::move_to(double wipe) { session_.change({"wipe", number_as_text(std::clamp(wipe, 0.0, 1.0))}); }

double WipeDrag::line_on_screen(const View& view) const {
  const gpu::Composition composition{gpu::Composition::Mode::wipe, session_.settings().wipe};
  return view.image_to_screen({static_cast<double>(composition.edge(view.image.width)), 0}).x;
}

bool WipeDrag::is_at(const View& view, Point cursor) const {
  if (!shows_wipe(session_.engine().selection()) || view.image.width < 1) return false;
  const auto seen = view.visible();
  return std::abs(cursor.x - line_on_screen(view)) <= reach * ui::display_scale() && cursor.y >= seen.y &&
         cursor.y < seen.y + seen.height;
}

bool WipeDrag::follow(const View& view, Point cursor) {
  if (!shows_wipe(session_.engine().selection()) || view.image.width < 1) return moving_ = false;
  const bool was_moving = moving_;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) moving_ = false;
  if (!moving_ && !is_at(view, cursor)) return was_moving;  // its release is no click on the picture
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!moving_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    move_to(0.5);
  } else if (!moving_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    moving_ = true;
    grabbed_at_ = cursor.x - line_on_screen(view);
  } else if (moving_ && ImGui::GetIO().MouseDelta.x != 0) {
    move_to(view.screen_to_image({cursor.x - grabbed_at_, cursor.y}).x / view.image.width);
  }
  // A drag that began elsewhere moves the picture, and goes on when it passes the line.
  return moving_ || !ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Left);
}

}  // namespace app
