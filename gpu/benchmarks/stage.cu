#include "gpu/benchmarks/stage.h"

#include <cstring>

#include "gpu/for_each_pixel.cuh"
#include "gpu/sat/reference.h"
#include "gpu/tests/compare_tables.cuh"

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

// Any byte, any 32 bits, or [0, 1): a hash of the place, the same on device and host.
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

// The reference on the device, as plain as can be: a thread a row, then a thread a column.
template <class Input, class Sum>
__global__ void sum_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (y >= image.height) return;
  Sum sum = 0;
  for (int x = 0; x < image.width; ++x) sums(x, y) = sum += term<Sum>(image(x, y));
}

template <class Sum>
__global__ void sum_columns(ImageView<Sum> sums) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= sums.width) return;
  Sum sum = 0;
  for (int y = 0; y < sums.height; ++y) sums(x, y) = sum += sums(x, y);
}

template <class Sum>
ImageView<Reference<Sum>> reference_view(std::byte* data, Size size) {
  const auto bytes = row_bytes(size.width, element_type<Reference<Sum>>());
  return {reinterpret_cast<Reference<Sum>*>(data), size.width, size.height,
          static_cast<std::ptrdiff_t>(bytes / sizeof(Reference<Sum>))};
}

}  // namespace

Footprint footprint(SatType type, Size size, std::size_t cache_bytes) {
  const auto& types = info(type);
  const auto rows = static_cast<std::size_t>(size.height);
  const auto reference_type = types.sum == ElementType::f32 ? ElementType::f64 : types.sum;
  Footprint result{row_bytes(size.width, types.input) * rows, row_bytes(size.width, types.sum) * rows,
                   row_bytes(size.width, reference_type) * rows, 1};
  // One pair larger than four caches is cold by itself; smaller ones take one more than fills them. The tiniest would
  // take more than are ever used.
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
      pairs_(footprint.pair_bytes() * static_cast<std::size_t>(footprint.copies), device),
      reference_(footprint.reference_bytes, device),
      mismatch_(sizeof(Mismatch), device) {
  fill();
  spoil();  // also the first touch of every page
  make_reference();
}

AnyConstImageView Stage::image(int copy) const {
  return view_at(pair(copy), size_, info(type_).input);
}

AnyImageView Stage::table(int copy) const {
  return view_at(pair(copy) + footprint_.image_bytes, size_, info(type_).sum);
}

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

void Stage::make_reference() {
  visit_sat_type(image(0), table(0), [&](auto image, auto table) {
    using Sum = std::remove_reference_t<decltype(*table.data)>;
    const auto sums = reference_view<Sum>(reference_.data(), size_);
    if (device_ == Device::host) return sat::reference(image, sums);
    constexpr unsigned block = 128;
    sum_rows<<<(static_cast<unsigned>(size_.height) + block - 1) / block, block, 0, stream_>>>(image, sums);
    sum_columns<<<(static_cast<unsigned>(size_.width) + block - 1) / block, block, 0, stream_>>>(sums);
    check(cudaGetLastError());
    check(cudaStreamSynchronize(stream_));
  });
}

void Stage::spoil() {
  for (int copy = 0; copy < copies(); ++copy)
    if (device_ == Device::host)
      std::memset(table(copy).data, 0xCD, footprint_.table_bytes);
    else
      check(cudaMemsetAsync(table(copy).data, 0xCD, footprint_.table_bytes, stream_));
}

std::string Stage::wrong(int copy) const {
  std::string message;
  visit_sat_type(image(0), table(copy), [&](auto, auto table) {
    using Sum = std::remove_reference_t<decltype(*table.data)>;
    const auto reference = reference_view<Sum>(reference_.data(), size_);
    const Comparison<Sum> comparison{table, reference, reference};  // no pixel is negative
    const auto mismatch = device_ == Device::host
                              ? compare_on_host(comparison)
                              : compare_on_device(stream_, comparison, reinterpret_cast<Mismatch*>(mismatch_.data()));
    if (mismatch.count == 0) return;
    const auto width = static_cast<unsigned long long>(size_.width);
    message = "wrong in " + std::to_string(mismatch.count) + " entries, the first at (" +
              std::to_string(mismatch.first % width) + ", " + std::to_string(mismatch.first / width) + ")";
  });
  return message;
}

}  // namespace gpu::benchmarks
