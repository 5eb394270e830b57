#include "app/ui/colour.h"

#include <algorithm>
#include <cmath>

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
    .text = rgb(0xd9dce1),
    .dim = rgb(0x8d95a1),
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
    .text = rgb(0x1b2026),
    .dim = rgb(0x525c68),
    .faint = rgb(0x838c97),
    .accent = rgb(0x1272a3),
    .good = rgb(0x1f8552),
    .warning = rgb(0x9a6200),
    .bad = rgb(0xbf362c),
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
  return contrast(text, seen) > contrast(background, seen) ? text : background;
}

}  // namespace colour

}  // namespace app::ui
