// The tile trace over the picture: every tile in a colour that says when it started, what it does now, or where it runs, with
// its look-backs; or as the papers draw it.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/view.h"
#include "app/pipeline/tile_history.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/theme.h"
#include "app/ui/trace_colours.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// What is drawn of one tile: its colour, its number, and how far it looks back.
struct TileLook {
  ImU32 fill = 0;  // transparent: the picture itself
  bool under_way = false;
  std::string label{};
  gpu::LookBackDepths reach{};
};

// How opaque things are, of 255. The picture is seen through all tiles, least through those under way: what is done, and what
// only an earlier pass has done, steps back behind them.
constexpr unsigned under_way = 230, done = 165, done_for_now = 80;
// Lines are seen on any picture: bright ones around tiles under way, faint dark ones between tiles, and dark rims of arrows.
constexpr ImU32 around_tile = colour::translucent(IM_COL32_WHITE, 220),
                between_tiles = colour::translucent(IM_COL32_BLACK, 90),
                rim_of_arrow = colour::translucent(IM_COL32_BLACK, 160);
// Where tiles are small on the screen, lines between them would hide them. Arrows, times the scale of the display.
constexpr float least_side_with_lines = 6, least_side_with_arrows = 18;
constexpr float label_width = 0.8f, label_height = 0.55f;  // at most, of a tile's

class TileDrawing {
 public:
  // `longest`: of the labels; all have one size. Clips what is drawn during its lifetime to what is visible of the picture.
  TileDrawing(const View& view, const gpu::TilePass& pass, const std::string& longest, std::span<const Rect> numbers)
      : view_(view), pass_(pass), numbers_(numbers), visible_(view.visible()), clip_(visible_) {
    const auto scale = static_cast<float>(view.scale());
    const auto width = static_cast<float>(pass.W) * scale, height = static_cast<float>(pass.H) * scale;
    side_ = std::min(width, height);
    if (!longest.empty()) face_ = fitting_font(longest, width * label_width, height * label_height);
  }

  bool has_labels() const { return face_; }  // they fit

  bool visible(int I, int J) const {
    const auto [from, to] = box(I, J);
    return to.x >= visible_.x && to.y >= visible_.y && from.x <= visible_.x + visible_.width &&
           from.y <= visible_.y + visible_.height;
  }

  // Without its label.
  void tile(int I, int J, const TileLook& look) const {
    const auto place = box(I, J);
    const auto [from, to] = place;
    draw_.AddRectFilled(from, to, look.fill);
    if (to.x - from.x < least_side_with_lines || to.y - from.y < least_side_with_lines) return;
    draw_.AddRect(from, to, between_tiles);
    if (look.under_way) draw_.AddRect({from.x + 1, from.y + 1}, {to.x - 1, to.y - 1}, around_tile);
  }

  // Over all tiles: where they are large enough, an arrow from the farthest tile in each direction, with a dot at every one
  // between. Tiles in one line look back over the same tiles: each draws a little beside the ones before it, and none through
  // labels but those along the diagonal, over which labels lie.
  void look_backs(int I, int J, const TileLook& look) const {
    if (side_ < least_side_with_arrows * display_scale()) return;
    const auto lane = [](int place) { return 0.7f + 0.09f * static_cast<float>(place % 3); };
    struct Line {
      Direction direction;
      int tiles, up, left;  // up, left: of one step
      float x, y;           // where it passes through a tile, in fractions of it
      float to_x, to_y;     // where it ends
    };
    const float aside = 0.12f * static_cast<float>(I % 3 - 1);
    const Line lines[] = {
        {Direction::left, look.reach.left, 0, 1, 0.5f, lane(J), 0.15f, lane(J)},
        {Direction::up, look.reach.up, 1, 0, lane(I), 0.5f, lane(I), 0.15f},
        {Direction::diagonal, look.reach.diagonal, 1, 1, 0.5f + aside, 0.5f - aside, 0.15f + aside, 0.15f - aside}};
    const auto radius = std::max(1.5f, side_ * 0.05f);
    for (const auto& line : lines) {
      if (line.tiles == 0) continue;
      const auto colour = colour_of(line.direction);
      const auto at = [&](int tiles) { return box(I - tiles * line.up, J - tiles * line.left).at(line.x, line.y); };
      arrow(at(line.tiles), box(I, J).at(line.to_x, line.to_y), colour);
      for (int d = 1; d < line.tiles; ++d) draw_.AddCircleFilled(at(d), radius, colour);
      draw_.AddCircleFilled(at(line.tiles), radius * 1.8f, colour);  // its sum is global
      draw_.AddCircle(at(line.tiles), radius * 1.8f, rim_of_arrow);
    }
  }

  // Over all arrows. With a rim of the tile's own colour, which sets it off from them and is not seen without any.
  void label(int I, int J, const TileLook& look) const {
    if (!face_ || look.label.empty()) return;
    const auto place = box(I, J);
    const auto size = face_->CalcTextSizeA(face_->FontSize, 1e9f, 0, look.label.c_str());
    if (size.x > place.to.x - place.from.x || size.y > place.to.y - place.from.y) return;  // at the picture's edge
    const auto fill = look.fill | IM_COL32_A_MASK;
    const auto centre = place.at(0.5f, 0.5f);
    const Rect wanted{centre.x - size.x / 2, centre.y - size.y / 2, size.x, size.y};
    const auto at = free_place({place.from.x, place.from.y, place.to.x - place.from.x, place.to.y - place.from.y}, wanted,
                               numbers_);
    if (overlaps(at, numbers_)) return;
    const auto write = [&](ImVec2 by, ImU32 colour) {
      draw_.AddText(face_, face_->FontSize, {at.x + by.x, at.y + by.y}, colour, look.label.c_str());
    };
    const auto rim = std::max(1.f, std::round(face_->FontSize / 12));
    for (const auto& by : {ImVec2(-rim, -rim), ImVec2(rim, -rim), ImVec2(-rim, rim), ImVec2(rim, rim)}) write(by, fill);
    write({}, colour::letters_on(fill));
  }

 private:
  struct Box {
    ImVec2 from, to;
    ImVec2 at(float x, float y) const { return {from.x + (to.x - from.x) * x, from.y + (to.y - from.y) * y}; }
  };
  Box box(int I, int J) const {
    const auto edge = [&](int x, int y) {
      const auto point = view_.image_to_screen(
          {static_cast<double>(std::min(x, view_.image.width)), static_cast<double>(std::min(y, view_.image.height))});
      return ImVec2(std::round(static_cast<float>(point.x)), std::round(static_cast<float>(point.y)));
    };
    return {edge(J * pass_.W, I * pass_.H), edge((J + 1) * pass_.W, (I + 1) * pass_.H)};
  }
  void arrow(ImVec2 from, ImVec2 to, ImU32 colour) const {
    const auto width = std::max(1.f, std::round(side_ / 24)), head = std::clamp(side_ * 0.16f, 4.f, 12.f);
    const auto length = std::hypot(to.x - from.x, to.y - from.y);
    const ImVec2 along((to.x - from.x) / length, (to.y - from.y) / length);
    const ImVec2 neck(to.x - along.x * head, to.y - along.y * head);
    const ImVec2 one(neck.x - along.y * head / 2, neck.y + along.x * head / 2),
        other(neck.x + along.y * head / 2, neck.y - along.x * head / 2);
    draw_.AddLine(from, neck, rim_of_arrow, width + 2);
    draw_.AddTriangle(to, one, other, rim_of_arrow, 2);
    draw_.AddLine(from, neck, colour, width);
    draw_.AddTriangleFilled(to, one, other, colour);
  }

  const View& view_;
  const gpu::TilePass& pass_;
  std::span<const Rect> numbers_;  // in the picture's cells: labels are beside them
  Area visible_;
  ClipToPicture clip_;
  ImDrawList& draw_ = clip_.draw;
  ImFont* face_ = nullptr;  // of labels; null: they do not fit
  float side_ = 0;          // of the shorter side of a whole tile, on the screen
};

// Nothing for a tile that has not begun.
std::optional<TileLook> measured_look(const TileHistory& history, TraceColour meaning, int I, int J, double now,
                                      bool labels) {
  const auto tile = tile_at(history, I, J, now);
  if (!tile || tile->state == TileState::waiting) return {};
  TileLook look;
  look.under_way = tile->state != TileState::finished;
  look.fill = colour::translucent(colour_of(meaning, history, *tile), look.under_way    ? under_way
                                                                      : tile->last_pass ? done
                                                                                        : done_for_now);
  if (labels) look.label = std::to_string(history.serials[history.number_of(*tile->record)]);
  // Many tiles wait at the same time, and none has looked as far back yet as it will.
  if (look.under_way && tile->state != TileState::started) look.reach = tile->record->look_back;
  return look;
}

TileLook paper_look(const PaperFigure& figure, int step, int I, int J, bool labels) {
  const auto state = figure.tile(step, I, J);
  TileLook look;
  look.under_way = state == PaperTile::now;
  if (labels) look.label = figure.label(I, J);
  look.reach = figure.reach(step, I, J);
  const auto group = figure.group(I, J);
  const auto fill = group ? colour::row(*group) : colour_of(state);
  look.fill = colour::translucent(fill, state == PaperTile::now     ? under_way
                                        : state == PaperTile::later ? done_for_now
                                                                    : done);
  return look;
}

// look_at(I, J): what is drawn of a tile, if anything. Arrows lie over all tiles, and labels over all arrows.
template <class LookAt>
void draw_tiles(const TileDrawing& drawing, const gpu::TilePass& pass, const LookAt& look_at) {
  struct Drawn {
    int I, J;
    TileLook look;
  };
  std::vector<Drawn> drawn;
  for (int I = 0; I < pass.rows; ++I)
    for (int J = 0; J < pass.columns; ++J) {
      std::optional<TileLook> look;
      if (!drawing.visible(I, J) || !(look = look_at(I, J))) continue;
      drawing.tile(I, J, *look);
      if (look->reach != gpu::LookBackDepths{} || !look->label.empty()) drawn.push_back({I, J, std::move(*look)});
    }
  for (const auto& [I, J, look] : drawn) drawing.look_backs(I, J, look);
  for (const auto& [I, J, look] : drawn) drawing.label(I, J, look);
}

void say_tile_under_mouse(const View& view, const TileHistory& history, double now) {
  const auto& io = ImGui::GetIO();
  if (io.WantCaptureMouse || ImGui::IsAnyMouseDown()) return;
  const auto pixel = view.pixel_at({io.MousePos.x, io.MousePos.y});
  if (!pixel) return;
  const auto& pass = history.passes.front();
  if (const auto tile = tile_at(history, pixel->y / pass.H, pixel->x / pass.W, now))
    show_tooltip(tile_text(history, *tile->record));
}

}  // namespace

bool draw_tile_trace(const View& view, const TraceState& trace, const Settings& settings, std::span<const Rect> numbers) {
  if (settings.dock != Dock::tiles || !settings.dock_open || !settings.trace_overlay || !trace.history ||
      trace.history->image != view.image)
    return false;
  const auto& history = *trace.history;
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0 || history.passes.empty()) return false;
  const auto& pass = history.passes.front();
  const auto now = trace.nanoseconds();
  if (settings.trace_colour == TraceColour::paper) {
    const PaperFigure figure(history);
    const int step = figure.step_at(trace.position);
    const TileDrawing drawing(view, pass, figure.longest_label(), numbers);
    draw_tiles(drawing, pass,
               [&](int I, int J) { return std::optional(paper_look(figure, step, I, J, drawing.has_labels())); });
  } else {
    const TileDrawing drawing(view, pass, std::to_string(pass.tiles() - 1), numbers);
    draw_tiles(drawing, pass,
               [&](int I, int J) { return measured_look(history, settings.trace_colour, I, J, now, drawing.has_labels()); });
  }
  if (!settings.presentation) say_tile_under_mouse(view, history, now);  // there a mouse may rest anywhere
  return true;
}

}  // namespace app::ui
