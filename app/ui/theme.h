// The theme: colours, fonts, spacing, at the scale of the display.
#pragma once

#include <imgui.h>

#include <array>
#include <cstddef>
#include <string>

namespace app::ui {

// The colours of the interface. colour::text and its like are those of the theme in use, which apply_theme() chose.
struct Colours {
  ImU32 background;                        // behind the picture
  ImU32 panel, raised;                     // raised: headers of tables, what lies over the panels
  ImU32 control, hovered, active, chosen;  // control: what can be changed; chosen: the current entry of a list
  ImU32 line, box;                         // between parts; around what is ticked
  ImU32 text, dim, faint;                  // faint: of what is disabled alone
  ImU32 accent;                            // what can be moved, or was measured
  ImU32 good, warning, bad;                // these only judge
  std::array<ImU32, 8> rows;               // one per kernel, in the order of the rows
};
extern const Colours dark_colours, light_colours;
const Colours& colours();  // those of the current ImGui context

namespace colour {

constexpr ImU32 rgb(unsigned hex, unsigned alpha = 255) {
  return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, alpha);
}
// `alpha`: 0..255
constexpr ImU32 translucent(ImU32 colour, unsigned alpha) {
  return (colour & ~static_cast<ImU32>(IM_COL32_A_MASK)) | alpha << IM_COL32_A_SHIFT;
}
// As WCAG 2 defines it: 1 to 21, from 4.5 on easily read. Of opaque colours.
double contrast(ImU32 one, ImU32 other);
ImU32 mixed(ImU32 over, ImU32 below);  // `over`, where it is translucent, on the opaque `below`

// A colour by its name: of the theme that is in use where it is converted.
class Name {
 public:
  constexpr explicit Name(ImU32 Colours::*member) : member_(member) {}
  operator ImU32() const { return colours().*member_; }

 private:
  ImU32 Colours::*member_;
};
inline constexpr Name background{&Colours::background}, panel{&Colours::panel}, raised{&Colours::raised};
inline constexpr Name control{&Colours::control}, hovered{&Colours::hovered}, active{&Colours::active};
inline constexpr Name chosen{&Colours::chosen}, line{&Colours::line}, box{&Colours::box};
inline constexpr Name text{&Colours::text}, dim{&Colours::dim}, faint{&Colours::faint};
inline constexpr Name accent{&Colours::accent}, good{&Colours::good}, warning{&Colours::warning}, bad{&Colours::bad};
// Black or white, whichever is read better on `fill`, which lies on a panel: at least 4.5.
ImU32 letters_on(ImU32 fill);
inline ImU32 row(std::size_t index) { return colours().rows[index % colours().rows.size()]; }

}  // namespace colour

// `slide`, `statement`: of the presentation, read from afar. `sum`: of formulas, ASCII and minus signs. Four have digits and the thin
// space alone, for cells: letters are drawn at the sizes that they have, never scaled. `code`: of source text, where Look asks for it.
enum class Font {
  regular,
  bold,
  title,
  slide,
  sum,
  statement,
  small_digits,
  smallest_digits,
  large_digits,
  largest_digits,
  code
};
// The fonts that apply_theme() loaded; the regular one in place of those that are missing.
ImFont* font(Font which);
// The largest, but for bold ones, in which `text` is no wider than `width` pixels and `lines` of it no higher than `height`;
// null: none.
ImFont* fitting_font(const std::string& text, float width, float height, int lines = 1);

// The pictures of the list of effects become part of the texture of the fonts, which is made here.
void add_effect_pictures(ImFontAtlas& fonts, float scale);

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
