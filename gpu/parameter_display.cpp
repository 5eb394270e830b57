#include "gpu/parameter_display.h"

#include <algorithm>

namespace gpu {

const ParameterDisplay& display_of(std::span<const ParameterDisplay> all, std::string_view parameter) {
  static constexpr ParameterDisplay plain;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& display) { return display.parameter == parameter; });
  return at == all.end() ? plain : *at;
}

std::string_view label_of_choice(const Parameter& parameter, const ParameterDisplay& display, std::string_view choice) {
  const auto names = split_choices(parameter.choices), labels = split_choices(display.labels);
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), choice) - names.begin());
  return at < labels.size() ? labels[at] : choice;
}

std::string why_unused(std::span<const ParameterDisplay> all, std::string_view parameter, const Arguments& arguments) {
  const auto condition = display_of(all, parameter).applies;
  const auto equals = condition.find('=');
  if (equals == condition.npos) return {};
  const auto name = condition.substr(0, equals), value = condition.substr(equals + 1);
  if (arguments.text(name) == value) return {};
  for (const auto& other : arguments.parameters())
    if (other.name == name)
      return "Only with " + std::string(name) + ": " + std::string(label_of_choice(other, display_of(all, name), value));
  return {};
}

}  // namespace gpu
