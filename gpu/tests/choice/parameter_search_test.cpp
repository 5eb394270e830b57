// The search for an algorithm's fastest parameters.
#include "gpu/choice/tune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gpu {
namespace {

constexpr Parameter parameters[] = {real("r", "0.5", 0, 0.95, 0.01, "a share"), choice("W", "64,32,128", "a side")};

TEST(ParameterSearchTest, CombinesChoicesAndAFewRealValues) {
  const auto all = combinations(Arguments(parameters), {});
  EXPECT_EQ(all.front(), Arguments(parameters));
  std::set<std::string> shares, sides;
  for (const auto& arguments : all) shares.insert(arguments.text("r")), sides.insert(arguments.text("W"));
  EXPECT_EQ(sides, (std::set<std::string>{"32", "64", "128"}));
  EXPECT_TRUE(shares.contains("0") && shares.contains("0.95") && shares.contains("0.5"));
  EXPECT_GE(shares.size(), 6u);
  EXPECT_LE(shares.size(), 9u);
  EXPECT_EQ(all.size(), shares.size() * sides.size());
}

TEST(ParameterSearchTest, FindsTheMinimumToTheParametersStep) {
  for (const double best : {0.0, 0.07, 0.33, 0.5, 0.61, 0.94, 0.95}) {
    int runs = 0;
    const auto found = find_fastest(Arguments(parameters), {}, [&](const Arguments& arguments) {
      ++runs;
      return std::abs(arguments.real("r") - best) + (arguments.text("W") == "32" ? 0 : 1);
    });
    EXPECT_NEAR(found.real("r"), best, 0.005);
    EXPECT_EQ(found.text("W"), "32");
    EXPECT_LT(runs, 40);
  }
}

TEST(ParameterSearchTest, KeepsFixedParametersAndSkipsWhatDoesNotRun) {
  Arguments start(parameters);
  start.set("r", "0.123");
  const auto found = find_fastest(start, {"r"}, [](const Arguments& arguments) {
    EXPECT_EQ(arguments.text("r"), "0.123");
    return arguments.text("W") == "128" ? 1.0 : HUGE_VAL;
  });
  EXPECT_EQ(found.text("W"), "128");
  EXPECT_EQ(find_fastest(start, {"r", "W"}, [](const Arguments&) -> double { throw std::logic_error("nothing to choose"); }),
            start);
}

}  // namespace
}  // namespace gpu
