// SatRunner on the host: its plan is what a run needs, and its workspace only grows.
#include "gpu/sat_runner.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gpu/checks/sat_cases.h"
#include "gpu/checks/verify.h"
#include "gpu/execution/thread_pool.h"

namespace gpu {
namespace {

template <class T>
Image<T> drawn(Size size) {
  Image<T> image(size, Device::host);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) image.view()(x, y) = pixel<T>({Content::Kind::random}, x, y);
  return image;
}

TEST(SatRunnerTest, MakesCorrectTablesOfEverySize) {
  ThreadPool pool(3);
  auto runner = SatRunner::on_host(pool);
  const auto& algorithm = *find_sat_algorithm("host_parallel");
  const Arguments arguments(algorithm.parameters);
  std::size_t held = 0;
  for (const Size size : {Size{1, 1}, Size{640, 480}, Size{33, 7}, Size{1000, 1021}}) {
    const auto image = drawn<float>(size);
    const Image<float> table(size, Device::host);
    const auto plan = runner.plan(algorithm, size, SatType::f32_f32, arguments);
    runner.run(algorithm, ImageView<const float>(image.view()), table.view(), arguments);
    EXPECT_EQ(Verifier(Device::host, nullptr, ImageView<const float>(image.view()), ElementType::f32).wrong(table.view()),
              "");
    EXPECT_GT(plan.launches, 0);
    held = std::max(held, plan.workspace_bytes);
    EXPECT_EQ(runner.workspace_bytes(), held);
  }
}

TEST(SatRunnerTest, RefusesBeforeItStarts) {
  ThreadPool pool(1);
  auto runner = SatRunner::on_host(pool);
  const auto& algorithm = *find_sat_algorithm("2r2w");  // CUDA's
  const auto image = drawn<std::uint8_t>({8, 8});
  const Image<std::uint32_t> table({8, 8}, Device::host);
  EXPECT_THROW(
      runner.run(algorithm, ImageView<const std::uint8_t>(image.view()), table.view(), Arguments(algorithm.parameters)),
      std::invalid_argument);
  EXPECT_EQ(runner.workspace_bytes(), 0u);
}

// Two contexts would hand out the same memory.
TEST(SatRunnerTest, HasOneContextOverItsWorkspace) {
  ThreadPool pool(1);
  auto runner = SatRunner::on_host(pool);
  runner.reserve(1024);
  auto& context = runner.context();
  EXPECT_EQ(&runner.context(), &context);
  const auto* first = context.scratch<std::byte>(256);
  EXPECT_EQ(runner.context().scratch<std::byte>(256), first + 256);
  runner.reserve(4096);
  EXPECT_NO_THROW(runner.context().scratch<std::byte>(4096)) << "all of the new workspace is free";
  const auto stream = reinterpret_cast<cudaStream_t>(&runner);
  EXPECT_NO_THROW(runner.context(stream).scratch<std::byte>(4096)) << "so is it for another stream";
  EXPECT_EQ(&runner.context(stream), &runner.context());
}

// It may have left anything in memory that the next run expects as the run before left it.
TEST(SatRunnerTest, ARunThatFailedLeavesNoPersistentMemoryInUse) {
  auto counting = *find_sat_algorithm("host_serial");
  counting.run = [](Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
    auto* const runs = context.persistent<std::uint32_t>("runs", 1);
    if (context.is_dry()) return;
    *static_cast<std::uint32_t*>(sat.data) = ++*runs;
    if (*static_cast<const std::uint8_t*>(image.data) > 0) throw std::runtime_error("it failed");
  };
  ThreadPool pool(1);
  auto runner = SatRunner::on_host(pool);
  std::uint8_t pixel = 0;
  std::uint32_t sum = 0;
  const ImageView<const std::uint8_t> image(&pixel, 1, 1, 1);
  const ImageView<std::uint32_t> sat(&sum, 1, 1, 1);
  const auto run = [&] { runner.run(counting, image, sat, Arguments(counting.parameters)); };
  run();
  run();
  EXPECT_EQ(sum, 2u) << "it persists";
  pixel = 1;
  EXPECT_THROW(run(), std::runtime_error);
  pixel = 0;
  run();
  EXPECT_EQ(sum, 1u);
}

// Without a GPU it can still plan for one.
TEST(SatRunnerTest, PlansWithoutTheDevice) {
  const auto& algorithm = *find_sat_algorithm("2r1w");
  const auto plan = plan_sat(Device::cuda, 0, algorithm, {1920, 1080}, SatType::u8_u32, Arguments(algorithm.parameters));
  EXPECT_EQ(plan.launches, 3);
  EXPECT_EQ(plan.workspace_bytes, 130560u + 130560u + 2048u);
}

}  // namespace
}  // namespace gpu
