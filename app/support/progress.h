// A progress bar on stderr: one line drawn again and again on a terminal, a line every tenth elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace app {

class Progress {
 public:
  // `unit`: what is counted.
  explicit Progress(std::FILE* out = stderr, std::string_view unit = "frames");
  // `total` 0: unknown; then what is done is counted only. `note` stands where else the rate would.
  void show(std::uint64_t done, std::uint64_t total, std::string_view note = {});
  void finish(std::uint64_t done);
  void erase();  // the line on the terminal, so that other words can take its place

 private:
  std::string rate(std::uint64_t done) const;

  std::FILE* out_;
  std::string unit_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_, shown_;
  int tenths_ = 0;
  bool drawn_ = false;
};

}  // namespace app
