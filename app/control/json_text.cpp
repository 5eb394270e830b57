#include "app/control/json_text.h"

#include <nlohmann/json.hpp>

namespace app {

std::optional<std::string> text_from_json(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_number()) return value.dump();
  return {};
}

}  // namespace app
