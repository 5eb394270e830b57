// The places of a matrix and its table, side by side: both are always in view. Where they do not fit, each scrolls in an area
// of its own, and the other one with it.
#pragma once

#include <imgui.h>

#include <string>

#include "gpu/image.h"

struct ImGuiWindow;

namespace app::ui {

// Of a grid, in the window that is drawn now.
struct GridPlace {
  ImVec2 at, size;  // of the area in which it scrolls
  ImVec2 cell;
};
struct GridPlaces {
  GridPlace matrix, table;
  ImFont* digits;  // the largest for which the cells have room
};
// Beside each other in `room`, from the cursor on. Cells are as wide and as high as there is room, at most squares; of areas
// that are too small for their grids each has at least half of the width. `of_matrix` and `of_table`: the longest numbers.
GridPlaces grid_places(gpu::Size size, const std::string& of_matrix, const std::string& of_table, ImVec2 room);

// How far a grid is scrolled.
struct ScrolledGrid {
  ImGuiWindow* area;
  ImVec2 cell;
};
// Where one of them was scrolled since the last time, the other follows it, cell by cell.
void scroll_together(const ScrolledGrid& a, const ScrolledGrid& b);

// The area of a grid, during its lifetime: what is drawn scrolls in it. It can be continued by another of the same name.
class GridArea {
 public:
  GridArea(const char* name, const GridPlace& place);
  ~GridArea() { ImGui::EndChild(); }
  GridArea(const GridArea&) = delete;
  GridArea& operator=(const GridArea&) = delete;

  ScrolledGrid scrolled() const;

 private:
  ImVec2 cell_;
};
// Scrolls the area that is drawn now so far that a part of its grid is in sight.
void bring_into_view(ImVec2 from, ImVec2 to);

}  // namespace app::ui
