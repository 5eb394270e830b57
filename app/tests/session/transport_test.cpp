#include "app/session/transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "app/tests/capture/fake_source.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class TransportTest : public testing::Test {
 protected:
  // Takes frames until one with its place is there; true where that holds.
  template <class Holds>
  bool take_until(const Holds& holds) {
    return capture::eventually([&] {
      if (const auto* frame = transport_.take(20ms)) {
        transport_.picture_begun(*frame);
        transport_.picture_made();
      }
      return holds();
    });
  }
  bool has_frame_of(int width) {
    return take_until([&] { return transport_.feed().last() && transport_.feed().last()->size.width == width; });
  }

  void choose(const std::string& source) {
    settings_.source = source;
    transport_.follow();
  }

  TemporaryFolder folder_;
  app::Run run_;
  Settings settings_ = host_settings("synthetic:64x48");
  Messages messages_;
  Engine engine_{{{}, "no driver"}};
  Outputs outputs_{run_, settings_, messages_};
  capture::WaitForThreads wait_;  // after the transport's end
  Transport transport_{run_, settings_, engine_, false, outputs_, messages_};
};

TEST_F(TransportTest, FollowsTheSourceOfTheSettings) {
  ASSERT_TRUE(has_frame_of(64));
  EXPECT_TRUE(transport_.shows_its_source());
  EXPECT_TRUE(transport_.at_start());
  settings_.source = "synthetic:32x24";
  EXPECT_FALSE(transport_.follows_settings());
  transport_.follow();
  EXPECT_FALSE(transport_.shows_its_source()) << "the picture is of the one before";
  ASSERT_TRUE(has_frame_of(32));
  EXPECT_TRUE(transport_.shows_its_source());
  EXPECT_FALSE(transport_.at_start());
  EXPECT_EQ(transport_.source_number(), 2u);
}

TEST_F(TransportTest, ASourceIsReopenedOnceAndNoOtherInItsPlace) {
  ASSERT_TRUE(has_frame_of(64));
  for (const int width : {64, 32, 64}) {  // the same; another one; again another
    settings_.source = "synthetic:" + std::to_string(width) + "x48";
    transport_.reopen();
    EXPECT_FALSE(transport_.shows_its_source());
    transport_.follow();
    const auto number = transport_.source_number();
    ASSERT_TRUE(take_until([&] { return transport_.source_number() == number + 1; }));
    EXPECT_TRUE(transport_.shows_its_source());
    transport_.follow();
    EXPECT_FALSE(transport_.feed().opening());
  }
}

TEST_F(TransportTest, ForASourceThatFailsTheSettingsNameTheOneThatPlaysUntilAnotherOpens) {
  ASSERT_TRUE(has_frame_of(64));
  for (const int width : {96, 32}) {
    const auto playing = settings_.source;
    for (int time = 0; time < 2; ++time) {
      choose("/no/such/file.mp4");
      ASSERT_TRUE(take_until([&] { return transport_.new_one_failed(); }));
      const auto why = transport_.new_failure();
      EXPECT_NE(why.find("/no/such/file.mp4"), std::string::npos) << why;
      EXPECT_FALSE(transport_.new_one_failed());
      EXPECT_EQ(transport_.new_failure(), "") << "once";
      transport_.give_up(why);
      EXPECT_EQ(settings_.source, playing);
      EXPECT_EQ(transport_.failed_source(), "/no/such/file.mp4");
      EXPECT_EQ(transport_.failed_because(), why);
      EXPECT_TRUE(transport_.has_failed());
    }
    choose("synthetic:" + std::to_string(width) + "x48");
    ASSERT_TRUE(has_frame_of(width));
    EXPECT_EQ(transport_.failed_source() + transport_.failed_because() + transport_.new_failure(), "");
  }
}

TEST_F(TransportTest, AResultOfTheRunIsNoSource) {
  ASSERT_TRUE(has_frame_of(64));
  run_.record = "/tmp/result.mp4";
  choose("/tmp/result.mp4");
  EXPECT_EQ(transport_.new_failure(), "/tmp/result.mp4 is a result of this run, and not complete yet: name another source");
}

TEST_F(TransportTest, SeeksAndStepsAddUp) {
  ASSERT_TRUE(has_frame_of(64));
  transport_.pause();
  EXPECT_TRUE(transport_.feed().paused());
  transport_.seek(2);
  transport_.seek_by(3);  // before the first is done
  ASSERT_TRUE(take_until([&] { return !transport_.feed().seeking() && transport_.position() > 4; }));
  EXPECT_NEAR(transport_.position(), 5, 0.1);
}

// Where the first attempt at its picture failed, too.
TEST_F(TransportTest, ThePositionIsThatOfThePictureShown) {
  ASSERT_TRUE(has_frame_of(64));
  transport_.pause();  // what follows may take any time
  for (const double place : {3.0, 1.0}) {
    const auto before = transport_.position();
    transport_.seek(place);
    const capture::Frame* frame = nullptr;
    while (!frame || transport_.feed().seeking()) frame = transport_.take(1s);
    transport_.picture_begun(*frame);  // it fails
    EXPECT_EQ(transport_.position(), before);
    EXPECT_TRUE(transport_.awaits_place());
    transport_.picture_begun(*frame);
    transport_.picture_made();
    EXPECT_NEAR(transport_.position(), place, 0.1);
    EXPECT_FALSE(transport_.awaits_place());
  }
}

// Keys that follow each other, of both kinds, before any of them is done.
TEST_F(TransportTest, ASeekGoesOnFromWhereStepsLead) {
  ASSERT_TRUE(has_frame_of(64));
  const double fps = transport_.feed().status().fps;
  ASSERT_GT(fps, 0);
  for (const double start : {2.0, 6.0}) {
    transport_.seek(start);
    for (const int pictures : {7, -2}) {
      transport_.step(pictures);
      EXPECT_TRUE(transport_.feed().paused());
    }
    transport_.seek_by(1);
    ASSERT_TRUE(take_until([&] { return !transport_.feed().seeking() && transport_.position() > start + 0.5; }));
    EXPECT_NEAR(transport_.position(), start + 5 / fps + 1, 0.5 / fps);
    transport_.resume();
    EXPECT_FALSE(transport_.feed().paused());
  }
}

// Where it ends, not where the number would be: a seek back goes on from there.
TEST_F(TransportTest, ASeekBeyondTheEndLeadsToTheEnd) {
  choose(capture::numbered_video(folder_.path(), 50));
  ASSERT_TRUE(has_frame_of(capture::number_bits * capture::number_square));
  transport_.pause();
  for (const double seconds : {1000.0, -1.0, -1000.0, 0.4}) {
    transport_.seek_by(seconds);
    if (seconds == 1000) continue;
    ASSERT_TRUE(take_until([&] { return !transport_.feed().seeking() && !transport_.awaits_place(); }));
    EXPECT_NEAR(transport_.position(), seconds == -1 ? 1 : seconds == 0.4 ? 0.4 : 0, 0.05) << seconds;
  }
}

TEST_F(TransportTest, AKeyPressedWhileAnotherSourceOpensPausesThatOne) {
  choose("matrix:4x4");
  ASSERT_TRUE(has_frame_of(4));
  transport_.toggle_pause();
  EXPECT_FALSE(transport_.feed().paused()) << "a still image";
  EXPECT_TRUE(messages_.any());
  messages_ = Messages();
  choose("synthetic:32x24");
  ASSERT_TRUE(transport_.feed().opening());
  transport_.toggle_pause();
  EXPECT_TRUE(transport_.feed().paused());
  EXPECT_FALSE(messages_.any());
}

// Each that nobody took, and no other: those that a seek leaves out were not.
TEST_F(TransportTest, FramesThatAreDroppedAreCountedOnce) {
  settings_.max_speed = false;
  transport_.follow();
  ASSERT_TRUE(has_frame_of(64));
  for (const double place : {3.0, 1.0, 6.0}) {
    auto& drops = transport_.drops();
    const auto before = drops.all();
    const auto first = transport_.feed().last()->sequence;
    std::uint64_t taken = 0;
    for (int turn = 0; turn < 3;) {
      std::this_thread::sleep_for(80ms);  // some frames
      if (!transport_.take(1s)) continue;
      ++turn, ++taken;
    }
    const auto dropped = drops.all() - before;
    EXPECT_GT(dropped, 0u);
    EXPECT_EQ(taken + dropped, transport_.feed().last()->sequence - first);
    transport_.seek(place);
    while (!transport_.take(1s) || transport_.feed().seeking()) continue;
    EXPECT_EQ(drops.of(capture::DropReason::not_taken), before + dropped) << place;
  }
}

TEST_F(TransportTest, HowASourcePlaysFollowsTheSettings) {
  ASSERT_TRUE(has_frame_of(64));
  for (const double speed : {2.0, 0.5}) {
    settings_.speed = speed;
    transport_.follow();
    EXPECT_EQ(transport_.feed().speed(), speed);
    EXPECT_FALSE(transport_.feed().opening()) << "it is the same source";
  }
  for (const bool offscreen : {true, false}) {
    run_.offscreen = offscreen;
    run_.largest_side = offscreen ? 300 : 400;
    EXPECT_EQ(transport_.wanted().lossless, offscreen);
    EXPECT_EQ(transport_.wanted().retry, !offscreen);
    EXPECT_EQ(transport_.wanted().largest_side, run_.largest_side);
  }
}

TEST_F(TransportTest, AStillImageHasNoOtherPlace) {
  choose("matrix:4x4");
  ASSERT_TRUE(has_frame_of(4));
  EXPECT_TRUE(transport_.in_squares());
  EXPECT_THROW(transport_.seek(1), std::invalid_argument);
}

TEST_F(TransportTest, TheNumbersOfAMatrixAreThoseOfOneSource) {
  settings_.source = "matrix:2x2";
  settings_.matrix = "1,2;3,4";
  EXPECT_FALSE(transport_.leaves_matrix()) << "both are named";
  transport_.follow();
  settings_.source = "synthetic:64x48";
  EXPECT_TRUE(transport_.leaves_matrix());
  transport_.stay();
  EXPECT_EQ(settings_.source, "matrix:2x2");
  EXPECT_FALSE(transport_.leaves_matrix());
}

}  // namespace
}  // namespace app
