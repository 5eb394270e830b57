#include "app/output/npy.h"

#include <bit>
#include <cstring>

namespace app {
namespace {

static_assert(std::endian::native == std::endian::little, "the descriptions below say little endian");

const char* description(gpu::ElementType type) {
  switch (type) {
    case gpu::ElementType::u8: return "|u1";
    case gpu::ElementType::u32: return "<u4";
    case gpu::ElementType::u64: return "<u8";
    case gpu::ElementType::f32: return "<f4";
    case gpu::ElementType::f64: return "<f8";
  }
  return "";
}

// Magic, version, length and dictionary, padded so that the data starts at a multiple of 64 bytes.
std::string header(gpu::ElementType type, std::size_t height, std::size_t width) {
  constexpr std::size_t before = 10, unit = 64;
  std::string dictionary = std::string("{'descr': '") + description(type) + "', 'fortran_order': False, 'shape': (" +
                           std::to_string(height) + ", " + std::to_string(width) + "), }";
  const auto total = (before + dictionary.size() + 1 + unit - 1) / unit * unit;
  dictionary.append(total - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary;
}

}  // namespace

std::string npy_bytes(gpu::AnyConstImageView image, bool exclusive) {
  const std::size_t element = gpu::size_of(image.type), extra = exclusive ? 1 : 0;
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  auto bytes = header(image.type, height + extra, width + extra);
  const auto start = bytes.size(), row = (width + extra) * element;
  bytes.resize(start + (height + extra) * row);  // zeros
  const auto* from = static_cast<const char*>(image.data);
  for (std::size_t y = 0; y < height; ++y)
    std::memcpy(bytes.data() + start + (y + extra) * row + extra * element,
                from + y * static_cast<std::size_t>(image.stride) * element, width * element);
  return bytes;
}

}  // namespace app
