#include "gpu/effect.h"

namespace gpu {

const Effect* find_effect(std::string_view name) {
  for (const auto* effect : all_effects())
    if (effect->name == name) return effect;
  return nullptr;
}

}  // namespace gpu
