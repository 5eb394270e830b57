// A progress bar on stderr: one line drawn again and again on a terminal, a line every tenth elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace app {

class Progress {
 public:
  explicit Progress(std::FILE* out = stderr);
  // `total` 0: unknown; then frames are counted only.
  void show(std::uint64_t frames, std::uint64_t total);
  void finish(std::uint64_t frames);

 private:
  double fps(std::uint64_t frames) const;

  std::FILE* out_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_, shown_;
  int tenths_ = 0;
  bool drawn_ = false;
};

}  // namespace app
