#include "app/ui/cell_values.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/support/text.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

constexpr float filled_part = 0.88f;  // of a cell's width and height, by its text
constexpr double gray_limit = 115;    // of a background: letters are black on lighter ones

int lines_of(CellValues values) { return values == CellValues::rgb ? 3 : 1; }
// Gray needs one number.
int lines_of(CellValues values, gpu::Rgba c) { return c.r != c.g || c.g != c.b ? lines_of(values) : 1; }
// As wide as any pixel of a picture needs: all digits have the same width.
std::string longest_of(CellValues values, gpu::Size picture) {
  const auto largest = std::min<std::uint64_t>(std::uint64_t{picture.pixels()} * 255, ~std::uint32_t{0});
  return grouped(values == CellValues::sums ? largest : 255);
}

ImFont* font_for(const View& view, CellValues values) {
  const auto side = static_cast<float>(view.scale()) * filled_part;
  return fitting_font(longest_of(values, view.image), side, side, lines_of(values));
}

bool is_light(gpu::Rgba c, double gain) { return (0.299 * c.r + 0.587 * c.g + 0.114 * c.b) * gain > gray_limit; }

struct Cells {
  ImDrawList& draw;
  const View& view;
  ImFont* face;
  std::span<const Rect> labels;

  // `rim`: around the digits; 0: none.
  void line(int x, int y, int index, int lines, std::uint32_t value, ImU32 tint, ImU32 rim) const {
    const auto text = grouped(value);
    const auto size = face->FontSize, width = face->CalcTextSizeA(size, 1e9f, 0, text.c_str()).x;
    const auto centre = view.image_to_screen({x + 0.5, y + 0.5});
    const float top = static_cast<float>(centre.y) + (static_cast<float>(index) - static_cast<float>(lines) / 2) * size;
    const ImVec2 at(std::round(static_cast<float>(centre.x) - width / 2), std::round(top));
    if (overlaps({at.x, at.y, width, size}, labels)) return;
    const auto off = std::max(1.f, std::round(size / 16));
    for (const auto& by : {ImVec2(-off, -off), ImVec2(off, -off), ImVec2(-off, off), ImVec2(off, off)})
      if (rim) draw.AddText(face, size, {at.x + by.x, at.y + by.y}, rim, text.c_str());
    draw.AddText(face, size, at, tint, text.c_str());
  }
};

void draw_cell(const Cells& cells, CellValues values, PixelPosition at, const gpu::PixelValues& pixel, double gain,
               bool covered) {
  const auto c = pixel.shown;
  const bool light = is_light(c, gain);
  const ImU32 rim = !covered ? 0 : light ? IM_COL32(255, 255, 255, 200) : IM_COL32(0, 0, 0, 200);
  const ImU32 plain = light ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
  if (lines_of(values, c) == 3) {
    cells.line(at.x, at.y, 0, 3, c.r, light ? IM_COL32(150, 0, 0, 255) : IM_COL32(255, 150, 140, 255), rim);
    cells.line(at.x, at.y, 1, 3, c.g, light ? IM_COL32(0, 80, 0, 255) : IM_COL32(150, 240, 150, 255), rim);
    cells.line(at.x, at.y, 2, 3, c.b, light ? IM_COL32(0, 0, 160, 255) : IM_COL32(170, 200, 255, 255), rim);
    return;
  }
  cells.line(at.x, at.y, 0, 1,
             values == CellValues::sums   ? pixel.sum
             : values == CellValues::gray ? pixel.gray
                                          : c.r,
             plain, rim);
}

bool has_values(const View& view, const ProbedPixels& pixels) {
  return !pixels.values.empty() && pixels.places.cells() > 0 && pixels.picture == view.image;
}

}  // namespace

void ask_for_cells(const View& view, const CellColumns& columns, gpu::PixelPlaces& places) {
  if (!font_for(view, columns.left) && !font_for(view, columns.right)) return;
  const auto seen = view.visible();
  if (seen.width <= 0 || seen.height <= 0) return;
  const auto first = view.screen_to_image({seen.x, seen.y});
  const auto last = view.screen_to_image({seen.x + seen.width, seen.y + seen.height});
  const int x = std::max(0, static_cast<int>(std::floor(first.x + 1e-6)));
  const int y = std::max(0, static_cast<int>(std::floor(first.y + 1e-6)));
  const int width = std::min(view.image.width, static_cast<int>(std::ceil(last.x - 1e-6))) - x;
  const int height = std::min(view.image.height, static_cast<int>(std::ceil(last.y - 1e-6))) - y;
  if (width <= 0 || height <= 0 || std::int64_t{width} * height > gpu::PixelPlaces::most_cells) return;
  places.x = x;
  places.y = y;
  places.width = width;
  places.height = height;
}

void draw_cell_values(const View& view, const CellColumns& columns, const ProbedPixels& pixels, double gain, bool covered,
                      std::span<const Rect> labels) {
  if (!has_values(view, pixels)) return;
  auto *left = font_for(view, columns.left), *right = font_for(view, columns.right);
  const ClipToPicture clip(view.visible());
  for (int i = 0; i < pixels.places.cells(); ++i) {
    const auto at = pixels.places.at(i);
    if (auto* const face = at.x < columns.edge ? left : right)
      draw_cell({clip.draw, view, face, labels}, columns.at(at.x), {at.x, at.y}, pixels.values[static_cast<std::size_t>(i)],
                gain, covered);
  }
}

std::vector<Rect> rows_of_cell_values(const View& view, const CellColumns& columns, const ProbedPixels& pixels) {
  if (!has_values(view, pixels)) return {};
  const auto& places = pixels.places;
  auto *left = font_for(view, columns.left), *right = font_for(view, columns.right);
  std::vector<float> heights(static_cast<std::size_t>(places.height));
  for (int i = 0; i < places.cells(); ++i) {
    const auto at = places.at(i);
    auto* const face = at.x < columns.edge ? left : right;
    if (!face) continue;
    const int lines = lines_of(columns.at(at.x), pixels.values[static_cast<std::size_t>(i)].shown);
    auto& height = heights[static_cast<std::size_t>(at.y - places.y)];
    height = std::max(height, static_cast<float>(lines) * face->FontSize);
  }
  const auto seen = as_rect(view.visible());
  std::vector<Rect> bands;
  for (int y = 0; y < places.height; ++y) {
    const auto height = heights[static_cast<std::size_t>(y)];
    const auto middle = static_cast<float>(view.image_to_screen({0, places.y + y + 0.5}).y);
    if (height > 0) bands.push_back({seen.x, middle - height / 2, seen.width, height});
  }
  return bands;
}

}  // namespace app::ui
