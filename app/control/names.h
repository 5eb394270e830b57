// Names of the choices that settings, command line and panels share, in the order of their enumerations, and the
// conversions between text and value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/control/settings.h"
#include "app/support/text.h"

namespace app {

inline constexpr std::string_view device_choice_names[] = {"auto", "cuda", "host", "simulated"};
inline constexpr std::string_view interop_choice_names[] = {"auto", "on", "off"};
inline constexpr std::string_view compare_mode_names[] = {"wipe", "difference"};
inline constexpr std::string_view viewer_names[] = {"gl", "highgui"};
inline constexpr std::string_view dock_names[] = {"frame", "race", "tiles", "detector", "kernel", "study"};
inline constexpr std::string_view frame_view_names[] = {"table", "one_frame"};
inline constexpr std::string_view trace_colour_names[] = {"start", "state", "sm", "paper"};
inline constexpr std::string_view theme_names[] = {"dark", "light"};
inline constexpr std::string_view timing_names[] = {"off", "frame", "kernels", "every"};
inline constexpr std::string_view record_size_names[] = {"source", "1080p", "720p"};
inline constexpr std::string_view card_order_names[] = {"family", "year", "name", "reads", "writes"};
inline constexpr std::string_view cell_value_names[] = {"auto", "gray", "rgb", "sums"};
inline constexpr std::string_view study_shows_names[] = {"bound", "time"};
inline constexpr std::string_view graph_shows_names[] = {"work", "interval", "kernels", "stages"};
inline constexpr std::string_view toggle_names[] = {"off", "on"};
inline constexpr std::string_view verb_names[] = {"live",     "sat",   "apply", "detect", "list", "info",
                                                  "simulate", "judge", "tune",  "new",    "help"};
inline constexpr std::string_view model_names[] = {"latency"};
inline constexpr std::string_view judge_device_names[] = {"auto", "simulated", "cuda"};
inline constexpr std::string_view listing_names[] = {"algorithms", "effects", "cascades", "cameras", "settings", "commands"};

inline constexpr double maximum_fps = 1000;

template <class Enum>
std::optional<Enum> find_name(std::span<const std::string_view> names, std::string_view word) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == word) return static_cast<Enum>(i);
  return {};
}

template <class Enum>
constexpr std::string_view name_of(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

// What the window calls settings, where that is not their name: for the window itself, and for the palette, which finds them by
// these words. `setting`: its path, or the path and the value that the words stand for: "ui_scale", "graph_shows work". Empty
// where the window uses the setting's own name. The words end with a zero.
std::string_view window_words(std::string_view setting);
// The same, with a name made of the setting's own where the window uses that: "Theme", "Linear"; of a parameter, "Window".
std::string title_of_setting(std::string_view setting);
std::string titles_of_settings(std::string_view settings);  // "Effect, Text size", of "effect, ui_scale"
std::string title_of_value(std::string_view setting, std::string_view value);
// What a value is called now that an earlier version called so: settings files and scripts still have it.
std::string_view present_name(std::string_view setting, std::string_view value);
// What a sentence calls a device, which is a value of a setting: "GPU", "CPU", "simulated GPU".
std::string device_words(std::string_view device);
// What else people call it: "face" for Haar-like features. Empty where nothing is known.
std::string_view words_for(std::string_view setting);

}  // namespace app
