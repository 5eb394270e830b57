// Composer: makes one picture of the pictures of two lanes, and one list of annotations of theirs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"

namespace app {

class Composer {
 public:
  explicit Composer(gpu::Device device) : device_(device) {}

  // Allocates for pictures of `size`. Where it throws, nothing has changed.
  void prepare(gpu::Size size);
  // `comparison`: a selection with two sides. `a`, `b`: their pictures, on the context's device.
  void compose(gpu::Context& context, const Selection& comparison, gpu::ImageView<const gpu::Rgba> a,
               gpu::ImageView<const gpu::Rgba> b, const PictureTarget& target = {});
  // The published picture into its memory, where it was drawn on a surface alone: of the same pictures. Returns it.
  gpu::ImageView<const gpu::Rgba> compose_again(gpu::Context& context, gpu::ImageView<const gpu::Rgba> a,
                                                gpu::ImageView<const gpu::Rgba> b);
  void publish();  // from now on picture() is the one composed last
  // The pictures of both lanes, as published: their annotations become one list.
  Picture picture(const Picture& a, const Picture& b) const;
  void clear() {  // nothing is composed any more
    shown_ = {};
    next_ = {};
  }
  std::size_t memory_bytes() const { return shown_.pixels.span().size_bytes() + next_.pixels.span().size_bytes(); }

 private:
  struct Composed {
    gpu::Image<gpu::Rgba> pixels;
    std::shared_ptr<const Compared> compared;
  };

  gpu::Device device_;
  Composed shown_, next_;  // two, so that a picture that fails half way is never shown
};

// What annotations of pictures of that width remain when the pictures are composed. A wipe clips them to their side; in a
// difference each counts, those that both have once.
PictureAnnotations::List composed_annotations(std::span<const gpu::Annotation> a, std::span<const gpu::Annotation> b,
                                              const gpu::Composition& composition, int width);

}  // namespace app
