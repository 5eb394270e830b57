#include "app/live/picture_overlays.h"

#include <imgui.h>

#include <algorithm>

#include "app/pipeline/picture_drawing.h"
#include "app/ui/rectangle.h"
#include "app/ui/theme.h"

namespace app {

CellColumns PictureOverlays::cells(const View& view) const {
  const auto& settings = session_.settings();
  return resolved(settings.cells, session_.engine().selection(), settings.wipe, view.image.width);
}

void PictureOverlays::ask(const View& view, std::optional<PixelPosition> mouse, bool matrix) {
  matrix_ = matrix;
  auto& engine = session_.engine();
  if (!engine.has_picture()) {
    hover_.clear();
    return probe_.clear();
  }
  const auto& settings = session_.settings();
  gpu::PixelPlaces places;
  if (matrix) {
    places.width = view.image.width;
    places.height = view.image.height;
  } else {
    ui::ask_for_cells(view, cells(view), places);
  }
  if (mouse) places.add(mouse->x, mouse->y);
  // Before the rectangle: one of a very large picture may need all places that are left.
  if (mouse && settings.panels && !settings.presentation && !settings.hints)  // the line would lie below the hints
    hover_.point_at(*mouse, engine.selection(), view.image, places);
  else
    hover_.clear();
  if (settings.rectangle)
    if (const auto box = inside_picture(*settings.rectangle, view.image)) ask_for_corners(*box, places);
  const bool works = engine.attempt([&] {
    if (probe_.update(engine.pipeline(), session_.pictures(), places)) engine.pixels_next();
  });
  if (!works) probe_.clear();
  hover_.take(probe_.pixels(), view.image, session_.feed().last());
}

double PictureOverlays::gain() const {
  if (!matrix_) return 1;
  int highest = 0;
  for (const auto& pixel : probe_.pixels().values) highest = std::max(highest, highest_level(pixel.shown));
  return level_gain(highest);
}

// Handles and edges have their places: names are put beside them, and notes beside both.
std::vector<ui::Rect> PictureOverlays::draw(const View& view, std::vector<ui::Rect> taken, bool covered) {
  ui::draw_cell_values(view, cells(view), probe_.pixels(), gain(), covered, taken);
  const auto numbers = this->numbers(view);
  const auto& settings = session_.settings();
  const ui::WithFont font(settings.presentation ? ui::Font::slide : ui::Font::regular);  // there it is read from afar
  auto sum = settings.rectangle ? rectangle_sum(*settings.rectangle, view.image, probe_.pixels()) : std::nullopt;
  if (sum) sum->of_original = !shows_original(session_.engine().selection());
  const auto lines = sum ? ui::rectangle_lines(view, sum->box, settings.rectangle_tool) : std::vector<ui::Rect>();
  taken.insert(taken.end(), lines.begin(), lines.end());
  side_names_ = ui::draw_comparison(view, session_.engine().selection(), settings.wipe, taken, numbers);
  std::vector<ui::Rect> notes;
  if (sum) {
    taken.resize(taken.size() - lines.size());
    taken.insert(taken.end(), side_names_.begin(), side_names_.end());
    notes = ui::draw_rectangle(view, *sum, settings.rectangle_tool, taken, !settings.presentation);
  }
  notes.insert(notes.end(), side_names_.begin(), side_names_.end());
  if (const auto* box = hover_.box()) {
    const bool held = ImGui::IsAnyMouseDown() || settings.rectangle_tool;  // something else is drawn at the mouse
    notes.push_back(ui::draw_hover(view, *box, !held, notes));
  }
  return notes;
}

}  // namespace app
