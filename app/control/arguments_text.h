// Arguments of an algorithm or an effect, as files and the window show them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gpu/parameter_text.h"

namespace app {

std::string with_arguments(std::string_view name, const gpu::Arguments& arguments);  // "1r1w_skss_lb W=64 m=4"
nlohmann::ordered_json json_of(const gpu::Arguments& arguments);                     // {"W": "64", "m": "4"}

}  // namespace app
