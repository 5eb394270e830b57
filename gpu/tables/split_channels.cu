// split_channels: each channel of a colour image as an image of its own.
#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/for_each_colour.cuh"
#include "gpu/tables/tables.h"

namespace gpu {
namespace {

struct SplitChannels {
  ImageView<std::uint8_t> b, g, r;

  constexpr void operator()(int x, int y, const Bgr& pixel) const {
    b(x, y) = pixel.b;
    g(x, y) = pixel.g;
    r(x, y) = pixel.r;
  }
};

}  // namespace

void split_channels(Context& context, const BgrView& colour, const ImageView<std::uint8_t> (&channels)[3]) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::split_channels))
    return there(context, colour, channels);
  check_views(context, "split_channels",
              {{"colour", colour},
               {"blue", channels[0], ViewArgument::written},
               {"green", channels[1], ViewArgument::written},
               {"red", channels[2], ViewArgument::written}});
  context.for_each_colour("split channels", colour, SplitChannels{channels[0], channels[1], channels[2]});
}

}  // namespace gpu
