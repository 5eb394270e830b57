// Runs a program as a child of this process, with limits, and ends it with everything that it has started. For programs that
// cannot be relied on: compilers that read what a user has just written, and trials of code that nobody knows.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu {

// 0: none.
struct ChildLimits {
  std::chrono::milliseconds time{0};  // from its start to its end
  // Of each process: private memory that can be written (RLIMIT_DATA, Linux 4.7). Address space (RLIMIT_AS) is no measure:
  // CUDA, and the allocator for each thread, reserve many gigabytes that they do not use. There is no limit for the number of
  // processes, because the system counts all those of the user together.
  std::size_t memory_bytes = 0;
  std::size_t file_bytes = 0;  // of each file that it writes
  // That it computes (RLIMIT_CPU), of each process: other programs on the machine do not make it longer. SIGXCPU ends it.
  std::chrono::seconds cpu_time{0};
};

struct ChildRequest {
  // The program, as find_program() takes it, and its arguments. No shell reads them.
  std::vector<std::string> words;
  std::filesystem::path folder = {};          // in which it works; empty: this process's
  std::vector<std::string> environment = {};  // "NAME=value", in place of what this process has under that name
  ChildLimits limits = {};
  // Called by the calling thread as output arrives, with pieces of any length; null: it goes to /dev/null. What is beyond
  // `most_output` is not passed on.
  std::function<void(std::string_view)> output = {}, errors = {};
  std::function<bool()> stop = {};  // asked every few milliseconds: true ends it; null: never

  static constexpr std::size_t most_output = std::size_t{64} << 20;  // bytes, of each
};

struct ChildResult {
  // out_of_memory: it says so as it ends, or was killed by somebody else, as systems do that have no memory left.
  enum class End { exited, signalled, timed_out, stopped, out_of_memory, not_started };

  End end = End::not_started;
  int status = 0;  // exited: its exit status; signalled: the signal

  bool succeeded() const { return end == End::exited && status == 0; }
};

// Waits until it has ended. Its standard input is empty, and it has no other open file of this process; it writes no core
// file. It leads a process group of its own, so that Ctrl-C does not reach it, and is killed if the calling thread ends. Safe
// while other threads run and with a CUDA context: nothing is copied, and it runs no code of this process's threads. One that
// does not die soon after it is killed, as in a device's driver, is not waited for. Processes that it has started and that
// have left its group (setsid) go on. Where this process ignores SIGCHLD that is undone: no status would be known. Throws what
// `output` and `errors` throw, after it has ended the child.
ChildResult run_child(const ChildRequest& request);

// How it ended, for "the compiler ...": "ends with status 3", "ends with signal 11 (Segmentation fault)", "does not end within
// 10 s", "needs more than 4 GiB of memory", "cannot be started", "is stopped".
std::string text_of(const ChildResult& result, const ChildLimits& limits);

// The program's file: `name` itself where it has a slash, else what PATH has under that name. Empty: it is not there, or
// nothing that can be started.
std::filesystem::path find_program(const std::string& name);

}  // namespace gpu
