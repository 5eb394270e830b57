// The text of a setting in JSON: in the settings file and in scripts, where numbers and switches may be written as such.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace app {

// "on" and "off" of true and false; nullopt of what holds more than one value, and of null.
std::optional<std::string> text_from_json(const nlohmann::json& value);

}  // namespace app
