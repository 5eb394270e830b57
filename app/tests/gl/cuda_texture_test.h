// Textures that a GPU's pictures go to.
#pragma once

#include <cuda_runtime_api.h>

#include "app/tests/gl/texture_test.h"

namespace app::gl {

class SharedTextureCudaTest : public SharedTextureTest {
 protected:
  void SetUp() override {
    const auto probe = gpu::probe_gpu();
    if (!probe.gpu) GTEST_SKIP() << probe.reason;
    SharedTextureTest::SetUp();
    if (IsSkipped()) return;
    interop_ = probe_interop();
    gpu::check(cudaSetDevice(interop_.cuda_device));
    gpu::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_) cudaStreamDestroy(stream_);
  }

  gpu::Image<gpu::Rgba> on_gpu(const gpu::Image<gpu::Rgba>& host) {
    gpu::Image<gpu::Rgba> image(host.size(), gpu::Device::cuda);
    const auto from = host.view(), to = image.view();
    gpu::check(cudaMemcpy2D(to.data, static_cast<std::size_t>(to.stride) * 4, from.data,
                            static_cast<std::size_t>(from.stride) * 4, static_cast<std::size_t>(from.width) * 4,
                            static_cast<std::size_t>(from.height), cudaMemcpyHostToDevice));
    // A copy from pageable memory may return before the pixels have arrived, and stream_ waits for no other stream.
    gpu::check(cudaDeviceSynchronize());
    return image;
  }
  void show_and_compare(SharedTexture& texture, gpu::Size size, int seed) {
    const auto host = make_picture(size, seed);
    const auto device = on_gpu(host);
    gpu::Context context = gpu::Context::on_stream(stream_, {});
    texture.show(context, device.view());
    texture.flush();
    EXPECT_EQ(differences(texture, host.view()), 0) << size.width << "x" << size.height << ", seed " << seed;
  }

  Interop interop_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace app::gl
