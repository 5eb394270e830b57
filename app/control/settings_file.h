// The settings file: JSON, versioned, one member per choice, named by its path (change.h). Reading trusts nothing and checks
// every member; a file that is not a settings file is set aside, reported, and replaced.
//
// What the command line overrides applies to one run and is not saved; what the user changes in the window is saved. The
// source is not saved: without one on the command line, the first camera that sends frames is used.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "app/control/settings.h"
#include "gpu/sat.h"

namespace app {

inline constexpr int settings_version = 1;

// $XDG_CONFIG_HOME/satscope/settings.json, otherwise ~/.config/satscope/settings.json; nullopt if there is no home.
std::optional<std::filesystem::path> default_settings_path();

// Throws ExitError (usage) if a result would replace one of the files that the run reads, or that settings file, also of runs
// that do not read it.
void check_kept(const std::filesystem::path& result, std::span<const std::filesystem::path> read);

struct LoadedSettings {
  Settings settings;                                   // defaults if there is no file, and for every field that was wrong
  std::string problem = {};                            // one line: what was wrong, and what becomes of it; empty: nothing
  nlohmann::json unusable = nlohmann::json::object();  // the members that were wrong, by path, as the file has them
  bool missing = false;                                // there is no file
  bool broken = false;                                 // it is not a settings file
  const gpu::SatAlgorithm* algorithm = nullptr;        // a CUDA algorithm that it names without a device
};
// What happens to a file that is not a settings file: a run that will save settings renames it to <path>.broken (.broken.2 if
// that exists already), also where it replaces the file at its end; other runs leave it alone, and one that the user named is
// refused. A file with wrong fields stays where it is.
enum class WhenBroken { set_aside, replace, leave, refuse };
// Never throws, whatever the file contains and whatever is in its place.
LoadedSettings load_settings(const std::filesystem::path& path, WhenBroken when_broken = WhenBroken::set_aside);

// The file as it is now, before it is replaced: somebody may have edited it, or another window saved it, since it was `loaded`.
// If it is no longer a settings file, it is renamed; the result is what was `loaded`, and `problem` says so.
LoadedSettings set_aside_if_broken(const std::filesystem::path& path, const LoadedSettings& loaded);

// What a window shows before anybody has chosen anything: beside the picture, what the program makes of it, and where to begin.
Settings first_settings();
// The same for a window that runs: its source, and the numbers of that, stay.
Settings as_at_first_start(const Settings& now);
// What an earlier run left that a user may not expect at the start, and how to undo it, one line; empty: nothing.
std::string left_by_earlier_run(const Settings& settings);

// The file's text at the end: what was loaded, with every field in which `current` differs from `started` (the settings loaded,
// with the changes of the command line). What could not be used stays as it was: a disk may be there again at the next start.
nlohmann::json changes_to_save(const LoadedSettings& loaded, const Settings& started, const Settings& current);
// Throws std::runtime_error with one line. Creates the directory if it is missing.
void save_settings(const std::filesystem::path& path, const nlohmann::json& settings);

// Why no settings file can be written there, one line with a way out: without a home (nullopt), or where nothing can be written.
// Empty: one can.
std::string why_not_kept(const std::optional<std::filesystem::path>& path);

// The parts of the above that touch no file.
nlohmann::json settings_to_json(const Settings& settings);
struct ParsedSettings {
  Settings settings;
  std::vector<std::string> problems;                   // a line each
  nlohmann::json unusable = nlohmann::json::object();  // as in LoadedSettings; of a name given twice, nothing
  bool readable = false;                         // JSON of this version: all fields count, except those that have problems
  const gpu::SatAlgorithm* algorithm = nullptr;  // as in LoadedSettings
};
ParsedSettings parse_settings(std::string_view text);

// JSON from outside: parses a text whose arrays and objects are nested at most 32 deep, which is more than anything read here
// has. What is deeper would end the program where it is copied, compared or printed, which works by recursion. Of a name that
// an object has twice, nobody can say which value is meant: it is put into `twice`, if that is given. Throws
// std::invalid_argument, one line: "it is not JSON: wrong at line 2, column 7".
template <class Json = nlohmann::json>
Json json_from(std::string_view text, std::vector<std::string>* twice = nullptr);

// The text of a setting that is given as JSON, in the settings file and in scripts; true and false become "on" and "off".
// nullopt for null, arrays and objects but those of text_as_json().
std::optional<std::string> text_from_json(const nlohmann::json& value);
// A text as JSON: a string, or where it is not UTF-8, as names of files may be, {"escaped": "/home/caf%E9.xml"}, which is the same
// byte for byte.
nlohmann::json text_as_json(const std::string& text);

}  // namespace app
