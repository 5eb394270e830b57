#include "gpu/user_kernels/judge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gpu/execution/child_process.h"
#include "gpu/user_kernels/judge_protocol.h"

namespace gpu {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// One child, whose findings are added to the report. The limit of memory is kept by the child itself: the simulated GPU reserves far
// more addresses than any memory has, and so does a GPU's driver.
void run_task(const JudgeTask& task, const ChildCommand& child, const std::atomic<bool>& stop, JudgeReport& report) {
  ChildRequest request;
  request.words = child.words;
  for (auto& word : words_of(task)) request.words.push_back(std::move(word));
  request.limits.time = task.request.limits.time;
  std::string text;  // what has come of a line that is not complete
  request.output = [&](std::string_view piece) {
    text += piece;
    const auto end = text.rfind('\n');
    if (end == text.npos) return;
    read_judge_lines(std::string_view(text).substr(0, end + 1), report);
    text.erase(0, end + 1);
  };
  request.stop = [&] { return stop.load(); };
  report.ended = false;
  report.now = "starting";
  conclude(report, run_child(request), task.request.limits);
}

}  // namespace

Verdict judge(const CompiledKernel& compiled, const JudgeRequest& request, const ChildCommand& child,
              const KernelTools& tools, const std::atomic<bool>& stop) {
  JudgeReport report;
  auto& verdict = report.verdict;
  verdict.name = compiled.source.name;
  verdict.is_effect = compiled.source.form == KernelSource::Form::effect;
  verdict.messages = compiled.messages;
  verdict.compile_seconds = compiled.seconds;
  if (!compiled.works()) {
    verdict.outcome = stop ? Verdict::Outcome::interrupted : Verdict::Outcome::does_not_compile;
    verdict.sentence = stop ? "interrupted" : "does not compile";
    verdict.where = first_error(compiled.messages);
    return verdict;
  }
  const auto begin = Clock::now();
  run_task({compiled, request, tools.libraries, false}, child, stop, report);
  if (verdict.outcome == Verdict::Outcome::right && request.on_gpu && !compiled.cubin.empty())
    run_task({compiled, request, tools.libraries, true}, child, stop, report);
  verdict.seconds = seconds_since(begin);
  return verdict;
}

}  // namespace gpu
