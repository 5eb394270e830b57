// The text of a setting that is given as JSON, in the settings file and in scripts: as a string, a number or a boolean.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// JSON from outside: parses a text whose arrays and objects are nested at most 32 deep, which is more than anything read here
// has. What is deeper would end the program where it is copied, compared or printed, which works by recursion. Of a name that
// an object has twice, nobody can say which value is meant: it is put into `twice`, if that is given. Throws
// std::invalid_argument, one line: "it is not JSON: wrong at line 2, column 7".
template <class Json = nlohmann::json>
Json json_from(std::string_view text, std::vector<std::string>* twice = nullptr);

// true and false become "on" and "off". nullopt for null, arrays and objects.
std::optional<std::string> text_from_json(const nlohmann::json& value);

}  // namespace app
