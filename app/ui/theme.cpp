#include "app/ui/theme.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <span>

#include "app/control/imgui_keys.h"
#include "app/ui/ui.h"

// The files of assets/fonts, put into the program by third_party/cmake/embed_fonts.cmake.
extern "C" {
extern const unsigned char satscope_font_roboto_regular_ttf[], satscope_font_roboto_regular_ttf_end[];
extern const unsigned char satscope_font_roboto_medium_ttf[], satscope_font_roboto_medium_ttf_end[];
extern const unsigned char satscope_font_dejavusans_ttf[], satscope_font_dejavusans_ttf_end[];
extern const unsigned char satscope_font_dejavusansmono_ttf[], satscope_font_dejavusansmono_ttf_end[];
}

namespace app::ui {

using colour::rgb;

constexpr Colours dark_colours{
    .background = rgb(0x101215),
    .panel = rgb(0x181b20),
    .raised = rgb(0x21252c),
    .control = rgb(0x272c34),
    .hovered = rgb(0x323943),
    .active = rgb(0x3d4653),
    .chosen = rgb(0x274659),
    .line = rgb(0x2b3038),
    .box = rgb(0x6d7682),
    .text = rgb(0xd9dce1),
    .dim = rgb(0x9aa2ad),
    .faint = rgb(0x5b636e),
    .accent = rgb(0x4aa8d8),
    .good = rgb(0x62b98a),
    .warning = rgb(0xdfa643),
    .bad = rgb(0xe0655c),
    .rows = {rgb(0x4aa8d8), rgb(0xdfa643), rgb(0x62b98a), rgb(0xb48ad6), rgb(0xd97f6a), rgb(0x58b8b4), rgb(0xc0b864),
             rgb(0x8593d6)},
};

constexpr Colours light_colours{
    .background = rgb(0xdde1e5),
    .panel = rgb(0xf3f4f6),
    .raised = rgb(0xe8ebee),
    .control = rgb(0xdadfe4),
    .hovered = rgb(0xcbd2d9),
    .active = rgb(0xb9c3cd),
    .chosen = rgb(0xb9dcef),
    .line = rgb(0xcdd3d9),
    .box = rgb(0x7a848f),
    .text = rgb(0x1b2026),
    .dim = rgb(0x4d5763),
    .faint = rgb(0x838c97),
    .accent = rgb(0x0f6a98),
    .good = rgb(0x176b43),
    .warning = rgb(0x8a5800),
    .bad = rgb(0xad2c24),
    .rows = {rgb(0x1f82b5), rgb(0xc08012), rgb(0x2f965f), rgb(0x8657b0), rgb(0xbb563d), rgb(0x23908b), rgb(0x8f851d),
             rgb(0x5466bb)},
};

// ImGui keeps a pointer for the program that uses it: apply_theme() stores the colours there.
const Colours& colours() {
  const auto* chosen = static_cast<const Colours*>(ImGui::GetIO().UserData);
  return chosen ? *chosen : dark_colours;
}

namespace colour {
namespace {

// Relative luminance, as WCAG 2 defines it.
double luminance(ImU32 colour) {
  const auto linear = [&](int shift) {
    const double c = ((colour >> shift) & 255) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(IM_COL32_R_SHIFT) + 0.7152 * linear(IM_COL32_G_SHIFT) + 0.0722 * linear(IM_COL32_B_SHIFT);
}

}  // namespace

double contrast(ImU32 one, ImU32 other) {
  const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
  return (lighter + 0.05) / (darker + 0.05);
}

ImU32 mixed(ImU32 over, ImU32 below) {
  const auto alpha = (over >> IM_COL32_A_SHIFT) & 255;
  ImU32 result = IM_COL32_A_MASK;
  for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT})
    result |= ((((over >> shift) & 255) * alpha + ((below >> shift) & 255) * (255 - alpha)) / 255) << shift;
  return result;
}

ImU32 letters_on(ImU32 fill) {
  const auto seen = mixed(fill, panel);
  constexpr auto white = rgb(0xffffff), black = rgb(0);
  return contrast(white, seen) > contrast(black, seen) ? white : black;
}

}  // namespace colour

namespace {

// Roboto: its digits have equal width, so that columns of numbers do not jitter.
std::span<const unsigned char> regular_font() {
  return {satscope_font_roboto_regular_ttf, satscope_font_roboto_regular_ttf_end};
}
std::span<const unsigned char> bold_font() { return {satscope_font_roboto_medium_ttf, satscope_font_roboto_medium_ttf_end}; }
// DejaVu Sans: for what Roboto lacks, arrows for example.
std::span<const unsigned char> symbol_font() { return {satscope_font_dejavusans_ttf, satscope_font_dejavusans_ttf_end}; }

// DejaVu Sans Mono: all characters are equally wide.
std::span<const unsigned char> code_font() {
  return {satscope_font_dejavusansmono_ttf, satscope_font_dejavusansmono_ttf_end};
}

constexpr float regular_size = 16;  // a line of text: its em is 13.65 pixels

// What Roboto gives: Latin, Greek and Cyrillic letters, punctuation with the thin spaces of grouped(), mathematical signs,
// and the mark in place of what no font has.
constexpr ImWchar letters[] = {0x20,   0x17f,  0x384,  0x3ce,  0x400,  0x45f,  0x2009, 0x200a, 0x2010,
                               0x2026, 0x202f, 0x202f, 0x20ac, 0x20ac, 0x2202, 0x2202, 0x2211, 0x2212,
                               0x221a, 0x221e, 0x2248, 0x2248, 0x2260, 0x2265, 0xfffd, 0xfffd, 0};
// From DejaVu Sans: superscripts and subscripts, arrows, geometric shapes.
constexpr ImWchar symbols[] = {0x2070, 0x208e, 0x2190, 0x2199, 0x21a9, 0x21aa, 0x21ba, 0x21bb, 0x25a0, 0x25cf, 0};

// Of the texts of the presentation, which the program makes, and of formulas.
constexpr ImWchar latin[] = {0x20, 0xff, 0x2009, 0x2009, 0x2010, 0x2026, 0x2212, 0x2212, 0xfffd, 0xfffd, 0};
constexpr ImWchar ascii[] = {0x20, 0x7e, 0x2009, 0x2009, 0x2212, 0x2212, 0};
constexpr ImWchar digits[] = {'0', '9', 0x2009, 0x2009, 0};

// Sizes of the fonts, in the order of Font; the last one is there only where it is asked for.
constexpr float sizes[] = {regular_size, regular_size, 18, 21, 30, 39, 12, 9, 20, 26, 15};
float whole_pixels(float size, float scale) { return std::floor(size * scale); }

bool has_fonts(float scale, bool code) {
  const auto& fonts = ImGui::GetIO().Fonts->Fonts;
  return fonts.Size == static_cast<int>(std::size(sizes)) - (code ? 0 : 1) &&
         std::equal(fonts.begin(), fonts.end(), sizes,
                    [&](const ImFont* font, float size) { return font->FontSize == whole_pixels(size, scale); });
}

void load_fonts(float scale, bool code) {
  if (has_fonts(scale, code)) return;  // only the colours change
  auto& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
  const auto add = [&](std::span<const unsigned char> file, float size, const ImWchar* ranges, bool merge,
                       const char* name) {
    ImFontConfig config;
    // A texel of a glyph is a pixel of the screen: ImGuiSession::begin_frame().
    config.OversampleH = 1;
    config.PixelSnapH = true;
    config.FontDataOwnedByAtlas = false;
    config.MergeMode = merge;
    std::snprintf(config.Name, sizeof config.Name, "%s", name);
    auto* data = const_cast<unsigned char*>(file.data());  // ImGui only reads it
    fonts.AddFontFromMemoryTTF(data, static_cast<int>(file.size()), whole_pixels(size, scale), &config, ranges);
  };
  add(regular_font(), sizes[0], letters, false, "Roboto Regular");
  add(symbol_font(), sizes[0], symbols, true, "DejaVu Sans");
  // Medium: of names that the user gives, too, and of sentences with values.
  for (const float size : {sizes[1], sizes[2]}) add(bold_font(), size, letters, false, "Roboto Medium");
  add(regular_font(), sizes[3], latin, false, "Roboto Regular");
  add(regular_font(), sizes[4], ascii, false, "Roboto Regular, ASCII");
  add(bold_font(), sizes[5], latin, false, "Roboto Medium");
  for (const float size : {sizes[6], sizes[7], sizes[8], sizes[9]})
    add(regular_font(), size, digits, false, "Roboto Regular, digits");
  if (code) add(code_font(), sizes[10], letters, false, "DejaVu Sans Mono");
  add_effect_pictures(fonts, scale);
}

void set_colours(ImGuiStyle& style, bool dark) {
  const auto set = [&](ImU32 value, std::initializer_list<ImGuiCol_> which) {
    for (const auto index : which) style.Colors[index] = ImGui::ColorConvertU32ToFloat4(value);
  };
  set(colour::text, {ImGuiCol_Text});
  set(colour::dim, {ImGuiCol_TextDisabled});  // of hints and keys
  set(colour::panel, {ImGuiCol_WindowBg, ImGuiCol_ScrollbarBg});
  set(colour::raised, {ImGuiCol_PopupBg, ImGuiCol_TableHeaderBg, ImGuiCol_TitleBg, ImGuiCol_TitleBgActive});
  set(colour::chosen, {ImGuiCol_Header, imgui::tab_selected, imgui::tab_dimmed_selected});
  set(colour::line, {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderLight, ImGuiCol_TableBorderStrong});
  set(colour::control, {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_ScrollbarGrab});
  set(colour::hovered, {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered,
                        ImGuiCol_ScrollbarGrabHovered, ImGuiCol_TabHovered});
  set(colour::active, {ImGuiCol_FrameBgActive, ImGuiCol_ButtonActive, ImGuiCol_HeaderActive, ImGuiCol_ScrollbarGrabActive});
  set(colour::accent, {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_PlotHistogram});
  set(colour::text, {ImGuiCol_SliderGrabActive});
  set(colour::translucent(colour::accent, 90), {ImGuiCol_TextSelectedBg});
  set(colour::rgb(dark ? 0xffffff : 0, dark ? 6 : 8), {ImGuiCol_TableRowBgAlt});
  set(colour::rgb(0, 0), {ImGuiCol_TableRowBg, ImGuiCol_ChildBg, ImGuiCol_Tab, imgui::tab_dimmed});
  set(colour::rgb(0, dark ? 140 : 90), {ImGuiCol_ModalWindowDimBg});
}

std::array<float, 3> channels(ImU32 colour) {
  const auto all = ImGui::ColorConvertU32ToFloat4(colour);
  return {all.x, all.y, all.z};
}

}  // namespace

ImFont* font(Font which) {
  const auto& fonts = ImGui::GetIO().Fonts->Fonts;
  const auto index = static_cast<int>(which);
  return index < fonts.Size ? fonts[index] : fonts[0];
}

ImFont* fitting_font(const std::string& text, float width, float height, int lines) {
  const bool only_digits = text.find_first_not_of("0123456789\u2009") == text.npos;
  for (const auto which :
       {Font::largest_digits, Font::large_digits, Font::regular, Font::small_digits, Font::smallest_digits}) {
    if (which >= Font::small_digits && !only_digits) continue;
    auto* face = font(which);
    if (face->CalcTextSizeA(face->FontSize, 1e9f, 0, text.c_str()).x <= width &&
        face->FontSize * static_cast<float>(lines) <= height)
      return face;
  }
  return nullptr;
}

float display_scale() { return font(Font::regular)->FontSize / regular_size; }

std::array<float, 3> panel_background() { return channels(colour::panel); }
std::array<float, 3> picture_background() { return channels(colour::background); }

void apply_theme(const Look& look) {
  const bool dark = look.theme == Theme::dark;
  ImGui::GetIO().UserData = const_cast<Colours*>(dark ? &dark_colours : &light_colours);  // read by colours()
  auto& style = ImGui::GetStyle();
  style = ImGuiStyle();
  // Multiples of 4: controls are 28 high, rows of tables 20.
  style.WindowPadding = {12, 8};
  style.FramePadding = {8, 6};
  style.ItemSpacing = {8, 4};
  style.ItemInnerSpacing = {8, 4};
  style.CellPadding = {6, 2};
  style.WindowRounding = 0;
  style.ChildRounding = 3;
  style.PopupRounding = style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = 3;
  style.WindowBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 8;
  style.DisabledAlpha = 0.55f;
  style.AntiAliasedLinesUseTex = false;  // those need an interpolated texture
  style.ScaleAllSizes(look.scale);
  set_colours(style, dark);
  load_fonts(look.scale, look.code);
}

}  // namespace app::ui
