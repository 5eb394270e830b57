// Live sources that fail are opened again until they play; others are not.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "app/tests/capture/fake_source.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

// A network camera that fails, is unreachable for two attempts and comes back.
struct ComingAndGoing {
  std::atomic<int> attempts = 0;
  SourceFactory factory(bool live = true) {
    return [this, live](const Request&, const Opening&) -> std::unique_ptr<Source> {
      const int attempt = ++attempts;
      if (attempt == 2 || attempt == 3) throw SourceError("'camera' could not be opened");
      return std::make_unique<FakeSource>(live ? live_info() : file_info(),
                                          [attempt](Frame& frame, std::uint64_t n, std::stop_token) {
                                            std::this_thread::sleep_for(1ms);
                                            if (attempt == 1 && n == 3) throw SourceError("'camera' stopped sending frames");
                                            return picture(frame, n);
                                          });
    };
  }
};
constexpr Patience hasty_retry{.retry = 1ms, .longest_retry = 4ms};

TEST(CaptureRetryTest, ALiveSourceThatFailsIsReopenedUntilItPlays) {
  ComingAndGoing camera;
  JoinedCapture capture({.source = "camera", .retry = true}, camera.factory(), hasty_retry);
  ASSERT_TRUE(eventually([&] { return capture.status().delivered > 10; }));
  EXPECT_EQ(camera.attempts, 4);
  EXPECT_EQ(capture.status().phase, Phase::playing);
  EXPECT_EQ(capture.status().loss, "");
}

TEST(CaptureRetryTest, AFailedSourceReportsHowOftenItIsRetriedAndCanBeClosedMeanwhile) {
  ComingAndGoing camera;
  const auto start = std::chrono::steady_clock::now();
  {
    JoinedCapture capture({.source = "camera", .retry = true}, camera.factory(), {.retry = 1h});
    ASSERT_TRUE(reaches(capture, Phase::retrying));
    EXPECT_EQ(capture.status().message, "lost 'camera': it stopped sending frames; trying again, at least every 3600 s");
    EXPECT_EQ(capture.status().loss, "lost 'camera': it stopped sending frames; trying again");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  EXPECT_EQ(camera.attempts, 1);
}

TEST(CaptureRetryTest, TheNextAttemptCanBeMadeAtOnce) {
  ComingAndGoing camera;
  JoinedCapture capture({.source = "camera", .retry = true}, camera.factory(), {.retry = 1h});
  EXPECT_FALSE(capture.retry_now()) << "it is not lost";
  for (int attempt = 1; attempt <= 3; ++attempt) {
    // The message says that it waits. The phase is the same during an attempt, which ignores the request. Each wait is the
    // first again: a doubled one would be the longest, which is shorter here.
    ASSERT_TRUE(eventually([&] { return capture.status().message.ends_with("at least every 3600 s"); }));
    EXPECT_EQ(camera.attempts, attempt);
    EXPECT_TRUE(capture.retry_now());
    ASSERT_TRUE(eventually([&] { return camera.attempts > attempt; }));
  }
  EXPECT_TRUE(reaches(capture, Phase::playing));
}

TEST(CaptureRetryTest, ALongWaitBeforeTheNextAttemptIsNoFailure) {
  ComingAndGoing camera;
  JoinedCapture capture({.source = "camera", .retry = true}, camera.factory(), {.open = 20ms, .retry = 1h});
  ASSERT_TRUE(reaches(capture, Phase::retrying));
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(capture.status().phase, Phase::retrying);
}

TEST(CaptureRetryTest, AnAttemptToOpenALostSourceThatHangsIsAFailureUntilItPlays) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future();
  std::atomic<int> attempts = 0;
  JoinedCapture capture({.source = "camera", .retry = true},
                        [&](const Request&, const Opening& opening) -> std::unique_ptr<Source> {
                          const int attempt = ++attempts;
                          if (attempt == 2) {
                            opening.say("connecting");
                            released.wait();
                          }
                          return std::make_unique<FakeSource>(live_info(),
                                                              [attempt](Frame& frame, std::uint64_t n, std::stop_token) {
                                                                std::this_thread::sleep_for(1ms);
                                                                if (attempt == 1 && n == 3)
                                                                  throw SourceError("'camera' stopped sending frames");
                                                                return picture(frame, n);
                                                              });
                        },
                        {.open = 200ms, .retry = 1ms});
  ASSERT_TRUE(eventually([&] { return capture.status().message == "connecting"; }));
  EXPECT_EQ(capture.status().phase, Phase::retrying);
  EXPECT_TRUE(reaches(capture, Phase::failed));
  EXPECT_NE(capture.status().message.find("'camera' has not answered"), std::string::npos) << capture.status().message;
  release.set_value();
  EXPECT_TRUE(reaches(capture, Phase::playing));
}

TEST(CaptureRetryTest, SourcesThatAreNotLiveOrNotToBeRetriedFail) {
  ComingAndGoing file, camera;
  JoinedCapture damaged({.source = "file", .retry = true}, file.factory(false), hasty_retry);
  JoinedCapture unattended({.source = "camera"}, camera.factory(), hasty_retry);
  while (damaged.status().phase != Phase::failed) damaged.take(1ms);
  EXPECT_TRUE(reaches(unattended, Phase::failed));
  EXPECT_EQ(damaged.status().message, "'camera' stopped sending frames");
  EXPECT_EQ(file.attempts, 1);
  EXPECT_EQ(camera.attempts, 1);
}

}  // namespace
}  // namespace app::capture
