// Picture: what a lane of the pipeline makes of a frame, or a comparison of two of its lanes; PictureTarget, where it is
// drawn; PictureSink, to which it goes; and PictureSurface, which gives the surface of a texture for it.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/control/selection.h"
#include "app/support/text.h"
#include "gpu/checks/verify.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/image.h"
#include "gpu/pictures/annotation.h"
#include "gpu/pictures/composition.h"

namespace app {

// Later: what becomes known of one picture some time after it was queued: on a GPU it reaches the host then. Nobody needs to
// wait for it. Copies are handles of the same; until it is there, use all copies on the thread that uses the GPU.
template <class T>
class Later {
 public:
  // Returns it, or nothing where it has not arrived; with `wait` it waits. Not called again once it has returned it. Throws
  // CudaError where the GPU failed.
  using Source = std::function<std::optional<T>(bool wait)>;

  Later() = default;  // nothing, and nothing will come
  Later(T value) : state_(std::make_shared<State>(State{std::move(value), {}})) {}
  Later(Source source) : state_(std::make_shared<State>(State{{}, std::move(source)})) {}

  bool none() const { return !state_; }
  // These throw what the source throws. Null: there is none, or without `wait`, it has not arrived.
  const T* take(bool wait = false) const {
    if (!state_) return nullptr;
    if (!state_->value && (state_->value = state_->source(wait))) state_->source = nullptr;  // releases what it holds
    return state_->value ? &*state_->value : nullptr;
  }
  void wait() const { take(true); }

 private:
  struct State {
    std::optional<T> value;
    Source source;  // null once it has arrived
  };
  std::shared_ptr<State> state_;  // null: none
};

// PictureAnnotations: what an effect says about one picture. Whoever draws them shows picture and annotations together, once
// both are there.
class PictureAnnotations : public Later<std::vector<gpu::Annotation>> {
 public:
  using List = std::vector<gpu::Annotation>;
  using Later::Later;

  // These annotations, then `more`, which are there already.
  PictureAnnotations with(List more) const;
  bool arrived() const { return none() || take(); }  // does not wait
  std::span<const gpu::Annotation> list() const;     // waits
};

// gpu::text(), for people: "wrong at (3, 2): 12 345 instead of 110; the four-point identity fails in 4 places".
inline std::string text_of(const gpu::WrongTable& wrong) { return with_grouped_numbers(gpu::text(wrong)); }

// What a check of a table has found.
struct CheckAnswer {
  std::optional<gpu::WrongTable> wrong;  // nothing: the table is right
  bool lost = false;                     // the GPU failed: nobody knows
};

// PictureCheck: whether the table of one picture is right; none where that was not asked for.
using PictureCheck = Later<CheckAnswer>;
// The answer for two tables of one picture: wrong if either is, as the first that is.
PictureCheck both(const PictureCheck& a, const PictureCheck& b);

using gpu::PicturePixels;

// What a comparison shows of its two pictures: their names, their annotations, and how they are shown.
struct Compared {
  std::string a, b;
  Composition composition;
  PictureAnnotations of_a = {}, of_b = {};
};

// Views are in memory of the context's device. They are valid until the next picture is published; on cuda that means for
// work that was queued before, and gray and sat are the same memory for every frame. Annotations belong to this very picture;
// on cuda they reach the host later than it is queued.
struct Picture {
  PicturePixels pixels;                     // without memory where it is on a surface alone: in_memory()
  gpu::ImageView<const std::uint8_t> gray;  // the frame before the effect
  gpu::ImageView<const std::uint32_t> sat;  // its sums; of a comparison, those of the second side that has a table
  PictureAnnotations annotations;
  int lane = 0;
  std::shared_ptr<const Compared> compared = {};  // null: it compares nothing
  PictureCheck check = {};                        // of its tables, where the selection asks for it
  bool on_surface = false;                        // it was drawn on the surface that a PictureSurface gave
  int drawn_bytes = sizeof(gpu::Rgba);            // per pixel, by its last kernel: in memory, on the surface
  // The frame in colour, on cuda alone: elsewhere it is where its source has it.
  gpu::ImageView<const gpu::Bgr> colour = {};

  gpu::Size size() const { return pixels.size(); }
  // Else nobody has said that it needs the pixels: Pipeline::pixels_next(), or draw_pixels() afterwards.
  bool in_memory() const { return pixels.left.data != nullptr; }
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

// Copies to host memory whose rows are `stride` pixels apart: from there, and from a GPU.
void copy_on_host(const PicturePixels& from, gpu::Rgba* to, std::ptrdiff_t stride);
cudaError_t queue_copy_to_host(const PicturePixels& from, gpu::Rgba* to, std::ptrdiff_t stride, cudaStream_t stream);

// Copies from a device to host memory. Waits: for results that are written to files, never for the display.
gpu::Image<gpu::Rgba> download(const gpu::Context& context, const PicturePixels& from);

// One picture of the pictures of two lanes, and one list of annotations of theirs. A wipe has the pixels of both lanes.
// `comparison`: a selection with two sides, and their pictures. `difference`: its pixels, if it is not a wipe.
Picture composed(const Selection& comparison, const Picture& a, const Picture& b,
                 gpu::ImageView<const gpu::Rgba> difference);

// The picture of a comparison with the wipe elsewhere. Nothing is computed or copied.
Picture with_wipe(const Picture& picture, double wipe);

// What annotations of pictures of that width remain when the pictures are composed. A wipe clips them to their side; in a
// difference each counts, those that both have once.
PictureAnnotations::List composed_annotations(std::span<const gpu::Annotation> a, std::span<const gpu::Annotation> b,
                                              const Composition& composition, int width);

}  // namespace app
