// Diagrams of how an algorithm's sums move, drawn from the steps of its card.
#pragma once

#include <imgui.h>

#include <span>

#include "gpu/sat_card.h"

namespace app::ui {

// One picture per step, side by side, each below its number, in as many lines as they need. `seconds`: the time of the
// animation, which does one step after another.
void carry_diagrams(std::span<const gpu::SatStep> steps, double seconds);
// One step in the square at `at`; `progress`: how much of it is done, 0 to 1.
void draw_move(ImDrawList& draw, gpu::SatMove move, ImVec2 at, float side, float progress);

}  // namespace app::ui
