// The scene of the source `synthetic`: text, edges, gradients, textures and noise that drift by, with shapes that move
// over them. Picture n has the same bytes on every machine and in every run. A picture costs no more than a copy of
// its pixels.
#pragma once

#include <opencv2/core.hpp>

#include <cstdint>

#include "gpu/image.h"

namespace app::capture {

class SyntheticScene {
 public:
  SyntheticScene();  // paints the panorama: some milliseconds
  // Draws picture `number` into all of `image`; any size.
  void draw(std::uint64_t number, gpu::ImageView<gpu::Bgr> image) const;

 private:
  cv::Mat panorama_;  // CV_8UC3, endless: its right edge meets its left one, its lower edge its upper one
};

}  // namespace app::capture
