// Effects: what is drawn from a frame and its summed area table. One file effects/effect_<name>.cu = one effect; the
// table of them is generated from the file names, as for the algorithms.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace gpu {

// One frame as an effect sees it. All views have the frame's size and lie on the context's device.
struct EffectInput {
  ImageView<const Bgr> colour;
  ImageView<const std::uint8_t> gray;  // luma() of colour
  ImageView<const std::uint32_t> sat;  // 8u32u of gray
  // For effects that need further tables (a table a channel, a second pass): computed as the frame's own.
  const SatAlgorithm* algorithm = nullptr;
  const Arguments* algorithm_arguments = nullptr;

  void compute_sat(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> sat) const {
    gpu::compute_sat(context, *algorithm, image, sat, *algorithm_arguments);
  }
};

// Where an effect draws: gray bytes or Rgba pixels; one of the two views is set. One pixel function serves the screen
// (Rgba) and one-channel files (gray).
struct Canvas {
  ImageView<std::uint8_t> gray;
  ImageView<Rgba> rgba;

  constexpr Size size() const { return gray.data ? gray.size() : rgba.size(); }
  constexpr void put(int x, int y, std::uint8_t level) const {
    if (gray.data)
      gray(x, y) = level;
    else
      store(rgba(x, y), {level, level, level, 255});
  }
  // Colours need an Rgba canvas: on a gray one they are reduced to their green channel, which no effect does.
  constexpr void put(int x, int y, Rgba colour) const {
    if (gray.data)
      gray(x, y) = colour.g;
    else
      store(rgba(x, y), colour);
  }

 private:
  // One store of 32 bits: loops over four stores of bytes are not vectorised.
  static constexpr void store(Rgba& pixel, Rgba colour) {
    if (std::is_constant_evaluated()) {
      pixel = colour;
    } else {
      const std::uint32_t word = colour.r | colour.g << 8 | colour.b << 16 | static_cast<std::uint32_t>(colour.a) << 24;
      std::memcpy(&pixel, &word, sizeof pixel);
    }
  }
};

struct Effect {
  std::string_view name;   // "box_blur", after its file effects/effect_<name>
  std::string_view title;  // "Box blur"
  std::string_view idea;   // one sentence: what it shows, with its source
  std::span<const Parameter> parameters;
  int (*channels)(const Arguments& arguments);  // of the result: 1 (gray) or 3 (colour)
  // Queues or does the whole effect; same promises as SatAlgorithm::run. Throws ArgumentError for arguments that do not
  // fit this frame (a feature outside the image), with the cause.
  void (*run)(Context& context, const EffectInput& input, const Canvas& canvas, const Arguments& arguments);
};

std::span<const Effect* const> all_effects();
const Effect* find_effect(std::string_view name);  // nullptr where there is none

// Runs the effect; on the simulated GPU by the kernels of the context's driver.
void run_effect(Context& context, const Effect& effect, const EffectInput& input, const Canvas& canvas,
                const Arguments& arguments);

// Gray by OpenCV's BGR2GRAY for 8-bit images: (3735 b + 19235 g + 9798 r + 16384) >> 15. Timed as "luma".
void luma(Context& context, ImageView<const Bgr> colour, ImageView<std::uint8_t> gray);
namespace detail {
void luma_of_this_build(Context& context, ImageView<const Bgr> colour, ImageView<std::uint8_t> gray);
}

}  // namespace gpu
