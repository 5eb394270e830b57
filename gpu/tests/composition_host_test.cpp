// Composing two pictures on the host.
#include "gpu/tests/composition_cases.h"
#include "gpu/thread_pool.h"

namespace gpu::test {
namespace {

TEST(CompositionHostTest, IsAWipeOrAnAmplifiedDifference) {
  ThreadPool pool(2);
  auto context = Context::on_host(pool, {});
  for (const auto size : composition_sizes) {
    const TwoPictures pictures(size);
    const Image<Rgba> out(size, Device::host);
    for (const auto& composition : compositions()) {
      compose(context, pictures.a.view(), pictures.b.view(), Canvas{{}, out.view()}, composition);
      pictures.expect_composed(composition, out.view());
    }
  }
}

TEST(CompositionHostTest, TheEdgeIsAWholeColumnWithinThePicture) {
  const auto edge = [](double wipe, int width) { return Composition{Composition::Mode::wipe, wipe}.edge(width); };
  EXPECT_EQ(edge(0, 640), 0);
  EXPECT_EQ(edge(1, 640), 640);
  EXPECT_EQ(edge(0.5, 641), 321);
  EXPECT_EQ(edge(0.4999, 2), 1);
}

TEST(CompositionHostTest, NeedsNoScratchMemoryAndIsOneLaunch) {
  auto dry = Context::dry(Device::cuda);
  const auto image = view_without_memory<Rgba>({640, 480});
  compose(dry, image, image, Canvas{{}, image}, {});
  EXPECT_EQ(dry.workspace_bytes(), 0u);
  ASSERT_EQ(dry.launches().size(), 1u);
  EXPECT_EQ(dry.launches()[0].name, "compose");
}

}  // namespace
}  // namespace gpu::test
