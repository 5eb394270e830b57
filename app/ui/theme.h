// The theme: colours, fonts, spacing, at the scale of the display.
#pragma once

#include <imgui.h>

#include <string>

#include "app/ui/colour.h"

namespace app::ui {

// The last four have digits and the thin space alone, for cells: letters are drawn at the sizes that they have, never scaled.
enum class Font { regular, small, bold, title, small_digits, smallest_digits, larger_digits, largest_digits };
// The fonts that apply_theme() loaded; the regular one in place of those that are missing.
ImFont* font(Font which);
// The largest, but for bold ones, in which `text` is no wider than `width` pixels and `lines` of it no higher than `height`;
// null: none.
ImFont* fitting_font(const std::string& text, float width, float height, int lines = 1);

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
