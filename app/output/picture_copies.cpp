#include "app/output/picture_copies.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/error.h"

namespace app {

struct PictureCopies::Unused {
  std::mutex mutex;
  std::vector<std::unique_ptr<Copy>> copies;

  std::unique_ptr<Copy> take(bool from_gpu) {
    const std::lock_guard lock(mutex);
    const auto fits = std::ranges::find_if(copies, [&](const auto& copy) { return copy->arrived_.has_value() == from_gpu; });
    if (fits == copies.end()) return std::make_unique<Copy>(from_gpu);
    auto copy = std::move(*fits);
    copies.erase(fits);
    return copy;
  }
  void put(std::unique_ptr<Copy> copy) {
    const std::lock_guard lock(mutex);
    copies.push_back(std::move(copy));
  }
};

PictureCopies::PictureCopies() : unused_(std::make_shared<Unused>()) {}
PictureCopies::~PictureCopies() = default;

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

void PictureCopies::Copy::fill(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture) {
  size_ = picture.size();
  if (pixels_.size() < size_.pixels()) pixels_ = gpu::PinnedBuffer<gpu::Rgba>(size_.pixels(), arrived_.has_value());
  const auto row_bytes = static_cast<std::size_t>(size_.width) * sizeof(gpu::Rgba);
  context.call("copy to recording", [&](cudaStream_t stream) {
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
