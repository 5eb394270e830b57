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
// more addresses than any memory has, and so does a GPU's driver. That of time begins when satscope's own part is loaded, which takes
// as long as the disk and a GPU's driver take, and leaves out what the system
// gives to other programs: the child keeps that limit itself, too. What is kept here is for a process that cannot keep it.
void run_task(const JudgeTask& task, const ChildCommand& child, const std::atomic<bool>& stop, JudgeReport& report) {
  constexpr std::chrono::seconds most_of_start(60);
  const auto most = 4 * task.request.limits.time + std::chrono::seconds(10);
  report.mark = JudgeMark::random();
  ChildRequest request;
  request.words = child.words;
  for (auto& word : words_of(task)) request.words.push_back(std::move(word));
  request.environment = {std::string(JudgeMark::variable) + '=' + report.mark.text};
  constexpr std::size_t most_of_line = 1 << 20;
  std::string text;  // what has come of a line that is not complete; of one that is too long for a child's, its beginning
  request.output = [&](std::string_view piece) {
    const auto end = piece.rfind('\n');
    if (end == piece.npos) {
      text += piece.substr(0, most_of_line - std::min(text.size(), most_of_line));
      return;
    }
    read_judge_lines(text.append(piece.substr(0, end + 1)), report);
    text = piece.substr(end + 1);
  };
  bool was_ready = false, late = false;
  auto begin = Clock::now();
  request.stop = [&] {
    if (report.ready && !std::exchange(was_ready, true)) begin = Clock::now();
    late = Clock::now() - begin >= (was_ready ? most : most_of_start);
    return late || stop;
  };
  const auto end = run_child(request);
  const bool timed_out = end.end == ChildResult::End::stopped && late && !stop;
  conclude(report, timed_out ? ChildResult{ChildResult::End::timed_out, 0} : end,
           was_ready ? task.request.limits : KernelLimits{most_of_start});
}

// On the GPU, where it may harm what the simulated GPU does not have: a trial of a kernel whose table is wrong there, too, because the
// window takes it. What the simulated GPU has found stays, unless the kernel does harm here.
void run_on_gpu(const JudgeTask& task, const ChildCommand& child, const std::atomic<bool>& stop, Verdict& verdict) {
  const Verdict before = verdict;
  JudgeReport report{.verdict = std::move(verdict)};
  report.verdict.fault.clear();
  run_task(task, child, stop, report);
  verdict = std::move(report.verdict);
  const bool keeps = !verdict.no_cuda.empty() || (before.outcome == Verdict::Outcome::wrong && verdict.harmless);
  if (!keeps) return;
  verdict.outcome = before.outcome, verdict.harmless = before.harmless;
  verdict.sentence = before.sentence, verdict.where = before.where, verdict.fault = before.fault;
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
    const bool tells_nothing = stop || compiled.was_hindered;
    verdict.outcome = tells_nothing ? Verdict::Outcome::interrupted : Verdict::Outcome::does_not_compile;
    verdict.sentence = stop                    ? "interrupted"
                       : compiled.was_hindered ? "cannot be judged: " + first_error(compiled.messages)
                                               : "does not compile";
    if (!tells_nothing) verdict.where = first_error(compiled.messages);
    return verdict;
  }
  const auto begin = Clock::now();
  run_task({compiled, request, tools.libraries, false}, child, stop, report);
  const bool may_run = verdict.outcome == Verdict::Outcome::right ||
                       (request.depth == JudgeRequest::Depth::trial && verdict.outcome == Verdict::Outcome::wrong &&
                        verdict.harmless);
  if (request.on_gpu && compiled.cubin.empty()) verdict.no_cuda = compiled.no_cuda;
  if (request.on_gpu && !compiled.cubin.empty() && may_run)
    run_on_gpu({compiled, request, tools.libraries, true}, child, stop, verdict);
  verdict.seconds = seconds_since(begin);
  return verdict;
}

}  // namespace gpu
