#include "gpu/effect.h"

#include "gpu/simulated/driver.h"

namespace gpu {

const Effect* find_effect(std::string_view name) {
  for (const auto* effect : all_effects())
    if (effect->name == name) return effect;
  return nullptr;
}

void run_effect(Context& context, const Effect& effect, const EffectInput& input, const Canvas& canvas,
                const Arguments& arguments) {
  const auto* driver = context.driver();
  const auto& here = driver ? simulated::found_in_library(driver->find_effect(effect.name), effect.name) : effect;
  here.run(context, input, canvas, arguments);
}

void luma(Context& context, ImageView<const Bgr> colour, ImageView<std::uint8_t> gray) {
  (context.driver() ? context.driver()->luma : detail::luma_of_this_build)(context, colour, gray);
}

}  // namespace gpu
