#include "app/pipeline/frame_stage.h"

#include <utility>

#include "app/support/simulated_gpu.h"
#include "gpu/tables/tables.h"

namespace app {

DeviceContext::DeviceContext(gpu::Device device, cudaStream_t stream)
    : device_(device),
      stream_(stream),
      timeline_(device == gpu::Device::cuda ? gpu::cuda_clock(stream) : gpu::host_clock()),
      persistent_(device) {
  switch (device) {
    case gpu::Device::cuda: break;
    case gpu::Device::host: pool_.emplace(); break;
    case gpu::Device::simulated: driver_ = &simulated_gpu(); break;
  }
  renew();
}

void DeviceContext::grow(std::size_t workspace_bytes) {
  if (workspace_bytes <= workspace_.size()) return;
  gpu::Buffer<std::byte> larger(workspace_bytes, device_);
  workspace_.swap(larger);  // releasing device memory waits for the work that still uses it
  renew();
}

gpu::Context DeviceContext::make(gpu::Timeline* timeline) {
  const auto scratch = workspace_.span();
  switch (device_) {
    case gpu::Device::cuda: return gpu::Context::on_stream(stream_, scratch, timeline);
    case gpu::Device::host: return gpu::Context::on_host(*pool_, scratch, timeline);
    case gpu::Device::simulated: break;
  }
  return gpu::Context::on_simulated(*driver_, scratch, timeline);
}

gpu::Context DeviceContext::untimed_with_persistent() {
  auto context = make(nullptr);
  context.set_persistent(&persistent_);
  return context;
}

void DeviceContext::renew() {
  context_.emplace(make(&timeline_));
  context_->set_persistent(&persistent_);
}

struct FrameStage::Images {
  Images(gpu::Size size, gpu::Device device) : gray(size, device) {
    if (device == gpu::Device::cuda) colour = gpu::Image<gpu::Bgr>(size, device);
  }

  gpu::Image<gpu::Bgr> colour;  // on cuda
  gpu::Image<std::uint8_t> gray;
};

FrameStage::FrameStage(gpu::Device device, cudaStream_t stream) : device_(device), stream_(stream) {
  if (device == gpu::Device::cuda) upload_done_.emplace();
}
FrameStage::~FrameStage() = default;

// On a GPU the work of one frame follows that of the one before, in stream order: one set of images serves both, and stays in
// the cache.
void FrameStage::prepare(gpu::Size size) {
  if (size == next_size()) return;
  next_ = device_ == gpu::Device::cuda && this->size() == size ? shown_ : std::make_shared<Images>(size, device_);
}

std::size_t FrameStage::new_bytes(gpu::Size size) const {
  const bool cuda = device_ == gpu::Device::cuda;
  if (size == next_size() || (cuda && this->size() == size)) return 0;
  return size.pixels() * (sizeof(std::uint8_t) + (cuda ? sizeof(gpu::Bgr) : 0));
}

FrameViews FrameStage::upload(gpu::Context& context, const capture::Frame& frame) {
  if (device_ != gpu::Device::cuda) return {frame.view(), next_->gray.view()};
  const auto source = frame.view();
  const auto target = next_->colour.view();
  constexpr auto pixel = sizeof(gpu::Bgr);
  context.call({"upload", gpu::SpanKind::transfer}, [&](cudaStream_t queue) {
    return cudaMemcpy2DAsync(target.data, static_cast<std::size_t>(target.stride) * pixel, source.data,
                             static_cast<std::size_t>(source.stride) * pixel, static_cast<std::size_t>(source.width) * pixel,
                             static_cast<std::size_t>(source.height), cudaMemcpyHostToDevice, queue);
  });
  upload_done_->record(stream_);
  return {target, next_->gray.view()};
}

void FrameStage::make_gray(gpu::Context& context, const FrameViews& views) {
  gpu::luma(context, views.colour, next_->gray.view());
}

void FrameStage::publish() {
  std::swap(shown_, next_);
  if (next_size() != size()) next_ = {};  // of the size before
}

bool FrameStage::uploaded() const { return !upload_done_ || upload_done_->passed(); }
gpu::Size FrameStage::size() const { return shown_ ? shown_->gray.size() : gpu::Size(); }
gpu::Size FrameStage::next_size() const { return next_ ? next_->gray.size() : gpu::Size(); }
gpu::ImageView<const std::uint8_t> FrameStage::gray() const { return shown_->gray.view(); }
FrameViews FrameStage::views() const { return {shown_->colour.view(), gray()}; }
gpu::ImageView<const std::uint8_t> FrameStage::next_gray() const { return next_->gray.view(); }

std::size_t FrameStage::memory_bytes() const {
  const auto bytes = [](const Images& images) {
    return images.colour.span().size_bytes() + images.gray.span().size_bytes();
  };
  return (shown_ ? bytes(*shown_) : 0) + (next_ && next_ != shown_ ? bytes(*next_) : 0);
}

}  // namespace app
