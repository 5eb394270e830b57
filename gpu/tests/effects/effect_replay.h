// Effects replayed on Context::dry(), for tests: what they would start.
#pragma once

#include "gpu/tests/effects/effect_cases.h"

namespace gpu::test {

// Views that fault when read.
template <class T>
ImageView<T> unreadable(Size size) {
  return {reinterpret_cast<T*>(256), size.width, size.height, size.width};
}

// Throws ArgumentError as prepare_effect() and run_effect() do.
inline Context replay_effect(Device device, const EffectCase& effect_case, Size size) {
  const auto& effect = effect_named(effect_case.effect);
  const auto arguments = effect_case.arguments();
  const auto* algorithm = &host_algorithm();
  for (const auto* other : sat_algorithms())
    if (other->device == device && device == Device::cuda) algorithm = other;
  const Arguments algorithm_arguments(algorithm->parameters);
  auto context = Context::dry(device);
  const auto prepared = prepare_effect(context, effect, arguments, size);
  EffectInput input{unreadable<const Bgr>(size), unreadable<const std::uint8_t>(size), {}, prepared.get(), algorithm,
                    &algorithm_arguments};
  input.tables.sum = unreadable<const std::uint32_t>(size);
  const Canvas canvas = effect.channels(arguments) == 1 ? Canvas{unreadable<std::uint8_t>(size), {}}
                                                        : Canvas{{}, unreadable<Rgba>(size)};
  run_effect(context, effect, input, canvas, arguments);
  return context;
}

}  // namespace gpu::test
