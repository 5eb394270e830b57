// A plan on the host refuses memory that only a GPU can access, if the process has loaded CUDA's driver: here its stand-in.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/satscope.h"
#include "gpu/tests/installed/driver_stand_in.h"
#include "gpu/tests/refusal.h"

namespace satscope {
namespace {

class MemoryOfGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
      dlclose(driver);
      GTEST_SKIP() << "CUDA's driver is loaded";
    }
    stand_in_ = dlopen(DRIVER_STAND_IN, RTLD_NOW);
    ASSERT_NE(stand_in_, nullptr) << dlerror();
  }
  void TearDown() override {
    if (stand_in_) dlclose(stand_in_);
  }
  static void* at(unsigned long long address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

  void* stand_in_ = nullptr;
};

TEST_F(MemoryOfGpuTest, IsRefusedByPlansAndFiltersOnTheHost) {
  Plan plan({8, 4}, u8_u32, {.device = host});
  Filter filter({8, 4}, Filter::gray, "box_blur", {}, {.device = host});
  std::vector<std::uint8_t> image(32, 1);
  std::vector<std::uint32_t> table(32);
  EXPECT_EQ(gpu::test::refusal_of<Error>([&] { plan(at(gpu::test::gpu_memory), 8, table.data(), 32); }),
            "the image is in a GPU's memory, and the plan is for the host: copy it, or use satscope::cuda");
  EXPECT_EQ(gpu::test::refusal_of<Error>([&] { plan(image.data(), 8, at(gpu::test::gpu_memory), 32); }),
            "the table is in a GPU's memory, and the plan is for the host: copy it, or use satscope::cuda");
  EXPECT_EQ(gpu::test::refusal_of<Error>([&] { filter(image.data(), 8, at(gpu::test::gpu_memory), 8); }),
            "the result is in a GPU's memory, and the filter is for the host: copy it, or use satscope::cuda");
  EXPECT_EQ(gpu::test::refusal_of<Error>([&] {
              plan.box_sums(table.data(), 32, static_cast<const Box*>(at(gpu::test::gpu_memory)), 1, table.data());
            }),
            "the list of boxes is in a GPU's memory, and the plan is for the host: copy it, or use satscope::cuda");
}

// The last of a batch, which lies elsewhere than the first, is asked after too.
TEST_F(MemoryOfGpuTest, IsRefusedWhereABatchEnds) {
  Plan plan({8, 4}, u8_u32, {.device = host});
  std::vector<std::uint8_t> image(32, 1);
  std::vector<std::uint32_t> table(64);
  const auto to_gpu = [](const void* from) { return gpu::test::gpu_memory - reinterpret_cast<std::uintptr_t>(from); };
  EXPECT_EQ(gpu::test::refusal_of<Error>([&] {
              plan(image.data(), 8, table.data(), 32,
                   {.count = 2, .image_stride = to_gpu(image.data()), .table_stride = 128});
            }),
            "the last image is in a GPU's memory, and the plan is for the host: copy it, or use satscope::cuda");
  EXPECT_EQ(gpu::test::refusal_of<Error>([&] {
              plan(image.data(), 8, table.data(), 32, {.count = 2, .image_stride = 0, .table_stride = to_gpu(table.data())});
            }),
            "the last table is in a GPU's memory, and the plan is for the host: copy it, or use satscope::cuda");
}

// A plan may outlive the driver.
TEST_F(MemoryOfGpuTest, NobodyIsAskedOnceTheDriverIsGone) {
  Plan plan({8, 4}, u8_u32, {.device = host});
  std::vector<std::uint8_t> image(32, 1);
  std::vector<std::uint32_t> table(32);
  for (int i = 0; i < 2; ++i) {
    plan(image.data(), 8, table.data(), 32);
    EXPECT_EQ(table.back(), 32u);
    if (stand_in_) dlclose(std::exchange(stand_in_, nullptr));
  }
}

// They are refused for what is asked after where the memory is: nobody reads it.
TEST_F(MemoryOfGpuTest, ManagedAndPageLockedMemoryIsTheHostsToo) {
  Plan plan({8, 4}, u8_u32, {.device = host});
  std::vector<std::uint8_t> image(32, 1);
  std::vector<std::uint32_t> table(32);
  for (const auto address : {gpu::test::managed_memory, gpu::test::locked_memory})
    EXPECT_NE(gpu::test::refusal_of<Error>([&] { plan(at(address), 3, table.data(), 32); }).find("a row of the image"),
              std::string::npos);
  plan(image.data(), 8, table.data(), 32);
  EXPECT_EQ(table.back(), 32u);
}

}  // namespace
}  // namespace satscope
