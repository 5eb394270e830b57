// Canvas: the picture that an effect draws.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "gpu/image.h"
#include "gpu/pictures/surface.h"

namespace gpu {

// Where an effect draws: gray bytes; Rgba pixels; a CUDA surface of Rgba pixels, such as a mapped texture; or the same pixels
// into both. One pixel function serves the screen (Rgba) and one-channel files (gray).
struct Canvas {
  ImageView<std::uint8_t> gray;
  ImageView<Rgba> rgba;             // without data, but with the size, if only the surface is drawn
  cudaSurfaceObject_t surface = 0;  // only a GPU can draw on it
  bool has_surface = false;

  static Canvas on_surface(cudaSurfaceObject_t surface, Size size) {
    return with_surface({nullptr, size.width, size.height, size.width}, surface);
  }
  // The surface, if there is one, is drawn on as well as the pixels, and is at least as large.
  static Canvas with_surface(ImageView<Rgba> pixels, std::optional<cudaSurfaceObject_t> surface) {
    return {{}, pixels, surface.value_or(0), surface.has_value()};
  }

  constexpr Size size() const { return gray.data ? gray.size() : rgba.size(); }
  // `value`: a level, or a colour. Effects draw colours on Rgba canvases only; a gray one gets the green channel.
  template <class Value>
  constexpr void put(int x, int y, Value value) const {
    if (gray.data) {
      gray(x, y) = level_of(value);
      return;
    }
    if (has_surface) put_on_surface(x, y, value);
    if (rgba.data) put_in_memory(x, y, value);
  }
  // Requires a surface.
  template <class Value>
  constexpr void put_on_surface(int x, int y, Value value) const {
    write_surface(surface, x, y, word_of(value));
  }
  // Requires Rgba pixels. One store of 32 bits: neither the host's compiler nor the device's makes one of four byte stores.
  template <class Value>
  constexpr void put_in_memory(int x, int y, Value value) const {
    if (std::is_constant_evaluated()) {
      rgba(x, y) = colour_of(value);
    } else {
      using Word [[gnu::may_alias]] = std::uint32_t;
      *reinterpret_cast<Word*>(&rgba(x, y)) = word_of(value);
    }
  }

 private:
  static constexpr std::uint8_t level_of(std::uint8_t level) { return level; }
  static constexpr std::uint8_t level_of(Rgba colour) { return colour.g; }
  static constexpr Rgba colour_of(std::uint8_t level) { return {level, level, level, 255}; }
  static constexpr Rgba colour_of(Rgba colour) { return colour; }
  // A pixel as 32 bits, in the order of its bytes.
  static constexpr std::uint32_t word_of(std::uint8_t level) { return level * 0x010101u | 0xff000000u; }
  static constexpr std::uint32_t word_of(Rgba colour) {
    return colour.r | colour.g << 8 | colour.b << 16 | static_cast<std::uint32_t>(colour.a) << 24;
  }
};

}  // namespace gpu
