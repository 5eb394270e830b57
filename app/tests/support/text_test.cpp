// The nearest name to a mistyped word.
#include "app/support/text.h"

#include <gtest/gtest.h>

#include "gpu/parameter.h"

namespace app {
namespace {

TEST(TextTest, IsSuggestedOnlyIfItIsNear) {
  constexpr std::string_view names[] = {
      "cub", "1r1w", "2r1w", "host_serial", "1r1w_skss_lb", "box_blur", "adaptive_threshold", "--seconds"};
  const auto near = [&](std::string_view word) { return std::string(gpu::nearest(word, names)); };
  EXPECT_EQ(near("host_seral"), "host_serial");
  EXPECT_EQ(near("boxblur"), "box_blur");
  EXPECT_EQ(near("blurr"), "box_blur");  // near to one word of it
  EXPECT_EQ(near("bulr"), "box_blur");   // two neighbours swapped
  EXPECT_EQ(near("2R1W"), "2r1w");
  EXPECT_EQ(near("1r1w_skss"), "1r1w_skss_lb");
  EXPECT_EQ(near("thresh"), "adaptive_threshold");
  EXPECT_EQ(near("--second"), "--seconds");
  for (const auto* word : {"foo", "x", "", "cat", "haar", "4k", "--", "--foo", "completely different"})
    EXPECT_EQ(near(word), "") << word;
}

TEST(TextTest, OnlyQuotesAroundTheWholeNameAreTakenOff) {
  for (const auto& [typed, name] : {std::pair{"'a b.png'", "a b.png"},
                                    {" \"a'b\" ", "a'b"},
                                    {"'a", "'a"},
                                    {" a ", " a "},
                                    {"'", "'"},
                                    {"''", "''"},
                                    {"'a\"", "'a\""},
                                    {"", ""}})
    EXPECT_EQ(unquoted(typed), name);
}

TEST(TextTest, ASentenceGoesOnBehindIt) {
  constexpr std::string_view names[] = {"window", "passes"}, more[] = {"window", "passes", "vsync"};
  EXPECT_EQ(did_you_mean("windw", names), " (did you mean 'window'?)");
  EXPECT_EQ(did_you_mean("x", names), "");
  EXPECT_EQ(no_such("effect", "windw", names), "no effect 'windw' (did you mean 'window'?)");
  EXPECT_EQ(no_such("effect", "x", names), "no effect 'x'; satscope list effects prints them");
  EXPECT_EQ(there_are(names, "x", more), " (there are: window passes)");
  EXPECT_EQ(there_are(names, "vsnc", more), " (there are: window passes; did you mean 'vsync'?)");
  EXPECT_EQ(there_are({}, "vsnc", more), ": there are none (did you mean 'vsync'?)");
}

}  // namespace
}  // namespace app
