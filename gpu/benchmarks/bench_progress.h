// A progress bar on a terminal's standard error, with an estimate of the time left.
#pragma once

#include <chrono>
#include <string>

namespace gpu::benchmarks {

class Progress {
 public:
  // `total` in any unit of work. Silent where standard error is no terminal or `shown` is false.
  Progress(double total, bool shown);
  ~Progress();  // takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what` begins; everything before it has taken `done` of the work.
  void show(double done, const std::string& what);

 private:
  double total_;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gpu::benchmarks
