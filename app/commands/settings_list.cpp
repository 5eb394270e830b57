#include "app/commands/settings_list.h"

#include <nlohmann/json.hpp>

#include "app/control/fields.h"
#include "app/control/key_table.h"
#include "app/support/near_name.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

std::string_view name_of(Field::Kept kept) {
  switch (kept) {
    case Field::Kept::saved: return "saved";
    case Field::Kept::run: return "run";
    case Field::Kept::at_start: return "start";
  }
  return {};
}

json field_json(const Field& field) {
  // Its default depends on the device, and it is saved as the algorithm of that device.
  const bool algorithm = std::holds_alternative<Field::Algorithm>(field.value);
  json item{{"path", field.path}, {"accepted", accepted(field)}};
  if (!algorithm) item["default"] = text_of(field, Settings());
  item["help"] = field.help;
  if (!field.flag.empty()) item["flag"] = field.flag;
  item["kept"] = name_of(algorithm ? Field::Kept::saved : field.kept);
  return item;
}

std::string accepted(const gpu::Parameter& parameter) {
  using Kind = gpu::Parameter::Kind;
  const auto range = " from " + number_as_text(parameter.minimum) + " to " + number_as_text(parameter.maximum);
  switch (parameter.kind) {
    case Kind::choice:
    case Kind::toggle: return or_list(gpu::split_choices(parameter.choices));
    case Kind::integer: return "a whole number" + range;
    case Kind::real: return "a number" + range;
    case Kind::size: return "WxH, each" + range;
    case Kind::file: return "a name or a path";
  }
  return {};
}

// Of an algorithm or an effect.
template <class Owner>
void add_parameters(json& items, const Owner& owner) {
  for (const auto& parameter : owner.parameters)
    items.push_back({{"path", std::string(owner.name) + '.' + std::string(parameter.name)},
                     {"accepted", accepted(parameter)},
                     {"default", parameter.initial},
                     {"help", parameter.help},
                     {"kept", name_of(Field::Kept::saved)}});
}

std::string help_of(const ActionInfo& action) {
  const std::string help(action.description);
  return action.in_scripts.empty() ? help : help + "; a script " + std::string(action.in_scripts);
}

std::string text(const json& item, const char* key) { return item.value(key, std::string()); }

}  // namespace

json settings_json() {
  auto items = json::array();
  for (const auto& field : fields()) items.push_back(field_json(field));
  for (const auto* algorithm : gpu::sat_algorithms()) add_parameters(items, *algorithm);
  for (const auto* effect : gpu::all_effects()) add_parameters(items, *effect);
  return items;
}

json commands_json() {
  auto items = json::array();
  for (const auto& action : actions()) {
    json item{{"name", action.name}, {"help", help_of(action)}, {"keys", json::array()}};
    for (const auto& key : keys())
      if (key.action == action.action) item["keys"].push_back(label(key.press));
    if (!action.takes.empty()) item["takes"] = action.takes;
    if (!action.stands_for.empty()) item["stands_for"] = action.stands_for;
    for (const auto ending : {action.ending, action.other_ending})
      if (!ending.empty()) item["endings"].push_back(ending);
    items.push_back(std::move(item));
  }
  return items;
}

std::string settings_text(const json& settings) {
  std::string out;
  for (const auto& item : settings) {
    out += text(item, "path");
    if (!text(item, "default").empty()) out += '=' + text(item, "default");
    out += "  " + text(item, "accepted");
    if (item.contains("flag")) out += "  (" + text(item, "flag") + ')';
    out += "\n    " + text(item, "help") + '\n';
    if (text(item, "kept") == "run") out += "    for one run, not saved\n";
    if (text(item, "kept") == "start") out += "    read only when the program starts\n";
  }
  return out;
}

std::string commands_text(const json& actions) {
  std::string out;
  for (const auto& item : actions) {
    out += text(item, "name") + (item.contains("takes") ? ' ' + text(item, "takes") : "");
    std::string list;
    for (const auto& key : item.at("keys")) list += (list.empty() ? "  (key " : ", ") + key.get<std::string>();
    out += list + (list.empty() ? "" : ")") + "\n    " + text(item, "help") + '\n';
    if (item.contains("stands_for")) out += "    the same as: " + text(item, "stands_for") + '\n';
    if (!item.contains("endings")) continue;
    list.clear();
    for (const auto& ending : item.at("endings")) list += (list.empty() ? "" : " or ") + ending.get<std::string>();
    out += "    to FILE, which ends in " + list + "; default: one in output_folder\n";
  }
  return out;
}

}  // namespace app
