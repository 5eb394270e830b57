// Pixels that are drawn into memory only where somebody wants them.
#include "app/pipeline/picture.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(PicturePixelsTest, AreAskedForBeforeEachUse) {
  const gpu::Image<gpu::Rgba> image({3, 2}, gpu::Device::host);
  int asked = 0;
  const PicturePixels pixels(image.view(), [&](bool required) {
    ++asked;
    return required;
  });
  EXPECT_EQ(pixels.size(), (gpu::Size{3, 2}));
  EXPECT_EQ(asked, 0) << "the size is no pixel";
  EXPECT_EQ(pixels.view().data, image.view().data);
  const gpu::ImageView<const gpu::Rgba> view = pixels;
  EXPECT_EQ(view.data, image.view().data);
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(pixels.ready());
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(PicturePixels(image.view()).ready());
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

TEST(PicturePixelsDemandTest, FollowsThoseWhoWantPixels) {
  PixelDemand demand;
  EXPECT_FALSE(make(demand));
  EXPECT_TRUE(demand.can_be_drawn());
  EXPECT_TRUE(demand.want(true));
  demand.drawn();
  EXPECT_TRUE(demand.want(true));
  EXPECT_FALSE(demand.can_be_drawn()) << "they are there";
  EXPECT_TRUE(make(demand));
  EXPECT_FALSE(make(demand)) << "nobody wanted those of the picture before";
}

TEST(PicturePixelsDemandTest, WithoutASurfaceEveryPictureIsInMemory) {
  PixelDemand demand;
  EXPECT_FALSE(demand.can_be_drawn()) << "there is no picture yet";
  demand.overwrite();
  EXPECT_TRUE(demand.draws_into_memory(false));
  demand.publish();
  EXPECT_TRUE(demand.in_memory());
  demand.overwrite();
  EXPECT_TRUE(demand.want(true)) << "they stay";
}

TEST(PicturePixelsDemandTest, WhatAPictureWasMadeOfIsOverwrittenByTheNext) {
  PixelDemand demand;
  make(demand);
  demand.overwrite();
  EXPECT_FALSE(demand.can_be_drawn());
  EXPECT_FALSE(demand.want(false));
  EXPECT_THROW(demand.want(true), std::logic_error);
  demand.fail(std::make_exception_ptr(std::runtime_error("the GPU failed")));
  EXPECT_FALSE(demand.want(false));
  EXPECT_THROW(demand.want(true), std::runtime_error);
  EXPECT_TRUE(make(demand)) << "somebody asked";
  EXPECT_FALSE(make(demand));
  EXPECT_TRUE(demand.want(true));
}

}  // namespace
}  // namespace app
