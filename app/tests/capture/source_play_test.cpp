// Playback of sources: pace, pause, loop, the latest frame or every frame.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "app/capture/capture_thread.h"
#include "app/capture/source.h"
#include "app/tests/capture/fake_source.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

// The file that a result would replace, whatever kind of source names it.
TEST(SourcePlayFileTest, IsFoundBehindSchemesAndWords) {
  const auto here = std::filesystem::current_path();
  for (const char* url : {"FILE:///x/a%20b.mp4", "file://localhost/x/a b.mp4", "File://LOCALHOST/x/%61%20b.mp4",
                          "file:/x/a b.mp4", "matrix:file:///x/a%20b.mp4"})
    EXPECT_EQ(source_file(url), "/x/a b.mp4") << url;
  // No codes; NUL would end the path; no URL; not on this machine.
  const std::pair<const char*, std::filesystem::path> table[] = {{"a.mp4", here / "a.mp4"},
                                                                 {"file:///x/a.mp4", "/x/a.mp4"},
                                                                 {"file:///x/100%/%zz%4", "/x/100%/%zz%4"},
                                                                 {"file:///x/a%00.csv", "/x/a%00.csv"},
                                                                 {"/x/a%20b.mp4", "/x/a%20b.mp4"},
                                                                 {"file://other/x/a.mp4", ""},
                                                                 {"file:a.mp4", here / "file:a.mp4"},
                                                                 {"cache:file:///x/a.mp4", here / "cache:file:/x/a.mp4"},
                                                                 {"m.csv", here / "m.csv"},
                                                                 {"matrix:m.csv", here / "m.csv"},
                                                                 {"matrix:file:///x/m.csv", "/x/m.csv"},
                                                                 {"matrix", ""},
                                                                 {"rtsp://camera/1", ""}};
  for (const auto& [source, file] : table) EXPECT_EQ(source_file(source), file) << source;
  EXPECT_EQ(source_file("").filename(), "clip.mp4");
}

TEST(SourcePlayTest, MaxSpeedLosesNothingEvenIfTheConsumerIsSlow) {
  constexpr std::uint64_t count = 300;
  JoinedCapture capture({.source = "file", .max_speed = true}, fake(pictures(count), file_info()));
  for (std::uint64_t n = 0; n < count; ++n) {
    if (n % 50 == 0) std::this_thread::sleep_for(5ms);
    const Frame* frame = next_frame(capture);
    ASSERT_EQ(frame->sequence, n);
  }
  EXPECT_TRUE(reaches(capture, Phase::ended));
  EXPECT_EQ(capture.status().delivered, count);
  EXPECT_EQ(capture.status().dropped, 0u);
}

TEST(SourcePlayTest, ACamerasLatestFrameReplacesEarlierOnesWhichCountAsDropped) {
  std::atomic<bool> done = false;
  const auto sends = [&](Frame& frame, std::uint64_t n, std::stop_token stop) {
    if (n < 50) return picture(frame, n);
    done = true;
    eventually([&] { return stop.stop_requested(); });
    return Read::end;
  };
  JoinedCapture capture({.max_speed = true}, fake(sends, live_info()));
  ASSERT_TRUE(eventually([&] { return done.load(); }));
  const Frame* frame = capture.take();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->sequence, 49u);
  EXPECT_EQ(capture.take(), nullptr);
  EXPECT_EQ(capture.status().delivered, 50u);
  EXPECT_EQ(capture.status().dropped, 49u);
  EXPECT_LE(frame->captured, std::chrono::steady_clock::now());
  EXPECT_GT(frame->captured, std::chrono::steady_clock::now() - 1min);
}

TEST(SourcePlayTest, APausedFileContinuesWhereItStopped) {
  std::atomic<std::uint64_t> reads = 0;
  const auto counted = [&](Frame& frame, std::uint64_t n, std::stop_token) { return ++reads, picture(frame, n); };
  JoinedCapture capture({.source = "file", .max_speed = true}, fake(counted, file_info()));
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  std::uint64_t last = 0;
  while (const Frame* frame = capture.take(200ms)) last = frame->sequence;
  const std::uint64_t at_rest = reads;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(reads, at_rest);
  capture.set_paused(false);
  const Frame* frame = next_frame(capture);
  EXPECT_EQ(frame->sequence, last + 1);
}

TEST(SourcePlayTest, APauseIsNotReportedAsASourceWithoutFrames) {
  JoinedCapture capture({.source = "file"}, fake(pictures(), file_info()), {.open = 10s, .picture = 20ms});
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(capture.status().message, "");
}

TEST(SourcePlayTest, ASlowConsumerIsNotReportedAsASourceWithoutFrames) {
  for (const bool max_speed : {true, false}) {
    auto info = file_info();
    info.fps = 2;  // the second picture is due, or replaced, after half a second
    const auto slow = [](Frame& frame, std::uint64_t n, std::stop_token) {
      picture(frame, n);
      frame.position = static_cast<double>(n) / 2;
      return Read::frame;
    };
    JoinedCapture capture({.source = "file", .max_speed = max_speed}, fake(slow, info), {.open = 10s, .picture = 50ms});
    ASSERT_NE(capture.take(20s), nullptr);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(capture.status().message, "") << max_speed;
  }
}

// A camera of 1000 frames per second at most; `reads` has how many were read.
SourceFactory counting_camera(std::atomic<std::uint64_t>& reads) {
  return fake(
      [&reads](Frame& frame, std::uint64_t n, std::stop_token) {
        ++reads;
        std::this_thread::sleep_for(1ms);
        return picture(frame, n);
      },
      live_info());
}

TEST(SourcePlayTest, APausedCameraKeepsReadingButShowsAndDropsNothing) {
  std::atomic<std::uint64_t> reads = 0;
  JoinedCapture capture({}, counting_camera(reads));
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  const auto then = reads.load();
  ASSERT_TRUE(eventually([&] { return reads > then + 1; }));  // the one in flight when it was paused has arrived
  capture.take();
  const auto delivered = capture.status().delivered;
  ASSERT_TRUE(eventually([&] { return reads > then + 20; }));
  EXPECT_EQ(capture.take(), nullptr);
  EXPECT_EQ(capture.status().delivered, delivered);
  capture.set_paused(false);
  const Frame* frame = next_frame(capture);
  EXPECT_LT(frame->sequence, capture.status().delivered);
}

TEST(SourcePlayTest, AFileEnds) {
  JoinedCapture capture({.source = "file"}, fake(pictures(3), file_info()));
  EXPECT_TRUE(reaches(capture, Phase::ended));
  EXPECT_EQ(capture.status().delivered, 3u);
  EXPECT_EQ(capture.take()->sequence, 2u);
  EXPECT_EQ(capture.status().description, "fake");
  EXPECT_EQ(capture.status().kind, SourceKind::video);
}

TEST(SourcePlayTest, ALoopedFileStartsAgain) {
  JoinedCapture capture({.source = "file", .loop = true, .max_speed = true}, fake(pictures(3), file_info()));
  for (std::uint64_t n = 0; n < 10; ++n) {
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->sequence, n);
    EXPECT_EQ(frame->pixels.data()[0].b, n % 3);
    EXPECT_DOUBLE_EQ(frame->position, static_cast<double>(n % 3) / 1000);
  }
}

TEST(SourcePlayTest, ALoopWhoseSecondPassIsEmptyEnds) {
  int pass = 0;
  const auto once = [&](Frame& frame, std::uint64_t n, std::stop_token) {
    pass += n == 0;
    return pass == 1 && n == 0 ? picture(frame, n) : Read::end;
  };
  JoinedCapture capture({.source = "once", .loop = true}, fake(once, file_info()));
  EXPECT_TRUE(reaches(capture, Phase::ended));
}

TEST(SourcePlayTest, AStillImageIsDeliveredOnceAndStaysInPlayback) {
  const auto still = [](Frame& frame, std::uint64_t n, std::stop_token) {
    EXPECT_EQ(n, 0u);
    return picture(frame, n), Read::still;
  };
  JoinedCapture capture({.source = "image"}, fake(still, file_info()), {.open = 20ms, .picture = 20ms});
  const Frame* frame = next_frame(capture);
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(capture.status().phase, Phase::playing);
  EXPECT_EQ(capture.status().message, "");
  EXPECT_EQ(capture.take(), nullptr);
  EXPECT_EQ(frame->size, (gpu::Size{4, 2}));
}

// A camera that says what it likes, and delivers what it is told to.
class Camera : public FakeSource {
 public:
  Camera(const std::atomic<Read>& next, std::string message)
      : FakeSource(live_info(),
                   [&next](Frame& frame, std::uint64_t n, std::stop_token) {
                     std::this_thread::sleep_for(1ms);
                     return next == Read::frame ? picture(frame, n) : next.load();
                   }),
        message_(std::move(message)) {}
  SourceInfo info() const override {
    SourceInfo info = FakeSource::info();
    info.message = message_;
    return info;
  }

 private:
  std::string message_;
};

TEST(SourcePlayTest, ASourceThatIsLostIsTriedAgainUntilItDeliversWhereSomebodyWaits) {
  std::atomic<Read> next = Read::frame;
  for (const bool retry : {true, false}) {
    next = Read::frame;
    JoinedCapture capture({.retry = retry},
                          [&](const Request&, const Opening&) { return std::make_unique<Camera>(next, "unplugged"); });
    EXPECT_TRUE(reaches(capture, Phase::playing));
    EXPECT_EQ(capture.status().loss, "");
    next = Read::lost;
    EXPECT_TRUE(reaches(capture, retry ? Phase::retrying : Phase::failed));
    EXPECT_EQ(capture.status().message, "unplugged");
    EXPECT_EQ(capture.status().loss, retry ? "unplugged" : "");
    if (!retry) break;
    next = Read::frame;
    EXPECT_TRUE(reaches(capture, Phase::playing));
    EXPECT_EQ(capture.status().loss, "");
  }
}

TEST(SourcePlayTest, EveryKindHasAName) {
  EXPECT_EQ(name(SourceKind::unknown), "");
  EXPECT_EQ(name(SourceKind::synthetic), "synthetic");
  EXPECT_EQ(name(SourceKind::video), "video");
}

TEST(SourcePlayTest, ASourceThatWaitsForAMomentPlaysOn) {
  std::atomic<Read> next = Read::frame;
  JoinedCapture capture({}, [&](const Request&, const Opening&) { return std::make_unique<Camera>(next, "640x480 only"); });
  EXPECT_TRUE(reaches(capture, Phase::playing));
  next = Read::waiting;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(capture.status().phase, Phase::playing);
  }
}

TEST(SourcePlayPaceTest, PicturesAreDueByTheirTimestampsButOneThatFellFarBehindDoesNotCatchUp) {
  Pace pace, late;
  const Pace::Clock::time_point start{};
  EXPECT_EQ(pace.due(0, start), start);
  EXPECT_EQ(pace.due(0.5, start + 100ms), start + 500ms);
  EXPECT_EQ(pace.due(0.6, start + 700ms), start + 600ms);  // late, but not lost: the next is due at its own time
  EXPECT_EQ(pace.due(0.75, start + 700ms), start + 750ms);
  late.due(0, start);
  EXPECT_EQ(late.due(0.1, start + 2s), start + 2s);
  EXPECT_EQ(late.due(0.2, start + 2s), start + 2100ms);
}

TEST(SourcePlayPaceTest, ANewPassFollowsTheLastPictureAndAPauseIsNotMadeUpFor) {
  Pace pace;
  const Pace::Clock::time_point start{};
  pace.due(0, start);
  pace.due(1, start + 900ms);
  pace.next_pass(0.125);
  EXPECT_EQ(pace.due(0, start + 1s), start + 1125ms);
  pace.forget();
  EXPECT_EQ(pace.due(0.125, start + 60s), start + 60s);
  EXPECT_EQ(pace.due(0.25, start + 60s), start + 60s + 125ms);
}

}  // namespace
}  // namespace app::capture
