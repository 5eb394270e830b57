#include "app/control/settings_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/control/key_table.h"
#include "app/support/desktop.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "gpu/effect.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 1 << 20;  // far more than is ever written
constexpr std::size_t most_named = 20;            // faults

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

// Files come and go between two runs: one that is not there any more gets the default. What is wrong, one line each.
std::vector<std::string> forget_missing_files(Settings& settings) {
  std::vector<std::string> problems;
  for (const auto* effect : gpu::all_effects())
    for (const auto& parameter : effect->parameters) {
      if (parameter.kind != gpu::Parameter::Kind::file) continue;
      const auto values = settings.effect_values.find(std::string(effect->name));
      if (values == settings.effect_values.end()) continue;
      const auto value = values->second.find(std::string(parameter.name));
      if (value == values->second.end()) continue;
      if (std::ranges::find(parameter.known(), value->second, &gpu::NamedFile::name) != parameter.known().end()) continue;
      try {
        gpu::vision::cascade_path(value->second);  // every file of an effect is one
      } catch (const gpu::ArgumentError& error) {
        problems.push_back(std::string(effect->name) + '.' + std::string(parameter.name) + ": " + error.what());
        values->second.erase(value);
      }
    }
  return problems;
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
  if (text.missing) return {.settings = {}, .problems = {}, .missing = true};
  std::vector<std::string> problems;
  Settings settings;
  bool readable = false;
  if (text.problem.empty()) {
    auto parsed = parse_settings(text.text);
    settings = std::move(parsed.settings);
    problems = std::move(parsed.problems);
    readable = parsed.readable;
    if (when_broken != WhenBroken::refuse)  // else it is refused where it is used, if it is
      std::ranges::move(forget_missing_files(settings), std::back_inserter(problems));
  } else {
    problems.push_back(text.problem);
  }
  if (problems.empty()) return {settings, {}};
  const auto count = problems.size();
  const auto what_follows = when_broken == WhenBroken::refuse ? "--config takes a file that satscope wrote, or a new one"
                            : readable ? count == 1 ? "its default is used" : "their defaults are used"
                            : when_broken == WhenBroken::leave ? "defaults are used, correct the file or remove it"
                                                               : "defaults are used, " + set_aside(path);
  if (count > most_named) problems.resize(most_named);
  if (count > 1) problems.push_back(std::to_string(count) + " faults");
  problems.back() += "; " + what_follows;
  for (auto& problem : problems) problem = "settings " + path.string() + ": " + problem;
  return {settings, std::move(problems)};
}

Settings first_settings() {
  Settings settings;
  settings.compare.on = settings.hints = true;
  return settings;
}

Settings as_at_first_start(const Settings& now) {
  auto settings = first_settings();
  settings.source = now.source;
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

void save_settings(const fs::path& path, const Settings& settings) {
  std::error_code error;
  const auto folder = path.parent_path();
  if (!folder.empty() && !fs::create_directories(folder, error) && error)
    throw std::runtime_error("cannot make the folder " + folder.string() + ": " + why_not_written(error.value()));
  write_file(path, settings_to_json(settings).dump(2) + "\n");
}

}  // namespace app
