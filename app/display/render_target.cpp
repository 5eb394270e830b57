#include "app/display/render_target.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cstddef>

namespace app {

void RenderTarget::clear() const {
  glDisable(GL_SCISSOR_TEST);
  glClearColor(background_[0], background_[1], background_[2], 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
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
