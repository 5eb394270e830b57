// How a program handles a library of the simulated GPU that is from another build.
#include "gpu/execution/driver.h"

#include <gtest/gtest.h>

#include "gpu/context.h"
#include "gpu/cuda/memory.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/tests/refusal.h"

namespace gpu {
namespace {

using simulated::Driver;

const Driver empty_driver = {
    .identity = 0,
    .build = simulated::Build::plain,
    .find_sat_algorithm = [](std::string_view) -> const SatAlgorithm* { return nullptr; },
    .find_effect = [](std::string_view) -> const Effect* { return nullptr; },
};

TEST(DriverSimulatedTest, NamesMissingInTheLibraryAreRefused) {
  const Buffer<std::byte> workspace(1 << 20, Device::host);
  auto context = Context::on_simulated(empty_driver, workspace.span());
  std::uint8_t pixel = 1;
  std::uint32_t sum = 0;
  const ImageView<const std::uint8_t> image{&pixel, 1, 1, 1};
  const ImageView<std::uint32_t> sat{&sum, 1, 1, 1};
  const auto* algorithm = find_sat_algorithm("2r2w");
  EXPECT_EQ(test::refusal_of<std::runtime_error>(
                [&] { compute_sat(context, *algorithm, image, sat, Arguments(algorithm->parameters)); }),
            "2r2w: the library of the simulated GPU belongs to another build of satscope: rebuild both");
  const auto* effect = find_effect("none");
  EXPECT_EQ(
      test::refusal_of<std::runtime_error>([&] { run_effect(context, *effect, {}, {}, Arguments(effect->parameters)); }),
      "none: the library of the simulated GPU belongs to another build of satscope: rebuild both");
}

}  // namespace
}  // namespace gpu
