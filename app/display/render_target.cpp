#include "app/display/render_target.h"

#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "app/gl/gl_object.h"

namespace app {

void RenderTarget::start_drawing() {
  glViewport(0, 0, width(), height());
  glClearColor(background_[0], background_[1], background_[2], 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
}

void RenderTarget::fill(const Area& area, const std::array<float, 3>& colour) {
  const auto pixel = [](double edge) { return static_cast<int>(std::lround(edge)); };
  const int left = pixel(area.x), top = pixel(area.y), right = pixel(area.x + area.width),
            bottom = pixel(area.y + area.height);
  if (left >= right || top >= bottom) return;
  glEnable(GL_SCISSOR_TEST);
  glScissor(left, height() - bottom, right - left, bottom - top);  // OpenGL's first row is the lowest
  glClearColor(colour[0], colour[1], colour[2], 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

void RenderTarget::draw_interface() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// ImGui expects that all that was begun is ended.
void RenderTarget::give_up_frame() {
  if (!ImGui::GetCurrentContext()->WithinFrameScope) return;
#if IMGUI_VERSION_NUM < 19130
  ImGui::ErrorCheckEndFrameRecover(nullptr);
  ImGui::EndFrame();
#else
  auto& io = ImGui::GetIO();
  const bool asserts = std::exchange(io.ConfigErrorRecoveryEnableAssert, false);
  const bool explains = std::exchange(io.ConfigErrorRecoveryEnableTooltip, false);
  ImGui::EndFrame();
  io.ConfigErrorRecoveryEnableAssert = asserts;
  io.ConfigErrorRecoveryEnableTooltip = explains;
#endif
}

// What is built and still has its pixels is not in the texture yet: see ImGuiSession::begin_frame().
void RenderTarget::renew_fonts() {
  const auto& fonts = *ImGui::GetIO().Fonts;
  if (!fonts.IsBuilt() || fonts.TexPixelsAlpha8 || fonts.TexPixelsRGBA32) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
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

RenderTargetError too_old(const std::string& found) {
  return {RenderTargetError::Kind::opengl_too_old,
          "OpenGL 3.3 is needed, this display offers " + found +
              ": try LIBGL_ALWAYS_SOFTWARE=1 for software OpenGL, or --viewer highgui, which needs none"};
}

gl::GlInfo start_context(GLADloadfunc get_proc_address) {
  const int version = gladLoadGL(get_proc_address);
  if (version == 0) throw RenderTargetError(RenderTargetError::Kind::failed, "OpenGL's functions could not be loaded");
  gl::GlInfo info = gl::describe_context();
  if (version < GLAD_MAKE_VERSION(3, 3)) throw too_old(info.version + " (" + info.renderer + ")");
  gl::keep_error_messages();
  return info;
}

ImGuiSession::ImGuiSession() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
    ImGui::DestroyContext();
    throw RenderTargetError(RenderTargetError::Kind::failed,
                            "Dear ImGui could not load libGL.so.1: install the package libgl1");
  }
}

ImGuiSession::~ImGuiSession() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

// Texels of glyphs lie on pixels of the screen, so that interpolating between them only blurs, and costs a software
// renderer a third of what it draws. Set in every frame: the backend makes a new texture when the fonts change.
void ImGuiSession::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::GetIO().Fonts->ClearTexData();  // it is in the texture; at a large scale of text the copy has tens of MiB
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::intptr_t>(ImGui::GetIO().Fonts->TexID)));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

}  // namespace app
