// Effects: what is drawn from a frame and its summed area tables. One file effects/effect_<name>.cu = one effect; the
// table of them is generated from the file names, as for the algorithms.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "gpu/annotation.h"
#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"
#include "gpu/tables.h"
#ifdef SATSCOPE_SIMULATED
#include "gpu/simulated/device_code.h"
#endif

namespace gpu {

// One frame as an effect sees it. All views have the frame's size and lie on the context's device.
struct EffectInput {
  ImageView<const Bgr> colour;
  ImageView<const std::uint8_t> gray;  // luma() of colour
  TableViews tables;                   // the sums of gray, and what Effect::tables asks for
  const void* prepared = nullptr;      // by Effect::prepare
  // For tables of what the effect makes itself (a second pass): computed as the frame's own.
  const SatAlgorithm* algorithm = nullptr;
  const Arguments* algorithm_arguments = nullptr;

  void compute_sat(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> sat) const {
    gpu::compute_sat(context, *algorithm, image, sat, *algorithm_arguments);
  }
};

// Where an effect draws: gray bytes, Rgba pixels, or a CUDA surface of Rgba pixels, such as a mapped texture. One pixel
// function serves the screen (Rgba) and one-channel files (gray).
struct Canvas {
  ImageView<std::uint8_t> gray;
  ImageView<Rgba> rgba;             // without data, but with a size, where the surface is drawn on
  cudaSurfaceObject_t surface = 0;  // device code only

  static Canvas on_surface(cudaSurfaceObject_t surface, Size size) {
    return {{}, {nullptr, size.width, size.height, size.width}, surface};
  }

  constexpr Size size() const { return gray.data ? gray.size() : rgba.size(); }
  constexpr void put(int x, int y, std::uint8_t level) const {
    if (gray.data)
      gray(x, y) = level;
    else
      store(x, y, {level, level, level, 255});
  }
  // Colours need an Rgba canvas: on a gray one they are reduced to their green channel, which no effect does.
  constexpr void put(int x, int y, Rgba colour) const {
    if (gray.data)
      gray(x, y) = colour.g;
    else
      store(x, y, colour);
  }

 private:
  constexpr void store(int x, int y, Rgba colour) const {
#if defined(SATSCOPE_SIMULATED)
    if (!rgba.data) return simulated::write_surface(surface, x * static_cast<int>(sizeof colour), y, &colour, sizeof colour);
#elif defined(__CUDA_ARCH__)
    if (!rgba.data)
      return surf2Dwrite(make_uchar4(colour.r, colour.g, colour.b, colour.a), surface, x * static_cast<int>(sizeof colour),
                         y);
#endif
    store(rgba(x, y), colour);
  }
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

struct EffectOutput {
  Canvas canvas;
  AnnotationList annotations;  // of the capacity that the effect asks for

  EffectOutput(const Canvas& canvas = {}, const AnnotationList& annotations = {})
      : canvas(canvas), annotations(annotations) {}
};

struct Effect {
  std::string_view name;   // "box_blur", after its file effects/effect_<name>
  std::string_view title;  // "Box blur"
  std::string_view idea;   // one sentence: what it shows, with its source
  std::span<const Parameter> parameters;
  int (*channels)(const Arguments& arguments);  // of the result, annotations drawn: 1 (gray) or 3 (colour)
  // Besides the sums of the gray frame. Null: none.
  Tables (*tables)(const Arguments& arguments) = nullptr;
  // The most that one frame can have. Null: none.
  int (*most_annotations)(const Arguments& arguments) = nullptr;
  // Builds what `run` needs and no frame changes (a cascade on the device); `previous` is what it built last, for other
  // arguments maybe, and may be returned as it is. It may allocate and wait, and throws ArgumentError for arguments that do
  // not do. Kept by whoever runs the effect. Null: nothing is needed.
  std::shared_ptr<const void> (*prepare)(Context& context, const Arguments& arguments,
                                         std::shared_ptr<const void> previous) = nullptr;
  // Queues or does the whole effect; same promises as SatAlgorithm::run. Throws ArgumentError for arguments that do not
  // fit this frame (a feature outside the image), with the cause.
  void (*run)(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments);

  Tables wanted_tables(const Arguments& arguments) const { return tables ? tables(arguments) : Tables(); }
  int annotation_capacity(const Arguments& arguments) const { return most_annotations ? most_annotations(arguments) : 0; }
};

std::span<const Effect* const> all_effects();
const Effect* find_effect(std::string_view name);  // nullptr where there is none

// Computes the tables that the effect asks for beside `input.tables.sum`, in scratch memory, and runs it; on the simulated GPU
// by the kernels of the context's driver.
void run_effect(Context& context, const Effect& effect, const EffectInput& input, const EffectOutput& output,
                const Arguments& arguments);
// What EffectInput::prepared points to; null where the effect needs none.
std::shared_ptr<const void> prepare_effect(Context& context, const Effect& effect, const Arguments& arguments,
                                           std::shared_ptr<const void> previous = {});

}  // namespace gpu
