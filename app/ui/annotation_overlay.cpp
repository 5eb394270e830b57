// Annotations over the picture: lines and letters in the screen's resolution, at every zoom.
#include <imgui.h>

#include <cmath>

#include "app/pipeline/picture_drawing.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

ImU32 packed(gpu::Rgba c) { return IM_COL32(c.r, c.g, c.b, c.a); }

ImVec2 on_screen(const View& view, float x, float y) {
  const auto point = view.image_to_screen({x, y});
  return {static_cast<float>(std::round(point.x)), static_cast<float>(std::round(point.y))};
}

// Enlarged elsewhere, a label would lie over the pixels that are looked at.
bool in_sight(const View& view, const gpu::Annotation& a) {
  const auto seen = view.visible();
  const auto from = view.image_to_screen({a.x0, a.y0}), to = view.image_to_screen({a.x1, a.y1});
  return from.x <= seen.x + seen.width && to.x >= seen.x && from.y <= seen.y + seen.height && to.y >= seen.y;
}

Rect draw_label(ImDrawList& draw, const View& view, const gpu::Annotation& a, std::span<const Rect> numbers) {
  const Note note({{label_text(a, true), packed(a.stroke)}});
  const auto gap = std::round(ImGui::GetFontSize() * 0.125f);
  const auto visible = view.visible();
  const auto from = on_screen(view, a.x0, a.y0), to = on_screen(view, a.x1, a.y1);
  const auto wanted = place_label({from.x - visible.x, from.y - visible.y - gap, to.y - visible.y + gap, note.width(),
                                   note.height(), visible.width, visible.height});
  const ImVec2 corner(static_cast<float>(visible.x + wanted.x), static_cast<float>(visible.y + wanted.y));
  const auto place = free_place(as_rect(visible), note.place(corner), numbers);
  note.draw(draw, place);
  return place;
}

// A number alone is that of the windows that a detection stands for.
void explain(const gpu::Annotation& label, const Rect& place) {
  const auto& io = ImGui::GetIO();
  const ImVec2 from(place.x, place.y), to(place.x + place.width, place.y + place.height);
  if (label.has != gpu::Annotation::Value::number || label.text[0] || io.WantCaptureMouse || ImGui::IsAnyMouseDown() ||
      !ImGui::IsMouseHoveringRect(from, to, false))
    return;
  show_tooltip(label_text(label, true) + " windows of the cascade, near each other, found this");
}

}  // namespace

std::vector<Rect> draw_annotations(const View& view, std::span<const gpu::Annotation> annotations,
                                   std::span<const Rect> numbers, bool explains) {
  if (annotations.empty()) return {};
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0) return {};
  const ClipToPicture clip(visible);
  auto& draw = clip.draw;
  std::vector<Rect> labels;
  const auto width = std::max(1.0f, std::round(ImGui::GetFontSize() / 12));
  for (const auto& a : annotations) {
    if (a.kind == gpu::Annotation::Kind::label) {
      if (!in_sight(view, a)) continue;
      labels.push_back(draw_label(draw, view, a, numbers));
      if (explains) explain(a, labels.back());
      continue;
    }
    const auto from = on_screen(view, a.x0, a.y0), to = on_screen(view, a.x1, a.y1);
    if (a.kind == gpu::Annotation::Kind::line) {
      draw.AddLine(from, to, packed(a.stroke), width);
      continue;
    }
    if (a.fill.a > 0) draw.AddRectFilled(from, to, packed(a.fill));
    const auto out = (width + 1) / 2;  // outside of the pixels that it encloses; ImGui draws half a pixel inwards
    if (a.stroke.a > 0) draw.AddRect({from.x - out, from.y - out}, {to.x + out, to.y + out}, packed(a.stroke), 0, 0, width);
  }
  return labels;
}

}  // namespace app::ui
