#include "app/session/table_bound.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>

#include "gpu/bounds.h"
#include "gpu/context.h"
#include "gpu/error.h"
#include "gpu/event.h"
#include "gpu/memory.h"
#include "gpu/thread_pool.h"

namespace app {
namespace {

constexpr auto type = gpu::SatType::u8_u32;
constexpr int runs = 8;
constexpr int passes_per_run = 16;  // on a GPU: a single one is as short as what its events cost

const gpu::Bound& bound_of(gpu::Device device) {
  return *std::ranges::find(gpu::bounds(device), gpu::decisive_bound(device, type), &gpu::Bound::name);
}

// An image directly followed by its table, as a bound takes them.
struct ImageAndTable {
  ImageAndTable(gpu::Size image_size, gpu::Device device)
      : size(image_size), buffer(padded<std::uint8_t>() + padded<std::uint32_t>(), device) {}

  template <class Pixel>
  std::size_t padded() const {
    return static_cast<std::size_t>(gpu::pitched_stride(size.width, sizeof(Pixel))) * sizeof(Pixel) *
           static_cast<std::size_t>(size.height);
  }
  gpu::AnyConstImageView image() const {
    return {buffer.data(), size.width, size.height, gpu::pitched_stride(size.width, 1), gpu::ElementType::u8};
  }
  gpu::AnyImageView table() const {
    return {buffer.data() + padded<std::uint8_t>(), size.width, size.height, gpu::pitched_stride(size.width, 4),
            gpu::ElementType::u32};
  }

  gpu::Size size;
  gpu::Buffer<std::byte> buffer;
};

struct Stream {
  Stream() { gpu::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t stream = nullptr;
};

// The least time of a run in microseconds. The first one warms up.
template <class Run>
double least_of(const Run& run) {
  run();
  auto least = std::numeric_limits<double>::max();
  for (int i = 0; i < runs; ++i) least = std::min(least, run());
  return least;
}

double measured_on_gpu(gpu::Size size, int index) {
  gpu::check(cudaSetDevice(index));
  const ImageAndTable pair(size, gpu::Device::cuda);
  const Stream queue;
  auto context = gpu::Context::on_stream(queue.stream, {});
  gpu::Event begin(gpu::Event::Timing::on), end(gpu::Event::Timing::on);
  return least_of([&] {
    begin.record(queue.stream);
    for (int i = 0; i < passes_per_run; ++i) bound_of(gpu::Device::cuda).run(context, pair.image(), pair.table());
    end.record(queue.stream);
    end.wait();
    return end.microseconds_since(begin) / passes_per_run;
  });
}

double measured_on_host(gpu::Size size) {
  const ImageAndTable pair(size, gpu::Device::host);
  gpu::ThreadPool pool;
  auto context = gpu::Context::on_host(pool, {});
  return least_of([&] {
    const auto begun = std::chrono::steady_clock::now();
    bound_of(gpu::Device::host).run(context, pair.image(), pair.table());
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count();
  });
}

}  // namespace

std::optional<TableBound::Figure> TableBound::of(gpu::Device device, gpu::Size size, int gpu_index) {
  using namespace std::chrono_literals;
  const Key wanted{device, size};
  if (device == gpu::Device::simulated || size.pixels() == 0) return {};
  if (!worker_.wait(0us)) return {};
  if (key_ == wanted) return figure_;
  key_ = wanted;
  figure_.reset();
  worker_.begin([this, wanted, gpu_index] {
    try {
      const auto us = wanted.device == gpu::Device::cuda ? measured_on_gpu(wanted.size, gpu_index)
                                                         : measured_on_host(wanted.size);
      if (us > 0) figure_ = Figure{us, bound_of(wanted.device).name};
    } catch (const std::exception&) {  // no figure: a picture that has the same error reports it
    }
  });
  return {};
}

}  // namespace app
