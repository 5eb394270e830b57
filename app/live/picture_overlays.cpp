#include "app/live/picture_overlays.h"

#include "app/pipeline/rectangle_sum.h"
#include "app/ui/cell_values.h"
#include "app/ui/rectangle_overlay.h"

namespace app {
CellValues PictureOverlays::cells() const {
  const auto* effect = session_.engine().selection().effect;
  return ui::resolved(session_.settings().cells, effect && effect->shows_table);
}

void PictureOverlays::ask(const View& view, std::optional<PixelPosition> mouse, bool all_pixels) {
  auto& engine = session_.engine();
  if (!engine.has_picture()) return probe_.clear();
  const auto& settings = session_.settings();
  gpu::PixelPlaces places;
  if (all_pixels) {
    places.width = view.image.width;
    places.height = view.image.height;
  } else {
    ui::ask_for_cells(view, cells(), places);
  }
  if (mouse) places.add(mouse->x, mouse->y);
  if (settings.rectangle)
    if (const auto box = inside_picture(*settings.rectangle, view.image)) ask_for_corners(*box, places);
  try {
    engine.show([&](gpu::Context& context, const Picture& picture) {
      if (picture.lane == 0) probe_.update(context, picture, session_.pictures(), places);
    });
  } catch (const gpu::CudaError&) {  // the next picture reports it
    probe_.clear();
  }
}

ui::Pixel PictureOverlays::inspect(PixelPosition at) const {
  ui::Pixel pixel{at.x, at.y, {}, {}, {}};
  if (const auto* values = probe_.pixels().at(at.x, at.y)) {
    pixel.shown = values->shown;
    pixel.gray = values->gray;
    pixel.sum = values->sum;
  }
  return pixel;
}

std::vector<ui::Rect> PictureOverlays::draw(const View& view) const {
  ui::draw_cell_values(view, cells(), probe_.pixels());
  const auto& settings = session_.settings();
  if (!settings.rectangle) return {};
  const auto sum = rectangle_sum(*settings.rectangle, view.image, probe_.pixels());
  return sum ? ui::draw_rectangle(view, *sum, settings.rectangle_tool) : std::vector<ui::Rect>();
}

}  // namespace app
