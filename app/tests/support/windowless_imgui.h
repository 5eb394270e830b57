// For tests: Dear ImGui without a window. It draws into lists, as under OpenGL.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace app {

class WindowlessImGui {
 public:
  explicit WindowlessImGui(ImVec2 size) {
    ImGui::CreateContext();
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the OpenGL backend has
    io.DisplaySize = size;
    io.DeltaTime = 1.f / 60;
    io.MousePos = {-1, -1};
    build_fonts();
  }
  ~WindowlessImGui() { ImGui::DestroyContext(); }
  WindowlessImGui(const WindowlessImGui&) = delete;
  WindowlessImGui& operator=(const WindowlessImGui&) = delete;

  static void build_fonts() {  // in place of a renderer
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    ImGui::GetIO().Fonts->SetTexID(reinterpret_cast<ImTextureID>(std::intptr_t{1}));  // ImGui checks that letters are of it
  }
};

// The lists that ImGui has drawn: up to 1.89.7 an array, later a vector of its own.
inline std::span<ImDrawList* const> draw_lists() {
  auto& data = *ImGui::GetDrawData();
  if (data.CmdListsCount == 0) return {};
  return {&data.CmdLists[0], static_cast<std::size_t>(data.CmdListsCount)};
}

}  // namespace app
