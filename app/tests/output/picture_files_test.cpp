// Memory for copies of pictures: made beforehand by another thread, used again, and no more of it than was asked for.
#include "app/output/picture_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "gpu/thread_pool.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr gpu::Size size{64, 48};

class PictureFilesCopiesTest : public testing::Test {
 protected:
  bool prepared(std::size_t count) const {
    for (int wait = 0; wait < 20'000 && copies_.unused() < count; ++wait) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(5ms);  // and no more
    return copies_.unused() == count;
  }

  gpu::ThreadPool pool_{1};
  gpu::Context context_ = gpu::Context::on_host(pool_, {});
  gpu::Image<gpu::Rgba> picture_{size, gpu::Device::host};
  PictureCopies copies_;
};

TEST_F(PictureFilesCopiesTest, MemoryIsPreparedTakenAndComesBack) {
  copies_.prepare(context_, size, 5);
  ASSERT_TRUE(prepared(5));
  {
    const auto first = copies_.make(context_, picture_.view()), second = copies_.make(context_, picture_.view());
    EXPECT_EQ(copies_.unused(), 3u);
  }
  EXPECT_EQ(copies_.unused(), 5u);
}

TEST_F(PictureFilesCopiesTest, WhatWasMadeBeforeCounts) {
  const auto first = copies_.make(context_, picture_.view()), second = copies_.make(context_, picture_.view());
  copies_.prepare(context_, size, 5);
  EXPECT_TRUE(prepared(3));
}

TEST_F(PictureFilesCopiesTest, CopiesOutliveWhoMadeThem) {
  std::ranges::fill(picture_.span(), gpu::Rgba{1, 2, 3, 4});
  std::vector<std::shared_ptr<const PictureCopies::Copy>> kept;
  {
    PictureCopies copies;
    copies.prepare(context_, size, 20);
    for (int i = 0; i < 30; ++i) kept.push_back(copies.make(context_, picture_.view()));  // more than are prepared
  }
  for (const auto& copy : kept) {
    EXPECT_TRUE(copy->ready());
    EXPECT_EQ(copy->view()(63, 47).b, 3);
  }
}

}  // namespace
}  // namespace app
