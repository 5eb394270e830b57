// Judges a user's kernel: runs it, in a child process with limits, on images whose table is known, and says what it found.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/user_kernels/compiled_kernel.h"
#include "gpu/user_kernels/verdict.h"

namespace gpu {

struct JudgeRequest {
  // trial: what the window does before it takes a version: a few small sizes and `sizes`, both builds, and CUDA where it is compiled for
  // that. full: all sizes, strides, types and contents, random schedules, weak memory, races, bounds, memory left behind.
  enum class Depth { trial, full };

  Depth depth = Depth::full;
  std::vector<Size> sizes;  // that it must also be right for: the frame's
  bool on_gpu = false;      // where it is compiled for CUDA
  bool timed = false;       // also how long it takes there, with fresh pixels for each run and a check after it
  std::string beside;       // an algorithm that is built in: how long it takes is measured beside it
  std::uint64_t seed = 1;   // of pixels and schedules
  KernelLimits limits{std::chrono::seconds(10), std::size_t{4} << 30};
};

// The words that start this program again as judge_in_this_process(), which gets the words behind them.
struct ChildCommand {
  std::vector<std::string> words;
};

// Never throws for what the kernel does. Ends early once `stop` is set, with Outcome::interrupted.
Verdict judge(const CompiledKernel& compiled, const JudgeRequest& request, const ChildCommand& child,
              const KernelTools& tools, const std::atomic<bool>& stop);

// The child's side: loads the kernel, runs what the words say, and writes what it finds to its standard output as it goes on. Returns
// the status with which its caller calls std::exit(): the destructors of the kernel's static variables belong to what is judged.
int judge_in_this_process(std::span<const std::string> words);

}  // namespace gpu
