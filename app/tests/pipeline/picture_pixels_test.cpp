// Pixels that are drawn into memory only where somebody wants them.
#include "app/pipeline/picture_pixels.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(PicturePixels, AreAskedForBeforeEachUse) {
  const gpu::Image<gpu::Rgba> image({3, 2}, gpu::Device::host);
  int asked = 0;
  const PicturePixels pixels(image.view(), [&] { ++asked; });
  EXPECT_EQ(pixels.size(), (gpu::Size{3, 2}));
  EXPECT_EQ(asked, 0) << "the size is no pixel";
  EXPECT_EQ(pixels.view().data, image.view().data);
  const gpu::ImageView<const gpu::Rgba> view = pixels;
  EXPECT_EQ(view.data, image.view().data);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(PicturePixels().size(), gpu::Size());
}

// Publishes a picture that has a surface. Whether it is drawn into memory, too.
bool make(PixelDemand& demand) {
  demand.overwrite();
  const bool memory = demand.draws_into_memory(true);
  demand.publish();
  EXPECT_EQ(demand.in_memory(), memory);
  return memory;
}

TEST(PixelDemand, FollowsThoseWhoWantPixels) {
  PixelDemand demand;
  EXPECT_FALSE(make(demand));
  EXPECT_TRUE(demand.want());
  demand.drawn();
  EXPECT_FALSE(demand.want()) << "they are there";
  EXPECT_TRUE(make(demand));
  EXPECT_FALSE(make(demand)) << "nobody wanted those of the picture before";
}

TEST(PixelDemand, WithoutASurfaceEveryPictureIsInMemory) {
  PixelDemand demand;
  EXPECT_FALSE(demand.want()) << "there is no picture yet";
  demand.overwrite();
  EXPECT_TRUE(demand.draws_into_memory(false));
  demand.publish();
  EXPECT_FALSE(demand.want());
}

TEST(PixelDemand, WhatAPictureWasMadeOfIsOverwrittenByTheNext) {
  PixelDemand demand;
  make(demand);
  demand.overwrite();
  EXPECT_THROW(demand.want(), std::logic_error);
  demand.fail(std::make_exception_ptr(std::runtime_error("the GPU failed")));
  EXPECT_THROW(demand.want(), std::runtime_error);
  make(demand);
  make(demand);
  EXPECT_TRUE(demand.want());
}

}  // namespace
}  // namespace app
