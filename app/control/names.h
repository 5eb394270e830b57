// Names of the choices that settings, command line and panels share, in the order of their enumerations, and the ways
// between text and value.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/control/settings.h"
#include "gpu/parameter.h"

namespace app {

inline constexpr std::string_view device_choice_names[] = {"auto", "cuda", "host", "simulated"};
inline constexpr std::string_view interop_choice_names[] = {"auto", "on", "off"};
inline constexpr std::string_view viewer_names[] = {"gl", "highgui"};
inline constexpr std::string_view toggle_names[] = {"off", "on"};
inline constexpr std::string_view command_names[] = {"live", "sat", "apply", "list", "info", "simulate"};
inline constexpr std::string_view model_names[] = {"latency"};
inline constexpr std::string_view listing_names[] = {"algorithms", "effects", "cameras"};

inline constexpr int maximum_side = 16384;  // of a picture asked for
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

// "1280x720"; nullopt for anything else, or a side outside 1..maximum_side.
inline std::optional<gpu::Size> size_from_text(std::string_view text) {
  const auto side = [](std::string_view digits) -> int {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() && value >= 1 && value <= maximum_side ? value
                                                                                                               : 0;
  };
  const auto cross = text.find('x');
  if (cross == text.npos) return {};
  const gpu::Size size{side(text.substr(0, cross)), side(text.substr(cross + 1))};
  if (size.width == 0 || size.height == 0) return {};
  return size;
}

inline std::string text_of(gpu::Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

}  // namespace app
