#include "app/control/comparison.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/support/text.h"

namespace app {
namespace {

// The names of all sides, in the order of a list: original, result, algorithms, effects.
std::vector<std::string_view> side_names() {
  std::vector<std::string_view> names{original_side, result_side};
  for (const auto& more : {algorithm_names(), effect_names()}) names.insert(names.end(), more.begin(), more.end());
  return names;
}

std::string checked(std::string_view name) {
  auto names = side_names();
  if (std::ranges::find(names, name) != names.end()) return std::string(name);
  const auto near = did_you_mean(name, names);
  throw std::invalid_argument(
      "no side '" + std::string(name) + "'" +
      (near.empty() ? "; compare takes original, result, or the name of an algorithm or an effect" : near));
}

// The selection of side `original`, without a table: what effect `none` draws.
Selection original(const Selection& result) {
  auto side = without_effect(result);
  side.algorithm = nullptr;
  side.algorithm_arguments = {};
  side.check = false;
  side.name = original_side;
  return side;
}

Selection side_of(const std::string& name, const Selection& result, const Settings& settings) {
  if (name == original_side) return original(result);
  auto side = result;
  side.name = name;
  if (const auto* algorithm = gpu::find_sat_algorithm(name)) {
    side.algorithm = algorithm;
    side.algorithm_arguments = arguments_of(*algorithm, settings);
  } else if (const auto* effect = gpu::find_effect(name)) {
    side.effect = effect;
    side.effect_arguments = gpu::arguments_on(*effect, arguments_of(*effect, settings), result.device);
  }
  return side;
}

// A result is named by what tells it from the other side.
std::string result_name(const Selection& result, const std::string& other) {
  return std::string(gpu::find_sat_algorithm(other) ? result.algorithm->name : result.effect->name);
}

}  // namespace

std::string title_of_side(std::string_view name) {
  if (name == original_side) return "Original";
  if (name == result_side) return "Result";
  const auto* effect = gpu::find_effect(name);
  return std::string(effect ? effect->title : name);
}

std::string title_of_path(std::string_view path) {
  const auto slash = path.find('/');
  const auto name = path.substr(0, slash);
  std::string effect(name);
  std::ranges::replace(effect, ' ', '_');
  const bool side = name.starts_with("A: ") || name.starts_with("B: ");
  auto title = side                       ? std::string(name.substr(0, 3)) + title_of_side(name.substr(3))
               : gpu::find_effect(effect) ? title_of_side(effect)
                                          : std::string(name);
  return slash == path.npos ? title : title + '/' + title_of_path(path.substr(slash + 1));
}

Sides sides_from_text(std::string_view text) {
  if (text == no_comparison) return {};
  const auto comma = text.find(',');
  if (comma == text.npos)
    throw std::invalid_argument("compare takes " + std::string(accepted_sides) + ", not '" + std::string(text) + "'");
  Sides sides{true, checked(text.substr(0, comma)), checked(text.substr(comma + 1))};
  if (sides.a == sides.b) throw std::invalid_argument("compare takes two sides that differ, not '" + sides.a + "' twice");
  return sides;
}

std::string text_of(const Sides& sides) { return sides.on ? sides.a + ',' + sides.b : std::string(no_comparison); }

std::string why_no_side(std::string_view name, gpu::Device device) {
  const auto* algorithm = gpu::find_sat_algorithm(name);
  if (!algorithm) return {};
  if (auto why = gpu::why_unavailable(*algorithm); !why.empty()) return std::string(name) + ": " + why;
  if (gpu::runs_on(*algorithm, device)) return {};
  if (device == gpu::Device::simulated && algorithm->device == gpu::Device::cuda)
    return std::string(name) + ": " + std::string(algorithm->not_simulated) + "; choose another side, or the device cuda";
  const bool host = algorithm->device == gpu::Device::host;
  return std::string(name) + " does not run on the " + device_words(gpu::name(device)) +
         ", where both sides are computed: choose another device (" +
         (host                               ? "host"
          : algorithm->not_simulated.empty() ? "cuda or simulated"
                                             : "cuda") +
         "), or another side";
}

std::string why_not_compared(const Settings& settings, gpu::Device device) {
  if (!settings.compare.on) return {};
  const auto why = why_no_side(settings.compare.a, device);
  return why.empty() ? why_no_side(settings.compare.b, device) : why;
}

void add_sides(Selection& selection, const Settings& settings) {
  const auto& [on, a, b] = settings.compare;
  if (!on) return;
  const auto result = selection;
  selection.composition = {settings.compare_mode, settings.wipe, settings.amplification};
  for (const auto* name : {&a, &b}) {
    auto side = side_of(*name, result, settings);
    if (*name == result_side) side.name = result_name(result, name == &a ? b : a);
    selection.sides.push_back(std::move(side));
  }
}

}  // namespace app
