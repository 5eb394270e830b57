// ImGuiSession: Dear ImGui's context with its OpenGL backend, for as long as a surface lives. Its settings file is off:
// what the user chose is in ours. Fonts and colours are the interface's business, until the first frame.
#pragma once

namespace app::gl {

class ImGuiSession {
 public:
  ImGuiSession();  // with the OpenGL context current; throws SurfaceError
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;

  void render();  // ends ImGui's frame and draws it into the bound framebuffer
};

}  // namespace app::gl
