// Capture with sources that fail in many ways.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <thread>
#include <vector>

#include "app/support/text.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/support/gate.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

// It says why in one line, and has no frame.
void expect_failure(Capture& capture) {
  EXPECT_TRUE(reaches(capture, Phase::failed));
  const auto message = capture.status().message;
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(capture.take(), nullptr);
}
void expect_no_answer(Capture& capture) {
  expect_failure(capture);
  const auto expected = "'" + capture.request().source + "' has not answered";
  EXPECT_NE(capture.status().message.find(expected), std::string::npos) << capture.status().message;
}

constexpr Patience impatient{.open = 20ms, .picture = 3s};

TEST(CaptureTest, OpeningThatNeverReturnsIsReportedAndBlocksNobody) {
  Gate gate;
  std::atomic<bool> ended = false;
  {
    const auto never = [hang = gate.task(), &ended](const Request&, const Opening&) -> std::unique_ptr<Source> {
      hang();
      ended = true;
      throw SourceError("never seen");
    };
    Capture capture({.source = "stuck"}, never, impatient);
    expect_no_answer(capture);
  }  // would hang here if closing waited for the thread
  EXPECT_FALSE(ended);
  gate.open();
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
}

// While it is opened, or at its first read.
TEST(CaptureTest, AHangingSourceThatWasGivenUpMayStillPlay) {
  for (const bool while_opening : {true, false}) {
    Gate gate;
    const auto slow = [&](const Request&, const Opening&) {
      if (while_opening) gate.wait();
      return std::make_unique<FakeSource>(live_info(), [&](Frame& frame, std::uint64_t n, std::stop_token) {
        gate.wait();
        return picture(frame, n);
      });
    };
    JoinedCapture capture({.source = "slow"}, slow, impatient);
    expect_no_answer(capture);
    gate.open();
    EXPECT_TRUE(reaches(capture, Phase::playing));
    EXPECT_EQ(capture.status().message, "");
  }
}

TEST(CaptureTest, OpeningIsNotifiedWhenItIsNoLongerWanted) {
  std::promise<bool> stopped;
  auto result = stopped.get_future();
  {
    Capture capture({}, [&stopped](const Request&, const Opening& opening) -> std::unique_ptr<Source> {
      opening.say("trying");
      stopped.set_value(eventually([&] { return opening.stop.stop_requested(); }));
      throw SourceError("stopped");
    });
    EXPECT_TRUE(eventually([&] { return capture.status().message == "trying"; }));
    EXPECT_EQ(capture.status().phase, Phase::opening);
  }
  EXPECT_TRUE(result.get());
}

TEST(CaptureTest, ReadingThatStallsIsReportedAndBlocksNobody) {
  Gate gate;
  std::atomic<bool> ended = false;
  {
    const auto stalls = [hang = gate.task(), &ended](Frame& frame, std::uint64_t n, std::stop_token) {
      if (n < 3) return picture(frame, n);
      hang();
      ended = true;
      return Read::end;
    };
    Capture capture({.source = "staller"}, fake(stalls, live_info()), {.open = 10s, .picture = 20ms});
    EXPECT_TRUE(eventually([&] { return capture.status().message.find("sent no frames") != std::string::npos; }));
    EXPECT_EQ(capture.status().phase, Phase::playing);
    EXPECT_TRUE(capture.status().silent);
    const Frame* frame = capture.take();
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->sequence, 2u);
  }
  EXPECT_FALSE(ended);
  gate.open();
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
}

TEST(CaptureTest, ASourceThatFailsGivesTheReasonAndItsLastFrameStays) {
  const auto dies = [](Frame& frame, std::uint64_t n, std::stop_token) {
    if (n == 2) throw SourceError("the cable is out; plug it in");
    return picture(frame, n);
  };
  JoinedCapture capture({.source = "dying", .max_speed = true}, fake(dies, live_info()));
  EXPECT_TRUE(reaches(capture, Phase::failed));
  EXPECT_EQ(capture.status().message, "the cable is out; plug it in");
  EXPECT_EQ(capture.status().delivered, 2u);
  const Frame* frame = capture.take();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->sequence, 1u);
  EXPECT_EQ(frame->pixels.data()[0].b, 1);
  EXPECT_EQ(capture.take(), nullptr);
}

TEST(CaptureTest, EveryExceptionBecomesOneLineAndSoDoesNoSource) {
  const std::vector<std::function<void()>> throwers = {
      [] { throw std::runtime_error("two\nlines\r\n"); },
      [] { CV_Error(cv::Error::StsAssert, "an assertion\nof OpenCV's"); },
      [] { throw std::bad_alloc(); },
      [] { throw 42; },
      [] {},
  };
  for (const auto& thrower : throwers) {
    JoinedCapture while_opening({.source = "a\nb"}, [&](const Request&, const Opening&) -> std::unique_ptr<Source> {
      thrower();
      return nullptr;
    });
    expect_failure(while_opening);
    const auto reads = [&](Frame&, std::uint64_t, std::stop_token) { return thrower(), Read::end; };
    JoinedCapture while_reading({.source = "a\nb"}, fake(reads));
    expect_failure(while_reading);
  }
}

TEST(CaptureTest, ASizeThatDoesNotMatchThePixelsIsRefused) {
  for (const gpu::Size lie : {gpu::Size{0, 4}, {4, 0}, {-1, 4}, {100, 100}, {maximum_side + 1, 1}}) {
    SCOPED_TRACE(std::to_string(lie.width) + "x" + std::to_string(lie.height));
    const auto lies = [=](Frame& frame, std::uint64_t n, std::stop_token) {
      picture(frame, n);
      frame.size = lie;  // the pixels are still 4x2
      return Read::frame;
    };
    JoinedCapture capture({.source = "liar"}, fake(lies, live_info()));
    expect_failure(capture);
  }
}

TEST(CaptureTest, ASizeThatChangesInTheMiddleArrivesWithItsFrame) {
  const std::vector<gpu::Size> sizes = {{4, 2}, {4, 2}, {640, 480}, {3, 5}, {1, 1}, {1, 4000}, {4000, 1}};
  const auto changes = [&](Frame& frame, std::uint64_t n, std::stop_token) {
    return n == sizes.size() ? Read::end : picture(frame, n, sizes[n]);
  };
  JoinedCapture capture({.source = "changing", .max_speed = true}, fake(changes, file_info()));
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->sequence, n);
    EXPECT_EQ(frame->size, sizes[n]);
    EXPECT_EQ(frame->pixels.data()[sizes[n].pixels() - 1].b, n);
  }
  EXPECT_TRUE(reaches(capture, Phase::ended));
  EXPECT_EQ(capture.status().size, sizes.back());
}

TEST(CaptureTest, AFileWithoutAPictureIsAFailureEvenInALoop) {
  for (const bool loop : {false, true}) {
    JoinedCapture capture({.source = "empty", .loop = loop}, fake(pictures(0), file_info()));
    EXPECT_TRUE(reaches(capture, Phase::failed));
    EXPECT_NE(capture.status().message.find("'empty' holds no picture"), std::string::npos);
  }
}

// FFmpeg opens it by its name.
TEST(CaptureTest, ATextNamedAsAnImageIsCalledAText) {
  const TemporaryFolder folder;
  const auto text = (folder.path() / "text.png").string();
  std::ofstream(text) << "These are words.\n";
  JoinedCapture capture({.source = text}, fake(pictures(0), file_info()));
  EXPECT_TRUE(reaches(capture, Phase::failed));
  EXPECT_TRUE(capture.status().message.starts_with("'" + text + "' holds text, not an image;")) << capture.status().message;
}

TEST(CaptureTest, ClosingEndsAThreadThatWaitsForItsConsumer) {
  const auto lives = std::make_shared<int>();  // as long as the source
  {
    const auto reads = [lives](Frame& frame, std::uint64_t n, std::stop_token) { return picture(frame, n); };
    Capture capture({.source = "file", .max_speed = true},
                    [&](const Request&, const Opening&) { return std::make_unique<FakeSource>(file_info(), reads); });
    ASSERT_TRUE(eventually([&] { return capture.status().delivered == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return lives.use_count() == 1; }));
}

// A video whose third picture comes when `opens` says so. It notes from where how many pictures back it is to go.
struct Steps {
  std::atomic<bool> opens = false, done = false;
  double from = -1;
  int count = 0;
};
class SteppedVideo : public FakeSource {
 public:
  explicit SteppedVideo(Steps& steps)
      : FakeSource(seekable_info(),
                   [&steps](Frame& frame, std::uint64_t n, std::stop_token stop) {
                     if (n >= 2) eventually([&] { return steps.opens || stop.stop_requested(); });
                     return picture(frame, n);
                   }),
        steps_(steps) {}
  void step_back(double position, int count, std::stop_token) override {
    steps_.from = position;
    steps_.count = count;
    steps_.done = true;
  }

 private:
  Steps& steps_;
};

// The picture posted last, which nobody took, is another one. The first one is never replaced, however late it is taken.
TEST(CaptureTest, QuickStepsBackCountFromThePictureThatWasTaken) {
  for (const int quick : {1, 2, 3}) {
    Steps steps;
    JoinedCapture capture({.lossless = true},
                          [&](const Request&, const Opening&) { return std::make_unique<SteppedVideo>(steps); });
    ASSERT_NE(capture.take(20s), nullptr);
    ASSERT_TRUE(eventually([&] { return capture.waiting(); }));
    for (int i = 0; i < quick; ++i) capture.step(-1);  // while the third is read
    steps.opens = true;
    ASSERT_TRUE(eventually([&] { return steps.done.load(); }));
    EXPECT_EQ(steps.from, 0) << quick;
    EXPECT_EQ(steps.count, quick);
  }
}

// It does not wait, so that there is a limit: a second at the usual rate.
TEST(CaptureTest, FramesOfALiveSourceQueueWhereEachIsNeeded) {
  constexpr std::uint64_t few = 20, many = 120;
  std::atomic<std::uint64_t> sent = 0;  // the source may send so many
  const auto sends = [&](Frame& frame, std::uint64_t n, std::stop_token stop) {
    eventually([&] { return n < sent || stop.stop_requested(); });
    return n < sent ? picture(frame, n) : Read::end;
  };
  JoinedCapture capture({}, fake(sends, live_info()));
  const auto arrive = [&](std::uint64_t until) {
    sent = until;
    return eventually([&] { return capture.status().delivered == until; });
  };
  capture.set_playback({.every_frame = true});
  for (const std::uint64_t until : {few, many}) {
    ASSERT_TRUE(arrive(until));
    for (auto expected = until - (until == few ? few : 30); expected < until; ++expected) {
      const auto* frame = capture.take();
      ASSERT_NE(frame, nullptr);
      ASSERT_EQ(frame->sequence, expected);
    }
    EXPECT_EQ(capture.take(), nullptr);
  }
  EXPECT_EQ(capture.status().dropped, 70u);
  capture.set_playback({});
  ASSERT_TRUE(arrive(many + few));
  EXPECT_EQ(capture.take()->sequence, many + few - 1) << "the newest alone";
  const auto dropped = capture.status().dropped;
  capture.set_playback({.every_frame = true});
  ASSERT_TRUE(arrive(many + 2 * few));
  capture.set_playback({});  // a recording stopped
  ASSERT_TRUE(arrive(many + 2 * few + 1));
  EXPECT_EQ(capture.take()->sequence, many + 2 * few);
  EXPECT_EQ(capture.status().dropped, dropped) << "nobody wanted those";
}

TEST(CaptureTest, LargeFramesQueueInFewerSlots) {
  constexpr gpu::Size large{4096, 2048};  // 24 MiB
  const struct {
    std::uint64_t budget;
    int waiting;
  } cases[] = {{0, 5}, {std::uint64_t{7 * 24} << 20, 5}, {std::uint64_t{6 * 24} << 20, 4}, {std::uint64_t{3 * 24} << 20, 1}};
  for (const auto& [budget, waiting] : cases) {
    Gate gate;
    const auto sends = [&](Frame& frame, std::uint64_t n, std::stop_token) {
      gate.wait();
      return n < 9 ? frame.resize(large, false), Read::frame : Read::end;
    };
    JoinedCapture capture({.memory = budget}, fake(sends, live_info()));
    capture.set_playback({.every_frame = true});
    gate.open();
    ASSERT_TRUE(eventually([&] { return capture.status().delivered == 9; }));
    int taken = 0;
    while (capture.take()) ++taken;
    EXPECT_EQ(taken, waiting) << "in 128 MiB, and in the budget";
  }
}

TEST(CaptureTest, AFileWaitsForItsConsumerWhereEachFrameIsNeeded) {
  for (const bool every_frame : {true, false}) {
    JoinedCapture capture({}, fake(pictures(30)));
    capture.set_playback({.every_frame = every_frame});
    std::vector<std::uint64_t> taken;
    while (taken.empty() || taken.back() < 29) {
      std::this_thread::sleep_for(std::chrono::milliseconds(taken.size() < 2 ? 0 : 50));  // a slow one
      if (const auto* frame = capture.take(std::chrono::seconds(20))) taken.push_back(frame->sequence);
    }
    EXPECT_EQ(taken.size() == 30, every_frame);
    EXPECT_EQ(capture.status().dropped == 0, every_frame);
  }
}

TEST(CaptureTest, InALoopTheLastPictureLastsAsLongAsTheOthers) {
  auto info = file_info();
  info.fps = 40;
  JoinedCapture capture({.source = "file", .loop = true}, fake(pictures(1), info));
  const auto first = next_frame(capture)->captured;
  for (int pass = 1; pass < 20; ++pass) next_frame(capture);
  EXPECT_GE(next_frame(capture)->captured - first, 150ms) << "20 passes of 25 ms; the first picture may be late";
}

TEST(CaptureDeathTest, TheProgramCanEndWhileASourceHangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Capture capture({}, [](const Request&, const Opening&) -> std::unique_ptr<Source> {
          std::this_thread::sleep_for(1h);
          return nullptr;
        });
        finish_detached(7);
        std::exit(8);
      },
      testing::ExitedWithCode(7), "");
}

// Live sources that fail are opened again until they play; others are not.
// A network camera that fails, is unreachable for two attempts and comes back.
struct ComingAndGoing {
  std::atomic<int> attempts = 0;
  std::function<void(const Opening&)> open_again = [](auto&) { throw SourceError("'camera' could not be opened"); };
  SourceFactory factory(bool live = true) {
    return [this, live](const Request&, const Opening& opening) -> std::unique_ptr<Source> {
      const int attempt = ++attempts;
      if (attempt == 2 || attempt == 3) open_again(opening);
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

// Were the pauses of all losses to add up, the tenth would take seconds and the twentieth a quarter of an hour.
TEST(CaptureRetryTest, OnceItHasPlayedThePausesBeginAnew) {
  std::atomic<int> attempts = 0;
  const auto camera = [&](const Request&, const Opening&) {
    ++attempts;
    return std::make_unique<FakeSource>(live_info(), [](Frame& frame, std::uint64_t n, std::stop_token) {
      if (n == 1) throw SourceError("'camera' stopped sending frames");
      return picture(frame, n);
    });
  };
  JoinedCapture capture({.source = "camera", .retry = true}, camera, {.retry = 1ms, .longest_retry = 1h});
  EXPECT_TRUE(eventually([&] { return attempts > 20; })) << attempts;
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
  Gate gate;
  ComingAndGoing camera;
  camera.open_again = [&](const Opening& opening) {
    opening.say("connecting");
    gate.wait();
  };
  JoinedCapture capture({.source = "camera", .retry = true}, camera.factory(), {.open = 200ms, .retry = 1ms});
  ASSERT_TRUE(eventually([&] { return capture.status().message == "connecting"; }));
  EXPECT_EQ(capture.status().phase, Phase::retrying);
  EXPECT_TRUE(reaches(capture, Phase::failed));
  EXPECT_NE(capture.status().message.find("'camera' has not answered"), std::string::npos) << capture.status().message;
  gate.open();
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
