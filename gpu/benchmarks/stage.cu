#include "gpu/benchmarks/stage.h"

#include <cstring>

#include "gpu/for_each_pixel.cuh"
#include "gpu/thread_pool.h"

namespace gpu::benchmarks {
namespace {

constexpr std::size_t row_alignment = 256;
constexpr std::size_t most_copies = 1000;

std::size_t row_bytes(int width, ElementType type) {
  return (static_cast<std::size_t>(width) * size_of(type) + row_alignment - 1) / row_alignment * row_alignment;
}

AnyImageView view_at(std::byte* data, Size size, ElementType type) {
  return {data, size.width, size.height, static_cast<std::ptrdiff_t>(row_bytes(size.width, type) / size_of(type)), type};
}

// Any byte, any 32 bits, or a number in [0, 1): a hash of the coordinates, the same on device and host.
template <class T>
constexpr T random_pixel(std::uint32_t x, std::uint32_t y) {
  std::uint32_t h = x * 0x9e3779b1u + y * 0x85ebca77u + 0x27d4eb2fu;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  h ^= h >> 15;
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(h >> 8) * static_cast<T>(0x1p-24);
  else
    return static_cast<T>(h);
}

template <class T>
struct FillRandom {
  ImageView<T> image;
  constexpr void operator()(int x, int y) const {
    image(x, y) = random_pixel<T>(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
  }
};

}  // namespace

Footprint footprint(SatType type, Size size, std::size_t cache_bytes) {
  const auto& types = info(type);
  const auto rows = static_cast<std::size_t>(size.height);
  Footprint result{row_bytes(size.width, types.input) * rows, row_bytes(size.width, types.sum) * rows,
                   Verifier::memory_bytes(type, size, true), 1};
  // A pair larger than four caches is cold by itself. Of smaller pairs there is one more than fills four caches, up to a
  // limit: of tiny ones, samples would never use all.
  if (result.pair_bytes() < 4 * cache_bytes)
    result.copies = static_cast<int>(std::min(4 * cache_bytes / result.pair_bytes() + 1, most_copies));
  return result;
}

Stage::Stage(Device device, cudaStream_t stream, SatType type, Size size, const Footprint& footprint)
    : device_(device),
      stream_(stream),
      type_(type),
      size_(size),
      footprint_(footprint),
      pairs_(footprint.pair_bytes() * static_cast<std::size_t>(footprint.copies), device) {
  fill();
  spoil();  // also the first access to every page
  verifier_.emplace(device, stream, image(0), info(type).sum, true);
}

AnyConstImageView Stage::image(int copy) const { return view_at(pair(copy), size_, info(type_).input); }

AnyImageView Stage::table(int copy) const { return view_at(pair(copy) + footprint_.image_bytes, size_, info(type_).sum); }

void Stage::fill() {
  ThreadPool pool;
  auto context = device_ == Device::cuda ? Context::on_stream(stream_, {}) : Context::on_host(pool, {});
  visit_sat_type(image(0), table(0), [&](auto image, auto) {
    using Input = std::remove_const_t<std::remove_reference_t<decltype(*image.data)>>;
    for (int copy = 0; copy < copies(); ++copy) {
      const ImageView<Input> to{reinterpret_cast<Input*>(pair(copy)), size_.width, size_.height, image.stride};
      context.for_each_pixel("fill", size_, FillRandom<Input>{to});
    }
  });
}

void Stage::spoil() {
  for (int copy = 0; copy < copies(); ++copy)
    if (device_ == Device::host)
      std::memset(table(copy).data, 0xCD, footprint_.table_bytes);
    else
      check(cudaMemsetAsync(table(copy).data, 0xCD, footprint_.table_bytes, stream_));
}

}  // namespace gpu::benchmarks
