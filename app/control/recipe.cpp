#include "app/control/recipe.h"

#include <algorithm>
#include <stdexcept>

#include "app/control/device_choice.h"
#include "app/control/names.h"
#include "app/support/near_name.h"

namespace app {
namespace {

const gpu::Effect& chosen_effect(const std::string& name) {
  if (const auto* effect = gpu::find_effect(name)) return *effect;
  std::vector<std::string_view> names;
  for (const auto* effect : gpu::all_effects()) names.push_back(effect->name);
  throw std::invalid_argument(no_such("effect", name, names));
}

gpu::Arguments with_values(std::span<const gpu::Parameter> parameters, const Values& values, std::string_view owner) {
  gpu::Arguments arguments(parameters);
  if (const auto at = values.find(std::string(owner)); at != values.end())
    for (const auto& [name, text] : at->second) arguments.set(name, text);
  return arguments;
}

}  // namespace

bool same_work(const Recipe& a, const Recipe& b) {
  if (a.algorithm != b.algorithm || a.algorithm_arguments != b.algorithm_arguments || a.effect != b.effect ||
      a.every_kernel != b.every_kernel || a.device != b.device)
    return false;
  const auto& values = a.effect_arguments;
  return std::ranges::all_of(values.parameters(), [&](const gpu::Parameter& parameter) {
    const auto name = parameter.name;
    return name == "x" || name == "y" || values.text(name) == b.effect_arguments.text(name);
  });
}

Recipe make_recipe(const Settings& settings, gpu::Device device) {
  Recipe recipe;
  recipe.algorithm = &chosen_algorithm(settings, device);
  recipe.algorithm_arguments =
      with_values(recipe.algorithm->parameters, settings.algorithm_values, recipe.algorithm->name);
  recipe.effect = &chosen_effect(settings.effect);
  recipe.effect_arguments = with_values(recipe.effect->parameters, settings.effect_values, recipe.effect->name);
  recipe.every_kernel = settings.every_kernel;
  recipe.device = device;
  return recipe;
}

}  // namespace app
