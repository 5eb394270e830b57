#include "app/gl/imgui_session.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/surface.h"

namespace app::gl {
namespace {

// Debian's fonts-dejavu-core. Where it is missing, ImGui's built-in bitmap font, which is sharp at multiples of 13.
constexpr const char* font_file = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
constexpr float font_size = 15, builtin_font_size = 13;

// Latin with accents, Greek, general punctuation, super- and subscripts, arrows, a few mathematical signs.
constexpr ImWchar glyph_ranges[] = {0x0020, 0x00FF, 0x0370, 0x03FF, 0x2010, 0x2027, 0x2070, 0x208E, 0x2190, 0x2199,
                                    0x2200, 0x2265, 0x25A0, 0x25CF, 0};

void load_font(ImGuiIO& io, float scale) {
  std::error_code error;
  if (std::filesystem::is_regular_file(font_file, error) &&
      io.Fonts->AddFontFromFileTTF(font_file, std::round(font_size * scale), nullptr, glyph_ranges))
    return;
  ImFontConfig config;
  config.SizePixels = builtin_font_size * std::max(1.0f, std::round(scale));
  io.Fonts->AddFontDefault(&config);
}

void set_style(float scale) {
  ImGui::StyleColorsDark();
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowRounding = 4;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.WindowBorderSize = 0;
  style.ScaleAllSizes(scale);
}

}  // namespace

ImGuiSession::ImGuiSession(float scale) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  load_font(io, scale);
  set_style(scale);
  if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
    ImGui::DestroyContext();
    throw SurfaceError(SurfaceError::Kind::failed, "Dear ImGui could not load libGL.so.1: install the package libgl1");
  }
  ImGui_ImplOpenGL3_NewFrame();  // makes the font's texture and the shaders now, not in the first frame
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
