// The settings file: JSON, versioned, one member per choice, named by its path (change.h). Reading takes every member for a
// guess and checks it; a file that is not what it should be is set aside, reported in one line, and replaced.
//
// What the command line overrides holds for one run and is not saved; what the user changes in the window is. The
// source is not saved: without one on the command line, the first camera that delivers is taken.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"

namespace app {

inline constexpr int settings_version = 1;

// $XDG_CONFIG_HOME/satscope/settings.json, else ~/.config/satscope/settings.json; nullopt where there is no home.
std::optional<std::filesystem::path> default_settings_path();

struct LoadedSettings {
  Settings settings;    // defaults where there is no file, and for every field that was wrong
  std::string problem;  // one line: what was wrong and where the file is now; empty where nothing was
};
// What becomes of a file that is none of ours: it is renamed to <path>.broken (.broken.2 where that is there already), or,
// as befits a file that somebody named, left alone. One that has wrong fields stays where it is.
enum class WhenBroken { set_aside, leave };
// Never throws for what stands in the file, or instead of one.
LoadedSettings load_settings(const std::filesystem::path& path, WhenBroken when_broken = WhenBroken::set_aside);

// Throws std::runtime_error with one line. Makes the directory where it is missing.
void save_settings(const std::filesystem::path& path, const Settings& settings);

// What to save at the end: `saved` (as read), with every field in which `current` differs from `started` (`saved` plus
// the command line).
Settings changes_to_save(const Settings& saved, const Settings& started, const Settings& current);

// The parts of the above that touch no file.
nlohmann::json settings_to_json(const Settings& settings);
struct ParsedSettings {
  Settings settings;
  std::vector<std::string> problems;
  bool readable = false;  // JSON of this version: all but the fields that have problems counts
};
ParsedSettings parse_settings(std::string_view text);

}  // namespace app
