#include "app/control/settings_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/control/change.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/key_table.h"
#include "app/control/selection.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "gpu/choice/tuned.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

// The line and the column of the byte with this number, from 1.
std::string place_of(std::size_t byte, std::string_view text) {
  if (text.find('\n') == text.npos) return "character " + std::to_string(byte);
  const auto before = text.substr(0, byte - 1);
  const auto line = std::ranges::count(before, '\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - (before.rfind('\n') + 1) + 1);
}

}  // namespace

template <class Json>
Json json_from(std::string_view text, std::vector<std::string>* twice) try {
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw std::invalid_argument("it is empty");
  // The parser would take it for the end of the text.
  if (const auto at = text.find('\0'); at != text.npos)
    throw std::invalid_argument("it is not JSON: wrong at " + place_of(at + 1, text));
  constexpr int deepest = 32;
  using Event = typename Json::parse_event_t;
  std::vector<std::set<std::string>> names;  // of each object that is open
  return Json::parse(text, [&](int depth, Event event, Json& value) {
    if (depth > deepest) throw std::invalid_argument("it is nested too deeply");
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    // No name, value or path has it, and messages about the text would end there.
    if (value.is_string() && value.template get_ref<const std::string&>().find('\0') != std::string::npos)
      throw std::invalid_argument("a text in it contains the character \\u0000");
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

namespace {

constexpr const char* escaped = "escaped";

bool is_escaped(const nlohmann::json& value) {
  return value.is_object() && value.size() == 1 && value.contains(escaped) && value[escaped].is_string();
}

}  // namespace

nlohmann::json text_as_json(const std::string& text) {
  nlohmann::json value = text;
  try {
    (void)value.dump();
  } catch (const nlohmann::json::type_error&) {  // it is not UTF-8
    value = {{escaped, percent_encoded(text)}};
  }
  return value;
}

std::optional<std::string> text_from_json(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (is_escaped(value)) return percent_decoded(value[escaped].get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_number()) return value.dump();
  return {};
}

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 1 << 20;  // far more than is ever written

// The text of the file; or a problem, if the path exists and is not a settings file.
struct Text {
  std::string text, problem;
  bool missing = false;
};
Text read_text(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status) && status.type() == fs::file_type::not_found) return {{}, {}, true};
  if (status.type() == fs::file_type::none) return {{}, error.message(), false};
  if (!fs::is_regular_file(status)) return {{}, "it is not a file", false};  // opening a pipe would wait forever
  const auto size = fs::file_size(path, error);
  if (error) return {{}, error.message(), false};
  if (size > largest_file) return {{}, "it is larger than 1 MiB", false};
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return {{}, "it cannot be read", false};
  return {std::move(text), {}, false};
}

// Files come and go between two runs: one that is not there now gets the default.
void forget_missing_files(ParsedSettings& parsed) {
  for (const auto* effect : gpu::all_effects())
    for (const auto& parameter : effect->parameters) {
      const auto values = parsed.settings.effect_values.find(std::string(effect->name));
      if (parameter.kind != gpu::Parameter::Kind::file || values == parsed.settings.effect_values.end()) continue;
      const auto value = values->second.find(std::string(parameter.name));
      if (value != values->second.end()) try {
          file_of(parameter, value->second);
        } catch (const gpu::ArgumentError& error) {
          const auto path = values->first + '.' + value->first;
          parsed.problems.push_back(path + ": " + error.what());
          parsed.unusable[path] = text_as_json(value->second);
          values->second.erase(value);
        }
    }
}

// One line, whatever the file contains.
std::string all_of(const std::vector<std::string>& problems) {
  constexpr std::size_t most = 8;
  if (problems.size() == 1) return problems.front();
  std::string line;
  for (std::size_t i = 0; i < std::min(problems.size(), most); ++i)
    line += (i == 0 ? "(" : "; (") + std::to_string(i + 1) + ") " + problems[i];
  return problems.size() <= most ? line : line + "; and " + counted(problems.size() - most, "more fault");
}

}  // namespace

std::optional<fs::path> default_settings_path() {
  auto folder = gpu::user_folder();
  if (folder) *folder /= "settings.json";
  return folder;
}

void check_kept(const fs::path& result, std::span<const fs::path> read) {
  check_not_read(result, read);
  if (const auto settings = default_settings_path(); settings && same_file(result, *settings))
    throw ExitError(ExitCode::usage, result.string() + " is the settings file: give another name");
}

LoadedSettings load_settings(const fs::path& path, WhenBroken when_broken) {
  auto text = read_text(path);
  if (text.missing) return {.settings = {}, .problem = {}, .missing = true};
  ParsedSettings parsed;
  if (text.problem.empty()) {
    parsed = parse_settings(text.text);
    forget_missing_files(parsed);
  } else {
    parsed.problems.push_back(text.problem);
  }
  LoadedSettings loaded{std::move(parsed.settings), {}, std::move(parsed.unusable)};
  loaded.algorithm = parsed.algorithm;
  if (parsed.problems.empty()) return loaded;
  loaded.broken = !parsed.readable;
  const auto what_follows = when_broken == WhenBroken::refuse ? "--config takes a file that satscope wrote, or a new one"
                            : parsed.readable ? parsed.problems.size() == 1 ? "it is ignored" : "they are ignored"
                            : when_broken == WhenBroken::leave   ? "defaults are used, correct the file or remove it"
                            : when_broken == WhenBroken::replace ? set_aside(path)
                                                                 : "defaults are used, " + set_aside(path);
  loaded.problem = "settings " + path.string() + ": " + all_of(parsed.problems) + "; " + what_follows;
  return loaded;
}

LoadedSettings set_aside_if_broken(const fs::path& path, const LoadedSettings& loaded) {
  auto now = load_settings(path, WhenBroken::replace);
  if (!now.broken) now.problem.clear();
  if (!now.broken && !now.missing) return now;
  auto before = loaded;
  before.problem = now.problem;
  return before;
}

Settings first_settings() {
  Settings settings;
  settings.compare.on = settings.hints = true;
  return settings;
}

Settings as_at_first_start(const Settings& now) {
  auto settings = first_settings();
  settings.source = now.source;
  settings.keys = now.keys;
  settings.matrix = now.matrix;
  settings.loop = now.source.empty();  // as every start does with the bundled clip
  settings.viewer = now.viewer;        // those that cannot change while the program runs
  settings.window_width = now.window_width;
  settings.window_height = now.window_height;
  return settings;
}

std::string left_by_earlier_run(const Settings& settings) {
  std::string left;
  const auto add = [&](bool is_so, const std::string& what) {
    if (is_so) left += (left.empty() ? "" : ", ") + what;
  };
  add(settings.device == DeviceChoice::simulated, "the simulated GPU computes");
  add(!settings.panels, "the panels are hidden (" + labels("toggle panels") + " shows them)");
  if (left.empty()) return left;
  return "As you left it: " + left + "; \"Reset everything\" in " + labels("toggle palette") + " restores the defaults";
}

void save_settings(const fs::path& path, const nlohmann::json& settings) {
  if (path.has_parent_path()) make_folder(path.parent_path());
  // Texts are UTF-8 or escaped; one that is neither would cost itself alone.
  write_file(path, settings.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::string why_not_kept(const std::optional<fs::path>& path) {
  const std::string problem = "settings are not saved: ";
  if (!path) return problem + "neither XDG_CONFIG_HOME nor HOME names a folder; choose a place (--config FILE)";
  std::error_code circle, error;
  const auto file = behind_links(*path, circle);
  if (circle) return {};  // whoever reads the file has said so
  const auto why = why_no_new_files(fs::absolute(file, error).parent_path());
  return why.empty() ? why : problem + why + " (--config FILE)";
}

namespace {

using nlohmann::json;

// Numbers and toggles become JSON numbers and booleans, which are easier to read.
json value_of(const Field& field, const Settings& settings) {
  const auto text = text_of(field, settings);
  if (std::holds_alternative<Field::Toggle>(field.value)) return text == "on";
  if (std::holds_alternative<Field::Whole>(field.value) || std::holds_alternative<Field::Number>(field.value))
    return json::parse(text);
  return text_as_json(text);
}

void put(json& object, const Values& values) {
  for (const auto& [owner, parameters] : values)
    for (const auto& [name, text] : parameters) object[owner + '.' + name] = text_as_json(text);
}

// Applies every member of a settings file as a change; a member that cannot be applied is a problem.
class Reader {
 public:
  explicit Reader(ParsedSettings& parsed) : parsed_(parsed) {}

  void read(json object, std::span<const std::string> twice) {
    for (const auto& path : twice) {
      problem(path + " is given twice");
      object.erase(path);
    }
    if (object.contains("simple")) forget_old_defaults(object);
    std::vector<Change> changes;
    if (object.contains("kernel")) read_kernels(object["kernel"]);
    for (const auto& [path, value] : object.items())
      if (path == "keys")
        read_keys(value);
      else if (path == "kernel")
        continue;
      else if (path != "version")
        add(path, value, changes);
    // Algorithms and effects before parameters that may belong to them; the algorithm of any device behind the device.
    const auto parameters = std::ranges::stable_partition(
        changes, [](const Change& change) { return find_field(change.path) != nullptr; });
    std::stable_partition(changes.begin(), parameters.begin(), [](const Change& change) { return !is_algorithm(change); });
    for (const auto& change : changes) try {
        if (names_missing_kernel(change) || is_of_awaited_kernel(change))
          parsed_.unusable[change.path] = object[change.path];
        else if (is_algorithm(change))
          choose_algorithm(change, object.contains("device"));
        else
          apply(parsed_.settings, change);
      } catch (const std::invalid_argument& error) {
        const auto value = object.find(change.path);
        leave(change.path, value == object.end() ? text_as_json(change.text) : *value, error.what());
      }
  }

 private:
  // The version that had `simple` wrote every setting, so that these say nothing about what the user wants.
  static void forget_old_defaults(json& object) {
    const json defaults{{"dock_open", true}, {"graph_histogram", true}};
    for (const auto& [path, value] : defaults.items())
      if (object.contains(path) && object[path] == value) object.erase(path);
  }
  void read_keys(const json& keys) {
    if (!keys.is_object()) return leave("keys", keys, R"(keys is an object of keys and commands: {"Ctrl+R": "race"})");
    auto wrong = json::object();
    for (const auto& [key, line] : keys.items()) try {
        const auto press = label(parse_key(key));
        const auto command = line.is_string() || is_escaped(line) ? text_from_json(line) : std::nullopt;
        if (!command) throw std::invalid_argument("it takes a command, as \"race\"");
        const auto parsed = parse_command(*command);
        if (is_retired(parsed.setting)) continue;
        check(parsed);
        if (!parsed_.settings.keys.emplace(press, *command).second) throw std::invalid_argument(press + " is given twice");
      } catch (const std::invalid_argument& error) {
        wrong[key] = line;
        problem("keys: " + key + ": " + error.what());
      }
    if (!wrong.empty()) parsed_.unusable["keys"] = wrong;
  }
  // Checks that the command's setting exists and takes the value. What depends on what is in use is found out later.
  static void check(const Command& command) {
    if (command.setting.empty() || is_parameter_alone(command.setting)) return;
    Settings copy;
    const auto changes = changes_of(command, copy, {});
    const auto* field = find_field(command.setting);
    if (!field)
      apply(copy, changes->front());
    else if (field->kept == Field::Kept::at_start)
      throw std::invalid_argument(command.setting + " is read when the program starts");
    else if (!std::holds_alternative<Field::Algorithm>(field->value))
      set_field(*field, copy, changes->front().text, command.setting);
  }
  // "W": of some algorithm or effect.
  static bool is_parameter_alone(const std::string& path) {
    const auto has = [&](const auto* item) { return std::ranges::count(item->parameters, path, &gpu::Parameter::name) > 0; };
    if (path.starts_with("algorithm.") || path.starts_with("effect.")) return true;
    return !find_field(path) &&
           (std::ranges::any_of(gpu::sat_algorithms(), has) || std::ranges::any_of(gpu::all_effects(), has));
  }
  static bool is_algorithm(const Change& change) { return change.path == "algorithm"; }
  // As on the command line, the device is chosen for it where the file names none.
  void choose_algorithm(const Change& change, bool with_device) {
    auto& settings = parsed_.settings;
    std::vector<Change> both{change};
    if (with_device) both.push_back({"device", text_of(*find_field("device"), settings)});
    app::apply(settings, both);  // not std::apply
    const auto* algorithm = gpu::find_sat_algorithm(change.text);
    if (!algorithm) return;  // of a kernel that is compiled later
    if (settings.device == DeviceChoice::automatic && algorithm->device == gpu::Device::cuda) parsed_.algorithm = algorithm;
  }
  // Those that are there are opened again. Others, and what is chosen by their names, stay in the file without a word: they were moved,
  // or are on a disk that is not there now.
  void read_kernels(const json& value) {
    const auto text = text_from_json(value);
    if (!text) return leave("kernel", value, "kernel takes text in quotes: a file per line");
    for (const auto& file : kernels_from(*text)) try {
        add_kernel(parsed_.settings, file);
      } catch (const std::invalid_argument&) {
        missing_kernels_.push_back(kernel_name(file));
      }
    if (!missing_kernels_.empty()) parsed_.unusable["kernel"] = value;
  }
  bool names_missing_kernel(const Change& change) const {
    const bool names = change.path == "cuda_algorithm" || change.path == "effect" || change.path == "algorithm";
    const auto owner = std::string(ParameterPath(change.path).owner);
    return std::ranges::count(missing_kernels_, names ? change.text : owner) > 0;
  }
  // A parameter of one that will be compiled, about which nothing is known yet.
  bool is_of_awaited_kernel(const Change& change) const {
    const ParameterPath path(change.path);
    return path.has_owner && awaits_kernel(parsed_.settings, path.owner);
  }
  void add(const std::string& path, const json& value, std::vector<Change>& changes) {
    const auto* field = find_field(path);
    if (field && field->kept == Field::Kept::run && !std::holds_alternative<Field::Algorithm>(field->value))
      leave(path, value, path + " applies to one run and is not saved in a file");
    else if (field && std::holds_alternative<Field::Text>(field->value) && !value.is_string() && !is_escaped(value))
      leave(path, value, path + " takes text in quotes");
    else
      changes.push_back({path, text_from_json(value).value_or(value.dump())});  // of a list or null: refused as a value
  }
  void leave(const std::string& path, const json& value, std::string why) {
    parsed_.unusable[path] = value;
    problem(std::move(why));
  }
  // Whatever the file contains, the report is one line of bounded length. What is wrong comes last, behind what would be right.
  void problem(std::string text) {
    constexpr std::size_t most = 400;
    for (auto& c : text)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    parsed_.problems.push_back(both_ends(text, most));
  }

  ParsedSettings& parsed_;
  std::vector<std::string> missing_kernels_;  // names
};

}  // namespace

json settings_to_json(const Settings& settings) {
  json object{{"version", settings_version}};
  for (const auto& field : fields())
    if (field.kept != Field::Kept::run) object[std::string(field.path)] = value_of(field, settings);
  for (const auto& [key, line] : settings.keys) object["keys"][key] = text_as_json(line);
  put(object, settings.algorithm_values);
  put(object, settings.effect_values);
  return object;
}

ParsedSettings parse_settings(std::string_view text) {
  ParsedSettings parsed;
  json object;
  std::vector<std::string> twice;
  try {
    object = json_from(text, &twice);
  } catch (const std::invalid_argument& error) {
    return parsed.problems.push_back(error.what()), parsed;
  }
  if (!object.is_object()) return parsed.problems.push_back("it is not a JSON object"), parsed;
  const auto version = object.find("version");
  if (version == object.end())
    return parsed.problems.push_back("it has no \"version\": " + std::to_string(settings_version)), parsed;
  if (!version->is_number_integer() || version->get<std::int64_t>() != settings_version)
    return parsed.problems.push_back("its version is not " + std::to_string(settings_version)), parsed;
  parsed.readable = true;
  Reader(parsed).read(std::move(object), twice);
  return parsed;
}

json changes_to_save(const LoadedSettings& loaded, const Settings& started, const Settings& current) {
  auto result = settings_to_json(loaded.settings);
  for (const auto& [path, value] : loaded.unusable.items())
    if (path == "keys" && value.is_object() && result.contains(path))
      result[path].update(value);  // some of them
    else
      result[path] = value;
  const auto before = settings_to_json(started), after = settings_to_json(current);
  for (const auto& [path, value] : after.items())
    if (!before.contains(path) || before[path] != value) result[path] = value;
  // The name that also chooses the device stays where neither was changed.
  if (const auto* named = loaded.algorithm; named && result["cuda_algorithm"] == named->name && result["device"] == "auto")
    result["algorithm"] = named->name;
  // A parameter that was set back to its initial value is no longer in `after`.
  for (const auto& [path, value] : before.items())
    if (!after.contains(path)) result.erase(path);
  return result;
}

}  // namespace app
