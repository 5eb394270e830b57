#include "app/output/query.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu/parameter.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

bool leads_on(std::string_view path, std::string_view name) {
  return !name.empty() && path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '.');
}

// A member, and the name that leads to it.
struct Member {
  std::string name;
  const json* value;
};

std::vector<Member> members_of(const json& value) {
  std::vector<Member> members;
  if (value.is_object())
    for (const auto& [name, member] : value.items()) members.push_back({name, &member});
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) {
      members.push_back({std::to_string(i), &value[i]});
      if (value[i].is_object() && value[i].contains("name"))
        members.push_back({value[i]["name"].get<std::string>(), &value[i]});
    }
  return members;
}

// As far as the path leads: what is there, and what is left of the path.
struct Place {
  const json* value;
  std::string_view rest;
};

Place follow(const json& document, std::string_view path) {
  Place place{&document, path};
  for (;;) {
    Member longest{{}, nullptr};
    for (const auto& member : members_of(*place.value))
      if (leads_on(place.rest, member.name) && member.name.size() > longest.name.size()) longest = member;
    if (!longest.value) return place;
    place.value = longest.value;
    place.rest.remove_prefix(longest.name.size());
    if (place.rest.size() <= 1) return place;  // at the end, or nothing follows the point
    place.rest.remove_prefix(1);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

}  // namespace

bool may_come(std::string_view path) {
  const auto point = path.find('.');
  if (point == path.npos) return true;
  const auto item = path.substr(point + 1, path.find('.', point + 1) - point - 1);
  if (item.empty() || (!is_digit(item.front()) && !is_letter(item.front()))) return false;
  return item == "0" || item.front() != '0' || !std::ranges::all_of(item, is_digit);
}

const json* find_value(const json& document, std::string_view path) {
  const auto place = follow(document, path);
  return place.rest.empty() && !path.empty() ? place.value : nullptr;
}

std::string no_value(const json& document, std::string_view path) {
  const auto place = follow(document, path);
  const auto members = members_of(*place.value);
  std::vector<std::string_view> names;
  for (const auto& member : members) names.push_back(member.name);
  const auto word = place.rest.substr(0, place.rest.find('.'));
  const auto before = std::string(path.substr(0, path.size() - place.rest.size()));
  const auto refusal = "no value '" + std::string(path) + "'";
  if (!before.empty() && names.empty())
    return refusal + ": there is nothing in " + before.substr(0, before.size() - (before.ends_with('.') ? 1 : 0));
  const auto nearest = gpu::nearest(word, names);
  if (nearest.empty()) return refusal;
  const auto meant = before + std::string(nearest), whole = meant + std::string(place.rest.substr(word.size()));
  return refusal + " (did you mean '" + (find_value(document, whole) ? whole : meant) + "'?)";
}

}  // namespace app
