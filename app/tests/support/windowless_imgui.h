// For tests: Dear ImGui without a window. It has the theme and its fonts, and draws into lists, as under OpenGL.
#pragma once

#include <imgui.h>

#include "app/ui/ui.h"

namespace app::ui {

class WindowlessImGui {
 public:
  explicit WindowlessImGui(ImVec2 size, const Look& look = {}) {
    ImGui::CreateContext();
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the OpenGL backend has
    io.DisplaySize = size;
    io.DeltaTime = 1.f / 60;
    io.MousePos = {-1, -1};
    apply_theme(look);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);  // builds the fonts, in place of a renderer
  }
  ~WindowlessImGui() { ImGui::DestroyContext(); }
  WindowlessImGui(const WindowlessImGui&) = delete;
  WindowlessImGui& operator=(const WindowlessImGui&) = delete;
};

}  // namespace app::ui
