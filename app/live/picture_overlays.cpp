#include "app/live/picture_overlays.h"

#include <imgui.h>

#include <algorithm>

#include "app/pipeline/picture_drawing.h"
#include "app/ui/rectangle.h"
#include "app/ui/theme.h"

namespace app {

ui::CellColumns PictureOverlays::cells(const View& view) const {
  const auto& settings = session_.settings();
  return ui::resolved(settings.cells, session_.engine().selection(), settings.wipe, view.image.width);
}

void PictureOverlays::ask(const View& view, std::optional<PixelPosition> mouse, bool matrix) {
  matrix_ = matrix;
  auto& engine = session_.engine();
  if (!engine.has_picture()) {
    hover_.reset();
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
  point_at(view, mouse, places);  // before the rectangle: one of a very large picture may need all places that are left
  if (settings.rectangle)
    if (const auto box = inside_picture(*settings.rectangle, view.image)) ask_for_corners(*box, places);
  const bool works = engine.attempt([&] {
    if (probe_.update(engine.pipeline(), session_.pictures(), places)) engine.pixels_next();
  });
  if (!works) probe_.clear();
  take_hover(view);
}

// One pixel, where the effect reads no box around each.
PixelBox PictureOverlays::box_at(PixelPosition mouse, gpu::Size picture) const {
  const auto& selection = session_.engine().selection();
  const auto* effect = selection.effect;
  if (!effect || !effect->box) return {mouse.x, mouse.y, 1, 1};
  const auto size = effect->box(selection.effect_arguments, picture);
  return {mouse.x - size.width / 2, mouse.y - size.height / 2, size.width, size.height};
}

void PictureOverlays::point_at(const View& view, std::optional<PixelPosition> mouse, gpu::PixelPlaces& places) {
  constexpr std::size_t most = 8;  // more than are under way
  if (!mouse || !session_.settings().panels || session_.settings().presentation) {
    pointed_.clear();
    hover_.reset();
    return;
  }
  const Pointed now{*mouse, box_at(*mouse, view.image)};
  if (pointed_.empty() || pointed_.back() != now) pointed_.push_back(now);
  if (pointed_.size() > most) pointed_.pop_front();
  if (const auto box = inside_picture(now.box, view.image)) ask_for_corners(*box, places);
}

// A GPU's values come some frames after they were asked for: the line is of the latest place of the mouse that all is known of.
// It goes with its picture, and where the mouse has since been at so many places that its own is forgotten.
void PictureOverlays::take_hover(const View& view) {
  const auto& pixels = probe_.pixels();
  const auto is_hovered = [&](const Pointed& each) { return each.at == PixelPosition{hover_->pixel.x, hover_->pixel.y}; };
  if (pixels.picture != view.image || (hover_ && std::ranges::none_of(pointed_, is_hovered))) hover_.reset();
  for (auto each = pointed_.rbegin(); each != pointed_.rend() && pixels.picture == view.image; ++each) {
    const auto sum = rectangle_sum(each->box, view.image, pixels);
    if (!sum || !sum->known || !pixels.at(each->at.x, each->at.y)) continue;
    hover_ = {*sum, inspect(each->at)};
    return;
  }
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
  if (hover_) {
    const bool held = ImGui::IsAnyMouseDown() || settings.rectangle_tool;  // something else is drawn at the mouse
    notes.push_back(ui::draw_hover(view, hover_->sum, hover_->pixel, !held, notes));
  }
  return notes;
}

}  // namespace app
