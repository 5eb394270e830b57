// NumPy's .npy format, version 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>

#include "gpu/image.h"

namespace app {

// The file's bytes for an image in host memory: shape (height, width), C order, little endian, the image's own type
// ("<u4", "<f8", ...; "|u1"). `exclusive`: with a first row and a first column of zeros, (height + 1, width + 1).
std::string npy_bytes(gpu::AnyConstImageView image, bool exclusive = false);

}  // namespace app
