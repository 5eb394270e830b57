// ImGuiSession: Dear ImGui's context with its OpenGL backend, font and style, for as long as a surface lives. Its
// settings file is off: what the user chose is in ours.
#pragma once

namespace app::gl {

class ImGuiSession {
 public:
  // With the OpenGL context current. `scale`: the display's, 1 at 96 dots an inch. Throws SurfaceError.
  explicit ImGuiSession(float scale);
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;

  void render();  // ends ImGui's frame and draws it into the bound framebuffer
};

}  // namespace app::gl
