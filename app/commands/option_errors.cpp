#include "app/commands/option_errors.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <ranges>
#include <string_view>
#include <vector>

#include "app/commands/option_rules.h"
#include "app/control/fields.h"
#include "app/control/parameter_path.h"
#include "app/support/near_name.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

std::string help_of(const CLI::App& cli) { return "; see " + cli.get_name() + " --help"; }

// "sat", of "satscope sat".
std::string command_of(const CLI::App& cli) {
  const auto space = cli.get_name().find(' ');
  return space == std::string::npos ? "live" : cli.get_name().substr(space + 1);
}

// As the command's `--set` takes it, if it does: what has no flag of its own is often tried as one. A parameter that one
// algorithm or effect alone has is written with that.
std::optional<std::string> as_set(const CLI::App& cli, const std::string& key) {
  if (!cli.get_option_no_throw("--set")) return {};
  const auto command = command_of(cli);
  if (const auto* field = find_field(key))
    return uses_setting(command, key) && (command != "live" || field->flag.empty()) ? std::optional(key) : std::nullopt;
  const ParameterPath path(key);
  std::vector<std::string> owners;
  const auto look = [&](const auto& all) {
    for (const auto* one : all)
      if ((!path.has_owner || path.owner == one->name) &&
          std::ranges::count(one->parameters, path.name, &gpu::Parameter::name) > 0)
        owners.emplace_back(one->name);
  };
  look(gpu::sat_algorithms());
  if (command == "live" || command == "apply") look(gpu::all_effects());
  if (owners.empty()) return {};
  return owners.size() == 1 && !path.has_owner ? owners.front() + '.' + key : key;
}

std::string no_option(const CLI::App& cli, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  auto key = name.substr(std::min<std::size_t>(2, name.size()));
  std::ranges::replace(key, '-', '_');  // as flags are written, and paths are not
  if (const auto path = name.starts_with("--") ? as_set(cli, key) : std::nullopt)
    return "no option '" + name + "': it is a setting, write --set " + *path + "=VALUE";
  if (cli.get_option_no_throw(name)) return "options come before '--': move " + name + " there";
  std::vector<std::string> known;
  for (const auto* option : cli.get_options()) known.push_back(option->get_name());
  const std::vector<std::string_view> names(known.begin(), known.end());
  const auto near = did_you_mean(name, names);
  return "no option '" + name + "'" + (near.empty() ? help_of(cli) : near);
}

// A word beyond those that the command takes.
std::string one_too_many(const CLI::App& cli, const std::string& word) {
  const auto options = cli.get_options();
  const auto taken = std::ranges::find_if(options, [](const auto* option) { return option->get_positional(); });
  std::string kind = taken == options.end() ? "names" : (*taken)->get_name();
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (kind == "what") kind = "word";
  return command_of(cli) + " takes " + (taken == options.end() ? "no " : "one ") + kind + ": leave out '" + word + "'";
}

// Words that CLI11 has put aside, whatever else it complains of.
std::string unexpected(const CLI::App& cli) {
  for (const auto& word : cli.remaining()) {
    if (word == "--") continue;
    return word.size() > 1 && word.starts_with('-') ? no_option(cli, word) : one_too_many(cli, word);
  }
  return {};
}

std::string missing(const CLI::App& cli) {
  for (const auto* option : cli.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const auto rest = option->get_positional() ? " (" + option->get_description() + ")" : ' ' + option->get_type_name();
    return command_of(cli) + " needs " + option->get_name() + rest + help_of(cli);
  }
  return {};
}

// The option whose name the error begins with: "--frames: ...", "offscreen was ...".
const CLI::Option* blamed(const CLI::App& cli, std::string_view error) {
  const std::string name(error.substr(0, error.find_first_of(": ")));
  const auto* option = cli.get_option_no_throw(name);
  return option ? option : cli.get_option_no_throw("--" + name);
}

std::string wrong_count(const CLI::App& cli, const CLI::Option& option) {
  const auto& name = option.get_name();
  if (option.count() > 1) return name + " is given " + std::to_string(option.count()) + " times: leave out all but one";
  if (option.get_disable_flag_override()) return name + " takes no value: write " + name + " alone";
  auto type = option.get_type_name();
  type = type.substr(0, type.find(' '));
  return name + " needs a value: " + name + ' ' + type + help_of(cli);
}

}  // namespace

std::string complaint(const CLI::App& cli, const CLI::ParseError& error) {
  if (auto line = unexpected(cli); !line.empty()) return line;
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error)) return text;  // from our own checks
  if (dynamic_cast<const CLI::RequiredError*>(&error))
    if (auto line = missing(cli); !line.empty()) return line;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    if (const auto* option = blamed(cli, text)) return wrong_count(cli, *option);
  return text + help_of(cli);
}

}  // namespace app
