// Repaint: the parts of a frame of Dear ImGui that look different than in the frame before. A software renderer, whose time
// goes with the triangles, draws these alone; everything else keeps its pixels.
#pragma once

#include <imgui.h>

#include <array>
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
  // Leaves in `data`, after ImGui::Render(), the triangles that reach the damaged rectangles, clipped to them. `filled`: what
  // the caller has drawn anew under them in this frame. Returns the damaged rectangles, which do not overlap; the first is
  // `filled`. The caller clears the others. Pixels of the framebuffer are ImGui's units, and no command is a callback.
  std::vector<PixelRect> keep_damaged(ImDrawData& data, const PixelRect& filled);
  // All of the next frame is damaged: the framebuffer, a texture or the background is another one.
  void forget() { before_ = {}; }

 private:
  struct Triangle {
    PixelRect clip;
    ImTextureID texture;
    std::array<ImDrawVert, 3> vertices;
    PixelRect bounds() const;
  };
  struct List {  // what ImGui draws for one of its windows
    std::string window;
    std::vector<Triangle> triangles;
  };
  struct Frame {
    PixelRect all, filled;
    std::vector<List> lists;
  };
  static bool same(const Triangle& a, const Triangle& b);
  static Frame describe(const ImDrawData& data);
  static void add_damage(const List& before, const List& now, std::vector<PixelRect>& damage);
  static std::vector<PixelRect> damage(const Frame& before, const Frame& now);

  Frame before_;
};

}  // namespace app
