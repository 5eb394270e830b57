// ImGuiSession: Dear ImGui's context with its OpenGL backend, for the lifetime of a surface. Its settings file is off: the
// user's choices are in ours. The interface sets fonts and colours before the first frame.
#pragma once

namespace app::gl {

class ImGuiSession {
 public:
  ImGuiSession();  // with the OpenGL context current; throws RenderTargetError
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;

  void begin_frame();  // of the OpenGL backend, before ImGui::NewFrame()
};

}  // namespace app::gl
