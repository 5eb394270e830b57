// A progress bar on stderr: one line redrawn in place on a terminal, otherwise one line per tenth.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "app/support/console.h"

namespace app {

class Progress {
 public:
  // `unit`: the name of a counted thing.
  explicit Progress(std::FILE* out = console(), std::string_view unit = "frame");
  // `total` 0: unknown; then only the count is shown. `note` replaces the rate.
  void show(std::uint64_t done, std::uint64_t total, std::string_view note = {});
  void finish(std::uint64_t done);
  void erase();  // the line on the terminal, to make room for other output

 private:
  std::string rate(std::uint64_t done) const;  // ", 17/s"; of a single one there is none

  std::FILE* out_;
  std::string unit_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_, shown_;
  int tenths_ = 0;
  bool drawn_ = false;
};

}  // namespace app
