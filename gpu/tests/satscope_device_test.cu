// satscope::Plan on a GPU: the tables of the host's plans, on the caller's stream and in a graph; memory of the host is refused.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/memory.h"
#include "gpu/satscope.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

class SatscopeDeviceTest : public NeedsGpu<testing::Test> {
 protected:
  static constexpr satscope::Size size{333, 210};
  static constexpr std::size_t width = size.width + 1, height = size.height + 1;  // of the memory of both

  SatscopeDeviceTest() : pixels_(width * height), expected_(width * height), found_(width * height) {
    for (std::size_t i = 0; i < pixels_.size(); ++i) pixels_[i] = static_cast<std::uint8_t>(i * i + i / 7);
  }
  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    image_ = Buffer<std::uint8_t>(pixels_.size(), Device::cuda);
    table_ = Buffer<std::uint32_t>(pixels_.size(), Device::cuda);
    check(cudaMemcpy(image_.data(), pixels_.data(), pixels_.size(), cudaMemcpyHostToDevice));
    check(cudaMemset(table_.data(), 0xcd, pixels_.size() * sizeof(std::uint32_t)));
    std::ranges::fill(expected_, 0xcdcdcdcdu);
  }
  void run(satscope::Plan& plan, cudaStream_t stream) {
    plan(image_.data(), width, table_.data(), width * sizeof(std::uint32_t), stream);
  }
  // Of the host's plan; what lies outside stays what it was.
  void expect_the_hosts(const satscope::Plan& plan) {
    satscope::Plan host(size, satscope::u8_u32, {.device = satscope::host, .padded = plan.table_size().width > size.width});
    host(pixels_.data(), width, expected_.data(), width * sizeof(std::uint32_t));
    check(cudaMemcpy(found_.data(), table_.data(), found_.size() * sizeof(std::uint32_t), cudaMemcpyDeviceToHost));
    EXPECT_EQ(found_, expected_);
  }

  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint32_t> expected_, found_;
  Buffer<std::uint8_t> image_;
  Buffer<std::uint32_t> table_;
};

TEST_F(SatscopeDeviceTest, EveryAlgorithmHasTheHostsTable) {
  const TestStream stream;
  for (const auto& name : satscope::algorithms(satscope::cuda, satscope::u8_u32))
    for (const bool padded : {false, true}) {
      SCOPED_TRACE(name + (padded ? " padded" : ""));
      satscope::Plan plan(size, satscope::u8_u32, {.algorithm = name, .padded = padded});
      EXPECT_EQ(plan.device(), satscope::cuda);
      check(cudaMemset(table_.data(), 0xcd, found_.size() * sizeof(std::uint32_t)));
      std::ranges::fill(expected_, 0xcdcdcdcdu);
      check(cudaDeviceSynchronize());
      for (int i = 0; i < 2; ++i) run(plan, stream);
      check(cudaStreamSynchronize(stream));
      expect_the_hosts(plan);
    }
}

TEST_F(SatscopeDeviceTest, TheFirstCallCanBeCapturedIntoAGraph) {
  const TestStream stream;
  satscope::Plan plan(size, satscope::u8_u32);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  run(plan, stream);
  cudaGraph_t graph{};
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable{};
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(executable, stream));
  check(cudaStreamSynchronize(stream));
  expect_the_hosts(plan);
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

TEST_F(SatscopeDeviceTest, MemoryOfTheHostIsRefused) {
  satscope::Plan plan(size, satscope::u8_u32);
  try {
    plan(pixels_.data(), width, table_.data(), width * sizeof(std::uint32_t));
    ADD_FAILURE();
  } catch (const satscope::Error& error) {
    EXPECT_NE(std::string(error.what()).find("the image is in the host's memory"), std::string::npos) << error.what();
  }
  EXPECT_THROW(plan(image_.data(), width, expected_.data(), width * sizeof(std::uint32_t)), satscope::Error);
  run(plan, nullptr);
  check(cudaDeviceSynchronize());
  expect_the_hosts(plan);
}

}  // namespace
}  // namespace gpu
