#include "gpu/pictures/composition.h"

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"

namespace gpu {

void draw_wipe(Context& context, const PicturePixels& wipe, const Canvas& out) {
  check_canvas(context, "draw_wipe", out, {{"left", wipe.left}, {"right", wipe.right}});
  detail::wipe_of_this_build(context, wipe, out);
}

void draw_difference(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                     double amplification) {
  check_canvas(context, "draw_difference", out, {{"a", a}, {"b", b}});
  const auto draw = context.driver() ? context.driver()->draw_difference : detail::difference_of_this_build;
  draw(context, a, b, out, amplification);
}

}  // namespace gpu
