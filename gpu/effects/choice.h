// The value of a choice parameter as an enumerator of an enumeration that lists the same choices in the same order.
#pragma once

#include "gpu/parameter.h"

namespace gpu::effects {

template <class Enum>
Enum chosen(const Arguments& arguments, std::string_view name) {
  const auto& value = arguments.text(name);
  std::string allowed;
  for (const auto& parameter : arguments.parameters()) {
    if (parameter.name != name) continue;
    int index = 0;
    for (const auto choice : split_choices(parameter.choices)) {
      if (choice == value) return static_cast<Enum>(index);
      ++index;
      allowed += ' ' + std::string(choice);
    }
  }
  throw ArgumentError("'" + value + "' is not a valid " + std::string(name) + ": it takes one of" + allowed);
}

}  // namespace gpu::effects
