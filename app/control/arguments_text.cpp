#include "app/control/arguments_text.h"

#include <nlohmann/json.hpp>

namespace app {

std::string with_arguments(std::string_view name, const gpu::Arguments& arguments) {
  const auto values = text_of(arguments);
  return std::string(name) + (values.empty() ? "" : " ") + values;
}

nlohmann::ordered_json json_of(const gpu::Arguments& arguments) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& parameter : arguments.parameters()) object[std::string(parameter.name)] = arguments.text(parameter.name);
  return object;
}

}  // namespace app
