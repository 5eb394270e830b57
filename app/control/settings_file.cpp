#include "app/control/settings_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "app/control/key_table.h"
#include "app/control/selection.h"
#include "app/support/count_text.h"
#include "app/support/desktop.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "gpu/effect.h"

namespace app {
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
          parsed.unusable[path] = value->second;
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

// Renames the file. Returns the end of a sentence that says where it is now.
std::string set_aside(const fs::path& path) {
  constexpr int most_copies = 100;
  for (int copy = 1; copy <= most_copies; ++copy) {
    auto aside = path;
    aside += copy == 1 ? ".broken" : ".broken." + std::to_string(copy);
    std::error_code error;
    if (fs::exists(fs::symlink_status(aside, error))) continue;  // an older one stays what it is
    fs::rename(path, aside, error);
    if (!error) return "it is now " + aside.filename().string();
  }
  return "and it could not be renamed: remove it";
}

}  // namespace

std::optional<fs::path> default_settings_path() {
  const fs::path config = environment("XDG_CONFIG_HOME"), home = environment("HOME");
  const auto rest = fs::path("satscope") / "settings.json";
  if (config.is_absolute()) return config / rest;  // by the XDG specification a relative path is ignored
  if (!home.empty()) return home / ".config" / rest;
  return {};
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
  add(!settings.panels, "the panels are hidden (" + labels(Action::toggle_panels) + " shows them)");
  if (left.empty()) return left;
  return "As you left it: " + left + "; \"Reset everything\" in " + labels(Action::toggle_palette) + " starts anew";
}

void save_settings(const fs::path& path, const nlohmann::json& settings) {
  std::error_code error;
  const auto folder = path.parent_path();
  if (!folder.empty() && !fs::create_directories(folder, error) && error)
    throw std::runtime_error("cannot make the folder " + folder.string() + ": " + why_not_written(error.value()));
  write_file(path, settings.dump(2) + "\n");
}

}  // namespace app
