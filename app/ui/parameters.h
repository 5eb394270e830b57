// Controls for the parameters of an algorithm or an effect, made from their table.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "gpu/parameter.h"

namespace app::ui {

// One row for each parameter. `values` holds the texts that differ from the initial ones, as Settings does. True when
// something was changed; every text written is a value that the parameter takes.
bool parameter_rows(std::span<const gpu::Parameter> parameters, std::map<std::string, std::string>& values);

// The text nearest to `value` that a number parameter takes: within its limits, on its step, without needless zeros.
std::string number_text(const gpu::Parameter& parameter, double value);
// Both sides within the limits.
std::string size_text(const gpu::Parameter& parameter, gpu::Size value);

}  // namespace app::ui
