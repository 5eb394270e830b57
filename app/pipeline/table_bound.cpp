#include "app/pipeline/table_bound.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "gpu/error.h"
#include "gpu/event.h"
#include "gpu/memory.h"
#include "gpu/thread_pool.h"

namespace app {
namespace {

constexpr int runs = 8;
constexpr int copies_per_run = 16;  // on a GPU: a single one is as short as what its events cost
constexpr std::size_t bytes_per_pixel = 5;

// Both halves of a buffer: from one to the other.
struct Halves {
  Halves(gpu::Size size, gpu::Device device)
      : bytes(size.pixels() * bytes_per_pixel / 2),
        offset((bytes + 255) / 256 * 256),  // aligned like what pictures are in
        buffer(2 * offset, device) {}
  const std::byte* from() const { return buffer.data(); }
  std::byte* to() const { return buffer.data() + offset; }

  std::size_t bytes, offset;
  gpu::Buffer<std::byte> buffer;
};

struct Stream {
  Stream() { gpu::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t stream = nullptr;
};

double measured_on_gpu(gpu::Size size, int index) {
  gpu::check(cudaSetDevice(index));
  const Halves halves(size, gpu::Device::cuda);
  const Stream queue;
  gpu::Event begin(gpu::Event::Timing::on), end(gpu::Event::Timing::on);
  auto least = std::numeric_limits<double>::max();
  for (int run = 0; run <= runs; ++run) {
    begin.record(queue.stream);
    for (int i = 0; i < copies_per_run; ++i)
      gpu::check(cudaMemcpyAsync(halves.to(), halves.from(), halves.bytes, cudaMemcpyDeviceToDevice, queue.stream));
    end.record(queue.stream);
    end.wait();
    if (run > 0) least = std::min(least, end.microseconds_since(begin) / copies_per_run);  // the first one warms up
  }
  return least;
}

double measured_on_host(gpu::Size size) {
  const Halves halves(size, gpu::Device::host);
  std::memset(halves.buffer.data(), 1, halves.buffer.size());
  gpu::ThreadPool pool;
  const auto pieces = static_cast<std::size_t>(pool.threads());
  const auto each = (halves.bytes / pieces + 4095) / 4096 * 4096;  // whole pages
  auto least = std::numeric_limits<double>::max();
  for (int run = 0; run <= runs; ++run) {
    const auto begun = std::chrono::steady_clock::now();
    pool.run(pool.threads(), [&](int piece) {
      const auto begin = std::min(halves.bytes, each * static_cast<std::size_t>(piece));
      std::memcpy(halves.to() + begin, halves.from() + begin, std::min(each, halves.bytes - begin));
    });
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begun;
    if (run > 0) least = std::min(least, time.count());
  }
  return least;
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
      const auto bytes = static_cast<double>(wanted.size.pixels() * bytes_per_pixel);
      if (us > 0) figure_ = Figure{us, bytes / us / 1000};
    } catch (const std::exception&) {  // no figure: a picture that has the same error reports it
    }
  });
  return {};
}

}  // namespace app
