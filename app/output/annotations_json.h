// Annotations as JSON, for programs: the picture's size, then one object per annotation, in pixels of the picture.
#pragma once

#include <span>
#include <string>

#include "gpu/annotation.h"
#include "gpu/image.h"

namespace app {

// {"size": [W, H], "annotations": [{"kind": "rectangle", "from": [x, y], "to": [x, y], "stroke": "#rrggbbaa",
//  "fill": "#rrggbbaa"}, {"kind": "label", ..., "text": "...", "value": 18}]}; what an annotation does not have is left out.
std::string annotations_json(gpu::Size size, std::span<const gpu::Annotation> annotations);

}  // namespace app
