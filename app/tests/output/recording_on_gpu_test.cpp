// A recording whose pictures are still on the GPU.
#include <gtest/gtest.h>

#include "app/output/recorder.h"
#include "app/tests/support/stream_gate.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/cuda/device.h"

namespace app {
namespace {

using namespace std::chrono_literals;

// Its page-locked memory goes with the writer's task, not on the thread that destroys it.
TEST(RecordingOnGpuTest, AFailedOneIsFinishedWithoutWaitingForItsPictures) {
  if (const auto probe = gpu::probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  const TemporaryFolder folder;
  cudaStream_t stream = nullptr;
  gpu::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    WriterThread finisher, writer;
    auto context = gpu::Context::on_stream(stream, {});
    const gpu::Image<gpu::Rgba> picture({64, 48}, gpu::Device::cuda);
    Recording recording(writer, finisher, folder.path() / "none" / "video.mp4", picture.size(), 25);
    ASSERT_TRUE(writer.wait(20s));
    ASSERT_TRUE(recording.ended());
    StreamGate gate(stream);
    recording.add(context, picture.view(), 0);
    recording.stop();
    EXPECT_EQ(recording.on_the_way(), 0u);
  }
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace app
