// One picture of the pictures of two lanes, and one list of annotations of theirs. A wipe has the pixels of both lanes.
#pragma once

#include <span>

#include "app/control/selection.h"
#include "app/pipeline/picture.h"

namespace app {

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
