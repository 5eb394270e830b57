// A timeline with a clock that tests advance by hand.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "gpu/timeline.h"

namespace gpu {

// Time advances only when the test says so. Reading a real clock too early would wait; here it is an error.
class FakeClock : public TimelineClock {
 public:
  struct State {
    double now = 0, reached = std::numeric_limits<double>::infinity();  // the GPU has passed what was recorded until then
    bool gpu_is_done = true, shares_points = false;
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
inline std::string text_of(const TimelineFrame& frame) {
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
  void span(const SpanLabel& label, double microseconds) {
    timeline.begin(label);
    clock.now += microseconds;
    timeline.end();
  }
  void frame(std::uint64_t id, std::string_view name, double microseconds) {
    timeline.begin_frame(id);
    span(name, microseconds);
    timeline.end_frame();
  }
  // Of the one frame that has come out.
  std::string taken() {
    const auto frame = timeline.take();
    EXPECT_FALSE(timeline.take());
    return frame ? text_of(*frame) : "no frame";
  }

  FakeClock::State clock;
  Timeline timeline{std::make_unique<FakeClock>(clock)};
};

}  // namespace gpu
