// How sums move in the steps of an algorithm.
#include "app/control/carry_scene.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace app {
namespace {

TEST(CarrySceneTest, NoTwoSumsEnterATileOnOneLine) {
  const std::pair<const char*, std::size_t> moves[] = {{"look_back", 12 + 12 + 9}, {"sums_of_all", 9}};
  for (const auto& [move, directions] : moves) {
    std::set<std::tuple<int, int, int, int>> lines;
    for (const auto& carry : carry_scene(move).carries) {
      const int dx = carry.x1 - carry.x0, dy = carry.y1 - carry.y0, steps = std::gcd(dx, dy);
      EXPECT_TRUE(lines.emplace(carry.x1, carry.y1, dx / steps, dy / steps).second)
          << move << ": " << carry.x1 << ", " << carry.y1;
    }
    EXPECT_EQ(lines.size(), directions) << move << ": some direction has none";
  }
}

TEST(CarrySceneTest, SumsArriveFromCellsThatAreDoneWhereTilesAreChained) {
  for (const auto* move : {"along_rows", "down_columns", "pixel_by_pixel", "diagonals", "column_walk"}) {
    const auto scene = carry_scene(move);
    EXPECT_FALSE(scene.carries.empty()) << move;
    for (const auto& carry : scene.carries) EXPECT_LT(scene.at(carry.x0, carry.y0), scene.at(carry.x1, carry.y1)) << move;
  }
}

TEST(CarrySceneTest, AnUnknownMoveIsRefused) { EXPECT_THROW(carry_scene("sideways"), std::invalid_argument); }

}  // namespace
}  // namespace app
