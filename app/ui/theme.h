// The theme: colours, fonts, spacing. All colours of the panels are here.
#pragma once

#include <imgui.h>

#include <cstddef>

namespace app::ui {

namespace colour {
constexpr ImU32 rgb(unsigned hex, unsigned alpha = 255) {
  return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, alpha);
}
inline constexpr ImU32 background = rgb(0x101215);  // behind the picture
inline constexpr ImU32 panel = rgb(0x181b20);
inline constexpr ImU32 raised = rgb(0x21252c);   // section headers, chips, table headers
inline constexpr ImU32 control = rgb(0x272c34);  // what can be changed
inline constexpr ImU32 hovered = rgb(0x323943);
inline constexpr ImU32 active = rgb(0x3d4653);
inline constexpr ImU32 chosen = rgb(0x274659);  // the current entry of a list
inline constexpr ImU32 line = rgb(0x2b3038);
inline constexpr ImU32 text = rgb(0xd9dce1);
inline constexpr ImU32 dim = rgb(0x8d95a1);
inline constexpr ImU32 faint = rgb(0x5b636e);
inline constexpr ImU32 accent = rgb(0x4aa8d8);
inline constexpr ImU32 good = rgb(0x62b98a);
inline constexpr ImU32 warning = rgb(0xdfa643);
inline constexpr ImU32 bad = rgb(0xe0655c);
// One per kernel, in the order of the rows.
inline constexpr ImU32 rows[] = {rgb(0x4aa8d8), rgb(0xdfa643), rgb(0x62b98a), rgb(0xb48ad6),
                                 rgb(0xd97f6a), rgb(0x58b8b4), rgb(0xc0b864), rgb(0x8593d6)};
constexpr ImU32 row(std::size_t index) { return rows[index % (sizeof rows / sizeof *rows)]; }
}  // namespace colour

enum class Font { regular, small, bold, title };
// The fonts that apply_theme() loaded; the regular one in place of those that are missing.
ImFont* font(Font which);

// Sets a font, or a text colour, during its lifetime.
class WithFont {
 public:
  explicit WithFont(Font which) { ImGui::PushFont(font(which)); }
  ~WithFont() { ImGui::PopFont(); }
  WithFont(const WithFont&) = delete;
  WithFont& operator=(const WithFont&) = delete;
};
class WithText {
 public:
  explicit WithText(ImU32 colour) { ImGui::PushStyleColor(ImGuiCol_Text, colour); }
  ~WithText() { ImGui::PopStyleColor(); }
  WithText(const WithText&) = delete;
  WithText& operator=(const WithText&) = delete;
};

}  // namespace app::ui
