// What one pixel contributes to a sum: its term.
#pragma once

#include <cstdint>
#include <type_traits>

namespace gpu {

enum class Term { pixel, square };

// The types of pixel and sum say it: bytes are squared for sums of u64, whose type 8u64u has always been that of squares, and all
// other pixels are summed as they are. Pixels of the following types say otherwise; in memory they are their values.
template <class T>
struct Plain {
  T value;
};
template <class T>
struct Squared {
  T value;
};

template <class Pixel>
struct ValueOf {
  using Type = Pixel;
  static constexpr bool squared = false;
};
template <class T>
struct ValueOf<Plain<T>> {
  using Type = T;
  static constexpr bool squared = false;
};
template <class T>
struct ValueOf<Squared<T>> {
  using Type = T;
  static constexpr bool squared = true;
};
template <class Pixel>
using PixelValue = typename ValueOf<Pixel>::Type;

template <class Pixel>
constexpr PixelValue<Pixel> value_of(Pixel pixel) {
  if constexpr (std::is_same_v<PixelValue<Pixel>, Pixel>)
    return pixel;
  else
    return pixel.value;
}

template <class Input, class Sum>
inline constexpr bool is_squared = ValueOf<Input>::squared ||
                                   (std::is_same_v<Input, std::uint8_t> && std::is_same_v<Sum, std::uint64_t>);

template <class Sum, class Input>
constexpr Sum term(Input pixel) {
  const auto value = static_cast<Sum>(value_of(pixel));
  if constexpr (is_squared<Input, Sum>)
    return value * value;
  else
    return value;
}

}  // namespace gpu
