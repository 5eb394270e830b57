#include "app/live/picture_overlays.h"

#include <algorithm>

#include "app/pipeline/picture_drawing.h"
#include "app/ui/rectangle.h"

namespace app {

ui::CellColumns PictureOverlays::cells(const View& view) const {
  const auto& settings = session_.settings();
  return ui::resolved(settings.cells, session_.engine().selection(), settings.wipe, view.image.width);
}

void PictureOverlays::ask(const View& view, std::optional<PixelPosition> mouse, bool matrix) {
  matrix_ = matrix;
  auto& engine = session_.engine();
  if (!engine.has_picture()) return probe_.clear();
  const auto& settings = session_.settings();
  gpu::PixelPlaces places;
  if (matrix) {
    places.width = view.image.width;
    places.height = view.image.height;
  } else {
    ui::ask_for_cells(view, cells(view), places);
  }
  if (mouse) places.add(mouse->x, mouse->y);
  if (settings.rectangle)
    if (const auto box = inside_picture(*settings.rectangle, view.image)) ask_for_corners(*box, places);
  const bool works = engine.attempt([&] {
    if (probe_.update(engine.pipeline(), session_.pictures(), places)) engine.pixels_next();
  });
  if (!works) probe_.clear();
}

double PictureOverlays::gain() const {
  if (!matrix_) return 1;
  int highest = 0;
  for (const auto& pixel : probe_.pixels().values) highest = std::max(highest, highest_level(pixel.shown));
  return level_gain(highest);
}

ui::Pixel PictureOverlays::inspect(PixelPosition at) const {
  ui::Pixel pixel{at.x, at.y, {}, {}, {}};
  if (const auto* values = probe_.pixels().at(at.x, at.y)) {
    pixel.shown = values->shown;
    pixel.gray = values->gray;
    pixel.sum = values->sum;
  }
  const auto* frame = session_.feed().last();
  if (!frame || frame->values.channels == 0 || at.x < 0 || at.y < 0 || at.x >= frame->size.width ||
      at.y >= frame->size.height)
    return pixel;
  const auto* values = frame->values.at(at.x, at.y, frame->size);
  for (int i = frame->values.channels > 2 ? 2 : 0; i >= 0; --i) pixel.values.push_back(values[i]);
  return pixel;
}

// Handles and edges have their places: names are put beside them, and notes beside both.
std::vector<ui::Rect> PictureOverlays::draw(const View& view, std::vector<ui::Rect> taken, bool covered) {
  const auto numbers = ui::draw_cell_values(view, cells(view), probe_.pixels(), gain(), covered);
  const auto& settings = session_.settings();
  auto sum = settings.rectangle ? rectangle_sum(*settings.rectangle, view.image, probe_.pixels()) : std::nullopt;
  if (sum) sum->of_original = !shows_original(session_.engine().selection());
  const auto lines = sum ? ui::rectangle_lines(view, sum->box, settings.rectangle_tool) : std::vector<ui::Rect>();
  taken.insert(taken.end(), lines.begin(), lines.end());
  side_names_ = ui::draw_comparison(view, session_.engine().selection(), settings.wipe, taken, numbers);
  if (!sum) return side_names_;
  taken.resize(taken.size() - lines.size());
  taken.insert(taken.end(), side_names_.begin(), side_names_.end());
  auto notes = ui::draw_rectangle(view, *sum, settings.rectangle_tool, taken);
  notes.insert(notes.end(), side_names_.begin(), side_names_.end());
  return notes;
}

}  // namespace app
