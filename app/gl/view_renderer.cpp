#include "app/gl/view_renderer.h"

#include <shaders.h>

#include <algorithm>
#include <cmath>

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
