#include "app/display/imgui_session.h"

#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <cstdint>

#include "app/display/render_target.h"

namespace app::gl {

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

}  // namespace app::gl
