#include "app/ui/theme.h"

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "app/ui/ui.h"

namespace app::ui {
namespace {

struct Face {
  const char* regular;
  const char* bold;
};
// Both have digits of equal width, so that columns of numbers do not jitter.
constexpr Face faces[] = {
    {"/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
     "/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Medium.ttf"},
    {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"},
};

constexpr float regular_size = 15;

bool readable(const char* path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

void load_fonts(float scale) {
  auto& fonts = *ImGui::GetIO().Fonts;
  static constexpr ImWchar ranges[] = {0x20,   0xff,   0x2009, 0x2009, 0x2013, 0x2026, 0x2190,
                                       0x2193, 0x221e, 0x221e, 0x25b6, 0x25c6, 0};
  for (const auto& face : faces)
    if (readable(face.regular) && readable(face.bold)) {
      ImFontConfig config;
      config.OversampleH = 2;
      const auto add = [&](const char* path, float size) {
        fonts.AddFontFromFileTTF(path, std::floor(size * scale), &config, ranges);
      };
      add(face.regular, regular_size);
      add(face.regular, 13);
      add(face.bold, 15);
      add(face.bold, 18);
      return;
    }
  ImFontConfig config;
  config.SizePixels = regular_size * scale;
  auto* plain = fonts.AddFontDefault(&config);
  fonts.Build();
  plain->AddRemapChar(0x2009, ' ');  // it has no thin space, which grouped() puts between digits
}

void set_colours(ImGuiStyle& style) {
  const auto set = [&](ImU32 value, std::initializer_list<ImGuiCol_> which) {
    for (const auto index : which) style.Colors[index] = ImGui::ColorConvertU32ToFloat4(value);
  };
  set(colour::text, {ImGuiCol_Text});
  set(colour::faint, {ImGuiCol_TextDisabled});
  set(colour::panel, {ImGuiCol_WindowBg, ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_ScrollbarBg});
  set(colour::raised, {ImGuiCol_PopupBg, ImGuiCol_TableHeaderBg});
  set(colour::chosen, {ImGuiCol_Header});
  set(colour::line, {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderLight, ImGuiCol_TableBorderStrong});
  set(colour::control, {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_ScrollbarGrab});
  set(colour::hovered,
      {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered, ImGuiCol_ScrollbarGrabHovered});
  set(colour::active, {ImGuiCol_FrameBgActive, ImGuiCol_ButtonActive, ImGuiCol_HeaderActive, ImGuiCol_ScrollbarGrabActive});
  set(colour::accent, {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_PlotHistogram});
  set(colour::text, {ImGuiCol_SliderGrabActive});
  set(colour::rgb(0x4aa8d8, 90), {ImGuiCol_TextSelectedBg});
  set(colour::rgb(0xffffff, 6), {ImGuiCol_TableRowBgAlt});
  set(colour::rgb(0, 0), {ImGuiCol_TableRowBg, ImGuiCol_ChildBg});
}

}  // namespace

ImFont* font(Font which) {
  const auto& fonts = ImGui::GetIO().Fonts->Fonts;
  const auto index = static_cast<int>(which);
  return index < fonts.Size ? fonts[index] : fonts[0];
}

float display_scale() { return font(Font::regular)->FontSize / regular_size; }

void apply_theme(float scale) {
  auto& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowPadding = {12, 10};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 5};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {6, 2};
  style.WindowRounding = 0;
  style.ChildRounding = 3;
  style.PopupRounding = style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = 3;
  style.WindowBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 8;
  style.DisabledAlpha = 0.45f;
  style.ScaleAllSizes(scale);
  set_colours(style);
  load_fonts(scale);
}

}  // namespace app::ui
