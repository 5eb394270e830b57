// A store outside a surface ends the launch, and the message says where; inside, every byte is stored.
#include <algorithm>

#include "gpu/simulated/tests/kernels.cuh"
#include "gpu/tests/surface_array.h"

namespace gpu::simulated {
namespace {

constexpr int width = 3, height = 2, pixel = 4;  // bytes per pixel

class SurfaceWriteTest : public testing::Test {
 protected:
  const test::SurfaceArray array_{{width, height}};
};

constexpr unsigned store_line = __LINE__ + 3;
template <class T>
__global__ void store_at(cudaSurfaceObject_t surface, int x_bytes, int y, T value) {
  surf2Dwrite(value, surface, x_bytes, y);
}

constexpr Grid one_thread{dim3(1), dim3(1)};

TEST_F(SurfaceWriteTest, InsideIsStored) {
  const auto white = make_uchar4(255, 255, 255, 255);
  EXPECT_EQ(fault_of([&] { launch_kernel(nullptr, store_at<uchar4>, one_thread, array_.object(), 0, 0, white); }), "");
  EXPECT_EQ(fault_of([&] { launch_kernel(nullptr, store_at<uchar4>, one_thread, array_.object(), 8, 1, white); }), "");
  std::vector<unsigned char> expected(width * height * pixel);
  std::fill_n(expected.begin(), pixel, 255);
  std::fill_n(expected.end() - pixel, pixel, 255);
  EXPECT_EQ(array_.bytes(), expected);
}

TEST_F(SurfaceWriteTest, OutsideEndsTheLaunch) {
  const auto before = array_.bytes();
  for (const auto& [x_bytes, y] : {std::pair{12, 0}, {-4, 0}, {0, 2}, {0, -1}, {10, 1}}) {
    const auto fault = fault_of(
        [&] { launch_kernel(nullptr, store_at<uchar4>, one_thread, array_.object(), x_bytes, y, make_uchar4(1, 1, 1, 1)); });
    EXPECT_TRUE(says(fault, "out of bounds: a store of 4 bytes to a surface, at byte x = " + std::to_string(x_bytes) +
                                " of row y = " + std::to_string(y) + "; it has 12 bytes per row and 2 rows"));
    EXPECT_TRUE(says(fault, "surface_write_test.cu:" + std::to_string(store_line)));
    EXPECT_TRUE(says(fault, "store_at"));
  }
  EXPECT_EQ(array_.bytes(), before);
}

TEST_F(SurfaceWriteTest, AWideStoreAcrossTheEndIsOutside) {
  const auto start = [&] { launch_kernel(nullptr, store_at<uint4>, one_thread, array_.object(), 0, 0, uint4{}); };
  EXPECT_TRUE(says(fault_of(start), "a store of 16 bytes to a surface, at byte x = 0 of row y = 0"));
}

}  // namespace
}  // namespace gpu::simulated
