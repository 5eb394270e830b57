#include "app/pipeline/device_context.h"

#include "app/support/simulated_gpu.h"

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

}  // namespace app
