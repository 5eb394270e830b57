#include "app/display/imgui_session.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

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

void ImGuiSession::render() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace app::gl
