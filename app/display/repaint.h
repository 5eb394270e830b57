// Repaint: the parts of a frame of Dear ImGui that look different than in the frame before. A software renderer, whose time
// goes with the triangles, draws these alone; everything else keeps its pixels.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <string>
#include <vector>

namespace app {

// Pixels of the framebuffer from its top left corner, without the last column and row: [left, right) x [top, bottom).
struct PixelRect {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool empty() const { return left >= right || top >= bottom; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};
PixelRect intersection(const PixelRect& a, const PixelRect& b);
PixelRect enclosing(const PixelRect& a, const PixelRect& b);  // an empty one adds nothing
// What is left of `whole` without `part`: up to four rectangles that do not overlap.
std::vector<PixelRect> without(const PixelRect& whole, const PixelRect& part);

class Repaint {
 public:
  // Leaves in `data`, after ImGui::Render(), the triangles of the parts that have to be drawn, clipped to them. `drawn`: what
  // the caller has drawn anew under them in this frame. Returns the parts, which do not overlap; the first is `drawn`. The
  // caller clears the others. Commands that
  // are callbacks are not supported: there are none here.
  std::vector<PixelRect> cut(ImDrawData& data, const PixelRect& drawn);
  // The next frame is drawn as a whole: the framebuffer, a texture or the background is another one.
  void forget() { frame_ = {}; }

 private:
  struct Command {
    PixelRect clip;
    ImTextureID texture;
    friend bool operator==(const Command&, const Command&) = default;
  };
  struct List {  // of a window, as drawn last
    std::string window;
    std::vector<Command> commands;
    std::vector<ImDrawVert> vertices;
    std::vector<unsigned> corners;  // of triangles: indices of vertices
    PixelRect seen;                 // around what the commands may draw
  };
  struct Frame {
    PixelRect all, drawn;  // drawn: by the caller
    std::vector<List> lists;
  };
  static Frame describe(const ImDrawData& data);
  static void add_changes(const List& before, const List& now, std::vector<PixelRect>& changes);
  static std::vector<PixelRect> changes(const Frame& before, const Frame& now);

  Frame frame_;
};

}  // namespace app
