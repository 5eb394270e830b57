#include "app/ui/tool_button.h"

#include "app/ui/panel.h"

namespace app::ui {
namespace {

void triangle(ImDrawList& draw, ImVec2 centre, float size, bool to_right, ImU32 colour) {
  const float x = to_right ? size : -size;
  const ImVec2 a(centre.x - x * 0.7f, centre.y - size), b(centre.x - x * 0.7f, centre.y + size),
      c(centre.x + x * 0.9f, centre.y);
  to_right ? draw.AddTriangleFilled(a, c, b, colour) : draw.AddTriangleFilled(a, b, c, colour);
}

void upright(ImDrawList& draw, ImVec2 centre, float x, float size, ImU32 colour) {
  const float half = std::max(1.f, std::round(size * 0.2f));
  draw.AddRectFilled({centre.x + x - half, centre.y - size}, {centre.x + x + half, centre.y + size}, colour);
}

// A line through points in units of an em/12, from the centre.
template <std::size_t count>
void strokes(ImDrawList& draw, ImVec2 centre, const ImVec2 (&points)[count], ImU32 colour) {
  const auto unit = em() / 12;
  ImVec2 placed[count];
  for (std::size_t i = 0; i < count; ++i) placed[i] = {centre.x + points[i].x * unit, centre.y + points[i].y * unit};
  draw.AddPolyline(placed, static_cast<int>(count), colour, 0, std::max(1.5f, em() * 0.1f));
}

void bars(ImDrawList& draw, ImVec2 centre, std::initializer_list<float> lengths, float from, float thick, ImU32 colour) {
  const auto unit = em() / 12;
  auto y = std::round(centre.y - 4 * unit);
  for (const auto length : lengths) {
    const auto x = std::round(centre.x + from * unit);
    draw.AddRectFilled({x, y}, {x + std::round(length * unit), y + std::max(1.f, std::round(thick * unit))}, colour);
    y += std::round(3.4f * unit);
  }
}

// A square of which the right half is filled.
void halves(ImDrawList& draw, ImVec2 centre, ImU32 colour) {
  const auto half = std::round(em() * 0.38f), line = std::max(1.f, std::round(em() / 14));
  const ImVec2 from(centre.x - half, centre.y - half), to(centre.x + half, centre.y + half);
  draw.AddRect(from, to, colour, 0, 0, line);
  draw.AddRectFilled({centre.x - line, from.y - line}, {centre.x, to.y + line}, colour);
  draw.AddRectFilled({centre.x, from.y}, to, colour::translucent(colour, 90));
}

// A rectangle of dashes.
void dashes(ImDrawList& draw, ImVec2 centre, ImU32 colour) {
  const auto half = std::round(em() * 0.4f), dash = std::round(em() * 0.2f), line = std::max(1.f, std::round(em() / 12));
  for (const float side : {-1.f, 1.f})
    for (const float place : {-1.f, 0.f, 1.f}) {
      const auto along = place * (half - dash / 2), at = side * half;
      draw.AddRectFilled({centre.x + along - dash / 2, centre.y + at - line / 2},
                         {centre.x + along + dash / 2, centre.y + at + line / 2}, colour);
      draw.AddRectFilled({centre.x + at - line / 2, centre.y + along - dash / 2},
                         {centre.x + at + line / 2, centre.y + along + dash / 2}, colour);
    }
}

float icon_width(const ToolButton& button) { return button.icon == Icon::none ? 0 : em(); }
float gap_of_parts() { return std::round(em() * 0.5f); }

void draw_transport(ImDrawList& draw, Icon icon, ImVec2 centre, ImU32 colour) {
  const float size = std::round(em() * 0.34f);
  switch (icon) {
    case Icon::play: return triangle(draw, centre, size, true, colour);
    case Icon::pause:
      upright(draw, centre, -size * 0.5f, size, colour);
      return upright(draw, centre, size * 0.5f, size, colour);
    case Icon::back: triangle(draw, centre, size, false, colour); return upright(draw, centre, size, size, colour);
    case Icon::forward: triangle(draw, centre, size, true, colour); return upright(draw, centre, -size, size, colour);
    case Icon::to_start: upright(draw, centre, -size, size, colour); return triangle(draw, centre, size, false, colour);
    case Icon::again:
      draw.PathArcTo(centre, size, -0.3f, 4.6f, 20);
      draw.PathStroke(colour, 0, std::max(1.5f, size * 0.3f));
      return triangle(draw, {centre.x + size * 0.5f, centre.y - size}, size * 0.55f, true, colour);
    default: return;
  }
}

}  // namespace

void draw_icon(ImDrawList& draw, Icon icon, ImVec2 centre, ImU32 colour) {
  switch (icon) {
    case Icon::race: return bars(draw, centre, {4, 7, 10}, -5, 2, colour);
    case Icon::menu: return bars(draw, centre, {10, 10, 10}, -5, 1.2f, colour);
    case Icon::measure: return strokes(draw, centre, {{-6, 0}, {-3, 0}, {-1, -4}, {2, 4}, {4, 0}, {6, 0}}, colour);
    case Icon::check: return strokes(draw, centre, {{-5, 0}, {-2, 3}, {5, -4}}, colour);
    case Icon::save:
      strokes(draw, centre, {{0, -6}, {0, 2}}, colour);
      strokes(draw, centre, {{-3, -1}, {0, 2}, {3, -1}}, colour);
      return strokes(draw, centre, {{-5, 2}, {-5, 5}, {5, 5}, {5, 2}}, colour);
    case Icon::close:
      strokes(draw, centre, {{-4, -4}, {4, 4}}, colour);
      return strokes(draw, centre, {{-4, 4}, {4, -4}}, colour);
    case Icon::compare: return halves(draw, centre, colour);
    case Icon::rectangle: return dashes(draw, centre, colour);
    case Icon::record: return draw.AddCircleFilled(centre, std::round(em() * 0.3f), colour);
    default: return draw_transport(draw, icon, centre, colour);
  }
}

float width_of(const ToolButton& button) {
  auto width = 2 * ImGui::GetStyle().FramePadding.x + icon_width(button);
  if (!button.text.empty()) width += text_width(button.text) + (button.icon == Icon::none ? 0 : gap_of_parts());
  return std::round(width + (button.opens ? em() : 0));
}

bool tool_button(const ToolButton& button) {
  const ImVec2 size(width_of(button), ImGui::GetFrameHeight());
  const bool disabled = !button.why_not.empty();
  const auto ground = button.on ? ImU32(colour::chosen) : button.raised ? ImU32(colour::control) : 0u;
  ImGui::PushStyleColor(ImGuiCol_Button, ground);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, button.on ? ground : ImGui::GetColorU32(ImGuiCol_ButtonHovered));
  ImGui::BeginDisabled(disabled);
  const auto at = ImGui::GetCursorScreenPos();
  ImGui::PushID(button.id);
  const bool clicked = ImGui::Button("##tool", size);
  ImGui::PopID();
  ImGui::EndDisabled();
  ImGui::PopStyleColor(2);
  auto& draw = *ImGui::GetWindowDrawList();
  if (button.edge) draw.AddRect(at, {at.x + size.x, at.y + size.y}, button.edge, ImGui::GetStyle().FrameRounding);
  const auto words = disabled ? ImU32(colour::faint) : ImU32(colour::text);
  const auto middle = at.y + size.y / 2;
  auto x = at.x + ImGui::GetStyle().FramePadding.x;
  if (button.icon != Icon::none) {
    draw_icon(draw, button.icon, {std::round(x + em() / 2), std::round(middle)},
              button.ink && !disabled ? button.ink : words);
    x += em() + gap_of_parts();
  }
  draw.AddText({std::round(x), at.y + ImGui::GetStyle().FramePadding.y}, words, button.text.c_str());
  if (button.opens) chevron(draw, {at.x + size.x - em() * 0.85f, middle}, disabled ? words : ImU32(colour::dim));
  tooltip(disabled ? button.why_not : button.help);
  return clicked;
}

float left_of_tools(std::span<const Tool> tools, float right) {
  for (const auto& tool : tools)
    right -= width_of(tool.button) + ImGui::GetStyle().ItemSpacing.x + (tool.apart ? std::round(em()) : 0);
  return right;
}

void tool_row(PanelContext& ui, std::span<const Tool> tools, float right) {
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), left_of_tools(tools, right) + ImGui::GetStyle().ItemSpacing.x));
  for (const auto& [button, command, list, place, apart] : tools) {
    if (apart) {
      const auto at = ImGui::GetCursorScreenPos();
      const auto x = std::round(at.x + em() / 4), inside = std::round(em() / 4);
      hairline({x, at.y + inside}, {x, at.y + ImGui::GetFrameHeight() - inside});
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::round(em()));
    }
    const bool clicked = tool_button(button);
    if (place) *place = last_item();
    if (clicked && command) ui.act(*command);
    const bool opened = command ? ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Right) : clicked;
    if (list && opened) ui.drafts.list_to_open = list;
    ImGui::SameLine();
  }
}

}  // namespace app::ui
