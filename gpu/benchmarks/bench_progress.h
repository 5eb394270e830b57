// A progress bar on a terminal's standard error, with an estimate of the time left.
#pragma once

#include <chrono>
#include <string>

namespace gpu::benchmarks {

class Progress {
 public:
  // `total` in any unit of work. Silent if standard error is not a terminal or `shown` is false.
  Progress(double total, bool shown);
  ~Progress();  // removes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what` begins; everything before it was `done` of the work.
  void show(double done, const std::string& what);

 private:
  double total_;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gpu::benchmarks
