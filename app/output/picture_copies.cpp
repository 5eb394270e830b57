#include "app/output/picture_copies.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/support/threads.h"
#include "gpu/error.h"

namespace app {

struct PictureCopies::Unused {
  std::mutex mutex;
  std::vector<std::unique_ptr<Copy>> copies;
  std::size_t made = 0;       // in all
  std::optional<int> device;  // of CUDA, where they belong to one

  // By whichever thread held the last copy: to release page-locked memory must not begin to use another GPU.
  ~Unused() {
    if (device) cudaSetDevice(*device);
    copies.clear();
  }

  std::unique_ptr<Copy> take(bool from_gpu) {
    const std::lock_guard lock(mutex);
    const auto fits = std::ranges::find_if(copies, [&](const auto& copy) { return copy->arrived_.has_value() == from_gpu; });
    if (fits == copies.end()) {
      ++made;
      return std::make_unique<Copy>(from_gpu);
    }
    auto copy = std::move(*fits);
    copies.erase(fits);
    return copy;
  }
  void put(std::unique_ptr<Copy> copy) {
    const std::lock_guard lock(mutex);
    copies.push_back(std::move(copy));
  }
  // Whether one more is to be made, counting those that take() made meanwhile.
  bool wants_more(std::size_t count) {
    const std::lock_guard lock(mutex);
    return made < count && ++made;
  }
};

PictureCopies::PictureCopies() : unused_(std::make_shared<Unused>()) {}
PictureCopies::~PictureCopies() = default;

void PictureCopies::prepare(gpu::Context& context, gpu::Size size, std::size_t count) {
  const bool from_gpu = context.device() == gpu::Device::cuda;
  if (int device = 0; from_gpu && cudaGetDevice(&device) == cudaSuccess) unused_->device = device;
  const auto make_ready = [unused = unused_, from_gpu, size, count](const std::stop_token& stop) {
    try {
      if (unused->device) gpu::check(cudaSetDevice(*unused->device));  // of this thread
      while (!stop.stop_requested() && unused->wants_more(count)) {
        auto copy = std::make_unique<Copy>(from_gpu);
        copy->reserve(size);
        unused->put(std::move(copy));
      }
    } catch (const std::exception&) {  // make() finds no memory either, and says so
    }
  };
  try {
    preparing_ = start_thread(make_ready);
  } catch (const std::runtime_error&) {  // make() makes each when it is needed
  }
}

std::shared_ptr<const PictureCopies::Copy> PictureCopies::make(gpu::Context& context,
                                                               gpu::ImageView<const gpu::Rgba> picture) {
  auto copy = unused_->take(context.device() == gpu::Device::cuda);
  copy->fill(context, picture);
  return {copy.release(), [unused = unused_](Copy* used) { unused->put(std::unique_ptr<Copy>(used)); }};
}

PictureCopies::Copy::Copy(bool from_gpu) {
  if (from_gpu) arrived_.emplace();
}

PictureCopies::Copy::~Copy() {
  try {
    wait();                          // nothing may still write to the memory that goes
  } catch (const gpu::CudaError&) {  // a GPU that failed writes no more
  }
}

std::size_t PictureCopies::unused() const {
  const std::lock_guard lock(unused_->mutex);
  return unused_->copies.size();
}

void PictureCopies::Copy::reserve(gpu::Size size) {
  if (pixels_.size() < size.pixels()) pixels_ = gpu::PinnedBuffer<gpu::Rgba>(size.pixels(), arrived_.has_value());
}

void PictureCopies::Copy::fill(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture) {
  size_ = picture.size();
  reserve(size_);
  const auto row_bytes = static_cast<std::size_t>(size_.width) * sizeof(gpu::Rgba);
  context.call({"copy to recording", gpu::SpanKind::transfer}, [&](cudaStream_t stream) {
    if (arrived_)
      return cudaMemcpy2DAsync(pixels_.data(), row_bytes, picture.data,
                               static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba), row_bytes,
                               static_cast<std::size_t>(size_.height), cudaMemcpyDeviceToHost, stream);
    for (int y = 0; y < size_.height; ++y)
      std::copy_n(picture.row(y), size_.width, pixels_.data() + static_cast<std::size_t>(y) * size_.width);
    return cudaSuccess;
  });
  if (arrived_) arrived_->record(context.stream());
}

bool PictureCopies::Copy::ready() const { return !arrived_ || arrived_->passed(); }

void PictureCopies::Copy::wait() const {
  if (arrived_) arrived_->wait();
}

}  // namespace app
