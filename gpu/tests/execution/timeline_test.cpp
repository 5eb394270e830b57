// The timeline, with a clock that the tests advance by hand.
#include "gpu/execution/timeline.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpu {
namespace {

// Time advances only when the test says so. Reading a real clock too early would wait; here it is an error.
class FakeClock : public TimelineClock {
 public:
  struct State {
    double now = 0, reached = std::numeric_limits<double>::infinity();  // the GPU has passed what was recorded until then
    bool gpu_is_done = true, shares_points = false, fails = false;
    int records = 0;
    std::vector<double> at;  // negative: never recorded
    std::chrono::steady_clock::time_point host{};
  };
  explicit FakeClock(State& state) : state_(state) {}
  void reserve(int slots) override { state_.at.resize(static_cast<std::size_t>(slots), -1); }
  void record(int slot) override {
    ++state_.records;
    state_.at.at(static_cast<std::size_t>(slot)) = state_.now;
  }
  bool ready(int slot) override {
    if (state_.fails) throw std::runtime_error("the clock fails");
    EXPECT_GE(state_.at.at(static_cast<std::size_t>(slot)), 0) << "asked for a moment that was never recorded";
    return passed(slot);
  }
  double microseconds(int from, int to) override {
    EXPECT_TRUE(passed(from) && passed(to)) << "read before it was ready: a real clock would wait";
    EXPECT_GE(state_.at.at(static_cast<std::size_t>(from)), 0);
    return state_.at.at(static_cast<std::size_t>(to)) - state_.at.at(static_cast<std::size_t>(from));
  }
  bool shares_points() const override { return state_.shares_points; }
  std::chrono::steady_clock::time_point host_time() const override { return state_.host; }

 private:
  bool passed(int slot) const {
    return state_.gpu_is_done && state_.at.at(static_cast<std::size_t>(slot)) <= state_.reached;
  }
  State& state_;
};

// "name 3..5" per span, children indented; spans without times as "name".
std::string text_of(const TimelineFrame& frame) {
  std::string text;
  std::vector<int> depths;
  for (const auto& span : frame.spans) {
    depths.push_back(span.parent < 0 ? 0 : depths[static_cast<std::size_t>(span.parent)] + 1);
    text += std::string(static_cast<std::size_t>(depths.back()), ' ') + frame.path(span);
    if (span.timed)
      text += ' ' + std::to_string(static_cast<int>(span.started)) + ".." + std::to_string(static_cast<int>(span.ended));
    text += '\n';
  }
  return text;
}

class TimelineTest : public testing::Test {
 protected:
  // Spans as words with spaces between: NAME and its microseconds; NAME( parts ) and NAME[ whole ], which have others inside; | for
  // separate(), and +N for time that belongs to no span.
  void record(Timeline& to, const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const std::string_view name = std::string_view(word).substr(0, word.size() - 1);
      if (word == ")" || word == "]") {
        to.end();
      } else if (word == "|") {
        to.separate();
      } else if (word[0] == '+') {
        clock.now += std::stod(word);
      } else if (word.back() == '(' || word.back() == '[') {
        to.begin(name, word.back() == '(' ? SpanTiming::parts : SpanTiming::whole);
      } else {
        double microseconds = 0;
        words >> microseconds;
        to.begin(std::string_view(word));
        clock.now += microseconds;
        to.end();
      }
    }
  }
  void frame(std::uint64_t id, const std::string& spans) {
    timeline.begin_frame(id);
    record(timeline, spans);
    timeline.end_frame();
  }
  // The one frame that has come out.
  TimelineFrame take() {
    auto frame = timeline.take();
    EXPECT_TRUE(frame) << "no frame";
    return frame.value_or(TimelineFrame());
  }
  std::string taken() {
    const auto text = text_of(take());
    EXPECT_FALSE(timeline.take());
    return text;
  }
  // The spans of a frame that begins with room for one.
  std::string taken_with_room_for_one(const std::string& before, int room, const std::string& after) {
    Timeline narrow(std::make_unique<FakeClock>(clock), 1);
    narrow.begin_frame();
    record(narrow, before);
    if (room > 1) narrow.reserve(room);
    record(narrow, after);
    narrow.end_frame();
    const auto frame = narrow.take();
    return text_of(*frame) + std::to_string(frame->dropped) + " dropped";
  }
  void expect_untimed(std::uint64_t id) {
    const auto untimed = take();
    EXPECT_EQ(untimed.id, id);
    EXPECT_FALSE(untimed.timed);
    EXPECT_TRUE(untimed.spans.empty());
  }
  // As many frames as may be in flight, from number `first` on, while the GPU is at the first: that one comes out.
  void fill_up_from(std::uint64_t first) {
    clock.gpu_is_done = false;
    for (std::uint64_t id = first; id < first + Timeline::frames_in_flight; ++id) {
      clock.now += 10;
      frame(id, "table 1");
      if (id == first) clock.reached = clock.now;
    }
    clock.gpu_is_done = true;
  }

  FakeClock::State clock;
  Timeline timeline{std::make_unique<FakeClock>(clock)};
};

TEST_F(TimelineTest, HasNothingBeforeTheFirstFrame) { EXPECT_FALSE(timeline.take()); }

TEST_F(TimelineTest, SpansOfAFrameComeInTheirOrderFromItsFirstPointOn) {
  clock.now = 100;
  frame(7, "a 2 +4 b 3 a 1");
  const auto frame = take();
  EXPECT_EQ(frame.id, 7u);
  EXPECT_TRUE(frame.timed);
  EXPECT_EQ(text_of(frame), "a 0..2\nb 6..9\na 9..10\n");
  EXPECT_GE(frame.spans[0].enqueued, 0);
  EXPECT_GE(frame.spans[0].queued, frame.spans[0].enqueued);
  EXPECT_GE(frame.spans[1].enqueued, frame.spans[0].queued);
  EXPECT_GE(frame.spans[2].enqueued, frame.spans[1].enqueued);
  EXPECT_EQ(frame.points, 6);
  EXPECT_GT(frame.timing_us, 0);
}

TEST_F(TimelineTest, SpansHaveTheKindThatTheirMakerGives) {
  timeline.begin_frame();
  for (const auto& label :
       {SpanLabel{"upload", SpanKind::transfer}, {std::string("GPU busy"), SpanKind::wait}, {"kernel"}}) {
    timeline.begin(label);
    timeline.end();
  }
  timeline.end_frame();
  const auto spans = take().spans;
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].kind, SpanKind::transfer);
  EXPECT_EQ(spans[1].kind, SpanKind::wait);
  EXPECT_EQ(spans[2].kind, SpanKind::compute);
}

// The driver loads and compiles what it launches for the first time.
TEST_F(TimelineTest, AFrameWithAFirstLaunchHasNoTimes) {
  const char one = 0, other = 0;
  const auto launch = [&](std::uint64_t id, const char* kernel, double microseconds) {
    timeline.begin_frame(id);
    timeline.begin("kernel", SpanTiming::whole, kernel);
    clock.now += microseconds;
    timeline.end();
    record(timeline, "copy 1");
    timeline.end_frame();
    auto frame = take();
    EXPECT_EQ(frame.id, id);
    return frame;
  };
  for (const auto* kernel : {&one, &other}) {
    const auto first = launch(1, kernel, 400'000);
    EXPECT_FALSE(first.timed);
    EXPECT_EQ(first.first_launches, 1);
    EXPECT_TRUE(first.spans.empty());
    for (std::uint64_t id = 2; id < 9; ++id) {
      const auto frame = launch(id, kernel, 13);
      EXPECT_EQ(frame.first_launches, 0);
      EXPECT_EQ(text_of(frame), "kernel 0..13\ncopy 13..14\n");
    }
  }
  timeline.begin("outside of a frame", SpanTiming::whole, &clock);
  timeline.end();
  EXPECT_EQ(launch(10, reinterpret_cast<const char*>(&clock), 5).first_launches, 0) << "it was launched before";
}

// Its points are recorded anew before the frame after the first launch is read: they tell nothing about that one.
TEST_F(TimelineTest, AFirstLaunchEndsTheMatchWithTheFrameBefore) {
  const char kernel = 0;
  frame(1, "table 1");
  EXPECT_EQ(taken(), "table 0..1\n");
  timeline.begin_frame(2);
  timeline.begin("kernel", SpanTiming::whole, &kernel);
  timeline.end();
  timeline.end_frame();
  EXPECT_EQ(taken(), "");
  fill_up_from(3);
  EXPECT_EQ(taken(), "table 0..1\n");
}

TEST_F(TimelineTest, AFrameThatCannotBeReadEndsTheMatchWithTheFrameBefore) {
  frame(1, "table 1");
  EXPECT_EQ(taken(), "table 0..1\n");
  clock.fails = true;
  frame(2, "table 1");
  EXPECT_EQ(taken(), "");
  clock.fails = false;
  fill_up_from(3);
  EXPECT_EQ(taken(), "table 0..1\n");
}

// What one frame tells of the two clocks holds for the next one, less what they may drift apart, if that comes within a second.
TEST_F(TimelineTest, TheClocksOfFramesThatFollowEachOtherAreMatched) {
  const auto first_point = [&](double after,
                               double late) {  // microseconds: since the frame before; until the GPU comes to it
    const auto begun = clock.host + std::chrono::microseconds(static_cast<int>(after));
    clock.now += after + late;
    clock.host = begun;
    frame(0, "work 0");
    clock.host = begun + std::chrono::seconds(1);  // when it is seen done says little
    const auto frame = timeline.take();
    clock.host = begun;
    clock.now -= late;
    return frame ? frame->first_point : -1;
  };
  EXPECT_DOUBLE_EQ(first_point(0, 0), 0);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(first_point(6e5, 400), 400 - 60 * (i + 1), 1) << "the drift of " << i + 1;
  EXPECT_NEAR(first_point(2e6, 400), 0, 1e-6) << "too long after the frame before";
  EXPECT_NEAR(first_point(5e5, 0), 0, 1) << "the tighter bound";
  EXPECT_NEAR(first_point(1e5, 300), 290, 1);
}

TEST_F(TimelineTest, SwitchedOffItRecordsNoPointAndFramesComeOutAtOnce) {
  clock.gpu_is_done = false;
  timeline.set_detail(TimingDetail::off);
  for (std::uint64_t id = 1; id < 20; ++id) {
    frame(id, "table 1");
    const auto untimed = take();
    EXPECT_EQ(untimed.id, id);
    EXPECT_FALSE(untimed.timed);
    EXPECT_EQ(untimed.points, 0);
  }
  EXPECT_EQ(clock.records, 0);
  clock.gpu_is_done = true;
  timeline.set_detail(TimingDetail::launches);
  frame(20, "table 3");
  EXPECT_EQ(taken(), "table 0..3\n");
}

TEST_F(TimelineTest, OfAFrameOnlyTheOutermostComputingIsTimed) {
  timeline.set_detail(TimingDetail::frame);
  const auto copy = [&](const char* name) {
    timeline.begin({name, SpanKind::transfer});
    clock.now += 1;
    timeline.end();
  };
  timeline.begin_frame();
  copy("upload");
  record(timeline, "frame[ kernel 2 algorithm( kernel 3 ) ]");
  copy("copy");
  timeline.end_frame();
  EXPECT_EQ(clock.records, 2);
  const auto frame = take();
  EXPECT_EQ(text_of(frame), "frame 0..5\n");
  EXPECT_EQ(frame.dropped, 0);
}

TEST_F(TimelineTest, PathsThatChangeFromFrameToFrameStayRight) {
  for (int i = 0; i < 4; ++i) {
    frame(0, i % 2 == 0 ? "a 1 b 1 c 1" : "b 1 c 1");
    EXPECT_EQ(taken(), i % 2 == 0 ? "a 0..1\nb 1..2\nc 2..3\n" : "b 0..1\nc 1..2\n");
  }
}

TEST_F(TimelineTest, SpansInsideATimedSpanHaveNoTimes) {
  frame(0, "algorithm[ kernel 2 kernel 3 ] after 1");
  EXPECT_EQ(clock.records, 4) << "points cost time on a GPU";
  EXPECT_EQ(taken(), "algorithm 0..5\n algorithm/kernel\n algorithm/kernel\nafter 5..6\n");
}

TEST_F(TimelineTest, ASpanOfPartsLastsFromTheFirstOfThemToTheLast) {
  frame(0, "lane( luma 2 +10 algorithm( kernel 3 +1 kernel 4 ) empty( ) )");
  EXPECT_EQ(clock.records, 6);
  EXPECT_EQ(taken(),
            "lane 0..20\n lane/luma 0..2\n lane/algorithm 12..20\n  lane/algorithm/kernel 12..15\n"
            "  lane/algorithm/kernel 16..20\n lane/empty\n");
}

TEST_F(TimelineTest, OneNameInTwoPlacesIsTwoPaths) {
  frame(0, "clear 1 algorithm( clear 2 )");
  EXPECT_EQ(taken(), "clear 0..1\nalgorithm 1..3\n algorithm/clear 1..3\n");
}

TEST_F(TimelineTest, NeverWaitsAndFramesWithoutRoomComeOutUntimed) {
  clock.gpu_is_done = false;
  std::uint64_t id = 0;
  for (; id < Timeline::frames_in_flight + 3; ++id) frame(id, "table 1");
  for (std::uint64_t lost = Timeline::frames_in_flight; lost < id; ++lost) expect_untimed(lost);
  EXPECT_FALSE(timeline.take());
  clock.gpu_is_done = true;
  for (std::uint64_t timed = 0; timed < Timeline::frames_in_flight; ++timed) {
    const auto there = take();
    EXPECT_EQ(there.id, timed);
    EXPECT_TRUE(there.timed);
  }
  frame(id, "table 9");
  EXPECT_EQ(taken(), "table 0..9\n");
}

TEST_F(TimelineTest, OfFramesThatAreNotTakenTheLatestAreKept) {
  for (std::uint64_t round = 1; round <= 2; ++round) {
    for (std::uint64_t id = 0; id < 1000; ++id) frame(1000 * round + id, "table 1");
    std::vector<std::uint64_t> ids;
    while (const auto frame = timeline.take()) ids.push_back(frame->id);
    ASSERT_LE(ids.size(), static_cast<std::size_t>(Timeline::frames_kept));
    ASSERT_GT(ids.size(), 1u);
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], 1000 * (round + 1) - ids.size() + i);
  }
}

TEST_F(TimelineTest, RoomIsWhatWasPlannedAndWhatDoesNotFitIsCounted) {
  const auto dropped = [&](int spans) {
    timeline.begin_frame();
    for (int i = 0; i < spans; ++i) record(timeline, "kernel 1");
    timeline.end_frame();
    const auto frame = take();
    return std::pair(static_cast<int>(frame.spans.size()), frame.dropped);
  };
  EXPECT_EQ(dropped(69), std::pair(64, 5));
  timeline.reserve(1000);
  EXPECT_EQ(dropped(1001), std::pair(1000, 1));
  timeline.reserve(3);  // never less
  EXPECT_EQ(dropped(1000), std::pair(1000, 0));
}

TEST_F(TimelineTest, MoreRoomKeepsFramesInFlight) {
  clock.gpu_is_done = false;
  frame(1, "a 5");
  frame(2, "b 7");
  timeline.reserve(500);
  frame(3, "c 9");
  clock.gpu_is_done = true;
  for (const auto* text : {"a 0..5\n", "b 0..7\n", "c 0..9\n"}) EXPECT_EQ(text_of(take()), text);
}

TEST_F(TimelineTest, SpansInsideDroppedOnesBelongToTheOneAroundThem) {
  EXPECT_EQ(taken_with_room_for_one("lane( algorithm( kernel 0 ) )", 1, ""), "lane\n2 dropped");
  EXPECT_EQ(taken_with_room_for_one("lane( dropped( dropped_too(", 5, "kernel 2 ) ) another 0 )"),
            "lane 0..2\n lane/kernel 0..2\n lane/another 2..2\n2 dropped");
}

TEST_F(TimelineTest, AnEmptyFrameIsAFrame) {
  frame(3, "");
  const auto empty = take();
  EXPECT_EQ(empty.id, 3u);
  EXPECT_TRUE(empty.timed);
  EXPECT_TRUE(empty.spans.empty());
}

TEST_F(TimelineTest, SpansOutsideFramesAreNotTimed) {
  record(timeline, "stray 1 around[");
  frame(1, "table 1");
  record(timeline, "] stray 1");
  EXPECT_EQ(taken(), "table 0..1\n");
}

TEST_F(TimelineTest, AFrameThatBeginsAgainDiscardsWhatWasRecorded) {
  timeline.begin_frame(1);
  record(timeline, "broken 5");
  frame(2, "table 1");
  EXPECT_EQ(taken(), "table 0..1\n");
}

// Whoever leaves a frame early may have left a span open.
TEST_F(TimelineTest, ASpanThatIsOpenWhereTheNextFrameBeginsIsForgotten) {
  timeline.begin_frame(1);
  record(timeline, "lane( broken[");
  for (std::uint64_t id = 2; id < 4; ++id) {
    clock.now += 7;
    frame(id, "table 1");
    EXPECT_EQ(taken(), "table 0..1\n");
  }
  record(timeline, "] )");
  frame(4, "table 1");
  EXPECT_EQ(taken(), "table 0..1\n");
}

TEST_F(TimelineTest, AFrameThatEndsInsideASpanHasNoTimes) {
  frame(1, "table 1 open[");
  expect_untimed(1);
  timeline.end();
  frame(2, "table 1");
  EXPECT_EQ(taken(), "table 0..1\n");
}

// Frames of random spans, of which some are in flight at a time: each is as the first one of a new timeline.
TEST_F(TimelineTest, EachFrameIsAsTheFirstOne) {
  std::mt19937 random(9);
  const auto text = [](const TimelineFrame& frame) {
    return std::to_string(frame.points) + " points, " + std::to_string(frame.dropped) + " dropped\n" + text_of(frame);
  };
  for (const bool shares : {false, true}) {
    clock.shares_points = shares;
    Timeline kept(std::make_unique<FakeClock>(clock), 6);
    std::deque<std::string> expected;
    for (std::uint64_t id = 0; id < 200; ++id) {
      FakeClock::State of_fresh;
      of_fresh.shares_points = shares;
      Timeline fresh(std::make_unique<FakeClock>(of_fresh), 6);
      const auto on_both = [&](const auto& f) { f(kept), f(fresh); };
      const auto detail = random() % 4 == 0 ? TimingDetail::frame : TimingDetail::launches;
      on_both([&](Timeline& t) { t.set_detail(detail), t.begin_frame(id); });
      int depth = 0;
      for (int step = 0; step < 24; ++step) {
        const auto what = random() % 5;
        const auto name = std::string(1, static_cast<char>('a' + random() % 3));
        if (what == 0 && depth < 4) {
          const auto timing = random() % 2 == 0 ? SpanTiming::parts : SpanTiming::whole;
          on_both([&](Timeline& t) { t.begin(std::string_view(name), timing); });
          ++depth;
        } else if (what < 3 && depth > 0) {
          on_both([](Timeline& t) { t.end(); });
          --depth;
        } else if (what == 3) {
          on_both([](Timeline& t) { t.separate(); });
        } else {
          clock.now += 3, of_fresh.now += 3;
        }
      }
      for (; depth > 0; --depth) on_both([](Timeline& t) { t.end(); });
      on_both([](Timeline& t) { t.end_frame(); });
      const auto alone = fresh.take();
      ASSERT_TRUE(alone);
      expected.push_back(text(*alone));
      clock.gpu_is_done = id % 4 == 3;
      while (const auto frame = kept.take()) {
        ASSERT_EQ(text(*frame), expected.front()) << id;
        expected.pop_front();
      }
    }
    EXPECT_TRUE(expected.empty());
  }
}

// Spans that share points: one begins where the one before it ended.
class TimelineSharedPointsTest : public TimelineTest {
 protected:
  void SetUp() override { clock.shares_points = true; }
};

TEST_F(TimelineSharedPointsTest, ASpanBeginsWhereTheOneBeforeItEnded) {
  for (int i = 0; i < 3; ++i) {
    frame(0, "luma 2 algorithm( kernel 3 +1 kernel 4 ) effect[ inside 5 ]");  // what lies between counts to the next kernel
    clock.now += 100;
    const auto frame = take();
    EXPECT_EQ(frame.points, 5);
    EXPECT_EQ(
        text_of(frame),
        "luma 0..2\nalgorithm 2..10\n algorithm/kernel 2..5\n algorithm/kernel 5..10\neffect 10..15\n effect/inside\n");
  }
}

TEST_F(TimelineSharedPointsTest, SeparateSpansHavePointsOfTheirOwn) {
  frame(0, "a 2 +50 | b 3 c 1");
  const auto frame = take();
  EXPECT_EQ(frame.points, 5);
  EXPECT_EQ(text_of(frame), "a 0..2\nb 52..55\nc 55..56\n");
}

TEST_F(TimelineSharedPointsTest, TheGapIsThatBetweenTheTwoSpans) {
  timeline.begin_frame();
  for (int i = 0; i < 3; ++i) {
    clock.host += Timeline::longest_shared_gap;
    record(timeline, "a 2");
  }
  timeline.end_frame();
  EXPECT_EQ(take().points, 4);
}

TEST_F(TimelineSharedPointsTest, TheIdleTimeWhileTheHostIsElsewhereBelongsToNoSpan) {
  for (const auto pause : {Timeline::longest_shared_gap, Timeline::longest_shared_gap + std::chrono::microseconds(1)}) {
    timeline.begin_frame();
    record(timeline, "a 2 +50");
    clock.host += pause;
    record(timeline, "b 3");
    timeline.end_frame();
    EXPECT_EQ(taken(), pause == Timeline::longest_shared_gap ? "a 0..2\nb 2..55\n" : "a 0..2\nb 52..55\n");
  }
}

// The end of `a`, which `b` shares, had passed long before the host came to `b`: that says nothing about the clocks.
TEST_F(TimelineSharedPointsTest, OnlyPointsOfTheirOwnPlaceSpansOnTheHostsClock) {
  timeline.begin_frame();
  record(timeline, "a 2");
  clock.host += std::chrono::microseconds(15);
  record(timeline, "b 3");
  timeline.end_frame();
  const auto frame = take();
  EXPECT_EQ(frame.points, 3);
  ASSERT_EQ(frame.spans.size(), 2u);
  EXPECT_DOUBLE_EQ(frame.spans[1].enqueued, 15);
  EXPECT_DOUBLE_EQ(frame.first_point, 0);
}

TEST_F(TimelineSharedPointsTest, SpansWithoutPointsLieBetween) {
  timeline.set_detail(TimingDetail::frame);
  timeline.begin_frame();
  record(timeline, "frame 5");
  timeline.begin({"copy", SpanKind::transfer});
  clock.now += 7;
  timeline.end();
  record(timeline, "more 1");
  timeline.end_frame();
  EXPECT_EQ(taken(), "frame 0..5\nmore 12..13\n");
  EXPECT_EQ(taken_with_room_for_one("kernel 0 kernel 0", 3, "+4 late 1"), "kernel 0..0\nlate 4..5\n1 dropped");
}

}  // namespace
}  // namespace gpu
