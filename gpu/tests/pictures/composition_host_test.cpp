// Composing two pictures on the host.
#include "gpu/execution/thread_pool.h"
#include "gpu/tests/pictures/composition_cases.h"

namespace gpu::test {
namespace {

TEST(CompositionHostTest, IsAWipeOrAnAmplifiedDifference) {
  ThreadPool pool(2);
  auto context = Context::on_host(pool, {});
  for (const auto size : composition_sizes) {
    const TwoPictures pictures(size);
    const Image<Rgba> out(size, Device::host);
    pictures.expect_all_drawn(context, pictures.a.view(), pictures.b.view(), Canvas{{}, out.view()},
                              [&] { return out.view(); });
  }
}

TEST(CompositionHostTest, NeedsNoScratchMemoryAndOneLaunchEach) {
  auto dry = Context::dry(Device::cuda);
  const auto image = view_without_memory<Rgba>({640, 480});
  draw_wipe(dry, {image, image, 320}, Canvas{{}, image});
  draw_difference(dry, image, image, Canvas{{}, image}, 8);
  EXPECT_EQ(dry.workspace_bytes(), 0u);
  ASSERT_EQ(dry.launches().size(), 2u);
  for (const auto& launch : dry.launches()) EXPECT_EQ(launch.name, "compose");
}

}  // namespace
}  // namespace gpu::test
