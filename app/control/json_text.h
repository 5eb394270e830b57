// The text of a setting that is given as JSON, in the settings file and in scripts: as a string, a number or a boolean.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace app {

// true and false become "on" and "off". nullopt for null, arrays and objects.
std::optional<std::string> text_from_json(const nlohmann::json& value);

}  // namespace app
