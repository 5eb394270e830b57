#include "gpu/benchmarks/stage.h"

#include <algorithm>
#include <cstring>

#include "gpu/execution/thread_pool.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu::benchmarks {
namespace {

constexpr std::size_t row_alignment = 256;
constexpr std::size_t most_copies = 1000;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

AnyImageView view_at(std::byte* data, Size size, ElementType type, Rows rows) {
  return {data + rows.first * size_of(type), size.width, size.height, static_cast<std::ptrdiff_t>(rows.step), type};
}

// The bytes of the rows of the largest layout.
std::size_t bytes_of_rows(Size size, ElementType type) {
  const auto bytes = [&](Layout layout) {
    const auto rows = table_rows_in(layout, size.width, size_of(type));
    return (rows.first + rows.step * static_cast<std::size_t>(size.height)) * size_of(type);
  };
  return round_up(std::max(bytes(Layout::padded), bytes(Layout::offset)), row_alignment);
}

// Any byte, any 16 or 32 bits, or a number in [0, 1): a hash of the coordinates, the same on device and host.
template <class Pixel>
constexpr Pixel random_pixel(std::uint32_t x, std::uint32_t y) {
  std::uint32_t h = x * 0x9e3779b1u + y * 0x85ebca77u + 0x27d4eb2fu;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  h ^= h >> 15;
  using T = PixelValue<Pixel>;
  if constexpr (std::is_floating_point_v<T>)
    return Pixel{static_cast<T>(h >> 8) * static_cast<T>(0x1p-24)};
  else
    return Pixel{static_cast<T>(h)};
}

template <class T>
struct FillRandom {
  ImageView<T> image;
  constexpr void operator()(int x, int y) const {
    image(x, y) = random_pixel<T>(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
  }
};

}  // namespace

Rows table_rows_in(Layout layout, int width, std::size_t element_bytes) {
  const auto pixels = static_cast<std::size_t>(width);
  if (layout == Layout::contiguous) return {0, pixels};
  if (layout == Layout::padded) return {pixels + 2, pixels + 1};
  const std::size_t first = layout == Layout::offset ? 1 : 0;
  return {first, static_cast<std::size_t>(pitched_stride(width + static_cast<int>(first), element_bytes))};
}
Rows image_rows_in(Layout layout, int width, std::size_t element_bytes) {
  return table_rows_in(layout == Layout::padded ? Layout::contiguous : layout, width, element_bytes);
}

Footprint footprint(SatType type, Size size, std::size_t cache_bytes, int images) {
  const auto& types = info(type);
  const Size whole{size.width, size.height * images};
  Footprint result{bytes_of_rows(whole, types.input), bytes_of_rows(whole, types.sum),
                   Verifier::memory_bytes(type, size, true) * static_cast<std::size_t>(images), 1};
  // A pair larger than four caches is cold by itself. Of smaller pairs there is one more than fills four caches, up to a
  // limit: of tiny ones, samples would never use all.
  if (result.pair_bytes() < 4 * cache_bytes)
    result.copies = static_cast<int>(std::min(4 * cache_bytes / result.pair_bytes() + 1, most_copies));
  return result;
}

Stage::Stage(Device device, cudaStream_t stream, SatType type, Size size, Layout layout, const Footprint& footprint,
             int images)
    : device_(device),
      stream_(stream),
      type_(type),
      size_(size),
      layout_(layout),
      footprint_(footprint),
      images_(images),
      pairs_(footprint.pair_bytes() * static_cast<std::size_t>(footprint.copies), device) {
  fill();
  spoil();  // also the first access to every page
  for (int i = 0; i < images_; ++i) verifiers_.emplace_back(device, stream, image_of(0, i), info(type).sum, true);
}

std::string Stage::wrong(int copy) const {
  for (int i = 0; i < images_; ++i)
    if (auto what = verifiers_[static_cast<std::size_t>(i)].wrong(table_of(copy, i)); !what.empty())
      return images_ > 1 ? "image " + std::to_string(i + 1) + " of " + std::to_string(images_) + ": " + what : what;
  return {};
}

AnyConstImageView Stage::image_in(Layout layout, int copy) const {
  const auto type = info(type_).input;
  return view_at(pair(copy), whole_size(), type, image_rows_in(layout, size_.width, size_of(type)));
}

AnyImageView Stage::table_in(Layout layout, int copy) const {
  const auto type = info(type_).sum;
  return view_at(pair(copy) + footprint_.image_bytes, whole_size(), type, table_rows_in(layout, size_.width, size_of(type)));
}

void Stage::fill() {
  ThreadPool pool;
  auto context = device_ == Device::cuda ? Context::on_stream(stream_, {}) : Context::on_host(pool, {});
  visit_sat_type(image(0), table(0), [&](auto image, auto) {
    using Input = std::remove_const_t<std::remove_reference_t<decltype(*image.data)>>;
    for (int copy = 0; copy < copies(); ++copy) {
      auto* const first = const_cast<void*>(this->image(copy).data);
      const ImageView<Input> to{static_cast<Input*>(first), image.width, image.height, image.stride};
      context.for_each_pixel("fill", to.size(), FillRandom<Input>{to});
    }
  });
}

void Stage::spoil() {
  for (int copy = 0; copy < copies(); ++copy)
    if (device_ == Device::host)
      std::memset(pair(copy) + footprint_.image_bytes, 0xCD, footprint_.table_bytes);
    else
      check(cudaMemsetAsync(pair(copy) + footprint_.image_bytes, 0xCD, footprint_.table_bytes, stream_));
}

}  // namespace gpu::benchmarks
