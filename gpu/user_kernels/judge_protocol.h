// What a judge and its child process say to each other: the task as words of a command line, and the findings as lines of text. What
// a child has said before it crashed, or was ended, counts.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/execution/child_process.h"
#include "gpu/user_kernels/judge.h"

namespace gpu {

// What the child does: everything on the simulated GPU, or everything on a GPU, whose driver takes more memory than a limit allows.
struct JudgeTask {
  CompiledKernel compiled;  // its libraries, without messages
  JudgeRequest request;
  std::filesystem::path libraries;  // of the simulated GPU
  bool on_gpu = false;
};
std::vector<std::string> words_of(const JudgeTask& task);
// Throws std::invalid_argument.
JudgeTask judge_task(std::span<const std::string> words);

std::string text_of(Size size);  // "97x65"

// The child's findings, each a line on a file descriptor as soon as it is known. Threads may write at the same time.
class JudgeWriter {
 public:
  explicit JudgeWriter(int descriptor) : descriptor_(descriptor) {}

  void now(const std::string& what);  // what it does next
  void compared(Size size);           // a table
  void observed();                    // a run
  // The first one is the verdict: "wrong: a data race". Its place is what was said by now().
  void wrong(const std::string& sentence);
  void entry(const WrongEntry& entry);
  void race(const KernelRace& race);
  void fault(const std::string& lines);
  void varies();
  void counted(Size size, SatType type, int launches, const simulated::Counts& counts);
  void counted_beside(const simulated::Counts& counts);
  void line(const simulated::LineCounts& line);
  void time(const KernelTime& time);
  void end();  // it has done what it was told to, and no case had a fault

 private:
  void put(std::initializer_list<std::string_view> fields);

  int descriptor_;
};

// The parent's side.
struct JudgeReport {
  Verdict verdict;
  std::string now;     // what the child was doing
  bool wrong = false;  // it said so
  bool ended = false;
};
// Adds what the lines say. Lines that are none of a child's, as those of a kernel that prints, are skipped.
void read_judge_lines(std::string_view text, JudgeReport& report);

// From the report and the end of the child's process to outcome, sentence and place.
void conclude(JudgeReport& report, const ChildResult& end, const KernelLimits& limits);

}  // namespace gpu
