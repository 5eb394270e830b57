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

constexpr ImU32 dark = IM_COL32(0, 0, 0, 208);
// Text lies on dark plates, whatever the theme. Entries that are added, and those that are subtracted:
ImU32 tint_of(char letter) { return letter == 'A' || letter == 'D' ? dark_colours.good : dark_colours.warning; }

ImVec2 low(const Rect& rect) { return {rect.x, rect.y}; }
ImVec2 high(const Rect& rect) { return {rect.x + rect.width, rect.y + rect.height}; }
Rect grown(const Rect& rect, float by) { return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by}; }

// Behind text.
void plate(ImDrawList& draw, const Rect& place) { draw.AddRectFilled(low(place), high(place), dark, 3); }

// Where the window has it, in whole pixels.
Rect on_screen(const View& view, const PixelBox& box) {
  const auto first = view.image_to_screen({static_cast<double>(box.x), static_cast<double>(box.y)});
  const auto last = view.image_to_screen({static_cast<double>(box.x) + box.width, static_cast<double>(box.y) + box.height});
  const auto x = static_cast<float>(std::round(first.x)), y = static_cast<float>(std::round(first.y));
  return {x, y, static_cast<float>(std::round(last.x)) - x, static_cast<float>(std::round(last.y)) - y};
}

float line_width() { return std::max(1.f, std::round(ImGui::GetFontSize() / 10)); }

void outline(ImDrawList& draw, const Rect& box) {
  const auto width = line_width(), around = 3 * width;
  const auto wide = grown(box, width);
  draw.AddRect(low(wide), high(wide), dark, 0, 0, around);
  draw.AddRect(low(box), high(box), dark_colours.accent, 0, 0, width);
}

bool meet(const Rect& a, const Rect& b) {  // also at an edge
  return a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;
}

// B and D stand at the right end of the box, A and C at the left one; A and B above it, C and D below.
bool is_right(const RectangleCorner& c) { return c.letter == 'B' || c.letter == 'D'; }
bool is_below(const RectangleCorner& c) { return c.letter == 'C' || c.letter == 'D'; }
ImVec2 end_of_box(const RectangleCorner& c, const Rect& box) {
  return {is_right(c) ? high(box).x : box.x, is_below(c) ? high(box).y : box.y};
}

// Whether the view shows the pixel of an entry, or the corner of the box at which it is: that of an entry outside the picture
// may be beside the view.
bool in_view(const View& view, const RectangleCorner& c, const Rect& box) {
  const auto area = as_rect(view.area);
  const auto end = end_of_box(c, box);
  return meet(area, on_screen(view, {c.x, c.y, 1, 1})) || meet(area, {end.x, end.y, 0, 0});
}

// The pixel of an entry, outlined where pixels are large enough to be seen, and its letter and number outside of the box.
Rect corner(ImDrawList& draw, const View& view, const RectangleCorner& c, const Rect& box, std::span<const Rect> taken) {
  const auto tint = tint_of(c.letter);
  const auto pixel = on_screen(view, {c.x, c.y, 1, 1});
  const float em = ImGui::GetFontSize();
  if (pixel.width >= 4) draw.AddRect(low(pixel), high(pixel), tint, 0, 0, std::max(1.f, std::round(em / 8)));
  const std::string text = std::string(1, c.letter) + (c.entry ? "  " + grouped(*c.entry) : "") +
                           (c.outside() ? " (outside)" : "");
  const auto size = ImGui::CalcTextSize(text.c_str());
  const auto pad = std::round(em * 0.25f), gap = std::round(em * 0.35f);
  const auto width = size.x + 2 * pad, height = size.y + 2 * pad;
  auto at = end_of_box(c, box);
  if (c.letter == 'A' && !c.outside()) at.x = pixel.x;  // A's pixel is where its text would be
  const auto place = free_place(
      as_rect(view.area),
      {is_right(c) ? at.x + gap : at.x - gap - width, is_below(c) ? at.y + gap / 2 : at.y - gap / 2 - height, width, height},
      taken);
  plate(draw, place);
  draw.AddText({place.x + pad, place.y + pad}, tint, text.c_str());
  return place;
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
Rect worked_out(ImDrawList& draw, const View& view, const RectangleSum& sum, const Rect& box, std::span<const Rect> taken) {
  const float em = ImGui::GetFontSize(), pad = std::round(em * 0.4f);
  const auto placed = [&](const Note& note) {
    return place_beside(as_rect(view.area), note.size.x + 2 * pad, note.size.y + 2 * pad, box, taken, em * 0.6f);
  };
  Note note(text_of(sum)), flat(text_of(sum, true));
  auto place = placed(note);
  if (const auto other = placed(flat); other.covers < place.covers) place = other, note = flat;
  const Rect whole{place.x, place.y, note.size.x + 2 * pad, note.size.y + 2 * pad};
  plate(draw, whole);
  ImVec2 at(place.x + pad, place.y + pad);
  for (const auto& line : note.lines) {
    draw.AddText(at,
                 &line == &note.lines.front()             ? dark_colours.dim
                 : line.find("2^32") != std::string::npos ? dark_colours.warning
                                                          : dark_colours.text,
                 line.c_str());
    at.y += ImGui::GetTextLineHeightWithSpacing();
  }
  return whole;
}

float half_of_handle() { return std::round(ImGui::GetFontSize() * 0.25f); }

// The corners and the middles of the edges.
std::vector<Rect> handles_of(const Rect& box, float half) {
  const float xs[] = {box.x, std::round(box.x + box.width / 2), high(box).x};
  const float ys[] = {box.y, std::round(box.y + box.height / 2), high(box).y};
  std::vector<Rect> handles;
  for (int i = 0; i < 9; ++i)
    if (i != 4) handles.push_back(grown({xs[i % 3], ys[i / 3], 0, 0}, half));
  return handles;
}

// Squares, from their middle `half` pixels to each side. Returns where they are.
std::vector<Rect> draw_handles(ImDrawList& draw, const Rect& box, float half) {
  auto handles = handles_of(box, half);
  for (const auto& handle : handles) {
    draw.AddRectFilled(low(handle), high(handle), dark_colours.text);
    draw.AddRect(low(handle), high(handle), dark);
  }
  return handles;
}

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

Rect draw_hover(const View& view, const RectangleSum& sum, const Pixel& pixel, bool shows_box, std::span<const Rect> taken) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const auto area = as_rect(view.area);
  const float em = ImGui::GetFontSize(), pad = std::round(em * 0.4f), gap = em, edge = std::round(em * 0.5f);
  const auto box = on_screen(view, sum.box);
  draw.PushClipRect(low(area), high(area));
  if (shows_box) outline(draw, box);
  auto words = hover_words(sum, pixel);
  const float square = std::round(em * 0.8f);
  const auto width = [&] {
    float all = -gap;
    for (const auto& each : words) all += ImGui::CalcTextSize(each.text.c_str()).x + gap + (each.sample ? square + pad : 0);
    return all;
  };
  while (words.size() > 2 && width() + 2 * (pad + edge) > area.width) words.pop_back();
  if (width() + 2 * (pad + edge) > area.width) words.erase(words.begin());
  const auto height = em + 2 * pad;
  std::vector<Rect> others(taken.begin(), taken.end());
  others.push_back(box);
  const auto line = free_place(area, {area.x + edge, area.y + area.height - edge - height, width() + 2 * pad, height},
                               others);
  plate(draw, line);
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
  const auto box = on_screen(view, rectangle), wide = grown(box, line_width() * 3);
  const auto thick = line_width() * 4, x = high(wide).x - thick, y = high(wide).y - thick;
  auto lines = handles ? handles_of(box, half_of_handle()) : std::vector<Rect>();
  lines.insert(lines.end(), {{wide.x, wide.y, wide.width, thick},
                             {wide.x, y, wide.width, thick},
                             {wide.x, wide.y, thick, wide.height},
                             {x, wide.y, thick, wide.height}});
  return lines;
}

std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles, std::span<const Rect> taken) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const auto area = as_rect(view.area), box = on_screen(view, sum.box);
  draw.PushClipRect(low(area), high(area));
  draw.AddRectFilled(low(box), high(box), IM_COL32(74, 168, 216, 28));
  outline(draw, box);
  std::vector<Rect> occupied(taken.begin(), taken.end());
  for (const auto& each : sum.corners)
    if (in_view(view, each, box)) occupied.push_back(corner(draw, view, each, box, occupied));
  if (handles) draw_handles(draw, box, half_of_handle());
  std::vector<Rect> notes;
  if (meet(area, box)) notes.push_back(worked_out(draw, view, sum, box, occupied));
  draw.PopClipRect();
  notes.insert(notes.end(), occupied.begin() + static_cast<std::ptrdiff_t>(taken.size()), occupied.end());
  return notes;
}

std::vector<Rect> draw_handles(const View& view, const gpu::Placement& placement, const Area& area, float scale) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect(low(as_rect(area)), high(as_rect(area)));
  auto handles = draw_handles(draw, on_screen(view, box_of(placement)), std::round(3.5f * scale) + 1);
  draw.PopClipRect();
  return handles;
}

}  // namespace app::ui
