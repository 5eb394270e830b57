// Picture: what a lane of the pipeline makes of a frame, and the sink that it goes to.
#pragma once

#include <cstdint>
#include <functional>

#include "app/pipeline/picture_annotations.h"
#include "gpu/context.h"
#include "gpu/image.h"

namespace app {

// Views are in memory of the context's device, and valid in the order of its work until the next picture is published; on
// cuda, gray and sat are the same memory for every frame. Annotations are of this very picture; on cuda they come to the host
// after what was queued for it has run.
struct Picture {
  gpu::ImageView<const gpu::Rgba> pixels;
  gpu::ImageView<const std::uint8_t> gray;  // the frame before the effect
  gpu::ImageView<const std::uint32_t> sat;  // its sums
  PictureAnnotations annotations;
  int lane = 0;

  gpu::Size size() const { return pixels.size(); }
};

// Where a picture goes: a texture, a file, a download. Called once per lane. What it queues or does is timed with the
// picture's frame.
using PictureSink = std::function<void(gpu::Context& context, const Picture& picture)>;

}  // namespace app
