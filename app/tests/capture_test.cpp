// Capture with sources that misbehave in every way that was thought of.
#include "app/capture/capture.h"

#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include <atomic>
#include <cstdlib>
#include <future>
#include <thread>

#include "app/capture/pace.h"
#include "app/capture/source.h"

namespace app::capture {
namespace {

using Phase = Status::Phase;
using Read = Source::Read;
using namespace std::chrono_literals;

// What a fake does when it is asked for picture `n` of this pass.
using Script = std::function<Read(Frame& frame, std::uint64_t n, std::stop_token stop)>;

class FakeSource : public Source {
 public:
  FakeSource(SourceInfo info, Script script) : info_(std::move(info)), script_(std::move(script)) {}
  Read read(Frame& frame, std::stop_token stop) override { return script_(frame, n_++, stop); }
  void rewind() override { n_ = 0; }
  SourceInfo info() const override { return info_; }

 private:
  SourceInfo info_;
  Script script_;
  std::uint64_t n_ = 0;
};

SourceFactory fake(Script script, SourceInfo info = {}) {
  return [=](const Request&, const Opening&) { return std::make_unique<FakeSource>(info, script); };
}

SourceInfo file_info() { return {.kind = "video", .description = "fake", .message = {}, .size = {4, 2}, .fps = 1000}; }
SourceInfo live_info() {
  SourceInfo info = file_info();
  info.live = true;
  return info;
}

Read picture(Frame& frame, std::uint64_t n, gpu::Size size = {4, 2}) {
  frame.resize(size, false);
  frame.position = static_cast<double>(n) / 1000;
  for (std::size_t i = 0; i < size.pixels(); ++i) frame.pixels.data()[i] = {static_cast<std::uint8_t>(n), 0, 0};
  return Read::frame;
}

// Waits until `holds()`, for as long as a loaded machine may need; tests fail on false, never on being slow.
template <class Condition>
bool eventually(Condition holds) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

bool reaches(const Capture& capture, Phase phase) {
  return eventually([&] { return capture.status().phase == phase; });
}

void expect_one_line(const std::string& message) {
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(capture, opening_that_never_returns_is_reported_and_holds_nobody_up) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future();
  std::atomic<bool> ended = false;
  {
    Capture capture({.source = "stuck"}, [released, &ended](const Request&, const Opening&) -> std::unique_ptr<Source> {
      released.wait();
      ended = true;
      throw SourceError("never seen");
    }, {.open = 20ms, .picture = 3s});
    EXPECT_TRUE(reaches(capture, Phase::failed));
    EXPECT_NE(capture.status().message.find("'stuck' has not answered"), std::string::npos) << capture.status().message;
    expect_one_line(capture.status().message);
    EXPECT_EQ(capture.take(), nullptr);
  }  // would hang here if closing waited for the thread
  EXPECT_FALSE(ended);
  release.set_value();
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
}

TEST(capture, opening_that_was_given_up_may_still_come) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future();
  Capture capture({.source = "slow"}, [released](const Request&, const Opening&) -> std::unique_ptr<Source> {
    released.wait();
    return std::make_unique<FakeSource>(live_info(), [](Frame& frame, std::uint64_t n, std::stop_token) { return picture(frame, n); });
  }, {.open = 20ms, .picture = 3s});
  EXPECT_TRUE(reaches(capture, Phase::failed));
  release.set_value();
  EXPECT_TRUE(reaches(capture, Phase::playing));
  EXPECT_EQ(capture.status().message, "");
}

TEST(capture, opening_is_told_when_it_is_no_longer_wanted) {
  std::promise<bool> told;
  auto result = told.get_future();
  {
    Capture capture({}, [&told](const Request&, const Opening& opening) -> std::unique_ptr<Source> {
      opening.say("trying");
      told.set_value(eventually([&] { return opening.stop.stop_requested(); }));
      throw SourceError("stopped");
    });
    EXPECT_TRUE(eventually([&] { return capture.status().message == "trying"; }));
    EXPECT_EQ(capture.status().phase, Phase::opening);
  }
  EXPECT_TRUE(result.get());
}

TEST(capture, reading_that_stalls_is_reported_and_holds_nobody_up) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future();
  std::atomic<bool> ended = false;
  {
    Capture capture({.source = "staller"}, fake([released, &ended](Frame& frame, std::uint64_t n, std::stop_token) {
                      if (n < 3) return picture(frame, n);
                      released.wait();
                      ended = true;
                      return Read::end;
                    }, live_info()),
                    {.open = 10s, .picture = 20ms});
    EXPECT_TRUE(eventually([&] { return capture.status().message.find("delivered nothing") != std::string::npos; }));
    EXPECT_EQ(capture.status().phase, Phase::playing);
    const Frame* frame = capture.take();
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->sequence, 2u);
  }
  EXPECT_FALSE(ended);
  release.set_value();
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
}

TEST(capture, a_source_that_dies_says_why_and_what_it_delivered_stays) {
  Capture capture({.source = "dying", .max_speed = true}, fake([](Frame& frame, std::uint64_t n, std::stop_token) {
                    if (n == 2) throw SourceError("the cable is out; plug it in");
                    return picture(frame, n);
                  }, live_info()));
  EXPECT_TRUE(reaches(capture, Phase::failed));
  EXPECT_EQ(capture.status().message, "the cable is out; plug it in");
  EXPECT_EQ(capture.status().delivered, 2u);
  const Frame* frame = capture.take();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->sequence, 1u);
  EXPECT_EQ(frame->pixels.data()[0].b, 1);
  EXPECT_EQ(capture.take(), nullptr);
}

TEST(capture, whatever_is_thrown_becomes_one_line) {
  const std::vector<std::function<void()>> throwers = {
      [] { throw std::runtime_error("two\nlines\r\n"); },
      [] { CV_Error(cv::Error::StsAssert, "an assertion\nof OpenCV's"); },
      [] { throw std::bad_alloc(); },
      [] { throw 42; },
  };
  for (const auto& thrower : throwers) {
    Capture while_opening({.source = "a\nb"}, [&](const Request&, const Opening&) -> std::unique_ptr<Source> {
      thrower();
      return nullptr;
    });
    EXPECT_TRUE(reaches(while_opening, Phase::failed));
    expect_one_line(while_opening.status().message);
    Capture while_reading({.source = "a\nb"}, fake([&](Frame&, std::uint64_t, std::stop_token) {
                            thrower();
                            return Read::end;
                          }));
    EXPECT_TRUE(reaches(while_reading, Phase::failed));
    expect_one_line(while_reading.status().message);
  }
}

TEST(capture, a_factory_without_a_source_is_a_failure) {
  Capture capture({}, [](const Request&, const Opening&) { return std::unique_ptr<Source>(); });
  EXPECT_TRUE(reaches(capture, Phase::failed));
  expect_one_line(capture.status().message);
}

TEST(capture, sizes_that_are_lies_are_refused) {
  for (const gpu::Size lie : {gpu::Size{0, 4}, {4, 0}, {-1, 4}, {100, 100}, {max_side + 1, 1}}) {
    Capture capture({.source = "liar"}, fake([=](Frame& frame, std::uint64_t n, std::stop_token) {
                      picture(frame, n);
                      frame.size = lie;  // the pixels are still 4x2
                      return Read::frame;
                    }, live_info()));
    EXPECT_TRUE(reaches(capture, Phase::failed)) << lie.width << "x" << lie.height;
    expect_one_line(capture.status().message);
    EXPECT_EQ(capture.take(), nullptr);
  }
}

TEST(capture, a_size_that_changes_in_the_middle_arrives_with_its_frame) {
  const std::vector<gpu::Size> sizes = {{4, 2}, {4, 2}, {640, 480}, {3, 5}, {1, 1}, {1, 4000}, {4000, 1}};
  Capture capture({.source = "changing", .max_speed = true}, fake([&](Frame& frame, std::uint64_t n, std::stop_token) {
                    return n == sizes.size() ? Read::end : picture(frame, n, sizes[n]);
                  }, file_info()));
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const Frame* frame = capture.take(20s);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->sequence, n);
    EXPECT_EQ(frame->size, sizes[n]);
    EXPECT_EQ(frame->pixels.data()[sizes[n].pixels() - 1].b, n);
  }
  EXPECT_TRUE(reaches(capture, Phase::ended));
  EXPECT_EQ(capture.status().size, sizes.back());
}

TEST(capture, max_speed_loses_nothing_however_slow_the_consumer) {
  constexpr std::uint64_t count = 300;
  Capture capture({.source = "file", .max_speed = true}, fake([](Frame& frame, std::uint64_t n, std::stop_token) {
                    return n == count ? Read::end : picture(frame, n);
                  }, file_info()));
  for (std::uint64_t n = 0; n < count; ++n) {
    if (n % 50 == 0) std::this_thread::sleep_for(5ms);
    const Frame* frame = capture.take(20s);
    ASSERT_NE(frame, nullptr);
    ASSERT_EQ(frame->sequence, n);
  }
  EXPECT_TRUE(reaches(capture, Phase::ended));
  EXPECT_EQ(capture.status().delivered, count);
  EXPECT_EQ(capture.status().dropped, 0u);
}

TEST(capture, the_latest_frame_of_a_camera_wins_and_drops_are_counted) {
  std::atomic<bool> done = false;
  Capture capture({.max_speed = true}, fake([&](Frame& frame, std::uint64_t n, std::stop_token stop) {
                    if (n < 50) return picture(frame, n);
                    done = true;
                    eventually([&] { return stop.stop_requested(); });
                    return Read::end;
                  }, live_info()));
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

TEST(capture, a_paused_file_stands_still_and_goes_on_where_it_was) {
  std::atomic<std::uint64_t> reads = 0;
  Capture capture({.source = "file", .max_speed = true}, fake([&](Frame& frame, std::uint64_t n, std::stop_token) {
                    ++reads;
                    return picture(frame, n);
                  }, file_info()));
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  std::uint64_t last = 0;
  while (const Frame* frame = capture.take(200ms)) last = frame->sequence;
  const std::uint64_t at_rest = reads;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(reads, at_rest);
  capture.set_paused(false);
  const Frame* frame = capture.take(20s);
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->sequence, last + 1);
}

TEST(capture, a_pause_is_not_a_silence) {
  Capture capture({.source = "file"}, fake([&](Frame& frame, std::uint64_t n, std::stop_token) { return picture(frame, n); }, file_info()),
                  {.open = 10s, .picture = 20ms});
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(capture.status().message, "");
}

TEST(capture, a_paused_camera_goes_on_and_is_not_shown) {
  std::atomic<std::uint64_t> reads = 0;
  Capture capture({}, fake([&](Frame& frame, std::uint64_t n, std::stop_token) {
                    ++reads;
                    std::this_thread::sleep_for(1ms);
                    return picture(frame, n);
                  }, live_info()));
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
  EXPECT_NE(capture.take(20s), nullptr);
}

TEST(capture, a_file_ends) {
  Capture capture({.source = "file"}, fake([](Frame& frame, std::uint64_t n, std::stop_token) {
                    return n == 3 ? Read::end : picture(frame, n);
                  }, file_info()));
  EXPECT_TRUE(reaches(capture, Phase::ended));
  EXPECT_EQ(capture.status().delivered, 3u);
  EXPECT_EQ(capture.take()->sequence, 2u);
  EXPECT_EQ(capture.status().description, "fake");
  EXPECT_EQ(capture.status().kind, "video");
}

TEST(capture, a_looped_file_starts_again) {
  Capture capture({.source = "file", .loop = true, .max_speed = true}, fake([](Frame& frame, std::uint64_t n, std::stop_token) {
                    return n == 3 ? Read::end : picture(frame, n);
                  }, file_info()));
  for (std::uint64_t n = 0; n < 10; ++n) {
    const Frame* frame = capture.take(20s);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->sequence, n);
    EXPECT_EQ(frame->pixels.data()[0].b, n % 3);
    EXPECT_DOUBLE_EQ(frame->position, static_cast<double>(n % 3) / 1000);
  }
}

TEST(capture, a_file_without_a_picture_is_a_failure_even_in_a_loop) {
  for (const bool loop : {false, true}) {
    Capture capture({.source = "hollow", .loop = loop}, fake([](Frame&, std::uint64_t, std::stop_token) { return Read::end; }, file_info()));
    EXPECT_TRUE(reaches(capture, Phase::failed));
    EXPECT_NE(capture.status().message.find("'hollow' holds no picture"), std::string::npos);
  }
}

TEST(capture, a_loop_whose_second_pass_is_empty_ends) {
  int pass = 0;
  Capture capture({.source = "once", .loop = true}, fake([&](Frame& frame, std::uint64_t n, std::stop_token) {
                    if (n == 0) ++pass;
                    return pass == 1 && n == 0 ? picture(frame, n) : Read::end;
                  }, file_info()));
  EXPECT_TRUE(reaches(capture, Phase::ended));
}

TEST(capture, a_still_is_delivered_once_and_goes_on_playing) {
  Capture capture({.source = "image"}, fake([](Frame& frame, std::uint64_t n, std::stop_token) {
                    EXPECT_EQ(n, 0u);
                    picture(frame, n);
                    return Read::still;
                  }, file_info()),
                  {.open = 20ms, .picture = 20ms});
  const Frame* frame = capture.take(20s);
  ASSERT_NE(frame, nullptr);
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(capture.status().phase, Phase::playing);
  EXPECT_EQ(capture.status().message, "");
  EXPECT_EQ(capture.take(), nullptr);
  EXPECT_EQ(frame->size, (gpu::Size{4, 2}));
}

// A camera that waits for its plug: the phase says so, and playing goes on by itself.
TEST(capture, a_source_that_waits_is_opening_until_it_delivers) {
  class Waiting : public FakeSource {
   public:
    using FakeSource::FakeSource;
    SourceInfo info() const override {
      SourceInfo info = FakeSource::info();
      if (waiting) info.message = "unplugged";
      return info;
    }
    bool waiting = false;  // the capture thread's
  };
  std::atomic<bool> out = false;
  Capture capture({}, [&](const Request&, const Opening&) {
    auto self = std::make_shared<Waiting*>(nullptr);
    auto source = std::make_unique<Waiting>(live_info(), [&out, self](Frame& frame, std::uint64_t n, std::stop_token) {
      const bool waits = out;
      (*self)->waiting = waits;
      std::this_thread::sleep_for(1ms);
      return waits ? Read::waiting : picture(frame, n);
    });
    *self = source.get();
    return source;
  });
  EXPECT_TRUE(reaches(capture, Phase::playing));
  out = true;
  EXPECT_TRUE(reaches(capture, Phase::opening));
  EXPECT_EQ(capture.status().message, "unplugged");
  out = false;
  EXPECT_TRUE(reaches(capture, Phase::playing));
  EXPECT_EQ(capture.status().message, "");
}

TEST(capture, closing_ends_a_thread_that_waits_for_its_consumer) {
  std::promise<void> closed;
  auto result = closed.get_future();
  class Telling : public FakeSource {
   public:
    Telling(Script script, std::promise<void>& closed) : FakeSource(file_info(), std::move(script)), closed_(closed) {}
    ~Telling() override { closed_.set_value(); }

   private:
    std::promise<void>& closed_;
  };
  {
    Capture capture({.source = "file", .max_speed = true}, [&](const Request&, const Opening&) {
      return std::make_unique<Telling>([](Frame& frame, std::uint64_t n, std::stop_token) { return picture(frame, n); }, closed);
    });
    ASSERT_TRUE(eventually([&] { return capture.status().delivered == 1; }));
  }
  EXPECT_EQ(result.wait_for(20s), std::future_status::ready);
}

TEST(capture_death, the_program_can_end_while_a_source_hangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Capture capture({}, [](const Request&, const Opening&) -> std::unique_ptr<Source> {
          std::this_thread::sleep_for(1h);
          return nullptr;
        });
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(pace, pictures_are_due_by_their_timestamps) {
  Pace pace;
  const Pace::Clock::time_point start{};
  EXPECT_EQ(pace.due(0, start), start);
  EXPECT_EQ(pace.due(0.5, start + 100ms), start + 500ms);
  EXPECT_EQ(pace.due(0.6, start + 700ms), start + 600ms);  // late, but not lost: the next is due in its own time
  EXPECT_EQ(pace.due(0.75, start + 700ms), start + 750ms);
}

TEST(pace, what_fell_far_behind_goes_on_without_hurry) {
  Pace pace;
  const Pace::Clock::time_point start{};
  pace.due(0, start);
  EXPECT_EQ(pace.due(0.1, start + 2s), start + 2s);
  EXPECT_EQ(pace.due(0.2, start + 2s), start + 2100ms);
}

TEST(pace, a_new_pass_follows_the_last_picture_and_a_pause_is_forgotten) {
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
