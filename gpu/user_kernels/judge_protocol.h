// What a judge and its child process say to each other: the task as words of a command line, and the findings as lines of text. What
// a child has said before it crashed, or was ended, counts.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// What begins a line of a child's findings. Each judge has its own, which its child takes out of the environment before the kernel is
// loaded: what a kernel prints, or has copied from another judge, is none.
struct JudgeMark {
  static constexpr const char* variable = "SATSCOPE_JUDGE_MARK";

  std::string text = "judge:";

  static JudgeMark random();
  static JudgeMark taken_from_environment();
};

// The child's findings, each a line on a file descriptor as soon as it is known. Threads may write at the same time.
class JudgeWriter {
 public:
  explicit JudgeWriter(int descriptor, JudgeMark mark = {}) : descriptor_(descriptor), mark_(std::move(mark)) {}

  void ready();                       // satscope's own part is loaded: from now on time and memory are the kernel's
  void now(const std::string& what);  // what it does next
  void compared(Size size);           // a table
  void observed();                    // a run
  // The first one is the verdict: "wrong: a data race". Its place is what was said by now().
  void wrong(const std::string& sentence);
  void cannot_judge(const std::string& why);  // for a reason that is not the kernel's
  void no_cuda(const std::string& why);       // Verdict::no_cuda
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
  JudgeMark mark_;
};

// The parent's side.
struct JudgeReport {
  Verdict verdict;
  JudgeMark mark = {};
  std::string now = "starting";  // what the child was doing
  bool ready = false;            // it said so; likewise
  bool wrong = false;
  bool ended = false;
  bool compared = false;       // a table or picture at least
  std::string cannot_judge{};  // why; empty: it can
};
// Adds what the lines say. Lines that are none of a child's, as those of a kernel that prints, are skipped.
void read_judge_lines(std::string_view text, JudgeReport& report);

// From the report and the end of the child's process to outcome, sentence and place.
void conclude(JudgeReport& report, const ChildResult& end, const KernelLimits& limits);

}  // namespace gpu
