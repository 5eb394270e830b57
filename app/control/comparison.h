// Comparison: which two pictures are compared, as a user names them. A side is `original` (the frame before the effect, in
// colour), `result` (what the settings choose), or the name of an algorithm or an effect: the result with that in place of
// its own.
#pragma once

#include <string>
#include <string_view>

#include "app/control/selection.h"
#include "app/control/settings.h"

namespace app {

inline constexpr std::string_view original_side = "original", result_side = "result", no_comparison = "off";

inline constexpr std::string_view accepted_sides =
    "two sides A,B, each original, result, or the name of an algorithm or an effect; or off";

std::string title_of_side(std::string_view name);  // as menus and pictures show it: "Original", an effect's title
// A path of the timeline with such titles: "B: Box blur/luma" for "B: box_blur/luma"; a kernel that is called as its effect has
// the effect's.
std::string title_of_path(std::string_view path);

// "A,B", or "off". Throw std::invalid_argument with one line, which suggests the nearest name.
Sides sides_from_text(std::string_view text);
std::string text_of(const Sides& sides);

// Why `name` cannot be a side on `device`, and what to do, one line; empty if it can.
std::string why_no_side(std::string_view name, gpu::Device device);
// Why the two sides of the settings cannot be compared; empty if they can, or if nothing is compared.
std::string why_not_compared(const Settings& settings, gpu::Device device);

// Adds the comparison of the settings to `selection`, their result: its sides, named by what they are, and how they are
// composed. Only where why_not_compared() gives no reason. Throws gpu::ArgumentError.
void add_sides(Selection& selection, const Settings& settings);

}  // namespace app
