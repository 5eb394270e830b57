// The tile trace over the picture: every tile in a colour that says when it started, what it does now, or where it runs, with
// its look-backs; or as the papers draw it.
#include <imgui.h>

#include <optional>
#include <utility>
#include <vector>

#include "app/ui/theme.h"
#include "app/ui/trace_colours.h"
#include "app/ui/trace_paper.h"
#include "app/ui/trace_text.h"
#include "app/ui/trace_tiles.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// What is done, and what only an earlier pass has done, steps back behind what is under way.
constexpr unsigned under_way = 230, done = 165, done_for_now = 80;

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
  const WithFont small(Font::small);
  if (const auto tile = tile_at(history, pixel->y / pass.H, pixel->x / pass.W, now))
    show_tooltip(tile_text(history, *tile->record));
}

}  // namespace

void draw_tile_trace(const View& view, const TraceState& trace, const Settings& settings) {
  if (settings.dock != Dock::trace || !settings.dock_open || settings.simple || !settings.trace_overlay || !trace.history ||
      trace.history->image != view.image)
    return;
  const auto& history = *trace.history;
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0 || history.passes.empty()) return;
  const auto& pass = history.passes.front();
  const auto now = trace.nanoseconds();
  if (settings.trace_colour == TraceColour::paper) {
    const PaperFigure figure(history);
    const int step = figure.step_at(trace.position);
    const TileDrawing drawing(view, pass, figure.longest_label());
    draw_tiles(drawing, pass,
               [&](int I, int J) { return std::optional(paper_look(figure, step, I, J, drawing.has_labels())); });
  } else {
    const TileDrawing drawing(view, pass, std::to_string(pass.tiles() - 1));
    draw_tiles(drawing, pass,
               [&](int I, int J) { return measured_look(history, settings.trace_colour, I, J, now, drawing.has_labels()); });
  }
  say_tile_under_mouse(view, history, now);
}

}  // namespace app::ui
