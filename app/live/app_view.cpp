// App: where the picture is, and what the mouse does to it.
#include <imgui.h>

#include <cmath>

#include "app/live/app.h"

namespace app {
namespace {

constexpr double zoom_a_notch = 1.2;

Area area_of(const ui::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

}  // namespace

void App::place_view() {
  const auto layout = ui::layout(settings_, surface_->width(), surface_->height());
  view_.zoom = settings_.zoom;
  view_.centre = {settings_.centre_x, settings_.centre_y};
  view_.image = texture_->size();
  view_.area = area_of(layout.picture);
}

void App::navigate() {
  place_view();
  const auto& io = ImGui::GetIO();
  const Point cursor{io.MousePos.x, io.MousePos.y};
  state_.pixel.reset();
  if (io.WantCaptureMouse || !ImGui::IsMousePosValid()) return;
  const auto& area = view_.area;
  const bool inside = cursor.x >= area.x && cursor.y >= area.y && cursor.x < area.x + area.width &&
                      cursor.y < area.y + area.height;
  if (!inside && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  if (io.MouseWheel != 0) view_.zoom_at(cursor, std::pow(zoom_a_notch, io.MouseWheel));
  const bool dragging = ImGui::IsMouseDown(ImGuiMouseButton_Left) && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0);
  if (dragging) view_.pan(io.MouseDelta.x, io.MouseDelta.y);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view_.fit();
  settings_.zoom = view_.zoom;
  settings_.centre_x = view_.centre.x;
  settings_.centre_y = view_.centre.y;

  const auto pixel = view_.pixel_at(cursor);
  if (!pixel) return;
  if (!dragging && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) point_effect(*pixel);
  state_.pixel = ui::Pixel{pixel->x, pixel->y, {}, {}, {}};
  auto& engine = session_.engine();
  if (!engine.has_picture() || engine.device() == gpu::Device::cuda) return;
  auto& pipeline = engine.pipeline();
  if (pixel->x >= pipeline.size().width || pixel->y >= pipeline.size().height) return;
  state_.pixel->shown = pipeline.picture()(pixel->x, pixel->y);
  state_.pixel->gray = pipeline.gray()(pixel->x, pixel->y);
  state_.pixel->sum = pipeline.sat()(pixel->x, pixel->y);
}

// Effects that have a place follow the mouse.
void App::point_effect(PixelPosition pixel) {
  const auto& selection = session_.engine().selection();
  const auto& arguments = selection.effect_arguments;
  if (!selection.effect || !arguments.has("x") || !arguments.has("y")) return;
  auto& values = settings_.effect_values[std::string(selection.effect->name)];
  values["x"] = std::to_string(pixel.x);
  values["y"] = std::to_string(pixel.y);
}

}  // namespace app
