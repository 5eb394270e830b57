// How lines of prefix sums are divided among threads: never more than there are, and only if they have more than few entries.
#include "gpu/sat/block/diagonals.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gpu::sat {
namespace {

template <class Sum>
void check_all() {
  constexpr int ahead = entries_ahead<Sum>;
  for (const int threads : {prefix_threads, 132 * prefix_threads})
    for (const int lines : {1, 31, 32, 33, 64, 128, 300, 1024, 8192, 3000000})
      for (const int length : {1, few_entries, few_entries + 1, ahead, ahead + 1, 3 * ahead, 4 * ahead, 100 * ahead + 7}) {
        SCOPED_TRACE(testing::Message() << prefix_threads << " of " << threads << " threads, " << lines << " x " << length);
        const auto segments = Segments::of<Sum>(lines, length, threads);
        const int parts = segments.parts(), entries = segments.entries, rounds = segments.rounds;
        EXPECT_EQ(prefix_threads % parts, 0);
        EXPECT_GE(prefix_threads / parts, 32) << "lines side by side";
        EXPECT_LE(entries, ahead);
        EXPECT_GE(parts * entries * rounds, length) << "all entries are taken";
        EXPECT_LT(parts * entries * (rounds - 1), length) << "no round is empty";
        if (parts > 1) {
          EXPECT_LE(lines * parts, threads);
          EXPECT_GT(length, parts / 2 * few_entries) << "half as many are enough";
        }
        if (rounds > 1) {
          EXPECT_TRUE(parts == prefix_threads / 32 || lines * 2 * parts > threads) << "more could share";
        }
      }
}

TEST(SegmentsTest, UseAllThreadsThatHelp) {
  check_all<std::uint32_t>();
  check_all<double>();
}

// Tiles of 64 pixels in 8192 x 8192: the lines of tile sums, and the table of corners of one block; then a smaller image.
TEST(SegmentsTest, AreAsExpectedForKnownSizes) {
  const auto same = [](const Segments& a, const Segments& b) {
    return a.shift == b.shift && a.entries == b.entries && a.rounds == b.rounds;
  };
  EXPECT_TRUE((same(Segments::of<std::uint32_t>(8192, 128, 132 * 256), {2, 32, 1})));
  EXPECT_TRUE((same(Segments::of<std::uint32_t>(128, 128, 256), {1, 32, 2})));
  EXPECT_TRUE((same(Segments::of<std::uint32_t>(1920, 17, 132 * 256), {2, 5, 1})));
}

}  // namespace
}  // namespace gpu::sat
