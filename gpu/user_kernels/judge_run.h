// What the child of a judge does with a kernel, in parts: each says what it finds, and stops at the first thing that is wrong.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/checks/sat_cases.h"
#include "gpu/execution/driver.h"
#include "gpu/user_kernels/judge_protocol.h"
#include "gpu/user_kernels/kernel_version.h"

namespace gpu {

struct JudgeRun {
  using Clock = std::chrono::steady_clock;

  JudgeTask task;
  const KernelVersion* version = nullptr;
  const simulated::Driver* plain = nullptr;
  const simulated::Driver* observed = nullptr;
  JudgeWriter writer;
  Clock::time_point begin = Clock::now();
  std::chrono::nanoseconds waited_before{};  // for a processor, until then
  bool has_faulted = false;                  // a case threw, or wrote where it must not
  std::atomic<bool> late = false;            // kernels have been stopped, because the time is nearly over

  bool full() const { return task.request.depth == JudgeRequest::Depth::full; }
  void start();  // the time and the memory are the kernel's from now on
  // The part of the time that is over, 0 to 1. Time that the system gives to other programs does not count.
  double part() const;
  std::string seconds() const;  // the limit: "10 s"

  // Throws std::runtime_error where that is more than the process may take: filling it would take long.
  void allow_scratch(std::size_t bytes, Size size) const;
  // Does a case, and says that it is wrong if it throws. True: it did not. `end`, and what it throws, may take lines.
  bool attempt(const std::string& what, const std::function<void()>& work);
};

// Whether there is time for a case of so many pixels until a part of all the time is over, after those before it.
class JudgeBudget {
 public:
  JudgeBudget(const JudgeRun& run, double until) : run_(run), until_(until) {}

  bool allows(std::size_t pixels) const { return run_.part() + rate_ * static_cast<double>(pixels) < until_; }
  // Around a case.
  void begin() { began_ = run_.part(); }
  void end(std::size_t pixels);

 private:
  const JudgeRun& run_;
  double until_, began_ = 0;
  double rate_ = 0;  // parts of the time per pixel
};

// True: nothing is wrong.
// Races, bounds, barriers, and the table, in several orders. `may_go_on`: a fault would end other runs, too.
bool judge_observed(JudgeRun& run, bool& may_go_on);
bool judge_tables(JudgeRun& run, Device device);  // on the plain simulated GPU, or on CUDA
bool judge_effect(JudgeRun& run, Device device);  // likewise, compared with the same effect on the host
void judge_traffic(JudgeRun& run);                // what it moves, and what its lines do, whether it is right or not
bool judge_time(JudgeRun& run);                   // on CUDA

// A race as the simulated GPU reports it; and what one run was about.
KernelRace kernel_race(const simulated::Race& race);
std::string text_of(const simulated::Schedule& schedule);  // "in order", "random:3"
std::string not_initial(const Arguments& arguments);       // " W=64"; empty: the initial ones

}  // namespace gpu
