#include "gpu/composition.h"

#include "gpu/check_views.h"
#include "gpu/simulated/driver.h"

namespace gpu {

void compose(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
             const Composition& composition) {
  check_canvas(context, "compose", out, {{"a", a}, {"b", b}});
  (context.driver() ? context.driver()->compose : detail::compose_of_this_build)(context, a, b, out, composition);
}

}  // namespace gpu
