// none: the unchanged frame, so that only the table's own cost is measured.
#include "gpu/effect.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu::effects {
namespace {

struct ShowColour {
  Canvas canvas;

  constexpr void operator()(int x, int y, const Bgr& pixel) const { canvas.put(x, y, Rgba{pixel.r, pixel.g, pixel.b, 255}); }
};

void run(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments&) {
  context.for_each_colour("none", input.colour, ShowColour{output.canvas});
}

std::vector<LaunchTraffic> traffic(const Arguments&, Size frame, int drawn_bytes) {
  const auto pixels = frame.pixels();
  return {{"none", {sizeof(Bgr) * pixels, static_cast<std::uint64_t>(drawn_bytes) * pixels, 1}}};
}

}  // namespace

extern constinit const Effect effect_none{
    .name = "none",
    .title = "None",
    .idea = "The unchanged frame; its summed area table is computed all the same.",
    .parameters = {},
    .channels = [](const Arguments&) { return 3; },
    .reads_colour = true,
    .reads_gray = [](const Arguments&) { return false; },
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::effects
