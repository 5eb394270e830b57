// Picture: what a lane of the pipeline makes of a frame; PictureTarget, where it is drawn; PictureSink, to which it goes; and
// PictureSurface, which gives the surface of a texture for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/pipeline/picture_annotations.h"
#include "app/pipeline/picture_check.h"
#include "app/pipeline/picture_pixels.h"
#include "gpu/composition.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/image.h"

namespace app {

// Of a picture that is composed of two: their names, and how.
struct Compared {
  std::string a, b;
  gpu::Composition composition;
};

// Views are in memory of the context's device. They are valid until the next picture is published; on cuda that means for
// work that was queued before, and gray and sat are the same memory for every frame. Pixels that are on a surface alone are
// lost when the next picture is begun; what was asked for before stays. Annotations belong to this very picture; on cuda they
// reach the host later than it is queued.
struct Picture {
  PicturePixels pixels;
  gpu::ImageView<const std::uint8_t> gray;  // the frame before the effect
  gpu::ImageView<const std::uint32_t> sat;  // its sums; of a comparison, those of the second side that has a table
  PictureAnnotations annotations;
  int lane = 0;
  std::shared_ptr<const Compared> compared = {};  // null: it is not composed
  PictureCheck check = {};                        // of its tables, where the selection asks for it
  bool on_surface = false;                        // it was drawn on the surface that a PictureSurface gave
  int drawn_bytes = sizeof(gpu::Rgba);            // per pixel, by its last kernel: in memory, on the surface
  // The frame in colour, on cuda alone: elsewhere it is where its source has it.
  gpu::ImageView<const gpu::Bgr> colour = {};

  gpu::Size size() const { return pixels.size(); }
};

// Takes a picture to where it is used: a texture, a file, host memory. Called once per lane. What it queues or does through
// the context is timed as part of the picture's frame.
using PictureSink = std::function<void(gpu::Context& context, const Picture& picture)>;

// Where a picture is drawn: into its memory, on a surface, or both.
struct PictureTarget {
  std::optional<cudaSurfaceObject_t> surface = {};
  bool memory = true;

  gpu::Canvas canvas(gpu::ImageView<gpu::Rgba> pixels) const {
    return memory || !surface ? gpu::Canvas::with_surface(pixels, surface)
                              : gpu::Canvas::on_surface(*surface, pixels.size());
  }
};

// Gives the surface of a texture for the next picture, of this size, so that nothing has to be copied into it. Work queued on
// the context's stream may draw on it until the sink is given that picture, or another surface is asked for. Nothing where
// pictures must be copied. Called for cuda alone, on the thread of compute().
using PictureSurface = std::function<std::optional<cudaSurfaceObject_t>(gpu::Context& context, gpu::Size size)>;

}  // namespace app
