#include "gpu/checks/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "gpu/context.h"
#include "gpu/cuda/launch.h"
#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/host_vectors.h"
#include "gpu/pictures/row_grid.cuh"
#include "gpu/sat.h"

namespace gpu {
namespace {

constexpr std::size_t row_alignment = 256;

// The element type of the reference: Reference<Sum>, as a value.
ElementType reference_type(ElementType sum) { return sum == ElementType::f32 ? ElementType::f64 : sum; }
std::size_t row_bytes(int width, ElementType sum) {
  const auto bytes = static_cast<std::size_t>(width) * size_of(reference_type(sum));
  return (bytes + row_alignment - 1) / row_alignment * row_alignment;
}
std::size_t table_bytes(Size size, ElementType sum) {
  return row_bytes(size.width, sum) * static_cast<std::size_t>(size.height);
}
bool needs_absolute(ElementType input, bool non_negative) {
  return !non_negative && (input == ElementType::f32 || input == ElementType::f64);  // squares are not negative
}

// The reference on the device, kept as simple as possible.
template <class Input, class Sum>
__global__ void sum_rows(ImageView<const Input> image, ImageView<Sum> sums, bool absolute) {
  const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (y >= image.height) return;
  Sum sum = 0;
  for (int x = 0; x < image.width; ++x) {
    Sum value = term<Sum>(image(x, y));
    if constexpr (std::is_floating_point_v<Input>)
      if (absolute && value < 0) value = -value;
    sums(x, y) = sum += value;
  }
}
template <class Sum>
__global__ void sum_columns(ImageView<Sum> sums) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= sums.width) return;
  Sum sum = 0;
  for (int y = 0; y < sums.height; ++y) sums(x, y) = sum += sums(x, y);
}

template <class Sum>
__global__ void compare_kernel(Comparison<Sum> comparison, Mismatch* mismatch) {
  const auto width = static_cast<unsigned long long>(comparison.table.width);
  const auto pixels = width * static_cast<unsigned long long>(comparison.table.height);
  const auto step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels; i += step)
    if (comparison.wrong(static_cast<int>(i % width), static_cast<int>(i / width))) {
      atomicAdd(&mismatch->count, 1ull);
      atomicMin(&mismatch->first, i);
    }
}

}  // namespace

std::string text(const Mismatch& mismatch, int width) {
  if (mismatch.count == 0) return {};
  const auto columns = static_cast<unsigned long long>(width);
  return "wrong in " + std::to_string(mismatch.count) + (mismatch.count == 1 ? " entry, at (" : " entries, the first at (") +
         std::to_string(mismatch.first % columns) + ", " + std::to_string(mismatch.first / columns) + ")";
}

template <class Sum>
void compare_on_device(cudaStream_t stream, const Comparison<Sum>& comparison, Mismatch* result) {
  // Launches at most about as many blocks as a large GPU runs concurrently.
  constexpr std::size_t threads = 256, most_blocks = 1024;
  const auto blocks = std::min(most_blocks, (comparison.table.size().pixels() + threads - 1) / threads);
  launch_kernel(stream, compare_kernel<Sum>, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, comparison, result);
}
template void compare_on_device(cudaStream_t, const Comparison<std::uint32_t>&, Mismatch*);
template void compare_on_device(cudaStream_t, const Comparison<std::uint64_t>&, Mismatch*);
template void compare_on_device(cudaStream_t, const Comparison<float>&, Mismatch*);
template void compare_on_device(cudaStream_t, const Comparison<double>&, Mismatch*);

template <class Input, class Ref>
void make_reference(Device device, cudaStream_t stream, ImageView<const Input> image, ImageView<Ref> sums, bool absolute) {
  if (is_gpu(device)) {
    constexpr int block = 128;
    const auto blocks = [&](int lines) { return dim3(static_cast<unsigned>(ceil_div(lines, block))); };
    launch_kernel(stream, sum_rows<Input, Ref>, {blocks(image.height), dim3(block)}, image, sums, absolute);
    launch_kernel(stream, sum_columns<Ref>, {blocks(image.width), dim3(block)}, sums);
    return;
  }
  if constexpr (std::is_floating_point_v<Input>)
    if (absolute) {
      Image<Input> magnitudes(image.size(), Device::host);
      const ImageView<Input> values = magnitudes.view();
      for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) values(x, y) = std::abs(image(x, y));
      return sat::reference(ImageView<const Input>(values), sums);
    }
  sat::reference(image, sums);
}
template void make_reference(Device, cudaStream_t, ImageView<const std::uint8_t>, ImageView<std::uint32_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const std::uint8_t>, ImageView<double>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const std::uint8_t>, ImageView<std::uint64_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const std::uint32_t>, ImageView<std::uint32_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const float>, ImageView<double>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const double>, ImageView<double>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const std::uint16_t>, ImageView<std::uint32_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const std::uint16_t>, ImageView<std::uint64_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const Plain<std::uint8_t>>, ImageView<std::uint64_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const Squared<std::uint16_t>>, ImageView<std::uint64_t>, bool);
template void make_reference(Device, cudaStream_t, ImageView<const Squared<float>>, ImageView<double>, bool);

Verifier::Verifier(Device device, cudaStream_t stream, AnyConstImageView image, ElementType sum, bool non_negative)
    : device_(device),
      stream_(stream),
      type_(sat_type(image.type, sum)),
      size_(image.size()),
      reference_(table_bytes(size_, sum), device),
      absolute_(needs_absolute(image.type, non_negative) ? table_bytes(size_, sum) : 0, device),
      mismatch_(sizeof(Mismatch), device) {
  make(image, false, reference_);
  if (absolute_.size() > 0) make(image, true, absolute_);
}

std::size_t Verifier::memory_bytes(SatType type, Size size, bool non_negative) {
  const auto& types = info(type);
  return table_bytes(size, types.sum) * (needs_absolute(types.input, non_negative) ? 2 : 1) + sizeof(Mismatch);
}

template <class Sum>
ImageView<Reference<Sum>> Verifier::table_at(const Buffer<std::byte>& data) const {
  const auto stride = row_bytes(size_.width, info(type_).sum) / sizeof(Reference<Sum>);
  return {reinterpret_cast<Reference<Sum>*>(data.data()), size_.width, size_.height, static_cast<std::ptrdiff_t>(stride)};
}

void Verifier::make(AnyConstImageView image, bool absolute, const Buffer<std::byte>& into) const {
  const AnyImageView no_table{nullptr, 0, 0, 0, info(type_).sum};
  visit_sat_type(image, no_table, [&]<class Input, class Sum>(ImageView<const Input> pixels, ImageView<Sum>) {
    make_reference(device_, stream_, pixels, table_at<Sum>(into), absolute);
  });
  if (is_gpu(device_)) gpu::check(cudaStreamSynchronize(stream_));
}

Mismatch Verifier::check(AnyConstImageView table) const {
  const AnyConstImageView no_image{nullptr, 0, 0, 0, info(type_).input};
  const AnyImageView entries{const_cast<void*>(table.data), table.width, table.height, table.stride, table.type};
  Mismatch result;
  visit_sat_type(no_image, entries, [&]<class Input, class Sum>(ImageView<const Input>, ImageView<Sum> sums) {
    const Comparison<Sum> comparison{sums, table_at<Sum>(reference_),
                                     table_at<Sum>(absolute_.size() > 0 ? absolute_ : reference_),
                                     std::is_integral_v<PixelValue<Input>>};
    if (!is_gpu(device_)) {
      result = compare_on_host(comparison);
      return;
    }
    auto* const there = reinterpret_cast<Mismatch*>(mismatch_.data());
    gpu::check(cudaMemcpyAsync(there, &result, sizeof result, cudaMemcpyHostToDevice, stream_));
    compare_on_device(stream_, comparison, there);
    gpu::check(cudaMemcpyAsync(&result, there, sizeof result, cudaMemcpyDeviceToHost, stream_));
    gpu::check(cudaStreamSynchronize(stream_));
  });
  return result;
}

// The pass of check_table(): one thread per entry on a GPU, bands of rows on the host. Wrong entries are rare, so that only
// they cost an atomic operation.
namespace {

using Pixels = ImageView<const std::uint8_t>;
using Sums = ImageView<const std::uint32_t>;

constexpr int block_width = 32, block_height = 8;

// The entry that the identity wants at (x, y), from the pixel there and the three entries around it.
constexpr std::uint32_t wanted_at(Pixels image, Sums table, int x, int y) {
  const auto left = x > 0 ? table(x - 1, y) : 0u, above = y > 0 ? table(x, y - 1) : 0u;
  const auto both = x > 0 && y > 0 ? table(x - 1, y - 1) : 0u;
  return left + above - both + image(x, y);
}
// The words of TableFindings.
constexpr unsigned long long word(int x, int y, int width, std::uint32_t entry) {
  const auto index = static_cast<unsigned long long>(y) * static_cast<unsigned long long>(width);
  return (index + static_cast<unsigned long long>(x)) << 32 | entry;
}

// A kernel, because the words must begin with all bits set.
__global__ void no_findings(TableFindings* findings) { *findings = TableFindings(); }

__global__ void __launch_bounds__(block_width* block_height) four_points(Pixels image, Sums table, TableFindings* findings) {
  const int x = static_cast<int>(blockIdx.x) * block_width + static_cast<int>(threadIdx.x);
  const int y = row_of_block() * block_height + static_cast<int>(threadIdx.y);
  if (x >= image.width || y >= image.height) return;
  const auto wanted = wanted_at(image, table, x, y), found = table(x, y);
  if (wanted == found) return;
  atomicAdd(&findings->count, 1ull);
  atomicMin(&findings->expected, word(x, y, image.width, wanted));
  atomicMin(&findings->found, word(x, y, image.width, found));
}

void check_on_device(Context& context, Pixels image, Sums table, TableFindings* findings) {
  context.launch("no findings", no_findings, {dim3(1), dim3(1)}, findings);
  const auto grid = row_grid(ceil_div(image.width, block_width), ceil_div(image.height, block_height));
  context.launch("four points", four_points, {grid, dim3(block_width, block_height)}, image, table, findings);
}

// The findings in the rows begin .. end - 1. Rows are counted first, in a loop that the compiler vectorises.
TableFindings find_in(Pixels image, Sums table, int begin, int end) {
  TableFindings findings;
  for (int y = begin; y < end; ++y) {
    const auto* pixels = image.row(y);
    const auto* entries = table.row(y);
    const auto* above = y > 0 ? table.row(y - 1) : nullptr;
    unsigned wrong = entries[0] != wanted_at(image, table, 0, y);
    if (above)
      for (int x = 1; x < image.width; ++x)
        wrong += entries[x] - entries[x - 1] - above[x] + above[x - 1] != std::uint32_t{pixels[x]};
    else
      for (int x = 1; x < image.width; ++x) wrong += entries[x] - entries[x - 1] != std::uint32_t{pixels[x]};
    if (wrong > 0 && findings.count == 0) {
      int x = 0;
      while (entries[x] == wanted_at(image, table, x, y)) ++x;
      findings.expected = word(x, y, image.width, wanted_at(image, table, x, y));
      findings.found = word(x, y, image.width, entries[x]);
    }
    findings.count += wrong;
  }
  return findings;
}

void check_on_host(Context& context, Pixels image, Sums table, TableFindings* findings) {
  std::mutex mutex;
  if (!context.is_dry()) *findings = {};
  context.for_each_band("four points", image.height, [&](int begin, int end) {
    TableFindings of_band;
    run_with(host_vectors_here().back(), [&] { of_band = find_in(image, table, begin, end); });
    const std::lock_guard lock(mutex);
    findings->count += of_band.count;
    findings->expected = std::min(findings->expected, of_band.expected);
    findings->found = std::min(findings->found, of_band.found);
  });
}

}  // namespace

std::optional<WrongTable> wrong_table(const TableFindings& findings, int width) {
  if (findings.count == 0) return {};
  const auto columns = static_cast<std::uint64_t>(width), index = std::uint64_t{findings.expected} >> 32;
  return WrongTable{findings.count, static_cast<int>(index % columns), static_cast<int>(index / columns),
                    static_cast<std::uint32_t>(findings.expected), static_cast<std::uint32_t>(findings.found)};
}

std::string text(const WrongTable& wrong) {
  return "wrong at (" + std::to_string(wrong.x) + ", " + std::to_string(wrong.y) + "): " + std::to_string(wrong.found) +
         " instead of " + std::to_string(wrong.expected) + "; the four-point identity fails in " +
         std::to_string(wrong.count) + (wrong.count == 1 ? " place" : " places");
}

TableFindings* check_table(Context& context, Pixels image, Sums table) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::check_table)) return there(context, image, table);
  check_views(context, "check_table", {{"the image", image}, {"its table", table}});
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();  // TableFindings has 32 bits for the place
  if (image.size().pixels() > most)
    throw std::invalid_argument("check_table: takes images of at most " + std::to_string(most) + " pixels, not " +
                                std::to_string(image.size().pixels()));
  auto* const findings = context.scratch<TableFindings>(1);
  const auto check = context.device() == Device::host ? check_on_host : check_on_device;
  context.group("check", [&] { check(context, image, table, findings); });
  return findings;
}

}  // namespace gpu
