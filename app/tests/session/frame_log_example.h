// A log of frames with known times.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/frame_log.h"
#include "gpu/timeline.h"

namespace app {

inline gpu::TimelineFrame times_of(std::uint64_t id, double microseconds) {
  static const auto paths = std::make_shared<std::vector<std::string>>(
      std::initializer_list<std::string>{"table", "table/sums"});
  gpu::TimelineFrame times;
  times.id = id;
  times.timed = true;
  times.paths = paths;
  times.spans = {{0, -1, 0, 0, microseconds, true}, {1, 0, 0, 0, microseconds / 3, true}};
  return times;
}

class FrameLogTest : public testing::Test {
 protected:
  void made(std::uint64_t id, const std::string& effect = "none", gpu::Size size = {64, 48}) {
    Settings settings;
    settings.effect = effect;
    made(id, settings, size);
  }
  void made(std::uint64_t id, const Settings& settings, gpu::Size size = {64, 48}) {
    FrameRecord record;
    record.id = id;
    record.source = source;
    record.captured = record.taken = record.enqueued = FrameLog::Clock::now();
    log.begin_turn();
    log.begin(std::move(record));
    log.made(make_selection(settings, gpu::Device::host), size);
  }
  void frame(std::uint64_t id, const std::string& effect = "none") {
    made(id, effect);
    log.drawn();
  }
  void frame_again(std::uint64_t id) {
    FrameRecord record;
    record.id = id;
    record.again = true;
    record.source = source;
    log.begin(std::move(record));
    log.made(make_selection(Settings(), gpu::Device::host), {64, 48});
    log.drawn();
  }

  // What the mark at the `i`-th frame says.
  std::string changed(std::size_t i) const {
    const auto frames = log.history().frames();
    return what_changed(*log.history().work(frames[i - 1].work), *log.history().work(frames[i].work));
  }

  std::shared_ptr<const std::string> source = std::make_shared<const std::string>("clip.mp4, 64x48");
  std::vector<FrameRecord> complete;
  std::function<void(const FrameRecord&)> also;
  FrameLog log{[this](const FrameRecord& record) {
    complete.push_back(record);
    if (also) also(record);
  }};
};

}  // namespace app
