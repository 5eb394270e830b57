#include "app/ui/rectangle.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/support/text.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

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
  draw.AddRect(low(wide), high(wide), note_ground, 0, 0, around);
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
// Returns where these are.
Rect corner(ImDrawList& draw, const View& view, const RectangleCorner& c, const Rect& box, std::span<const Rect> taken) {
  const auto tint = tint_of_entry(c.letter, dark_colours);
  const auto pixel = on_screen(view, {c.x, c.y, 1, 1});
  const float em = ImGui::GetFontSize(), gap = std::round(em * 0.35f);
  if (pixel.width >= 4) draw.AddRect(low(pixel), high(pixel), tint, 0, 0, std::max(1.f, std::round(em / 8)));
  const Note note(
      {{std::string(1, c.letter) + (c.entry ? "  " + grouped(*c.entry) : "") + (c.outside() ? " (outside)" : ""), tint}});
  auto at = end_of_box(c, box);
  if (c.letter == 'A' && !c.outside()) at.x = pixel.x;  // A's pixel is where its text would be
  const ImVec2 beside(is_right(c) ? at.x + gap : at.x - gap - note.width(),
                      is_below(c) ? at.y + gap / 2 : at.y - gap / 2 - note.height());
  const auto place = free_place(as_rect(view.area), note.place(beside), taken);
  note.draw(draw, place);
  return place;
}

// Where no handles are, so that it is seen which entry belongs to which corner.
void draw_dots(ImDrawList& draw, const RectangleSum& sum, const Rect& box) {
  const auto radius = std::round(ImGui::GetFontSize() * 0.35f);
  if (std::min(box.width, box.height) < 4 * radius) return;
  for (const auto& each : sum.corners) {
    draw.AddCircleFilled(end_of_box(each, box), radius, note_ground);
    draw.AddCircleFilled(end_of_box(each, box), radius - line_width(), tint_of_entry(each.letter, dark_colours));
  }
}

// Draws the sum in the form that covers less of the box and its corners. Returns where it is.
Rect worked_out(ImDrawList& draw, const View& view, const RectangleSum& sum, const Rect& box, std::span<const Rect> taken) {
  const auto note_of = [&](bool flat) {
    std::vector<NoteLine> lines;
    for (const auto& text : text_of(sum, flat))
      lines.push_back({text, lines.empty()                            ? dark_colours.dim
                             : text.find("2^32") != std::string::npos ? dark_colours.warning
                                                                      : dark_colours.text});
    return Note(std::move(lines));
  };
  const auto placed = [&](const Note& note) {
    return place_beside(as_rect(view.area), note.width(), note.height(), box, taken, ImGui::GetFontSize() * 0.6f);
  };
  auto note = note_of(false), flat = note_of(true);
  auto place = placed(note);
  if (const auto other = placed(flat); other.covers < place.covers) place = other, note = flat;
  const auto whole = note.place({place.x, place.y});
  note.draw(draw, whole);
  return whole;
}

float half_of_handle() { return std::round(ImGui::GetFontSize() * 0.25f); }

// Squares at the corners and in the middles of the edges, from their middle `half` pixels to each side.
std::vector<Rect> handles_of(const Rect& box, float half) {
  const float xs[] = {box.x, std::round(box.x + box.width / 2), high(box).x};
  const float ys[] = {box.y, std::round(box.y + box.height / 2), high(box).y};
  std::vector<Rect> handles;
  for (int i = 0; i < 9; ++i)
    if (i != 4) handles.push_back(grown({xs[i % 3], ys[i / 3], 0, 0}, half));
  return handles;
}

void draw_squares(ImDrawList& draw, std::span<const Rect> squares) {
  for (const auto& square : squares) {
    draw.AddRectFilled(low(square), high(square), dark_colours.text);
    draw.AddRect(low(square), high(square), note_ground);
  }
}

}  // namespace

ImU32 tint_of_entry(char letter, const Colours& theme) {
  return letter == 0 ? theme.text : RectangleCorner::is_added(letter) ? theme.good : theme.warning;
}

void text_of_formula(std::span<const FormulaPart> parts) {
  for (const auto& part : parts) {
    if (&part != &parts.front()) ImGui::SameLine(0, 0);
    text(part.text, tint_of_entry(part.letter));
  }
}

Rect draw_hover(const View& view, const Hover::Box& hover, bool shows_box, std::span<const Rect> taken) {
  const ClipToPicture clip(view.area);
  const auto area = as_rect(view.area), box = on_screen(view, hover.sum.box);
  const float em = ImGui::GetFontSize(), pad = std::round(em * 0.4f), gap = std::round(em * 0.7f);
  const float edge = std::round(em * 0.5f), square = std::round(em * 0.8f), height = em + 2 * pad;
  if (shows_box) outline(clip.draw, box);
  auto words = words_of(hover);
  const auto formula = words[1].text;
  const auto width = [&] {
    float all = 2 * pad - gap;
    for (const auto& each : words) all += text_width(each.text) + gap + (each.sample ? square + pad : 0);
    return all;
  };
  while (words.size() > 2 && width() + 2 * edge > area.width) words.pop_back();
  if (width() + 2 * edge > area.width) words.erase(words.begin());
  std::vector<Rect> others(taken.begin(), taken.end());
  others.push_back(box);
  const auto left = static_cast<float>(view.visible().x) + edge;
  const auto line = free_place(area, {left, area.y + area.height - edge - height, width(), height}, others);
  clip.draw.AddRectFilled(low(line), high(line), note_ground, 3);
  float x = line.x + pad;
  for (const auto& [text, sample] : words) {
    if (sample) {
      const auto top = line.y + pad + std::round((em - square) / 2);
      clip.draw.AddRectFilled({x, top}, {x + square, top + square}, IM_COL32(sample->r, sample->g, sample->b, 255), 2);
      x += square + pad;
    }
    const auto formula_ink = hover.sum.wraps() ? dark_colours.warning : dark_colours.text;
    clip.draw.AddText({x, line.y + pad}, text == formula ? formula_ink : dark_colours.dim, text.c_str());
    x += text_width(text) + gap;
  }
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

std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles, std::span<const Rect> taken,
                                 bool shows_sum) {
  const ClipToPicture clip(view.area);
  const auto box = on_screen(view, sum.box);
  clip.draw.AddRectFilled(low(box), high(box), IM_COL32(74, 168, 216, 28));
  outline(clip.draw, box);
  if (handles)
    draw_squares(clip.draw, handles_of(box, half_of_handle()));
  else
    draw_dots(clip.draw, sum, box);
  std::vector<Rect> occupied(taken.begin(), taken.end());
  for (const auto& each : sum.corners)
    if (in_view(view, each, box)) occupied.push_back(corner(clip.draw, view, each, box, occupied));
  std::vector<Rect> notes;
  if (shows_sum && meet(as_rect(view.area), box)) notes.push_back(worked_out(clip.draw, view, sum, box, occupied));
  notes.insert(notes.end(), occupied.begin() + static_cast<std::ptrdiff_t>(taken.size()), occupied.end());
  return notes;
}

std::vector<Rect> draw_handles(const View& view, const gpu::Placement& placement, const Area& area, float scale) {
  const ClipToPicture clip(area);
  auto handles = handles_of(on_screen(view, box_of(placement)), std::round(3.5f * scale) + 1);
  draw_squares(clip.draw, handles);
  return handles;
}

}  // namespace app::ui
