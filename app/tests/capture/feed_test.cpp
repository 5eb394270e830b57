// The feed: a new source takes over with its first frame; one that fails changes nothing.
#include "app/capture/feed.h"

#include <gtest/gtest.h>
#include <opencv2/videoio.hpp>

#include <atomic>
#include <cstring>

#include "app/support/text.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/capture/http_camera.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

capture::Request request(const std::string& source) {
  capture::Request request;
  request.source = source;
  return request;
}

// The first frame of at least `wanted` size; nullptr if none arrives in time.
const capture::Frame* frame_of_size(Feed& feed, gpu::Size wanted) {
  const capture::Frame* frame = nullptr;
  const bool came = capture::eventually([&] { return (frame = feed.take(20ms)) && frame->size == wanted; });
  return came ? frame : nullptr;
}

// The failure of a new source, or of the one shown; empty: there is none in time.
std::string failure(Feed& feed) {
  std::string why;
  capture::eventually([&] {
    feed.take(20ms);
    why = feed.open_failure().why.empty() ? feed.failure() : feed.open_failure().why;
    return !why.empty();
  });
  return why;
}

std::string failures(const Feed& feed) { return feed.open_failure().why + feed.failure(); }

// A feed that plays one already.
class PlayingFeedTest : public testing::Test {
 protected:
  void SetUp() override {
    feed.open(request("synthetic:64x48"));
    ASSERT_NE(frame_of_size(feed, {64, 48}), nullptr);
  }
  Feed feed;
};

TEST(FeedTest, NothingIsOpenAtFirst) {
  Feed feed;
  EXPECT_EQ(feed.take(0ms), nullptr);
  EXPECT_EQ(feed.last(), nullptr);
  EXPECT_EQ(feed.request(), nullptr);
  EXPECT_TRUE(feed.ended());
}

TEST_F(PlayingFeedTest, ANewSourceTakesOverWithItsFirstFrame) {
  feed.open(request("synthetic:32x24"));
  EXPECT_EQ(feed.request()->source, "synthetic:64x48");
  ASSERT_NE(frame_of_size(feed, {32, 24}), nullptr);
  EXPECT_EQ(feed.request()->source, "synthetic:32x24");
  EXPECT_FALSE(feed.opening());
}

// As fast as possible: else no second picture comes for a quarter of an hour.
TEST(FeedTest, ASourceThatIsBeingOpenedPlaysAsIsSetMeanwhile) {
  std::promise<void> gate;
  Feed feed([opened = gate.get_future().share()](const capture::Request& asked, const capture::Opening&) {
    if (asked.source == "next") opened.wait();
    return std::make_unique<capture::FakeSource>(capture::file_info(), [](auto& frame, auto n, auto&&) {
      capture::picture(frame, n);
      frame.position = 1000 * static_cast<double>(n);
      return capture::Source::Read::frame;
    });
  });
  feed.open(request("first"));
  ASSERT_NE(frame_of_size(feed, {4, 2}), nullptr);
  for (std::uint64_t number = 2; number < 4; ++number) {
    feed.open(request("next"));
    feed.set_playback({.max_speed = true});
    if (number == 2) gate.set_value();
    EXPECT_TRUE(capture::eventually([&] {
      const auto* frame = feed.take(5ms);
      return frame && feed.source_number() == number && frame->sequence >= 3;
    })) << number;
  }
}

TEST_F(PlayingFeedTest, ASourceThatFailsLeavesThePreviousOneRunning) {
  feed.open(request("/no/such/file.mp4"));
  const auto why = failure(feed);
  EXPECT_NE(why.find("/no/such/file.mp4"), std::string::npos) << why;
  EXPECT_EQ(feed.open_failure().number, 1u);
  EXPECT_EQ(feed.failure(), "");
  EXPECT_EQ(feed.request()->source, "synthetic:64x48");
  EXPECT_NE(frame_of_size(feed, {64, 48}), nullptr);
}

TEST_F(PlayingFeedTest, AFailureIsSaidUntilAnotherSourceIsAskedFor) {
  for (std::uint64_t number = 1; number < 3; ++number) {
    feed.open(request("/no/such/file.mp4"));
    EXPECT_EQ(feed.open_failure().why, "");
    EXPECT_NE(failure(feed), "");
    EXPECT_EQ(feed.open_failure().number, number);
    feed.open(request("synthetic:32x24"));
    EXPECT_EQ(feed.open_failure().why, "");
    ASSERT_NE(frame_of_size(feed, {32, 24}), nullptr);
    EXPECT_EQ(feed.open_failure().why, "");
  }
}

TEST(FeedTest, ASizeThatASourceCannotHaveLeavesItRunning) {
  Feed feed;
  feed.open(request("synthetic"));
  EXPECT_EQ(feed.will_play()->size, (gpu::Size{}));
  ASSERT_NE(frame_of_size(feed, {1280, 720}), nullptr);
  auto too_large = request("synthetic");
  too_large.size = {maximum_side + 1, 16};
  feed.open(too_large);
  ASSERT_NE(failure(feed), "");
  ASSERT_NE(feed.request(), nullptr);
  EXPECT_EQ(feed.will_play()->size, (gpu::Size{}));
  EXPECT_NE(frame_of_size(feed, {1280, 720}), nullptr);
}

// A camera as the system gives it: to one at a time, and it takes its time to be closed.
struct FakeCamera {
  std::atomic<bool> in_use = false;
  std::atomic<int> opened = 0;
};

constexpr gpu::Size usual{4, 2}, refused{6, 2};

class FakeCameraSource : public capture::FakeSource {
 public:
  FakeCameraSource(FakeCamera& camera, const capture::Request& request, const capture::Opening& opening)
      : FakeSource(camera_info(), script(request)), hold_(opening.claim(capture::camera_device)), camera_(camera) {
    if (camera_.in_use.exchange(true)) throw capture::SourceError("camera 0 could not be opened: another program uses it");
    ++camera_.opened;
  }
  ~FakeCameraSource() override {
    std::this_thread::sleep_for(20ms);
    camera_.in_use = false;
  }

 private:
  static capture::SourceInfo camera_info() {
    auto info = capture::live_info();
    info.kind = capture::SourceKind::camera;
    info.device = capture::camera_device;
    return info;
  }
  static capture::Script script(const capture::Request& request) {
    return
        [size = request.size.pixels() > 0 ? request.size : usual](capture::Frame& frame, std::uint64_t n, std::stop_token) {
          std::this_thread::sleep_for(5ms);  // until it comes
          if (size == refused) throw capture::SourceError("camera 0 has no such size");
          return capture::picture(frame, n, size);
        };
  }
  capture::Devices::Hold hold_;
  FakeCamera& camera_;
};

// "camera", "file", which claims a device of its own, and all else fails.
class FeedOfACameraTest : public testing::Test {
 protected:
  static capture::Request camera_of(gpu::Size size) {
    auto of = request("camera");
    of.size = size;
    return of;
  }
  std::unique_ptr<capture::Source> open(const capture::Request& request, const capture::Opening& opening) {
    if (request.source == "camera") return std::make_unique<FakeCameraSource>(camera_, request, opening);
    if (request.source != "file") throw capture::SourceError("there is no " + request.source);
    auto hold = opening.claim(request.source);
    file_is_open_ = true;
    const auto reads = [this, hold](capture::Frame& frame, std::uint64_t n, std::stop_token stop) {
      while (!file_delivers_ && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
      return capture::picture(frame, n, {8, 8});
    };
    return std::make_unique<capture::FakeSource>(capture::file_info(), reads);
  }
  void SetUp() override {
    feed_.open(request("camera"));
    ASSERT_NE(frame_of_size(feed_, usual), nullptr);
  }

  FakeCamera camera_;
  std::atomic<bool> file_is_open_ = false, file_delivers_ = false;
  capture::WaitForThreads wait_;  // after the feed's end: they use what is above
  Feed feed_{[this](const auto& request, const auto& opening) { return open(request, opening); }};
};

TEST_F(FeedOfACameraTest, IsClosedBeforeItIsOpenedWithAnotherSize) {
  for (const int width : {8, 12, 16, 20}) {
    feed_.open(camera_of({width, 2}));
    ASSERT_NE(frame_of_size(feed_, {width, 2}), nullptr);
    EXPECT_EQ(failures(feed_), "");
  }
  EXPECT_EQ(camera_.opened, 5);
}

TEST_F(FeedOfACameraTest, IsOpenedOnceMoreAndTheLastOfManyQuickChangesPlays) {
  feed_.open(request("camera"));
  ASSERT_TRUE(capture::eventually([&] { return feed_.take(1ms) && feed_.source_number() == 2; }));
  EXPECT_EQ(failures(feed_), "");
  for (const int width : {8, 12, 16, 20}) feed_.open(camera_of({width, 2}));
  EXPECT_NE(frame_of_size(feed_, {20, 2}), nullptr);
  EXPECT_EQ(failures(feed_), "");
}

TEST_F(FeedOfACameraTest, PlaysOnUntilAFileDeliversItsFirstFrame) {
  feed_.open(request("file"));
  ASSERT_TRUE(capture::eventually([&] { return file_is_open_.load(); }));
  const auto before = feed_.last()->sequence;
  ASSERT_TRUE(capture::eventually([&] { return feed_.take(1ms) && feed_.last()->sequence > before + 3; }));
  EXPECT_EQ(feed_.last()->size, usual);
  file_delivers_ = true;
  ASSERT_NE(frame_of_size(feed_, {8, 8}), nullptr);
  EXPECT_TRUE(capture::eventually([&] { return !camera_.in_use; }));
  EXPECT_EQ(camera_.opened, 1);
}

TEST_F(FeedOfACameraTest, PlaysOnWhereAFileFails) {
  feed_.open(request("nothing"));
  EXPECT_EQ(failure(feed_), "there is no nothing");
  ASSERT_NE(feed_.request(), nullptr);
  EXPECT_EQ(feed_.request()->source, "camera");
  const auto before = feed_.last()->sequence;
  EXPECT_TRUE(capture::eventually([&] { return feed_.take(1ms) && feed_.last()->sequence > before + 3; }));
  EXPECT_EQ(camera_.opened, 1);
}

TEST_F(FeedOfACameraTest, IsOpenedAgainAsItWasWhereItsNewSizeFails) {
  ASSERT_TRUE(capture::eventually([&] { return feed_.take(1ms) && feed_.last()->position > 0; }));
  feed_.open(camera_of(refused));
  while (feed_.open_failure().why.empty()) feed_.take(1ms);
  EXPECT_GT(feed_.last()->position, 0) << "the last frame is kept as it was";
  EXPECT_EQ(feed_.open_failure().why, "camera 0 has no such size");
  EXPECT_EQ(feed_.request(), nullptr);
  ASSERT_NE(feed_.will_play(), nullptr);
  EXPECT_EQ(feed_.will_play()->size, gpu::Size{});
  ASSERT_NE(frame_of_size(feed_, usual), nullptr);
  EXPECT_EQ(feed_.source_number(), 2u);
  EXPECT_EQ(feed_.open_failure().number, 1u);
  EXPECT_EQ(feed_.failure(), "");
  EXPECT_EQ(camera_.opened, 3);
}

TEST(FeedTest, ATruncatedVideoIsAWarning) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "cut.avi").string();
  cv::VideoWriter writer(path, cv::CAP_FFMPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {64, 48});
  for (int n = 0; n < 100; ++n) writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(n)));
  writer.release();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  Feed feed;
  auto cut = request(path);
  cut.max_speed = true;
  feed.open(cut);
  EXPECT_EQ(feed.warning(), "");
  capture::eventually([&] { return feed.take(20ms), feed.ended(); });
  EXPECT_NE(feed.warning().find("may be truncated"), std::string::npos) << feed.warning();
  EXPECT_EQ(failures(feed), "");
}

TEST(FeedTest, ASourceHasNotEndedWhileItsLastFrameWaits) {
  Feed feed(capture::fake(capture::pictures(2), capture::file_info()));
  auto short_file = request("short");
  short_file.max_speed = true;
  feed.open(short_file);
  while (!feed.take(20ms)) ASSERT_FALSE(feed.ended());
  ASSERT_TRUE(capture::eventually([&] { return feed.status().phase == capture::Phase::ended; }));
  EXPECT_FALSE(feed.ended());
  EXPECT_FALSE(feed.quiet());
  ASSERT_NE(feed.take(0ms), nullptr);
  EXPECT_TRUE(feed.ended());
}

TEST(FeedTest, AStreamThatIsLostIsQuietUntilItPlaysAgain) {
  HttpCamera camera;
  if (!camera.started()) GTEST_SKIP() << "ffmpeg is not installed";
  ASSERT_TRUE(camera.wait_until_it_listens());
  Feed feed;
  auto stream = request(camera.url());
  stream.retry = true;
  feed.open(stream);
  ASSERT_NE(frame_of_size(feed, {320, 240}), nullptr);
  EXPECT_FALSE(feed.quiet());
  for (int loss = 0; loss < 2; ++loss) {
    camera.unplug();
    for (int wait = 0; wait < 1000 && feed.loss().empty(); ++wait) feed.take(20ms);
    EXPECT_EQ(feed.loss(),
              "lost '" + camera.url() + "': it stopped sending frames; check the camera or its network; trying again");
    for (const auto end = std::chrono::steady_clock::now() + 2s; std::chrono::steady_clock::now() < end;) {
      feed.take(20ms);  // an attempt fails meanwhile
      EXPECT_NE(feed.loss(), "");
      EXPECT_EQ(failures(feed), "");
      EXPECT_TRUE(feed.quiet());
      EXPECT_FALSE(feed.ended());
    }
    feed.open(stream);  // the user tries at once, too early
    for (int wait = 0; wait < 50; ++wait) feed.take(20ms);
    EXPECT_EQ(failures(feed), "");
    camera.plug_in();
    ASSERT_NE(frame_of_size(feed, {320, 240}), nullptr);
    EXPECT_FALSE(feed.quiet());
    EXPECT_EQ(feed.loss(), "");
  }
}

TEST(FeedTest, EverySourceThatTakesOverHasANumber) {
  Feed feed;
  EXPECT_EQ(feed.source_number(), 0u);
  feed.open(request("synthetic:64x48"));
  EXPECT_EQ(feed.source_number(), 0u);
  ASSERT_NE(frame_of_size(feed, {64, 48}), nullptr);
  ASSERT_NE(feed.take(20s), nullptr);
  EXPECT_EQ(feed.source_number(), 1u);
  feed.open(request("synthetic:64x48"));
  EXPECT_EQ(feed.source_number(), 1u);  // its last frame is shown still
  EXPECT_TRUE(capture::eventually([&] { return feed.take(1ms) && feed.source_number() == 2; }));
}

TEST_F(PlayingFeedTest, TheLastFrameOutlivesItsSource) {
  const auto* frame = feed.last();
  const std::vector<gpu::Bgr> before(frame->pixels.data(), frame->pixels.data() + frame->size.pixels());
  auto again = request("synthetic:64x48");
  again.size = {32, 24};
  feed.open(again);
  ASSERT_NE(feed.last(), nullptr);
  ASSERT_EQ(feed.last()->size, (gpu::Size{64, 48}));
  EXPECT_EQ(std::memcmp(feed.last()->pixels.data(), before.data(), before.size() * sizeof(gpu::Bgr)), 0);
}

TEST_F(PlayingFeedTest, PausedStaysPausedAcrossSources) {
  feed.set_paused(true);
  feed.take(50ms);
  feed.take(50ms);  // a frame in flight
  EXPECT_EQ(feed.take(200ms), nullptr);
  feed.open(request("synthetic:32x24"));
  ASSERT_NE(frame_of_size(feed, {32, 24}), nullptr);  // a first picture, then it is paused
  feed.take(50ms);
  feed.take(50ms);
  EXPECT_EQ(feed.take(200ms), nullptr);
}

// What is shown, said and asked for before anything was opened, and where nothing could be.
TEST(FeedTest, WithoutASourceItSaysWhy) {
  Feed feed(capture::fake(
      [](capture::Frame&, std::uint64_t, std::stop_token) -> capture::Read { throw capture::SourceError("it broke"); }));
  EXPECT_EQ(feed.status().phase, capture::Phase::failed);
  EXPECT_EQ(feed.status().message, "no source is open");
  EXPECT_EQ(feed.no_seek(), "no source is open");
  EXPECT_EQ(feed.will_play(), nullptr);
  feed.set_paused(true), feed.seek(1), feed.step(1), feed.set_playback({.loop = true});
  EXPECT_FALSE(feed.seeking());
  for (std::uint64_t number = 1; number < 3; ++number) {
    feed.open(request("x"));
    EXPECT_FALSE(feed.ended() || feed.quiet()) << "it is opened";
    ASSERT_NE(feed.will_play(), nullptr);
    EXPECT_EQ(feed.request(), nullptr);
    EXPECT_EQ(failure(feed), "it broke");
    EXPECT_EQ(feed.open_failure().number, number);
    EXPECT_EQ(feed.status().message, "it broke");
    EXPECT_EQ(feed.no_seek(), "it broke");
    EXPECT_EQ(feed.failure() + feed.loss() + feed.warning(), "");
    EXPECT_TRUE(feed.ended() && feed.quiet());
    EXPECT_FALSE(feed.opening());
    EXPECT_EQ(feed.will_play(), nullptr);
  }
}

TEST(FeedTest, ASourceThatBreaksLaterSaysItUntilAnotherPlays) {
  std::atomic<bool> breaks = false;
  capture::WaitForThreads wait;
  Feed feed([&](const capture::Request& asked, const capture::Opening&) {
    return std::make_unique<capture::FakeSource>(
        capture::live_info(),
        [&, broken = asked.source == "broken"](capture::Frame& frame, std::uint64_t n, std::stop_token) {
          std::this_thread::sleep_for(1ms);
          if (broken && breaks) throw capture::SourceError("it broke");
          return capture::picture(frame, n, broken ? gpu::Size{4, 2} : gpu::Size{6, 2});
        });
  });
  for (std::uint64_t round = 0; round < 2; ++round) {
    breaks = false;
    feed.open(request("broken"));
    ASSERT_NE(frame_of_size(feed, {4, 2}), nullptr);
    EXPECT_EQ(feed.failure(), "");
    EXPECT_FALSE(feed.ended() || feed.quiet());
    breaks = true;
    EXPECT_EQ(failure(feed), "it broke");
    EXPECT_EQ(feed.open_failure().number, 0u) << "it had been opened";
    while (feed.take(0ms)) continue;
    EXPECT_TRUE(feed.ended() && feed.quiet());
    feed.open(request("good"));
    ASSERT_NE(frame_of_size(feed, {6, 2}), nullptr);
    EXPECT_EQ(feed.failure(), "");
    EXPECT_FALSE(feed.ended());
  }
}

// A still picture stays; a video after it is none, and the other way round.
TEST(FeedTest, OnlyAPictureThatStaysIsStill) {
  Feed feed;
  for (int round = 0; round < 2; ++round) {
    feed.open(request("matrix:4x4"));
    ASSERT_NE(frame_of_size(feed, {4, 4}), nullptr);
    EXPECT_EQ(feed.still(), feed.last());
    EXPECT_TRUE(feed.quiet());
    feed.open(request("synthetic:64x48"));
    EXPECT_FALSE(feed.quiet());
    ASSERT_NE(frame_of_size(feed, {64, 48}), nullptr);
    EXPECT_EQ(feed.still(), nullptr);
    EXPECT_FALSE(feed.quiet());
    feed.set_paused(true);
    EXPECT_TRUE(feed.quiet());
    feed.set_paused(false);
    EXPECT_FALSE(feed.quiet());
  }
}

// How far it is: it is known to be a picture that stays, and its frame has not come.
TEST(FeedTest, NothingIsStillWhileASourceOpens) {
  std::atomic<bool> arrives = false;
  capture::WaitForThreads wait;
  auto info = capture::file_info();
  info.kind = capture::SourceKind::image;
  Feed feed([&](const capture::Request& asked, const capture::Opening&) {
    return std::make_unique<capture::FakeSource>(
        info, [&, slow = asked.source == "slow"](capture::Frame& frame, std::uint64_t n, std::stop_token stop) {
          while (slow && !arrives && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
          capture::picture(frame, n, slow ? gpu::Size{4, 2} : gpu::Size{6, 2});
          return capture::Read::still;
        });
  });
  for (int round = 0; round < 2; ++round) {
    arrives = false;
    feed.open(request("first"));
    ASSERT_NE(frame_of_size(feed, {6, 2}), nullptr);
    EXPECT_EQ(feed.still(), feed.last());
    feed.open(request("slow"));
    while (!capture::is_still(feed.status().kind)) std::this_thread::yield();
    EXPECT_EQ(feed.still(), nullptr);
    EXPECT_FALSE(feed.quiet());
    arrives = true;
    ASSERT_NE(frame_of_size(feed, {4, 2}), nullptr);
    EXPECT_EQ(feed.still(), feed.last());
  }
}

TEST(FeedTest, RequestsAreTheSameWhereEachPartIs) {
  capture::Request one;
  one.source = "a", one.size = {1, 2}, one.fps = 3, one.matrix = "4";
  EXPECT_TRUE(same_request(one, one));
  for (const auto change : {+[](capture::Request& r) { r.source = "b"; }, +[](capture::Request& r) { r.size.width = 9; },
                            +[](capture::Request& r) { r.size.height = 9; }, +[](capture::Request& r) { r.fps = 9; },
                            +[](capture::Request& r) { r.matrix = "9"; }}) {
    auto other = one;
    change(other);
    EXPECT_FALSE(same_request(one, other));
  }
  auto other = one;
  other.loop = true, other.max_speed = true;
  EXPECT_TRUE(same_request(one, other)) << "how it plays is no other source";
}

}  // namespace
}  // namespace app
