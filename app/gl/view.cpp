#include "app/gl/view.h"

#include <shaders.h>

#include <algorithm>
#include <cmath>

#include "app/control/selection.h"

namespace app {

double View::fit_scale() const {
  if (image.width < 1 || image.height < 1) return 1;
  const double whole = std::min(area.width / image.width, area.height / image.height);
  return std::clamp(whole, 1.0 / std::min(image.width, image.height), largest_scale);
}

double View::scale() const { return zoom > 0 ? zoom : fit_scale(); }

Point View::exact_origin() const {
  return {area.x + area.width / 2 - centre.x * image.width * scale(),
          area.y + area.height / 2 - centre.y * image.height * scale()};
}

Point View::origin() const {
  const Point exact = exact_origin();
  return {std::round(exact.x), std::round(exact.y)};
}

void View::zoom_at(Point cursor, double factor) {
  if (image.width < 1 || image.height < 1 || !(factor > 0)) return;
  const double before = scale();
  const Point corner = exact_origin();
  const Point under{(cursor.x - corner.x) / before, (cursor.y - corner.y) / before};
  zoom = std::clamp(before * factor, std::min(fit_scale(), 1.0) / 4, largest_scale);
  centre = {std::clamp((under.x + (area.x + area.width / 2 - cursor.x) / zoom) / image.width, 0.0, 1.0),
            std::clamp((under.y + (area.y + area.height / 2 - cursor.y) / zoom) / image.height, 0.0, 1.0)};
}

bool View::is_whole() const {
  constexpr double rounding = 0.5;
  const Point first = exact_origin(), last{first.x + image.width * scale(), first.y + image.height * scale()};
  return first.x > area.x - rounding && first.y > area.y - rounding && last.x < area.x + area.width + rounding &&
         last.y < area.y + area.height + rounding;
}

void View::pan(double dx, double dy) {
  if (image.width < 1 || image.height < 1 || is_whole()) return;
  zoom = scale();  // from now on placed by hand
  centre = {std::clamp(centre.x - dx / (image.width * zoom), 0.0, 1.0),
            std::clamp(centre.y - dy / (image.height * zoom), 0.0, 1.0)};
}

Point View::image_to_screen(Point image_point) const {
  const Point corner = origin();
  return {corner.x + image_point.x * scale(), corner.y + image_point.y * scale()};
}

Point View::screen_to_image(Point screen_point) const {
  const Point corner = origin();
  return {(screen_point.x - corner.x) / scale(), (screen_point.y - corner.y) / scale()};
}

std::optional<PixelPosition> View::pixel_at(Point cursor) const {
  const bool in_area = cursor.x >= area.x && cursor.y >= area.y && cursor.x < area.x + area.width &&
                       cursor.y < area.y + area.height;
  const Point point = screen_to_image(cursor);
  const PixelPosition pixel{static_cast<int>(std::floor(point.x)), static_cast<int>(std::floor(point.y))};
  if (!in_area || pixel.x < 0 || pixel.y < 0 || pixel.x >= image.width || pixel.y >= image.height) return std::nullopt;
  return pixel;
}

Area View::visible() const {
  const Point first = image_to_screen({0, 0});
  const Point last = image_to_screen({static_cast<double>(image.width), static_cast<double>(image.height)});
  const double left = std::max(first.x, area.x), top = std::max(first.y, area.y);
  return {left, top, std::max(0.0, std::min(last.x, area.x + area.width) - left),
          std::max(0.0, std::min(last.y, area.y + area.height) - top)};
}

double line_of_wipe(const View& view, double wipe) {
  const Composition composition{Composition::Mode::wipe, wipe};
  return view.image_to_screen({static_cast<double>(composition.edge(view.image.width)), 0}).x;
}

}  // namespace app

namespace app::gl {
namespace {

constexpr double pixels_from = 2;

// A linear lookup averages two pixels per side, exactly so at half size; smaller pictures need more of them. Four per side
// are enough down to an eighth; smaller pictures may alias.
int lookups_per_side(double scale) { return std::clamp(static_cast<int>(std::ceil(0.5 / scale)), 1, 4); }

}  // namespace

ViewRenderer::ViewRenderer()
    : pixels_({"view.vert", shaders::view_vert}, {"view_pixels.frag", shaders::view_pixels_frag}),
      linear_({"view.vert", shaders::view_vert}, {"view_linear.frag", shaders::view_linear_frag}),
      reduced_({"view.vert", shaders::view_vert}, {"view_reduced.frag", shaders::view_reduced_frag}),
      no_attributes_(VertexArray::create()) {}

const Program& ViewRenderer::program_for(double scale) const {
  if (scale >= pixels_from || scale == 1) return pixels_;
  return lookups_per_side(scale) == 1 ? linear_ : reduced_;
}

void ViewRenderer::draw(const View& view, unsigned texture, int framebuffer_width, int framebuffer_height,
                        double gain) const {
  const Area seen = view.visible();
  if (texture == 0 || seen.width <= 0 || seen.height <= 0) return;
  const double scale = view.scale();
  const Program& program = program_for(scale);
  const Point first = view.screen_to_image({seen.x, seen.y});
  const Point last = view.screen_to_image({seen.x + seen.width, seen.y + seen.height});

  program.use();
  program.set("framebuffer", static_cast<float>(framebuffer_width), static_cast<float>(framebuffer_height));
  program.set("screen_first", static_cast<float>(seen.x), static_cast<float>(seen.y));
  program.set("screen_last", static_cast<float>(seen.x + seen.width), static_cast<float>(seen.y + seen.height));
  program.set("image_first", static_cast<float>(first.x), static_cast<float>(first.y));
  program.set("image_last", static_cast<float>(last.x), static_cast<float>(last.y));
  program.set("picture", 0);
  program.set("scale", static_cast<float>(scale));
  program.set("gain", static_cast<float>(gain));
  program.set("lookups", lookups_per_side(scale));

  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture);
  glBindVertexArray(no_attributes_.id());
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glBindVertexArray(0);
}

}  // namespace app::gl
