// Stage: where the rows of image and table begin.
#include "gpu/benchmarks/stage.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/sat.h"

namespace gpu::benchmarks {
namespace {

constexpr Size size{37, 5};

// From the first row's first element in rows at multiples of 256 bytes, which begin the memory.
template <class View>
std::ptrdiff_t bytes_behind(const View& view, const View& pitched) {
  return static_cast<const std::byte*>(static_cast<const void*>(view.data)) -
         static_cast<const std::byte*>(static_cast<const void*>(pitched.data));
}

TEST(StageTest, RowsBeginWhereTheLayoutSays) {
  for (const auto type : {SatType::u8_u32, SatType::f64_f64}) {
    const auto pixel = static_cast<std::ptrdiff_t>(size_of(info(type).input)),
               sum = static_cast<std::ptrdiff_t>(size_of(info(type).sum));
    struct Expected {
      Layout layout;
      std::ptrdiff_t image, image_stride, table, table_stride;  // bytes, elements
    };
    for (const auto& expected : {Expected{Layout::pitched, 0, (type == SatType::u8_u32 ? 256 : 512) / pixel, 0,
                                          (type == SatType::u8_u32 ? 256 : 512) / sum},
                                 {Layout::contiguous, 0, 37, 0, 37},
                                 {Layout::padded, 0, 37, 39 * sum, 38},
                                 {Layout::offset, pixel, (type == SatType::u8_u32 ? 256 : 512) / pixel, sum,
                                  (type == SatType::u8_u32 ? 256 : 512) / sum}}) {
      SCOPED_TRACE(name(expected.layout));
      const Stage stage(Device::host, nullptr, type, size, expected.layout, footprint(type, size, 0));
      EXPECT_EQ(bytes_behind(stage.image(0), stage.image_in(Layout::pitched, 0)), expected.image);
      EXPECT_EQ(stage.image(0).stride, expected.image_stride);
      EXPECT_EQ(bytes_behind(stage.table(0), stage.table_in(Layout::pitched, 0)), expected.table);
      EXPECT_EQ(stage.table(0).stride, expected.table_stride);
    }
  }
}

TEST(StageTest, ImagesOfABatchFollowEachOtherAndAreCheckedOneByOne) {
  for (const auto layout : {Layout::pitched, Layout::padded, Layout::offset}) {
    SCOPED_TRACE(name(layout));
    constexpr int images = 3;
    Stage stage(Device::host, nullptr, SatType::u8_u32, size, layout, footprint(SatType::u8_u32, size, 0, images), images);
    EXPECT_EQ(stage.image(0).height, size.height * images);
    const auto compute = [&](int number) {
      const auto image = stage.image_of(0, number).as<const std::uint8_t>();
      const auto table = stage.table_of(0, number).as<std::uint32_t>();
      EXPECT_EQ(image.size(), size);
      sat::reference(image, table);
      return table;
    };
    stage.spoil();
    for (int i = 0; i < images; ++i) {
      EXPECT_NE(stage.wrong(0).find("image " + std::to_string(i + 1) + " of 3"), std::string::npos);
      compute(i);
    }
    EXPECT_EQ(stage.wrong(0), "");
    ++compute(1)(size.width - 1, size.height - 1);
    EXPECT_NE(stage.wrong(0).find("image 2 of 3"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpu::benchmarks
