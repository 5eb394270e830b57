#include "app/control/fuzzy_match.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(FuzzyMatchTest, LettersInOrderMatchWhateverTheirCase) {
  EXPECT_TRUE(fuzzy_score("bxbl", "Effect: Box blur"));
  EXPECT_TRUE(fuzzy_score("BLUR", "Effect: Box blur"));
  EXPECT_TRUE(fuzzy_score("", "anything"));
  EXPECT_TRUE(fuzzy_score("  ", "anything"));
  EXPECT_FALSE(fuzzy_score("bluxr", "Effect: Box blur"));
  EXPECT_FALSE(fuzzy_score("rulb", "Effect: Box blur"));
  EXPECT_FALSE(fuzzy_score("a", ""));
}

TEST(FuzzyMatchTest, WordsMayComeInAnyOrderAndAllMustMatch) {
  EXPECT_TRUE(fuzzy_score("blur effect", "Effect: Box blur"));
  EXPECT_FALSE(fuzzy_score("blur algorithm", "Effect: Box blur"));
}

TEST(FuzzyMatchTest, BeginningsOfWordsAndWholeWordsComeFirst) {
  EXPECT_GT(fuzzy_score("bb", "Effect: Box blur"), fuzzy_score("bb", "Effect: rubber"));
  EXPECT_GT(fuzzy_score("loop", "Loop: turn on"), fuzzy_score("loop", "A long option p"));
  EXPECT_GT(fuzzy_score("2r1w", "Algorithm: 2r1w"), fuzzy_score("2r1w", "Algorithm: 2r2w 1w"));
}

TEST(FuzzyMatchTest, LettersOfOneWordComeBeforeThoseSpreadOverASentence) {
  EXPECT_GT(fuzzy_score("thrsh", "Effect: Adaptive threshold"),
            fuzzy_score("thrsh", "Start the race; a script waits until it has finished"));
  EXPECT_GT(fuzzy_score("blur", "Effect: a rather long name, at its end blur"),
            fuzzy_score("blur", "Back, or later up the road"));
}

TEST(FuzzyMatchTest, LettersThatOnlyHappenToFollowEachOtherDoNotMatch) {
  EXPECT_FALSE(fuzzy_score("plot", "Method: Percent below the mean"));
  EXPECT_FALSE(fuzzy_score("camera", "Statistics of all frames again, no frame pinned"));
  EXPECT_TRUE(fuzzy_score("1080", "Source: Test scene 1920x1080"));
}

// A greedy search would take the first b, and find no adjacent letters.
TEST(FuzzyMatchTest, TheBestOfAllWaysCounts) {
  EXPECT_GT(fuzzy_score("blur", "b box blur"), fuzzy_score("blur", "b box l u r"));
}

}  // namespace
}  // namespace app
