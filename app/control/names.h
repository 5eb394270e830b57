// Names of the choices that settings, command line and panels share, in the order of their enumerations, and the
// conversions between text and value.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "app/control/settings.h"
#include "app/support/size_text.h"

namespace app {

inline constexpr std::string_view device_choice_names[] = {"auto", "cuda", "host", "simulated"};
inline constexpr std::string_view interop_choice_names[] = {"auto", "on", "off"};
inline constexpr std::string_view compare_mode_names[] = {"wipe", "difference"};
inline constexpr std::string_view viewer_names[] = {"gl", "highgui"};
inline constexpr std::string_view dock_names[] = {"kernels", "timeline", "trace", "race", "cascade", "features"};
inline constexpr std::string_view trace_colour_names[] = {"start", "state", "sm", "paper"};
inline constexpr std::string_view theme_names[] = {"dark", "light"};
inline constexpr std::string_view timing_names[] = {"off", "frame", "kernels", "every"};
inline constexpr std::string_view kernel_sort_names[] = {"run", "name",  "launches", "last",  "mean", "p50",  "p90",
                                                         "p99", "p99.9", "max",      "share", "rate", "bound"};
inline constexpr std::string_view card_order_names[] = {"family", "year", "name", "reads", "writes"};
inline constexpr std::string_view cell_value_names[] = {"auto", "gray", "rgb", "sums"};
inline constexpr std::string_view graph_shows_names[] = {"work", "interval", "kernels", "stages"};
inline constexpr std::string_view graph_scale_names[] = {"linear", "log"};
inline constexpr std::string_view graph_axis_names[] = {"seconds", "frames"};
inline constexpr std::string_view toggle_names[] = {"off", "on"};
inline constexpr std::string_view verb_names[] = {"live", "sat", "apply", "detect", "list", "info", "simulate", "help"};
inline constexpr std::string_view model_names[] = {"latency"};
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

}  // namespace app
