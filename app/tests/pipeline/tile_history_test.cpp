// What is made of the records of tiles: figures, and the state of a tile at a moment.
#include "app/pipeline/tile_history.h"

#include <gtest/gtest.h>

#include <utility>

#include "app/tests/pipeline/tile_example.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

TEST(TileHistoryTest, TimesStartWithTheFirstTile) {
  const auto history = example_history();
  EXPECT_EQ(history.records[0].started, 0u);
  EXPECT_EQ(history.end, 1000u);
  EXPECT_EQ(history.recorded, 8u);
  EXPECT_EQ(history.launches, 2u);
  EXPECT_EQ(history.longest_wait, 250u);
  EXPECT_EQ(history.multiprocessors, (std::vector<std::uint32_t>{3, 7}));
  EXPECT_EQ(history.place_of(7), 1u);
}

TEST(TileHistoryTest, OfWhatIsShownNoMoreItIsSaid) {
  auto history = example_history();
  const auto words = [&](const gpu::SatAlgorithm* shown) { return earlier_words(history, history.image, shown); };
  const auto* built_in = gpu::find_sat_algorithm("2r1w");
  EXPECT_EQ(words(built_in), "");
  EXPECT_EQ(words(nullptr), "");
  EXPECT_EQ(words(gpu::find_sat_algorithm("2r2w")), "of an earlier algorithm");
  EXPECT_EQ(earlier_words(history, {1, 1}, built_in), "of a picture of 60x50");
  gpu::KernelVersion version;
  version.name = history.algorithm = "mine";
  version.number = history.version = 2;
  auto own = *built_in;
  own.name = version.name;
  own.version = &version;
  EXPECT_EQ(words(&own), "");
  version.number = 3;
  EXPECT_EQ(words(&own), "of an earlier version");
}

TEST(TileHistoryTest, TilesAreNumberedInTheOrderOfTheirStartsInEachPass) {
  auto history = example_history();
  EXPECT_EQ(history.serials, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  std::swap(history.records[0].started, history.records[2].started);
  history.records[5] = {};  // not recorded
  complete(history);
  EXPECT_EQ(history.serials, (std::vector<std::uint32_t>{2, 1, 0, 3, 0, 3, 1, 2}));
  EXPECT_EQ(history.pass_of(history.records[3]).name, "tile sums");
  EXPECT_EQ(history.pass_of(history.records[4]).name, "tile tables");
}

TEST(TileHistoryTest, TheFarthestLookBackIsFoundInEachDirection) {
  EXPECT_FALSE(example_history().looks_back());
  const auto history = example_look_backs();
  EXPECT_TRUE(history.looks_back());
  EXPECT_EQ(history.farthest, (gpu::LookBackDepths{2, 2, 1}));
}

TEST(TileHistoryTest, TilesThatHaveBegunAreCountedInEachPass) {
  auto history = example_history();
  EXPECT_EQ(history.begun_at(0), 1u);
  EXPECT_EQ(history.begun_at(499), 4u);
  EXPECT_EQ(history.begun_at(500), 5u) << "its tile has begun in the first pass, too";
  history.records[0] = {};  // not recorded
  EXPECT_EQ(history.begun_at(1e9), 7u);
}

TEST(TileHistoryTest, WithoutRecordsThereIsNoTime) {
  TileHistory history;
  history.passes = {{"tile sums", 32, 32, 1, 1, 0}};
  history.records.resize(1);
  complete(history);
  EXPECT_EQ(history.end, 0u);
  EXPECT_EQ(history.recorded, 0u);
  EXPECT_FALSE(tile_at(history, 0, 0, 10));
}

TEST(TileHistoryTest, ATileGoesThroughItsStates) {
  const gpu::TileRecord record{100, 200, 300, 0, 1};
  EXPECT_EQ(state_at(record, 99), TileState::waiting);
  EXPECT_EQ(state_at(record, 100), TileState::started);
  EXPECT_EQ(state_at(record, 200), TileState::carried);
  EXPECT_EQ(state_at(record, 300), TileState::finished);
}

// The second pass of the example works on the tiles from 500 ns on.
TEST(TileHistoryTest, ATileShowsTheLatestPassThatItHasBegun) {
  const auto history = example_history();
  const auto early = tile_at(history, 1, 1, 450), late = tile_at(history, 1, 1, 900);
  ASSERT_TRUE(early && late);
  EXPECT_EQ(early->state, TileState::finished);
  EXPECT_FALSE(early->last_pass);
  EXPECT_EQ(early->record, &history.records[3]);
  EXPECT_EQ(late->state, TileState::started);
  EXPECT_TRUE(late->last_pass);
  EXPECT_EQ(late->record, &history.records[7]);
}

}  // namespace
}  // namespace app
