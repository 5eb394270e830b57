// Sizes of pictures as text, "1280x720".
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/image.h"

namespace app {

// The largest side of a picture or a window, wherever it comes from: 8K and some more. OpenGL's textures end not much later.
inline constexpr int maximum_side = 8192;

// nullopt if it is not WxH, or a side is outside 1..most.
inline std::optional<gpu::Size> size_from_text(std::string_view text, int most = maximum_side) {
  const auto side = [most](std::string_view digits) -> int {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() && value >= 1 && value <= most ? value : 0;
  };
  const auto cross = text.find('x');
  if (cross == text.npos) return {};
  const gpu::Size size{side(text.substr(0, cross)), side(text.substr(cross + 1))};
  if (size.width == 0 || size.height == 0) return {};
  return size;
}

inline std::string text_of(gpu::Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

}  // namespace app
