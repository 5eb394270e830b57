#include "app/control/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace app {
namespace {

// Of the byte with this number, from 1.
std::string place_of(std::size_t byte, std::string_view text) {
  if (text.find('\n') == text.npos) return "character " + std::to_string(byte);
  const auto before = text.substr(0, byte - 1);
  const auto line = std::ranges::count(before, '\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - (before.rfind('\n') + 1) + 1);
}

}  // namespace

template <class Json>
Json json_from(std::string_view text, std::vector<std::string>* twice) try {
  constexpr int deepest = 32;
  using Event = typename Json::parse_event_t;
  std::vector<std::set<std::string>> names;  // of each object that is open
  return Json::parse(text, [&](int depth, Event event, Json& value) {
    if (depth > deepest) throw std::invalid_argument("it is nested too deeply");
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event != Event::key || names.back().insert(value.template get<std::string>()).second) return true;
    if (!twice) throw std::invalid_argument("it gives " + value.dump() + " twice");
    twice->push_back(value.template get<std::string>());
    return true;
  });
} catch (const typename Json::parse_error& error) {
  throw std::invalid_argument("it is not JSON: wrong at " + place_of(error.byte, text));
} catch (const typename Json::exception&) {
  throw std::invalid_argument("a number in it is too large");
}
template nlohmann::json json_from(std::string_view text, std::vector<std::string>* twice);
template nlohmann::ordered_json json_from(std::string_view text, std::vector<std::string>* twice);

std::optional<std::string> text_from_json(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_number()) return value.dump();
  return {};
}

}  // namespace app
