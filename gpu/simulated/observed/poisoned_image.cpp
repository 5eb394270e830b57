#include "gpu/simulated/observed/poisoned_image.h"

#include <cstring>

#include "gpu/simulated/schedule.h"

namespace gpu::simulated {
namespace {

template <class T>
void fill(ImageView<T> image, std::uint64_t seed) {
  Random random(seed);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image(x, y) = static_cast<T>(random.below(256));
}

}  // namespace

PoisonedImage::PoisonedImage(Size size, ElementType type, std::ptrdiff_t stride)
    : view_(nullptr, size.width, size.height, stride, type),
      bytes_((static_cast<std::size_t>(stride) * static_cast<std::size_t>(size.height - 1) +
              static_cast<std::size_t>(size.width)) *
                 size_of(type),
             Device::cuda) {
  view_.data = bytes_.data();
  std::memset(bytes_.data(), poison, bytes_.size());
}

bool PoisonedImage::padding_is_untouched() const {
  const auto element = size_of(view_.type), row = static_cast<std::size_t>(view_.stride) * element;
  for (std::size_t y = 0; y + 1 < static_cast<std::size_t>(view_.height); ++y)
    for (std::size_t i = static_cast<std::size_t>(view_.width) * element; i < row; ++i)
      if (bytes_.data()[y * row + i] != std::byte{poison}) return false;
  return true;
}

void fill_with_noise(AnyImageView image, std::uint64_t seed) {
  switch (image.type) {
    case ElementType::u8: return fill(image.as<std::uint8_t>(), seed);
    case ElementType::u32: return fill(image.as<std::uint32_t>(), seed);
    case ElementType::u64: return fill(image.as<std::uint64_t>(), seed);
    case ElementType::f32: return fill(image.as<float>(), seed);
    case ElementType::f64: return fill(image.as<double>(), seed);
  }
}

}  // namespace gpu::simulated
