#include "app/display/render_target.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace app {
namespace {

void clear_in(const std::array<float, 3>& colour) {
  glClearColor(colour[0], colour[1], colour[2], 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

void RenderTarget::clear() const {
  glDisable(GL_SCISSOR_TEST);
  clear_in(background_);
}

void RenderTarget::fill(const Area& area, const std::array<float, 3>& colour) const {
  const auto left = static_cast<int>(std::lround(area.x)), right = static_cast<int>(std::lround(area.x + area.width));
  const auto top = static_cast<int>(std::lround(area.y)), bottom = static_cast<int>(std::lround(area.y + area.height));
  glEnable(GL_SCISSOR_TEST);
  glScissor(left, height() - bottom, right - left, bottom - top);  // OpenGL's first row is the lowest
  clear_in(colour);
  glDisable(GL_SCISSOR_TEST);
}

void RenderTarget::renew_fonts() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
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
