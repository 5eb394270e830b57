// On the GPU: Verifier finds one wrong entry and its position, and accepts a table within the rounding bound; check_table() finds every
// damage.
#include "gpu/checks/verify.h"

#include <cmath>
#include <limits>

#include "gpu/checks/sat_cases.h"
#include "gpu/checks/verify.h"
#include "gpu/execution/readback.h"
#include "gpu/sat.h"
#include "gpu/tests/checks/check_table_cases.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

constexpr Size size{131, 67};

template <class Input, class Sum>
class Case {
 public:
  // The table is computed serially on the host.
  explicit Case(Content::Kind kind) : image_(size, Device::host), table_(size, Device::host) {
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) image_.view()(x, y) = pixel<Input>({kind}, x, y);
    sat::reference(ImageView<const Input>(image_.view()), table_.view());
  }
  Sum& entry(int x, int y) { return table_.view()(x, y); }
  std::string wrong(bool non_negative = false) const {
    Stream stream;
    const auto image = test::on_device(image_);
    const auto table = test::on_device(table_);
    const ImageView<const Input> pixels = image.view();
    const ImageView<const Sum> sums = table.view();
    return Verifier(Device::cuda, stream, pixels, element_type<Sum>(), non_negative).wrong(sums);
  }

 private:
  Image<Input> image_;
  Image<Sum> table_;
};

using VerifyTest = NeedsGpu<testing::Test>;

TEST_F(VerifyTest, OneBitOfAnInteger) {
  Case<std::uint8_t, std::uint64_t> test(Content::Kind::random);
  EXPECT_EQ(test.wrong(), "");
  test.entry(130, 66) ^= 1;
  EXPECT_EQ(test.wrong(), "wrong in 1 entry, at (130, 66)");
  test.entry(5, 3) ^= std::uint64_t{1} << 63;
  EXPECT_EQ(test.wrong(), "wrong in 2 entries, the first at (5, 3)");
}

// Sums of both signs nearly cancel: the bound is that of their absolute values.
TEST_F(VerifyTest, FloatsOfBothSigns) {
  Case<float, float> test(Content::Kind::random);
  EXPECT_EQ(test.wrong(), "");
  test.entry(130, 66) += 100;
  EXPECT_EQ(test.wrong(), "wrong in 1 entry, at (130, 66)");
  test.entry(130, 66) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(test.wrong(), "wrong in 1 entry, at (130, 66)");
}

TEST_F(VerifyTest, SmallIntegersAreExact) {
  Case<std::uint8_t, float> test(Content::Kind::random);
  EXPECT_EQ(test.wrong(), "");
  test.entry(7, 9) = std::nextafter(test.entry(7, 9), 1e9f);
  EXPECT_EQ(test.wrong(), "wrong in 1 entry, at (7, 9)");
}

using CheckTableDeviceTest = NeedsGpu<testing::Test>;

TEST_F(CheckTableDeviceTest, FindsEveryDamage) {
  const Stream stream;
  const Buffer<std::byte> workspace(256, Device::cuda);
  Readback readback(Device::cuda, sizeof(TableFindings));
  test::expect_every_damage_is_found([&](const auto& image, const auto& table) {
    const auto image_there = test::on_device(image);
    const auto table_there = test::on_device(table);
    auto context = Context::on_stream(stream, workspace.span());
    readback.queue(context, "findings", check_table(context, image_there.view(), table_there.view()), sizeof(TableFindings));
    readback.wait();
    return wrong_table(*reinterpret_cast<const TableFindings*>(readback.bytes().data()), image.size().width);
  });
}

}  // namespace
}  // namespace gpu
