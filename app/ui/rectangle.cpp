#include "app/ui/rectangle.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/support/text.h"
#include "app/ui/layout.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

constexpr double click_tolerance = 3;  // screen pixels

int rounded(double value) { return static_cast<int>(std::lround(value)); }

// The pixels from edge `a` to edge `b`, in either order, at least one, inside 0 .. size.
std::pair<int, int> span_of(int a, int b, int size) {
  if (a > b) std::swap(a, b);
  a = std::clamp(a, 0, size - 1);
  b = std::clamp(b, a + 1, size);
  return {a, b - a};
}

PixelBox drawn(Point from, Point to, gpu::Size size) {
  const auto first = [](double a, double b) { return static_cast<int>(std::floor(std::min(a, b))); };
  const auto last = [](double a, double b) { return static_cast<int>(std::floor(std::max(a, b))) + 1; };
  const auto [x, width] = span_of(first(from.x, to.x), last(from.x, to.x), size.width);
  const auto [y, height] = span_of(first(from.y, to.y), last(from.y, to.y), size.height);
  return {x, y, width, height};
}

PixelBox moved(const PixelBox& box, int dx, int dy, gpu::Size size) {
  return {std::clamp(box.x + dx, 0, std::max(0, size.width - box.width)),
          std::clamp(box.y + dy, 0, std::max(0, size.height - box.height)), box.width, box.height};
}

PixelBox resized(const PixelBox& box, Grip grip, int dx, int dy, gpu::Size size) {
  const auto edge = [](int at, bool moves, int by) { return at + (moves ? by : 0); };
  const auto [x, width] = span_of(edge(box.x, grip.left, dx), edge(box.x + box.width, grip.right, dx), size.width);
  const auto [y, height] = span_of(edge(box.y, grip.top, dy), edge(box.y + box.height, grip.bottom, dy), size.height);
  return {x, y, width, height};
}

}  // namespace

Grip grip_at(const View& view, const PixelBox& box, Point at, double reach) {
  const auto first = view.image_to_screen({static_cast<double>(box.x), static_cast<double>(box.y)});
  const auto last = view.image_to_screen({static_cast<double>(box.x) + box.width, static_cast<double>(box.y) + box.height});
  if (at.x < first.x - reach || at.y < first.y - reach || at.x > last.x + reach || at.y > last.y + reach) return {};
  // Half of a small rectangle is for moving it.
  const double reach_x = std::min(reach, (last.x - first.x) / 4), reach_y = std::min(reach, (last.y - first.y) / 4);
  Grip grip{at.x<first.x + reach_x, at.y<first.y + reach_y, at.x> last.x - reach_x, at.y> last.y - reach_y};
  return grip.any() ? grip : Grip{true, true, true, true};
}

std::optional<PixelBox> RectangleTool::update(const View& view, std::optional<PixelBox> current, const MouseInput& mouse,
                                              double reach) {
  if (!mouse.down) drag_.reset();
  if (mouse.pressed && view.image.width > 0) {
    const auto grip = current ? grip_at(view, *current, mouse.at, reach) : Grip();
    if (grip.any() || view.pixel_at(mouse.at))
      drag_ = Drag{view.screen_to_image(mouse.at), mouse.at, current.value_or(PixelBox()), grip};
  }
  if (!drag_) return current;
  auto& drag = *drag_;
  drag.moved |= std::hypot(mouse.at.x - drag.from_screen.x, mouse.at.y - drag.from_screen.y) >= click_tolerance;
  if (!drag.moved) return current;
  const auto to = view.screen_to_image(mouse.at);
  const int dx = rounded(to.x - drag.from.x), dy = rounded(to.y - drag.from.y);
  if (!drag.grip.any()) return drawn(drag.from, to, view.image);
  return drag.grip.whole() ? moved(drag.box, dx, dy, view.image) : resized(drag.box, drag.grip, dx, dy, view.image);
}

namespace {

constexpr ImU32 dark = IM_COL32(0, 0, 0, 208);
// Text lies on dark plates, whatever the theme. Entries that are added, and those that are subtracted:
ImU32 tint_of(char letter) { return letter == 'A' || letter == 'D' ? dark_colours.good : dark_colours.warning; }

ImVec2 on_screen(const View& view, int x, int y) {
  const auto point = view.image_to_screen({static_cast<double>(x), static_cast<double>(y)});
  return {static_cast<float>(std::round(point.x)), static_cast<float>(std::round(point.y))};
}

struct Placed {
  ImVec2 from, to;
};

// Behind text.
void plate(ImDrawList& draw, ImVec2 at, ImVec2 size, float pad) {
  draw.AddRectFilled(at, {at.x + size.x + 2 * pad, at.y + size.y + 2 * pad}, dark, 3);
}

Rect rect_of(const Area& area) {
  return {static_cast<float>(area.x), static_cast<float>(area.y), static_cast<float>(area.width),
          static_cast<float>(area.height)};
}

bool meet(const Rect& a, const Rect& b) {  // also at an edge
  return a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;
}

// Whether the view shows the pixel of an entry, or the corner of the box at which it is: that of an entry outside the picture
// may be beside the view.
bool in_view(const View& view, const RectangleCorner& c, const Placed& box) {
  const auto first = on_screen(view, c.x, c.y), last = on_screen(view, c.x + 1, c.y + 1);
  const bool right = c.letter == 'B' || c.letter == 'D', below = c.letter == 'C' || c.letter == 'D';
  return meet(rect_of(view.area), {first.x, first.y, last.x - first.x, last.y - first.y}) ||
         meet(rect_of(view.area), {right ? box.to.x : box.from.x, below ? box.to.y : box.from.y, 0, 0});
}

// The pixel of an entry, outlined where pixels are large enough to be seen, and its letter and number outside of the box.
Placed corner(ImDrawList& draw, const View& view, const RectangleCorner& c, const Placed& box, std::span<const Rect> taken) {
  const auto tint = tint_of(c.letter);
  const auto first = on_screen(view, c.x, c.y), last = on_screen(view, c.x + 1, c.y + 1);
  const float em = ImGui::GetFontSize();
  if (last.x - first.x >= 4) draw.AddRect(first, last, tint, 0, 0, std::max(1.f, std::round(em / 8)));
  const std::string text = std::string(1, c.letter) + (c.entry ? "  " + grouped(*c.entry) : "") +
                           (c.outside() ? " (outside)" : "");
  const auto size = ImGui::CalcTextSize(text.c_str());
  const auto pad = std::round(em * 0.25f), gap = std::round(em * 0.35f);
  const bool right = c.letter == 'B' || c.letter == 'D', below = c.letter == 'C' || c.letter == 'D';
  const ImVec2 whole(size.x + 2 * pad, size.y + 2 * pad);
  // B and D stand at the right end of the box, A and C at the left one; A and B above it, C and D below.
  // A's pixel is where its text would be.
  const float left_end = c.letter == 'A' && !c.outside() ? first.x : box.from.x;
  const float x = right ? box.to.x + gap : left_end - gap - whole.x;
  const float y = below ? box.to.y + gap / 2 : box.from.y - gap / 2 - whole.y;
  const auto place = free_place(rect_of(view.area), {x, y, whole.x, whole.y}, taken);
  const ImVec2 at(place.x, place.y);
  plate(draw, at, size, pad);
  draw.AddText({at.x + pad, at.y + pad}, tint, text.c_str());
  return {at, {at.x + whole.x, at.y + whole.y}};
}

Rect rect_of(const Placed& placed) {
  return {placed.from.x, placed.from.y, placed.to.x - placed.from.x, placed.to.y - placed.from.y};
}

// The lines of the sum, and their size.
struct Note {
  explicit Note(std::vector<std::string> text) : lines(std::move(text)) {
    for (const auto& text : lines) size.x = std::max(size.x, ImGui::CalcTextSize(text.c_str()).x);
    size.y = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(lines.size());
  }
  std::vector<std::string> lines;
  ImVec2 size{};
};

// Draws the sum in the form that covers less of the box and its corners. Returns where it is.
Rect worked_out(ImDrawList& draw, const View& view, const RectangleSum& sum, const Placed& box,
                std::span<const Rect> taken) {
  const float em = ImGui::GetFontSize(), pad = std::round(em * 0.4f);
  const auto all = rect_of(view.area);
  const auto placed = [&](const Note& note) {
    return place_beside(all, note.size.x + 2 * pad, note.size.y + 2 * pad, rect_of(box), taken, em * 0.6f);
  };
  Note note(text_of(sum)), flat(text_of(sum, true));
  auto place = placed(note);
  if (const auto other = placed(flat); other.covers < place.covers) place = other, note = flat;
  const ImVec2 best(place.x, place.y);
  const auto& lines = note.lines;
  const auto line = ImGui::GetTextLineHeightWithSpacing();
  plate(draw, best, note.size, pad);
  ImVec2 at(best.x + pad, best.y + pad);
  for (std::size_t i = 0; i < lines.size(); ++i, at.y += line)
    draw.AddText(at,
                 i == 0                                       ? dark_colours.dim
                 : lines[i].find("2^32") != std::string::npos ? dark_colours.warning
                                                              : dark_colours.text,
                 lines[i].c_str());
  return {best.x, best.y, note.size.x + 2 * pad, note.size.y + 2 * pad};
}

Placed box_of(const View& view, const PixelBox& box) {
  return {on_screen(view, box.x, box.y), on_screen(view, box.x + box.width, box.y + box.height)};
}
float line_width() { return std::max(1.f, std::round(ImGui::GetFontSize() / 10)); }

// The corners and the middles of the edges.
std::vector<Rect> handles_of(const Placed& box) {
  const float side = std::round(ImGui::GetFontSize() * 0.25f);
  const float xs[] = {box.from.x, std::round((box.from.x + box.to.x) / 2), box.to.x};
  const float ys[] = {box.from.y, std::round((box.from.y + box.to.y) / 2), box.to.y};
  std::vector<Rect> handles;
  for (int i = 0; i < 9; ++i)
    if (i != 4) handles.push_back({xs[i % 3] - side, ys[i / 3] - side, 2 * side, 2 * side});
  return handles;
}

void draw_handles(ImDrawList& draw, const Placed& box) {
  for (const auto& handle : handles_of(box)) {
    const ImVec2 from(handle.x, handle.y), to(handle.x + handle.width, handle.y + handle.height);
    draw.AddRectFilled(from, to, dark_colours.text);
    draw.AddRect(from, to, dark);
  }
}

}  // namespace

namespace {

struct HoverWords {
  std::string text;
  ImU32 colour = dark_colours.dim;
  ImU32 sample = 0;  // a colour that is shown before them
};

// The most important first. The colour of a pixel is of the picture, after the effect; its gray level and its entry of the
// table are of the frame, before it; the values of 16 bits are the source's own.
std::vector<HoverWords> hover_words(const RectangleSum& sum, const Pixel& pixel) {
  const auto& box = sum.box;
  const auto place = " at (" + std::to_string(pixel.x) + ", " + std::to_string(pixel.y) + ")";
  const auto side = std::to_string(box.width) + " x " + std::to_string(box.height);
  const bool one = box.width * box.height == 1;
  const auto entry = [&](std::size_t i) { return grouped(*sum.corners[i].entry); };
  const auto formula = "D \u2212 B \u2212 C + A = " + entry(3) + " \u2212 " + entry(1) + " \u2212 " + entry(2) + " + " +
                       entry(0) + " = " + grouped(sum.sum);
  std::vector<HoverWords> words{{one ? "pixel" + place : "box of " + side + place}, {formula, dark_colours.text}};
  if (sum.wraps()) words.back() = {formula + "  modulo 2^32", dark_colours.warning};
  char mean[32];
  std::snprintf(mean, sizeof mean, "mean %.1f", sum.mean);
  if (!one) words.push_back({mean});
  if (const auto& shown = pixel.shown)
    words.push_back({"picture " + std::to_string(shown->r) + ' ' + std::to_string(shown->g) + ' ' + std::to_string(shown->b),
                     dark_colours.dim, IM_COL32(shown->r, shown->g, shown->b, 255)});
  if (pixel.gray) words.push_back({"frame gray " + std::to_string(*pixel.gray)});
  std::string values;
  for (const auto value : pixel.values) values += ' ' + std::to_string(value);
  if (!values.empty()) words.push_back({"16-bit" + values});
  if (pixel.sum && !one) words.push_back({"table " + grouped(*pixel.sum)});
  return words;
}

}  // namespace

Rect draw_hover(const View& view, const RectangleSum& sum, const Pixel& pixel, bool outline, std::span<const Rect> taken) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const auto area = rect_of(view.area);
  const float em = ImGui::GetFontSize(), pad = std::round(em * 0.4f), gap = em, edge = std::round(em * 0.5f);
  const auto box = box_of(view, sum.box);
  draw.PushClipRect({area.x, area.y}, {area.x + area.width, area.y + area.height});
  if (outline) {
    const auto width = line_width();
    draw.AddRect({box.from.x - width, box.from.y - width}, {box.to.x + width, box.to.y + width}, dark, 0, 0, width * 3);
    draw.AddRect(box.from, box.to, dark_colours.accent, 0, 0, width);
  }
  auto words = hover_words(sum, pixel);
  const float square = std::round(em * 0.8f);
  const auto width = [&] {
    float all = -gap;
    for (const auto& each : words) all += ImGui::CalcTextSize(each.text.c_str()).x + gap + (each.sample ? square + pad : 0);
    return all;
  };
  while (words.size() > 2 && width() + 2 * (pad + edge) > area.width) words.pop_back();
  if (width() + 2 * (pad + edge) > area.width) words.erase(words.begin());
  const ImVec2 size(width(), em);
  const auto height = size.y + 2 * pad;
  std::vector<Rect> others(taken.begin(), taken.end());
  others.push_back(rect_of(box));
  const auto line = free_place(area, {area.x + edge, area.y + area.height - edge - height, size.x + 2 * pad, height},
                               others);
  plate(draw, {line.x, line.y}, size, pad);
  float x = line.x + pad;
  for (const auto& [text, colour, sample] : words) {
    if (sample) {
      const auto top = line.y + pad + std::round((em - square) / 2);
      draw.AddRectFilled({x, top}, {x + square, top + square}, sample, 2);
      x += square + pad;
    }
    draw.AddText({x, line.y + pad}, colour, text.c_str());
    x += ImGui::CalcTextSize(text.c_str()).x + gap;
  }
  draw.PopClipRect();
  return line;
}

std::vector<Rect> rectangle_lines(const View& view, const PixelBox& rectangle, bool handles) {
  const auto box = box_of(view, rectangle);
  const auto all = rect_of(box);
  const auto around = line_width() * 3, thick = around + line_width();
  const Rect wide{all.x - around, all.y - around, all.width + 2 * around, all.height + 2 * around};
  std::vector<Rect> lines{{wide.x, wide.y, wide.width, thick},
                          {wide.x, wide.y + wide.height - thick, wide.width, thick},
                          {wide.x, wide.y, thick, wide.height},
                          {wide.x + wide.width - thick, wide.y, thick, wide.height}};
  if (!handles) return lines;
  const auto held = handles_of(box);
  lines.insert(lines.end(), held.begin(), held.end());
  return lines;
}

std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles, std::span<const Rect> taken) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const auto& area = view.area;
  const ImVec2 corner_of_area(static_cast<float>(area.x), static_cast<float>(area.y));
  draw.PushClipRect(corner_of_area,
                    {corner_of_area.x + static_cast<float>(area.width), corner_of_area.y + static_cast<float>(area.height)});
  const auto box = box_of(view, sum.box);
  const auto width = line_width();
  draw.AddRectFilled(box.from, box.to, IM_COL32(74, 168, 216, 28));
  draw.AddRect({box.from.x - width, box.from.y - width}, {box.to.x + width, box.to.y + width}, dark, 0, 0, width * 3);
  draw.AddRect(box.from, box.to, dark_colours.accent, 0, 0, width);
  std::vector<Rect> occupied(taken.begin(), taken.end());
  for (const auto& each : sum.corners)
    if (in_view(view, each, box)) occupied.push_back(rect_of(corner(draw, view, each, box, occupied)));
  if (handles) draw_handles(draw, box);
  std::vector<Rect> notes;
  if (meet(rect_of(area), rect_of(box))) notes.push_back(worked_out(draw, view, sum, box, occupied));
  draw.PopClipRect();
  notes.insert(notes.end(), occupied.begin() + static_cast<std::ptrdiff_t>(taken.size()), occupied.end());
  return notes;
}

}  // namespace app::ui
