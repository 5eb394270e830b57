#include "app/live/view_control.h"

#include <imgui.h>

#include <array>
#include <cmath>

#include "app/control/fields.h"

namespace app {
namespace {

constexpr double zoom_per_notch = 1.2;

bool contains(const Area& area, Point at) {
  return at.x >= area.x && at.y >= area.y && at.x < area.x + area.width && at.y < area.y + area.height;
}

}  // namespace

void ViewControl::place(gpu::Size picture, const ui::Rect& area) {
  const auto& settings = session_.settings();
  view_.zoom = settings.zoom;
  view_.centre = {settings.centre_x, settings.centre_y};
  view_.image = picture;
  view_.area = {area.x, area.y, area.width, area.height};
}

void ViewControl::keep() {
  const auto& settings = session_.settings();
  if (view_.zoom == settings.zoom && view_.centre == Point{settings.centre_x, settings.centre_y}) return;
  session_.change(std::array{Change{"zoom", number_as_text(view_.zoom)}, Change{"centre_x", number_as_text(view_.centre.x)},
                             Change{"centre_y", number_as_text(view_.centre.y)}});
}

std::optional<ui::Pixel> ViewControl::navigate(gpu::Size picture, const ui::Rect& area) {
  place(picture, area);
  const auto& io = ImGui::GetIO();
  const Point cursor{io.MousePos.x, io.MousePos.y};
  if (io.WantCaptureMouse || !ImGui::IsMousePosValid()) return {};
  const bool pressed = ImGui::IsMouseDown(ImGuiMouseButton_Left), moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  if (!contains(view_.area, cursor) && !pressed) return {};
  if (io.MouseWheel != 0) view_.zoom_at(cursor, std::pow(zoom_per_notch, io.MouseWheel));
  if (!wipe_.follow(view_, cursor)) {
    if (pressed && moved) view_.pan(io.MouseDelta.x, io.MouseDelta.y);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view_.fit();
  }
  keep();
  const auto pixel = view_.pixel_at(cursor);
  if (!pixel) return {};
  if (moved && !pressed) point_effect(*pixel);
  return inspect(*pixel);
}

// Effects that have a place follow the mouse.
void ViewControl::point_effect(PixelPosition pixel) {
  session_.change({"pointer", std::to_string(pixel.x) + "," + std::to_string(pixel.y)});
}

ui::Pixel ViewControl::inspect(PixelPosition at) {
  ui::Pixel pixel{at.x, at.y, {}, {}, {}};
  auto& engine = session_.engine();
  if (!engine.has_picture() || engine.device() == gpu::Device::cuda) return pixel;
  engine.show([&](auto&, const Picture& picture) {
    if (at.x >= picture.size().width || at.y >= picture.size().height) return;
    pixel.shown = picture.pixels(at.x, at.y);
    pixel.gray = picture.gray(at.x, at.y);
    pixel.sum = picture.sat(at.x, at.y);
  });
  return pixel;
}

}  // namespace app
