#include "gpu/choice/bounds.h"

#include <cstring>

#include "gpu/pictures/row_grid.cuh"
#include "gpu/sat/block/four.cuh"

namespace gpu {
namespace {

// Host work in one piece per thread; all but the last are whole 4 KiB pages.
template <class F>
void in_pieces(Context& context, std::string_view name, std::size_t total, const F& piece) {
  const auto pieces = static_cast<std::size_t>(context.threads());
  const auto each = (total / pieces + 4095) / 4096 * 4096;
  context.parallel(name, static_cast<int>(pieces), [&](int i) {
    const auto begin = std::min(total, each * static_cast<std::size_t>(i));
    const auto end = i + 1 == static_cast<int>(pieces) ? total : std::min(total, begin + each);
    if (end > begin) piece(begin, end - begin);
  });
}

std::size_t padded_bytes(AnyConstImageView view) {
  return static_cast<std::size_t>(view.stride) * static_cast<std::size_t>(view.height) * size_of(view.type);
}

// Copies the first half of the memory of image and table to the second half. No type's table is smaller than its image, so
// that the image is only read.
void copy(Context& context, AnyConstImageView image, AnyImageView table) {
  const auto length = image.size().pixels() * (size_of(image.type) + size_of(table.type)) / 2;
  const auto middle = (padded_bytes(image) + padded_bytes(table)) / 2;
  const auto* from = static_cast<const std::byte*>(image.data);
  auto* to = static_cast<std::byte*>(table.data) - padded_bytes(image) + middle;
  if (context.device() == Device::cuda)
    return context.call(
        "copy", [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, length, cudaMemcpyDeviceToDevice, stream); });
  in_pieces(context, "copy", length, [&](auto at, auto count) { std::memcpy(to + at, from + at, count); });
}

constexpr int convert_width = 64, convert_height = 4;  // threads in x and y

// Four neighbours of `Rows` rows per thread.
template <int Rows, class Input, class Sum>
__global__ void __launch_bounds__(convert_width* convert_height)
    convert_kernel(ImageView<const Input> image, ImageView<Sum> table) {
  const int x = static_cast<int>(blockIdx.x * convert_width + threadIdx.x) * 4;
  const int y = row_of_block() * convert_height * Rows + static_cast<int>(threadIdx.y);
  if (x >= image.width) return;
  // Rows are padded to 256 bytes, so that four pixels can be accessed at the end of a row too.
  sat::Four<Input> in[Rows];
#pragma unroll
  for (int i = 0; i < Rows; ++i)
    if (y + i * convert_height < image.height)
      in[i] = *reinterpret_cast<const sat::Four<Input>*>(&image(x, y + i * convert_height));
#pragma unroll
  for (int i = 0; i < Rows; ++i)
    if (y + i * convert_height < image.height) {
      sat::Four<Sum> out;
      for (int k = 0; k < 4; ++k) out.at[k] = term<Sum>(in[i].at[k]);
      *reinterpret_cast<sat::Four<Sum>*>(&table(x, y + i * convert_height)) = out;
    }
}

template <class Input, class Sum>
void convert_rows_on_host(ImageView<const Input> image, ImageView<Sum> table, int begin, int end) {
  for (int y = begin; y < end; ++y) {
    const Input* from = image.row(y);
    Sum* to = table.row(y);
    for (int x = 0; x < image.width; ++x) to[x] = term<Sum>(from[x]);
  }
}

template <int Rows>
void convert(Context& context, std::string_view name, AnyConstImageView any_image, AnyImageView any_table) {
  visit_sat_type(any_image, any_table, [&](auto image, auto table) {
    using Input = std::remove_const_t<std::remove_reference_t<decltype(*image.data)>>;
    using Sum = std::remove_reference_t<decltype(*table.data)>;
    if (context.device() == Device::cuda) {
      const auto grid = row_grid(ceil_div(image.width, convert_width * 4), ceil_div(image.height, convert_height * Rows));
      return context.launch(name, convert_kernel<Rows, Input, Sum>, {grid, dim3(convert_width, convert_height)}, image,
                            table);
    }
    context.for_each_band(
        name, image.height, [&](int begin, int end) { convert_rows_on_host(image, table, begin, end); }, context.threads());
  });
}

void convert_copy(Context& context, AnyConstImageView image, AnyImageView table) {
  convert<4>(context, "convert_copy", image, table);
}
void convert_words(Context& context, AnyConstImageView image, AnyImageView table) {
  convert<1>(context, "convert_words", image, table);
}

void clear_table(Context& context, AnyConstImageView, AnyImageView table) {
  auto* to = static_cast<std::byte*>(table.data);
  in_pieces(context, "memset", padded_bytes(table), [&](auto at, auto count) { std::memset(to + at, 0, count); });
}

constexpr Bound device_bounds[] = {{"copy", copy}, {"convert_copy", convert_copy}, {"convert_words", convert_words}};
constexpr Bound host_bounds[] = {{"memset", clear_table}, {"copy", copy}, {"convert_copy", convert_copy}};

}  // namespace

std::span<const Bound> bounds(Device device) {
  if (device == Device::cuda) return device_bounds;
  return host_bounds;
}

std::string_view decisive_bound(Device device, SatType type) {
  if (device == Device::host) return "memset";
  return info(type).input == info(type).sum ? "copy" : "convert_copy";
}

}  // namespace gpu
