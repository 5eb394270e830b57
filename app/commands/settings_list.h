// `satscope list settings` and `satscope list commands`: what --set, the settings file and scripts can name, from the tables
// of fields, parameters and actions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace app {

// An object per setting, those of algorithms and effects included: path, accepted, default, help; flag if it has one; kept:
// "saved", "run" or "start" (saved, and read only when the program starts).
nlohmann::ordered_json settings_json();
// An object per action: name, help, keys; endings of the file that it writes.
nlohmann::ordered_json commands_json();

// The same as text, from that JSON.
std::string settings_text(const nlohmann::ordered_json& settings);
std::string commands_text(const nlohmann::ordered_json& actions);

}  // namespace app
