// Tables with and without damage, and what check_table() must find in them: for the tests on any device.
#pragma once

#include <gtest/gtest.h>

#include "gpu/checks/verify.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu::test {

using Checked = std::optional<WrongTable>;

// check(image, table) copies both to its device, and returns what check_table() finds there.
template <class Check>
void expect_every_damage_is_found(const Check& check) {
  for (const Size size : {Size{1, 1}, Size{1, 37}, Size{41, 1}, Size{97, 65}}) {
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
    const auto frame = HostFrame::noise(size, 5);
    const auto& table = frame.sat;
    EXPECT_EQ(check(frame.gray, table), Checked());
    const int right = size.width - 1, bottom = size.height - 1;
    for (const auto& [x, y] : {std::pair{0, 0}, {right, 0}, {0, bottom}, {right, bottom}, {right / 2, bottom / 2}}) {
      auto& entry = table.view()(x, y);
      const auto expected = entry;
      for (const auto found : {expected + 1, expected ^ 0x80000000u}) {
        entry = found;
        // The identity fails where the entry is one of the four, inside the image.
        const std::uint64_t places = (x < right ? 2u : 1u) * (y < bottom ? 2u : 1u);
        EXPECT_EQ(check(frame.gray, table), (Checked{{places, x, y, expected, found}}));
      }
      entry = expected;
    }
    // The table of another image: wrong everywhere except by chance.
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) table.view()(x, y) += static_cast<std::uint32_t>((x + 1) * (y + 1));
    const auto all = check(frame.gray, table);
    ASSERT_TRUE(all);
    const std::uint32_t first = frame.gray.view()(0, 0);
    EXPECT_EQ(*all, (WrongTable{size.pixels(), 0, 0, first, first + 1}));
  }
}

}  // namespace gpu::test
