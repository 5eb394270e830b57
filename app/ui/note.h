// What all that is drawn over the picture shares: it is cut off where the picture's area ends, and what it says stands in notes:
// lines of text on a dark ground, whatever the theme.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/ui/theme.h"
#include "app/ui/ui.h"

namespace app::ui {

// The corners of a rectangle for ImGui.
inline ImVec2 low(const Rect& rect) { return {rect.x, rect.y}; }
inline ImVec2 high(const Rect& rect) { return {rect.x + rect.width, rect.y + rect.height}; }
// Behind text.
inline constexpr ImU32 note_ground = IM_COL32(0, 0, 0, 208);

// What is drawn over the picture during its lifetime, under the panels, ends at an area's edges.
class ClipToPicture {
 public:
  explicit ClipToPicture(const Area& area);
  ~ClipToPicture() { draw.PopClipRect(); }
  ClipToPicture(const ClipToPicture&) = delete;
  ClipToPicture& operator=(const ClipToPicture&) = delete;

  ImDrawList& draw;
};

struct NoteLine {
  std::string text;
  ImU32 colour = dark_colours.text;
};
class Note {
 public:
  explicit Note(std::vector<NoteLine> lines);
  // Its ground with its upper left corner there.
  Rect place(ImVec2 corner) const { return {corner.x, corner.y, size_.x, size_.y}; }
  void draw(ImDrawList& draw, const Rect& place) const;
  float width() const { return size_.x; }
  float height() const { return size_.y; }

 private:
  std::vector<NoteLine> lines_;
  ImVec2 pad_, size_;
};

}  // namespace app::ui
