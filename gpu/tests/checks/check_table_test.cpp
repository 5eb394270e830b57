// check_table() on the host, by any number of threads.
#include "gpu/checks/verify.h"

#include "gpu/execution/thread_pool.h"
#include "gpu/tests/checks/check_table_cases.h"
#include "gpu/tests/refusal.h"

namespace gpu::test {
namespace {

Checked check_on_host(int threads, const Image<std::uint8_t>& image, const Image<std::uint32_t>& table) {
  ThreadPool pool(threads);
  auto dry = Context::dry(Device::host, threads);
  check_table(dry, image.view(), table.view());
  const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
  auto context = Context::on_host(pool, workspace.span());
  return wrong_table(*check_table(context, image.view(), table.view()), image.size().width);
}

TEST(CheckTableTest, FindsEveryDamage) {
  for (const int threads : {1, 3})
    expect_every_damage_is_found([&](auto& image, auto& table) { return check_on_host(threads, image, table); });
}

// The identity holds modulo 2^32, so that tables that wrap around are right.
TEST(CheckTableTest, TablesMayWrapAround) {
  const HostFrame white({4200, 4100}, [](int, int) { return Bgr{255, 255, 255}; });
  const auto table = white.sat.view();
  ASSERT_LT(table(4199, 4099), table(4199, 4000));
  EXPECT_EQ(check_on_host(2, white.gray, white.sat), Checked());
  table(4199, 4099) += 255;
  EXPECT_EQ(check_on_host(2, white.gray, white.sat), (Checked{{1, 4199, 4099, table(4199, 4099) - 255, table(4199, 4099)}}));
}

TEST(CheckTableTest, IsOneSpan) {
  auto dry = Context::dry(Device::cuda);
  check_table(dry, view_without_memory<const std::uint8_t>({64, 64}), view_without_memory<const std::uint32_t>({64, 64}));
  ASSERT_EQ(dry.launches().size(), 2u);
  EXPECT_EQ(dry.launches()[1].name, "four points");
  EXPECT_EQ(dry.workspace_bytes(), 256u);
}

// The place of a finding has 32 bits.
TEST(CheckTableTest, RefusesMorePixelsThanItCanName) {
  auto dry = Context::dry(Device::cuda);
  const auto check = [&](Size size) {
    check_table(dry, view_without_memory<const std::uint8_t>(size), view_without_memory<const std::uint32_t>(size));
  };
  EXPECT_NO_THROW(check({65535, 65537}));
  EXPECT_EQ(test::refusal_of([&] {
              check({65536, 65536});
            }),
            "check_table: takes images of at most 4294967295 pixels, not 4294967296");
}

TEST(CheckTableTest, TextNamesThePlaceAndBothEntries) {
  EXPECT_EQ(text(WrongTable{4, 3, 2, 110, 120}),
            "wrong at (3, 2): 120 instead of 110; the four-point identity fails in 4 places");
  EXPECT_EQ(text(WrongTable{1, 0, 0, 1, 0}), "wrong at (0, 0): 0 instead of 1; the four-point identity fails in 1 place");
}

}  // namespace
}  // namespace gpu::test
