#include "app/ui/panel.h"

#include "app/control/carry_scene.h"

namespace app::ui {
namespace {

constexpr double seconds_per_step = 2.2;  // of which the last part rests
constexpr float part_of_movement = 0.75f;
// Arrows end so far before the middle of their cell, in cells: there those from all sides would meet, and be a blob.
constexpr float before_middle = 0.45f;

// The row and column sums of a tile: its right and lower edge.
void edges(ImDrawList& draw, ImVec2 from, ImVec2 to, float thick, ImU32 colour) {
  draw.AddRectFilled({to.x - thick, from.y}, to, colour);
  draw.AddRectFilled({from.x, to.y - thick}, to, colour);
}

void arrow(ImDrawList& draw, ImVec2 from, ImVec2 to, float size, ImU32 colour, float thick) {
  draw.AddLine(from, to, colour, thick);
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return;
  const ImVec2 along((to.x - from.x) / length * size, (to.y - from.y) / length * size);
  draw.AddTriangleFilled(to, {to.x - along.x - along.y * 0.6f, to.y - along.y + along.x * 0.6f},
                         {to.x - along.x + along.y * 0.6f, to.y - along.y - along.x * 0.6f}, colour);
}

// One step in the square at `at`; `progress`: how much of it is done, 0 to 1.
void draw_move(ImDrawList& draw, std::string_view move, ImVec2 at, float side, float progress) {
  const auto picture = carry_scene(move);
  const float cell = side / static_cast<float>(picture.side), gap = std::max(1.f, side / 80);
  const float part = std::min(progress / part_of_movement, 1.f) * 1.15f;  // beyond 1: the last cells are filled
  for (int y = 0; y < picture.side; ++y)
    for (int x = 0; x < picture.side; ++x) {
      const ImVec2 from(at.x + cell * static_cast<float>(x), at.y + cell * static_cast<float>(y));
      const ImVec2 to(from.x + cell - gap, from.y + cell - gap);
      const float filled = std::clamp((part - static_cast<float>(picture.at(x, y))) / 0.12f, 0.f, 1.f);
      const auto accent = colour::translucent(colour::accent, static_cast<unsigned>(std::lround(filled * 0.75f * 255)));
      const auto fill = colour::mixed(accent, colour::control);
      draw.AddRectFilled(from, to, picture.sums_alone ? colour::control : fill, cell * 0.08f);
      if (picture.sums_alone) edges(draw, from, to, cell * 0.18f, fill);
    }
  const auto middle = [&](int x, int y) {
    return ImVec2(at.x + cell * (static_cast<float>(x) + 0.5f), at.y + cell * (static_cast<float>(y) + 0.5f));
  };
  for (const auto& carry : picture.carries) {
    const float age = part - static_cast<float>(carry.when);
    if (age < -0.14f || age > 0.2f) continue;  // only what moves now
    const auto cells = static_cast<float>(std::max(std::abs(carry.x1 - carry.x0), std::abs(carry.y1 - carry.y0)));
    const float moved = std::clamp((age + 0.14f) / 0.14f, 0.f, 1.f) * (1 - before_middle / cells);
    const auto from = middle(carry.x0, carry.y0), to = middle(carry.x1, carry.y1);
    arrow(draw, from, {from.x + (to.x - from.x) * moved, from.y + (to.y - from.y) * moved}, std::max(3.f, cell * 0.22f),
          colour::warning, std::max(1.f, side / 90));
  }
  if (picture.unknown) draw.AddText({at.x + (side - text_width("?")) / 2, at.y + (side - em()) / 2}, colour::text, "?");
}

}  // namespace

void carry_diagrams(std::span<const SatStep> steps, double seconds) {
  const auto side = std::round(em() * 6.5f), gap = em() * 1.2f;
  const auto room = ImGui::GetContentRegionAvail().x;
  const auto in_line = std::max(1, static_cast<int>((room + gap) / (side + gap)));
  const auto head = steps.size() > 1 ? em() * 1.3f : 0, height = head + side + em() * 0.5f;
  const double all = seconds_per_step * static_cast<double>(steps.size());
  const double now = std::fmod(seconds, all) / seconds_per_step;
  const auto start = ImGui::GetCursorScreenPos();
  auto& draw = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto column = static_cast<float>(static_cast<int>(i) % in_line),
               line = static_cast<float>(static_cast<int>(i) / in_line);
    const ImVec2 at(start.x + column * (side + gap), start.y + line * height);
    const auto progress = static_cast<float>(std::clamp(now - static_cast<double>(i), 0.0, 1.0));
    const bool current = progress > 0 && progress < 1;
    const auto number = std::to_string(i + 1);
    if (steps.size() > 1) draw.AddText(at, current ? colour::text : colour::dim, number.c_str());
    draw_move(draw, steps[i].move, {at.x, at.y + head}, side, progress);
  }
  const auto line_count = (static_cast<int>(steps.size()) + in_line - 1) / in_line;
  ImGui::Dummy({room, static_cast<float>(line_count) * height});
}

}  // namespace app::ui
