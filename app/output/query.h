// What a script asks for by a path: "fps", "kernels.2r1w.p50", "race.0.us".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace app {

// Members of objects by their names, which may have points of their own; of an array by number, from 0 on, or by the "name" of an
// object in it. Null where there is none.
const nlohmann::ordered_json* find_value(const nlohmann::ordered_json& document, std::string_view path);
// Then, one line: where it leads no further, and the nearest name there.
std::string no_value(const nlohmann::ordered_json& document, std::string_view path);

// Of a list that has nothing yet: whether this may be a number or a name in it, "kernels.0.p50".
bool may_come(std::string_view path);

}  // namespace app
