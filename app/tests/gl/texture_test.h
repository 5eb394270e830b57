// Pictures, and what of them is in a texture.
#pragma once

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "app/gl/shared_texture.h"
#include "app/tests/display/offscreen_test.h"
#include "gpu/execution/thread_pool.h"

namespace app::gl {

// Every pixel differs from its neighbours, and from those of another seed.
inline gpu::Image<gpu::Rgba> make_picture(gpu::Size size, int seed) {
  gpu::Image<gpu::Rgba> image(size, gpu::Device::host);
  const auto view = image.view();
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      view(x, y) = {static_cast<std::uint8_t>(x * 3 + seed), static_cast<std::uint8_t>(y * 5 + seed * 7),
                    static_cast<std::uint8_t>((x ^ y) + seed), 255};
  return image;
}

// The number of pixels that differ between the texture and the picture.
inline int differences(SharedTexture& texture, gpu::ImageView<const gpu::Rgba> picture) {
  EXPECT_EQ(texture.size(), picture.size());
  std::vector<gpu::Rgba> seen(texture.size().pixels());
  glBindTexture(GL_TEXTURE_2D, texture.texture());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
  int count = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const gpu::Rgba a = seen[static_cast<std::size_t>(y * picture.width + x)];
      const gpu::Rgba b = picture(x, y);
      count += a.r != b.r || a.g != b.g || a.b != b.b || a.a != b.a;
    }
  return count;
}

// Annotations that are told apart by their value.
inline std::vector<gpu::Annotation> annotations_of(double value) {
  gpu::Annotation label;
  label.value = value;
  return {label};
}

class SharedTextureTest : public OffscreenTest {
 protected:
  gpu::ThreadPool pool_{1};
  gpu::Context host_ = gpu::Context::on_host(pool_, {});
};

}  // namespace app::gl
