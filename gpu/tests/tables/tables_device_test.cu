// The tables of a frame on the GPU, by every algorithm.
#include "gpu/tables/tables.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/tables/tables_cases.h"

namespace gpu::test {
namespace {

class TablesDeviceTest : public NeedsGpu<testing::Test> {};

TEST_F(TablesDeviceTest, AreRightWhateverTheAlgorithm) {
  for (const auto size : table_sizes) {
    const auto frame = HostFrame::noise(size, 3);
    const TableReference expected(frame);
    const auto colour = on_device(frame.colour);
    const auto gray = on_device(frame.gray);
    for (const auto* algorithm : sat_algorithms()) {
      if (algorithm->device != Device::cuda || !why_unavailable(*algorithm).empty()) continue;
      SCOPED_TRACE(std::string(algorithm->name) + " " + std::to_string(size.width) + "x" + std::to_string(size.height));
      const TableCopies copies(size, Device::cuda);
      compute_all_tables(*algorithm, Device::cuda, colour.view(), gray.view(), copies,
                         [](auto workspace) { return Context::on_stream(nullptr, workspace); });
      check(cudaDeviceSynchronize());
      expect_same(copies, expected.copies);
    }
  }
}

// More rows than the warp that scans the first column takes at once.
TEST_F(TablesDeviceTest, TheTiltedTableOfATallImageIsTheHosts) {
  for (const Size size : {Size{3, 9001}, Size{1, 4097}, Size{2, 4096}, Size{131, 8193}}) {
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
    const auto frame = HostFrame::noise(size, 5);
    const Image<std::uint32_t> expected(size, Device::host), table(size, Device::cuda);
    ThreadPool pool(1);
    auto host = Context::on_host(pool, {});
    compute_tilted(host, frame.gray.view(), expected.view());
    const auto gray = on_device(frame.gray);
    auto dry = Context::dry(Device::cuda);
    compute_tilted(dry, gray.view(), table.view());
    const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
    auto context = Context::on_stream(nullptr, workspace.span());
    compute_tilted(context, gray.view(), table.view());
    check(cudaDeviceSynchronize());
    expect_same("tilted", table, expected);
  }
}

TEST_F(TablesDeviceTest, AColourImagesSumsAreThoseOfItsLuma) {
  const auto frame = HostFrame::noise({97, 65}, 4);
  const auto colour = on_device(frame.colour);
  const Image<std::uint32_t> sat(frame.size(), Device::cuda);
  const auto& algorithm = *find_sat_algorithm("1r1w_skss_lb");
  const Arguments arguments(algorithm.parameters);
  const auto run = [&](Context& context) { compute_sat(context, algorithm, colour.view(), sat.view(), arguments); };
  auto dry = Context::dry(Device::cuda);
  run(dry);
  const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
  auto context = Context::on_stream(nullptr, std::span(workspace.data(), workspace.size()));
  run(context);
  check(cudaDeviceSynchronize());
  expect_same("sum", sat, frame.sat);
}

}  // namespace
}  // namespace gpu::test
