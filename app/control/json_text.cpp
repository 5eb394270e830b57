#include "app/control/json_text.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace app {

template <class Json>
Json json_from(std::string_view text) {
  constexpr int deepest = 32;
  return Json::parse(text, [](int depth, typename Json::parse_event_t, Json&) {
    if (depth > deepest) throw std::invalid_argument("it is nested too deeply");
    return true;
  });
}
template nlohmann::json json_from(std::string_view text);
template nlohmann::ordered_json json_from(std::string_view text);

std::optional<std::string> text_from_json(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_number()) return value.dump();
  return {};
}

}  // namespace app
