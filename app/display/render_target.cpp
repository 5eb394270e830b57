#include "app/display/render_target.h"

#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>

namespace app {

void RenderTarget::set_background(const std::array<float, 3>& colour) {
  background_ = colour;
  repaint_.forget();
}

void RenderTarget::draw_changes_only(bool on) {
  changes_only_ = on && keeps_pixels();
  repaint_.forget();
}

void RenderTarget::start_drawing() {
  glViewport(0, 0, width(), height());
  filled_ = {};
  if (!changes_only_) clear({0, 0, width(), height()}, background_);
}

void RenderTarget::clear(const PixelRect& part, const std::array<float, 3>& colour) const {
  glEnable(GL_SCISSOR_TEST);
  // OpenGL's first row is the lowest.
  glScissor(part.left, height() - part.bottom, part.right - part.left, part.bottom - part.top);
  glClearColor(colour[0], colour[1], colour[2], 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

void RenderTarget::fill(const Area& area, const std::array<float, 3>& colour) {
  const auto pixel = [](double edge) { return static_cast<int>(std::lround(edge)); };
  filled_ = {pixel(area.x), pixel(area.y), pixel(area.x + area.width), pixel(area.y + area.height)};
  if (!filled_.empty()) clear(filled_, colour);
}

void RenderTarget::draw_interface() {
  ImGui::Render();
  auto& data = *ImGui::GetDrawData();
  if (changes_only_)
    for (const auto& rect : repaint_.keep_damaged(data, filled_) | std::views::drop(1)) clear(rect, background_);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

void RenderTarget::renew_fonts() {
  if (!ImGui::GetIO().Fonts->IsBuilt()) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  repaint_.forget();
}

std::vector<std::uint8_t> RenderTarget::read_framebuffer() const {
  const auto row = static_cast<std::size_t>(width()) * 4;
  const auto rows = static_cast<std::size_t>(height());
  std::vector<std::uint8_t> pixels(row * rows);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, width(), height(), GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t y = 0; y < rows / 2; ++y)  // OpenGL's first row is the lowest
    std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(y * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>((y + 1) * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>((rows - 1 - y) * row));
  return pixels;
}

}  // namespace app
