// Which pictures are made of which frames, and what is told of them: with the parts of a session, without one.
#include "app/session/picture_maker.h"

#include <gtest/gtest.h>

#include <optional>
#include <source_location>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/tests/capture/numbered_video.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/cuda/error.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class PictureMakerTest : public testing::Test {
 protected:
  static Settings still_source() {
    auto settings = host_settings("matrix:8x6");
    settings.effect = "none";
    return settings;
  }
  void SetUp() override { ASSERT_TRUE(parts_.shows_source()); }
  // Makes a picture of the last frame if another one is wanted. False if none was begun, or it failed.
  bool make(bool wanted = false, bool again = false) {
    return maker_.begin(nullptr, wanted, again, parts_.saver) && maker_.show(1min, parts_.saver);
  }
  // It counts as a frame of the history once it was drawn.
  const FrameRecord& drawn() {
    maker_.log().drawn();
    maker_.update();
    return maker_.log().latest().back();
  }

  SessionParts parts_{still_source()};
  PictureMaker& maker_ = parts_.maker;
};

TEST_F(PictureMakerTest, AFrameThatStaysHasAnotherPictureWhereAnotherIsChosen) {
  EXPECT_EQ(maker_.pictures(), 1u);
  EXPECT_GT(maker_.memory_bytes(), 0u);
  EXPECT_FALSE(make()) << "nothing has changed";
  parts_.change({"effect", "box_blur"});
  EXPECT_TRUE(make());
  EXPECT_EQ(parts_.engine.selection().effect->name, "box_blur");
  EXPECT_FALSE(maker_.measured_again());
  EXPECT_TRUE(drawn().again) << "it is no new frame";
  EXPECT_TRUE(make(true)) << "somebody wants one";
  EXPECT_EQ(maker_.pictures(), 3u);
  EXPECT_EQ(maker_.frames(), 1u);
}

TEST_F(PictureMakerTest, APictureForItsTimesAloneIsMadeOnce) {
  maker_.measure_again();
  EXPECT_TRUE(make());
  EXPECT_TRUE(maker_.measured_again());
  EXPECT_FALSE(make());
  EXPECT_TRUE(make(false, true)) << "asked for once more";
  maker_.measure_again();
  EXPECT_TRUE(make(true));
  EXPECT_FALSE(maker_.measured_again()) << "somebody wanted it, too";
}

// It shows nothing new: the video would stand still for a frame.
TEST_F(PictureMakerTest, APictureForItsTimesAloneIsNotRecorded) {
  const TemporaryFolder folder;
  parts_.run.offscreen = true;  // each picture of a still source is a frame of its own
  parts_.outputs.start_recording(folder.path() / "video.mp4");
  ASSERT_TRUE(make(true));
  ASSERT_TRUE(make(true));
  const auto seconds = parts_.outputs.recorded_seconds();
  EXPECT_GT(seconds, 0);
  maker_.measure_again();
  ASSERT_TRUE(make());
  EXPECT_EQ(parts_.outputs.recorded_seconds(), seconds);
  ASSERT_TRUE(make(true)) << "somebody wants this one";
  EXPECT_GT(parts_.outputs.recorded_seconds(), seconds);
  parts_.outputs.stop_recording();
  parts_.finish_files();
}

TEST_F(PictureMakerTest, AFrameThatIsRefusedIsTriedOnceMoreAndCountsOnce) {
  const auto first = drawn().id;
  parts_.change({"effect", "haar"});
  parts_.change({"haar.width", "500"});
  const auto* frame = parts_.transport.feed().last();
  const auto has_picture = [&] {
    return maker_.begin(frame, false, false, parts_.saver) && maker_.show(1min, parts_.saver);
  };
  maker_.responses().want(1, 1);
  EXPECT_FALSE(has_picture());
  EXPECT_TRUE(maker_.retries()) << "without what was chosen it has one";
  maker_.look_at_shown_frame();
  EXPECT_FALSE(maker_.responses().busy()) << "the picture that is shown is of another frame";
  EXPECT_TRUE(has_picture());
  EXPECT_FALSE(maker_.retries());
  EXPECT_TRUE(maker_.responses().busy());
  EXPECT_EQ(maker_.frames(), 2u);
  EXPECT_EQ(maker_.pictures(), 2u);
  EXPECT_EQ(drawn().id, first + 1);
  EXPECT_EQ(drawn().dropped_before, 0u);
  EXPECT_EQ(drawn().source, parts_.transport.source());
  EXPECT_EQ(drawn().captured, frame->captured);
  EXPECT_EQ(drawn().taken, parts_.transport.taken());
}

TEST_F(PictureMakerTest, WhatTheSinkThrowsIsAMessageAndTheNextPictureIsMade) {
  parts_.sink = [](auto&, auto&) { throw std::runtime_error("no room for this picture"); };
  EXPECT_TRUE(make(true));
  EXPECT_TRUE(said(parts_.messages, "no room for this picture"));
  int shown = 0;
  parts_.sink = [&](auto&, const Picture& picture) { shown += picture.size() == gpu::Size{8, 6}; };
  EXPECT_TRUE(make(true));
  EXPECT_EQ(shown, 1);
}

TEST_F(PictureMakerTest, AMovedWipeIsSomethingNewAlsoAfterAPictureForItsTimes) {
  parts_.change({"compare", "original,box_blur"});
  ASSERT_TRUE(make());
  for (const auto* wipe : {"0.25", "0.75"}) {
    maker_.measure_again();
    ASSERT_TRUE(make());
    EXPECT_TRUE(maker_.measured_again());
    parts_.change({"wipe", wipe});
    EXPECT_FALSE(make()) << "it is there already";
    EXPECT_TRUE(maker_.moved_wipe());
    EXPECT_FALSE(maker_.measured_again());
  }
}

// Frames that were left out have numbers, each its own.
TEST(PictureMakerFramesTest, TheNumberOfAPictureIsThatOfItsFrame) {
  SessionParts parts(host_settings("synthetic:64x48"));
  ASSERT_TRUE(parts.shows_source());
  std::optional<std::uint64_t> before;
  std::uint64_t dropped = 0;
  for (int turn = 0; turn < 4;) {
    std::this_thread::sleep_for(80ms);  // some frames
    const auto* frame = parts.transport.take(1s);
    if (!frame || !parts.maker.begin(frame, false, false, parts.saver)) continue;
    ASSERT_TRUE(parts.maker.show(1min, parts.saver));
    parts.maker.log().drawn();
    parts.maker.update();
    const auto& record = parts.maker.log().latest().back();
    const auto ahead = record.id - frame->sequence;
    EXPECT_EQ(ahead, before.value_or(ahead)) << turn;
    before = ahead;
    dropped += record.dropped_before;
    ++turn;
  }
  EXPECT_GT(dropped, 0u);
}

TEST_F(PictureMakerTest, WhereAMovedWipeCannotBeShownItsFrameIsMadeAnew) {
  parts_.change({"compare", "original,box_blur"});
  ASSERT_TRUE(make());
  int edge = 0, failures = 1;
  parts_.sink = [&](auto&, const Picture& picture) {
    if (failures-- > 0) throw gpu::CudaError(cudaErrorMemoryAllocation, std::source_location::current());
    edge = picture.pixels.edge;
  };
  parts_.change({"wipe", "0.25"});
  EXPECT_TRUE(make());
  EXPECT_EQ(edge, 2);
  EXPECT_FALSE(maker_.moved_wipe());
  EXPECT_FALSE(maker_.measured_again()) << "it is saved";
  EXPECT_FALSE(parts_.engine.has_substitute()) << "the wipe before was refused";
  EXPECT_FALSE(make()) << "it is shown";
}

TEST_F(PictureMakerTest, WhyThereIsNoPictureIsNewOnceForEachCause) {
  EXPECT_EQ(maker_.new_failure(), nullptr);
  for (const auto* width : {"500", "600"}) {
    parts_.change({"effect", "haar"});
    parts_.change({"haar.width", width});
    make();
    const auto* why = maker_.new_failure();
    ASSERT_TRUE(why) << width;
    EXPECT_NE(why->text.find("not fit"), std::string::npos) << why->text;
    EXPECT_EQ(maker_.new_failure(), nullptr) << "it was said";
    EXPECT_FALSE(maker_.retries()) << "the frame has its picture";
    parts_.change({"effect", "none"});
    ASSERT_TRUE(make(true));
    EXPECT_EQ(maker_.new_failure(), nullptr);
  }
  parts_.change({"effect", "haar"});
  make();
  maker_.drop_failure();
  EXPECT_EQ(maker_.new_failure(), nullptr) << "nobody wants to know";
}

TEST_F(PictureMakerTest, TheRunEndsWithItsFrames) {
  EXPECT_FALSE(maker_.has_all_frames(false));
  parts_.run.frames_of_endless = 2;
  EXPECT_FALSE(maker_.has_all_frames(false));
  parts_.run.frames_of_endless = 1;
  EXPECT_TRUE(maker_.has_all_frames(false)) << "a matrix has no end";
  parts_.run.frames = 2;
  EXPECT_FALSE(maker_.has_all_frames(false));
  EXPECT_TRUE(make(true));
  EXPECT_FALSE(maker_.has_all_frames(false)) << "the same frame once more is no other";
  parts_.run.frames = 1;
  EXPECT_TRUE(maker_.has_all_frames(false));
  parts_.run = {};
  parts_.run.offscreen = true;
  EXPECT_TRUE(maker_.has_all_frames(true)) << "its script has ended";
  parts_.change({"effect", "box_blur"});
  EXPECT_FALSE(maker_.has_all_frames(true)) << "there is no picture of what it set last";
  EXPECT_TRUE(make());
  EXPECT_TRUE(maker_.has_all_frames(true));
}

// Those that a run gives an endless source are for no other.
TEST(PictureMakerEndTest, AVideoEndsAtItsOwnEnd) {
  const TemporaryFolder folder;
  app::Run run;
  run.offscreen = true;
  run.frames_of_endless = 1;
  for (const auto& [source, ends] :
       {std::pair(capture::numbered_video(folder.path(), 5), false), {"synthetic:64x48", true}}) {
    SessionParts parts(host_settings(source), run);
    EXPECT_FALSE(parts.maker.has_all_frames(false)) << "it has none yet";
    EXPECT_TRUE(parts.shows_source());
    EXPECT_EQ(parts.maker.has_all_frames(false), ends) << source;
  }
}

TEST_F(PictureMakerTest, AnotherPathToTheWindowStartsTheFiguresAgain) {
  EXPECT_EQ(maker_.staged_reason(), "no picture yet");
  maker_.presented(false, "there is no GPU");
  ASSERT_TRUE(make(true));
  EXPECT_EQ(maker_.log().made_of_work(), 2u) << "the first one is no change";
  drawn();
  EXPECT_EQ(maker_.staged_reason(), "there is no GPU");
  EXPECT_FALSE(PictureMaker::by_interop(*maker_.log().shown_work()));
  ASSERT_TRUE(make(true));
  EXPECT_EQ(maker_.log().made_of_work(), 3u);
  parts_.settings.graph_range = FrameRange{1, 1};
  maker_.presented(true, "there was no GPU");
  EXPECT_TRUE(maker_.interop());
  EXPECT_EQ(maker_.staged_reason(), "");
  ASSERT_TRUE(make(true));
  drawn();
  EXPECT_EQ(maker_.log().made_of_work(), 1u);
  EXPECT_FALSE(parts_.settings.graph_range) << "it was of other work";
  EXPECT_TRUE(PictureMaker::by_interop(*maker_.log().shown_work()));
}

TEST_F(PictureMakerTest, ResetFiguresForgetTheirRange) {
  parts_.change({"check", "on"});
  ASSERT_TRUE(make());
  drawn();
  EXPECT_GT(maker_.light().checked(), 0u);
  parts_.settings.graph_range = FrameRange{1, 1};
  maker_.reset_statistics();
  EXPECT_EQ(maker_.light().checked(), 0u);
  EXPECT_FALSE(parts_.settings.graph_range);
  ASSERT_TRUE(make(true));
  EXPECT_EQ(maker_.log().made_of_work(), 1u);
}

}  // namespace
}  // namespace app
