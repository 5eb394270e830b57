// The text of a setting that is given as JSON, in the settings file and in scripts: as a string, a number or a boolean.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace app {

// JSON from outside: parses a text whose arrays and objects are nested at most 32 deep, which is more than anything read here
// has. What is deeper would end the program where it is copied, compared or printed, which works by recursion. Throws
// Json::exception; std::invalid_argument, "it is nested too deeply".
template <class Json = nlohmann::json>
Json json_from(std::string_view text);

// true and false become "on" and "off". nullopt for null, arrays and objects.
std::optional<std::string> text_from_json(const nlohmann::json& value);

}  // namespace app
