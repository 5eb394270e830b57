// Undo: a step per change, a drag is one, and what a run alone has is none.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "app/control/change.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class UndoTest : public ::testing::Test {
 protected:
  void change(const char* path, const char* text) {
    apply(settings_, Change{path, text});
    undo_.note(settings_, false, time_ += 1ms);
  }
  void drag(const char* path, const char* text, std::chrono::milliseconds after = 100ms) {
    apply(settings_, Change{path, text});
    undo_.note(settings_, true, time_ += after);
  }

  // So many steps back.
  void undo(int steps = 1) {
    for (int i = 0; i < steps; ++i) undo_.undo(settings_);
  }

  Settings settings_;
  Undo undo_{settings_};
  Undo::Clock::time_point time_{};
};

TEST_F(UndoTest, SetsBackOneChangeAfterTheOther) {
  const auto start = settings_;
  change("effect", "haar");
  change("haar.type", "type-3-x");
  change("source", "a.mp4");
  const auto last = settings_;
  EXPECT_EQ(undo_.undo(settings_), "source");
  EXPECT_EQ(undo_.undo(settings_), "haar.type");
  EXPECT_EQ(settings_.effect, "haar");
  EXPECT_TRUE(settings_.effect_values.empty());
  EXPECT_EQ(undo_.undo(settings_), "effect");
  EXPECT_EQ(settings_, start);
  EXPECT_THROW(undo_.undo(settings_), std::invalid_argument);
  for (int i = 0; i < 3; ++i) undo_.redo(settings_);
  EXPECT_EQ(settings_, last);
  EXPECT_THROW(undo_.redo(settings_), std::invalid_argument);
}

// More changes than are kept, twice.
TEST_F(UndoTest, TheLatestChangesAreKept) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i <= 250; ++i) change("feature", std::to_string(1000 * (round + 1) + i).c_str());
    for (int i = 249; i >= 50; --i) {
      ASSERT_EQ(undo_.undo(settings_), "feature");
      ASSERT_EQ(settings_.feature, 1000 * (round + 1) + i) << round;
    }
    EXPECT_THROW(undo_.undo(settings_), std::invalid_argument) << round;
    for (int i = 51; i <= 250; ++i) {
      undo_.redo(settings_);
      ASSERT_EQ(settings_.feature, 1000 * (round + 1) + i) << round;
    }
    EXPECT_THROW(undo_.redo(settings_), std::invalid_argument) << round;
  }
}

TEST_F(UndoTest, AChangeAfterwardsReplacesWhatWasSetBack) {
  change("theme", "light");
  undo_.undo(settings_);
  change("vsync", "off");
  EXPECT_THROW(undo_.redo(settings_), std::invalid_argument);
  EXPECT_EQ(undo_.undo(settings_), "vsync");
}

// Also one that takes longer than the longest pause within it.
TEST_F(UndoTest, ADragIsOneChangeAndEndsWithAPauseHoweverLongItTook) {
  for (const auto& [step, pause] : {std::pair(100ms, 2000ms), {699ms, 700ms}}) {
    for (const char* at : {"0.1", "0.3", "0.2"}) drag("wipe", at, step);
    drag("wipe", "0.9", pause);
    EXPECT_EQ(undo_.undo(settings_), "wipe");
    EXPECT_EQ(settings_.wipe, 0.2);
    undo();
    EXPECT_EQ(settings_.wipe, 0.5);
    time_ += 1min;
  }
}

TEST_F(UndoTest, UndoAndRedoEndADrag) {
  const auto start = settings_;
  for (const bool redo : {false, true}) {
    drag("wipe", "0.4", 2s);
    undo_.undo(settings_);
    if (redo) undo_.redo(settings_);
    const auto before = settings_;
    drag("wipe", "0.3");
    EXPECT_EQ(undo_.undo(settings_), "wipe");
    EXPECT_EQ(settings_, before);
    if (redo) undo_.undo(settings_);
    EXPECT_EQ(settings_, start);
    EXPECT_THROW(undo_.undo(settings_), std::invalid_argument) << "no step is left";
  }
}

TEST_F(UndoTest, WhatTheProgramChangesItselfIsNoStep) {
  change("effect", "haar");
  change("source", "a.mp4");
  undo_.undo(settings_);
  apply(settings_, Change{"source", "b.mp4"});  // "" could not be opened again
  undo_.settle(settings_);
  EXPECT_EQ(undo_.undo(settings_), "effect, source");
  undo_.redo(settings_);
  undo_.redo(settings_);
  EXPECT_EQ(settings_.source, "a.mp4");
}

TEST_F(UndoTest, TheSettingThatWouldChangeIsKnown) {
  EXPECT_EQ(undo_.undoes(settings_), "");
  change("vsync", "off");
  change("box_blur.window", "9x9");
  change("help", "on");
  EXPECT_EQ(undo_.undoes(settings_), "box_blur.window");
  EXPECT_EQ(undo_.redoes(settings_), "");
  undo_.undo(settings_);
  EXPECT_EQ(undo_.undoes(settings_), "vsync");
  EXPECT_EQ(undo_.redoes(settings_), "box_blur.window");
}

TEST_F(UndoTest, WhatARunAloneHasIsNoChangeAndStays) {
  change("vsync", "off");
  change("help", "on");
  change("dock", "race");
  change("zoom", "3");
  EXPECT_EQ(undo_.undo(settings_), "vsync");
  EXPECT_TRUE(settings_.help);
  EXPECT_EQ(settings_.dock, Dock::race);
  EXPECT_EQ(settings_.zoom, 3);
}

TEST_F(UndoTest, CommandsThatFollowEachOtherAreStepsOfTheirOwnAndADragThatCameBackIsNone) {
  for (const char* effect : {"haar", "faces", "none"}) change("effect", effect);
  undo();
  EXPECT_EQ(settings_.effect, "faces");
  change("vsync", "off");
  drag("wipe", "0.4");
  drag("wipe", "0.5");
  EXPECT_EQ(undo_.undo(settings_), "vsync");
  for (const char* numbers : {"1,2;3,4", "1,2;3,5"}) {
    if (settings_.source.empty()) change("source", "matrix:2x2");
    change("matrix", numbers);
  }
  undo();
  EXPECT_EQ(settings_.matrix, "1,2;3,4");
  for (const char* sides : {"original,haar", "off", "original,result"}) change("compare", sides);
  undo(2);
  EXPECT_TRUE(settings_.compare.on) << "the sides come back also where it is off";
  EXPECT_EQ(settings_.compare.b, "haar");
}

TEST_F(UndoTest, DragsOfTwoSettingsInTurnAreStepsOfTheirOwn) {
  drag("wipe", "0.4");
  drag("feature_scale", "3");
  drag("wipe", "0.3");
  EXPECT_EQ(undo_.undo(settings_), "wipe");
  EXPECT_EQ(settings_.wipe, 0.4);
  EXPECT_EQ(undo_.undo(settings_), "feature_scale");
  EXPECT_EQ(undo_.undo(settings_), "wipe");
  EXPECT_EQ(settings_.wipe, 0.5);
}

TEST_F(UndoTest, WhatWasPlacedOrPlayedByTheMouseIsAStep) {
  change("source", "matrix:2x2");
  const Change changes[] = {
      {"source", "synthetic"}, {"speed", "2"}, {"matrix", "1"}, {"pointer", "3,4"}, {"rectangle", "1,2,3x4"}};
  for (const auto& [path, text] : changes) {
    const auto before = settings_;
    change(path.c_str(), text.c_str());
    ASSERT_NE(settings_, before) << path;
    EXPECT_EQ(undo_.undo(settings_), path);
    EXPECT_EQ(settings_, before) << path;
  }
}

// It stays as it is when what came before it is set back.
TEST_F(UndoTest, TheLayoutOfTheWindowIsNoStepAndStays) {
  const Change layout[] = {{"panels", "off"},      {"dock_width", "300"},     {"frame_view", "one_frame"},
                           {"hints", "on"},        {"dock_open", "on"},       {"dock", "race"},
                           {"card_order", "year"}, {"graph_histogram", "on"}, {"trace_colour", "state"},
                           {"trace_loop", "on"},   {"trace_seconds", "9"},    {"columns", "[Table]"}};
  for (const auto& [path, text] : layout) {
    change("vsync", "off");
    const auto before = settings_;
    change(path.c_str(), text.c_str());
    ASSERT_NE(settings_, before) << path;
    auto expected = settings_;
    expected.vsync = true;
    EXPECT_EQ(undo_.undo(settings_), "vsync") << path;
    EXPECT_EQ(settings_, expected) << path;
  }
}

TEST_F(UndoTest, ParametersOfAlgorithmsComeBackAsThoseOfEffectsDo) {
  change("host_parallel.threads", "2");
  change("host_parallel.threads", "4");
  change("box_blur.window", "9x9");
  EXPECT_EQ(undo_.undo(settings_), "box_blur.window");
  EXPECT_TRUE(settings_.effect_values.empty());
  EXPECT_EQ(undo_.undo(settings_), "host_parallel.threads");
  EXPECT_EQ(settings_.algorithm_values["host_parallel"]["threads"], "2");
  EXPECT_EQ(undo_.undo(settings_), "host_parallel.threads");
  EXPECT_EQ(settings_, Settings());
  for (int i = 0; i < 3; ++i) undo_.redo(settings_);
  EXPECT_EQ(settings_.algorithm_values["host_parallel"]["threads"], "4");
  EXPECT_EQ(settings_.effect_values["box_blur"]["window"], "9x9");
}

TEST_F(UndoTest, WhatWasSettledIsWhereADragBegins) {
  apply(settings_, Change{"wipe", "0.8"});
  undo_.settle(settings_);
  EXPECT_THROW(undo_.undo(settings_), std::invalid_argument);
  drag("wipe", "0.3");
  undo_.undo(settings_);
  EXPECT_EQ(settings_.wipe, 0.8);
}

TEST(CommandLineTest, HasWhatDiffersFromTheFirstStart) {
  Settings settings;
  EXPECT_EQ(command_line_of(settings), "satscope");
  settings.source = "it's a film.mp4";
  apply(settings, Change{"box_blur.window", "31x31"});
  apply(settings, Change{"theme", "light"});
  EXPECT_EQ(command_line_of(settings), "satscope 'it'\\''s a film.mp4' --set 'box_blur.window=31x31' --set 'theme=light'");
  settings.source = "rtsp://me:secret@camera/";
  EXPECT_EQ(command_line_of(settings).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace app
