// A choice parameter as the enumeration that lists the same choices in the same order.
#pragma once

#include "gpu/parameter.h"

namespace gpu::effects {

template <class Enum>
Enum chosen(const Arguments& arguments, std::string_view name) {
  const auto& value = arguments.text(name);
  for (const auto& parameter : arguments.parameters()) {
    if (parameter.name != name) continue;
    int index = 0;
    for (const auto choice : split_choices(parameter.choices)) {
      if (choice == value) return static_cast<Enum>(index);
      ++index;
    }
  }
  throw ArgumentError("'" + value + "' is no value of " + std::string(name));
}

}  // namespace gpu::effects
