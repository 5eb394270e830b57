// Every effect with settings that reach each of its branches: the cases of the tests on all devices.
#pragma once

#include <string>
#include <vector>

#include "gpu/tests/effects/effect_support.h"

namespace gpu::test {

struct EffectCase {
  std::string effect;
  std::vector<std::pair<std::string, std::string>> settings;

  Arguments arguments() const {
    Arguments chosen(effect_named(effect).parameters);
    for (const auto& [name, value] : settings) chosen.set(name, value);
    return chosen;
  }
  std::string text() const {
    std::string all = effect;
    for (const auto& [name, value] : settings) all += " " + name + "=" + value;
    return all;
  }
};

inline const std::vector<EffectCase>& effect_cases() {
  static const auto cases = [] {
    std::vector<EffectCase> all{{"none", {}}};
    for (const auto* border : {"reflect101", "reflect", "replicate", "constant", "clip"})
      for (const auto* window : {"1x1", "15x15", "2x6", "129x33", "1001x777"})
        all.push_back({"box_blur", {{"window", window}, {"border", border}, {"colour", "off"}}});
    for (const auto* passes : {"2", "3", "4"}) all.push_back({"box_blur", {{"passes", passes}, {"colour", "off"}}});
    all.push_back({"box_blur", {}});
    all.push_back({"box_blur", {{"colour", "on"}, {"passes", "3"}, {"border", "clip"}}});
    for (const auto* window : {"0", "1", "31", "400"})
      for (const auto* invert : {"off", "on"}) {
        for (const auto* c : {"7", "-2.5"})
          all.push_back({"adaptive_threshold", {{"window", window}, {"c", c}, {"invert", invert}}});
        for (const auto* t : {"0", "15", "100"})
          all.push_back({"adaptive_threshold", {{"method", "bradley"}, {"window", window}, {"t", t}, {"invert", invert}}});
      }
    for (const auto* type : {"type-2-x", "type-2-y", "type-3-x", "type-3-y", "type-4"})
      for (const auto* show : {"feature", "response"})
        for (const auto* side : {"1", "7", "40"})
          all.push_back(
              {"haar", {{"type", type}, {"show", show}, {"width", side}, {"height", side}, {"x", "20"}, {"y", "9"}}});
    all.push_back({"haar", {{"width", "7"}, {"height", "7"}}});
    // With few levels, which take the simulated GPU long enough.
    for (const auto* show : {"frame", "blurred", "pixelated"})
      all.push_back({"faces", {{"show", show}, {"scale_factor", "2"}, {"min_size", "50"}}});
    all.push_back({"faces", {{"min_neighbors", "0"}, {"scale_factor", "1.5"}, {"min_size", "60x50"}}});
    all.push_back({"faces", {{"tables", "global"}, {"scale_factor", "2"}, {"min_size", "60"}}});
    for (const auto* level : {"0", "1", "3", "999"})
      all.push_back({"faces", {{"show", "depth"}, {"level", level}, {"scale_factor", "1.7"}, {"min_size", "24"}}});
    all.push_back({"faces", {{"show", "depth"}, {"tables", "global"}, {"scale_factor", "2"}, {"min_size", "40"}}});
    for (const auto* scale : {"linear", "residual", "modulo"})
      for (const auto* map : {"viridis", "gray"})
        for (const auto* contours : {"0", "16"})
          all.push_back({"sat_view", {{"scale", scale}, {"map", map}, {"contours", contours}}});
    return all;
  }();
  return cases;
}

// Replayed on Context::dry(): what they would start.

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
