// For tests: sources that follow a script, and waiting for a condition instead of a fixed time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/capture/capture.h"
#include "app/capture/source.h"
#include "app/support/threads.h"

namespace app::capture {

using Phase = Status::Phase;
using Read = Source::Read;

// What a fake source does for picture `n` of this pass.
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

inline SourceFactory fake(Script script, SourceInfo info = {}) {
  return [=](const Request&, const Opening&) { return std::make_unique<FakeSource>(info, script); };
}

inline SourceInfo file_info() { return {.kind = SourceKind::video, .description = "fake", .size = {4, 2}, .fps = 1000}; }
inline SourceInfo live_info() {
  SourceInfo info = file_info();
  info.live = true;
  return info;
}

inline Read picture(Frame& frame, std::uint64_t n, gpu::Size size = {4, 2}) {
  frame.resize(size, false);
  frame.position = static_cast<double>(n) / 1000;
  for (std::size_t i = 0; i < size.pixels(); ++i) frame.pixels.data()[i] = {static_cast<std::uint8_t>(n), 0, 0};
  return Read::frame;
}

inline SourceInfo seekable_info() {
  SourceInfo info = file_info();
  info.no_seek.clear();
  return info;
}
// As many, and then the end.
inline Script pictures(std::uint64_t count = ~std::uint64_t{0}) {
  return [count](Frame& frame, std::uint64_t n, std::stop_token) { return n < count ? picture(frame, n) : Read::end; };
}

struct WaitForThreads {
  ~WaitForThreads() { wait_for_detached(std::chrono::seconds(20)); }
};
// A Capture whose destructor waits for its thread, so that its script may use the test's variables.
class JoinedCapture : private WaitForThreads, public Capture {
 public:
  using Capture::Capture;
};

// Waits until `holds()`, long enough for a loaded machine; tests fail on false, not because they are slow.
template <class Condition>
bool eventually(Condition holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// The next frame. Where none comes, an exception ends the test.
inline const Frame* next_frame(Capture& capture) {
  if (const Frame* const frame = capture.take(std::chrono::seconds(20))) return frame;
  throw std::runtime_error("no frame came: " + capture.status().message);
}

inline bool reaches(const Capture& capture, Phase phase) {
  return eventually([&] { return capture.status().phase == phase; });
}

}  // namespace app::capture
