// On the observed simulated GPU: races, bounds and barriers, the table itself, and what is counted.
#include <algorithm>
#include <exception>
#include <iterator>

#include "gpu/sat_runner.h"
#include "gpu/user_kernels/judge_run.h"

namespace gpu {
namespace {

using simulated::Schedule;

// One pixel; smaller than a block; partial tiles and several blocks, wider and higher.
constexpr Size trial_sizes[] = {{1, 1}, {97, 65}};
constexpr Size full_sizes[] = {{1, 1}, {7, 5}, {33, 31}, {97, 65}, {300, 70}, {70, 300}, {257, 129}};
constexpr std::uint64_t trial_schedules = 1, full_schedules = 4;  // besides the one in order
constexpr double observed_until = 0.4;                            // of all the time

// An effect has that of its table alone.
std::span<const SatType> types_of(const JudgeRun& run) {
  static constexpr SatType of_effects[] = {SatType::u8_u32};
  return run.version->algorithm ? run.version->algorithm->types : std::span<const SatType>(of_effects);
}

simulated::SimulationRequest request_of(const JudgeRun& run, SatType type, Size size, const Schedule& schedule) {
  constexpr auto build = static_cast<std::size_t>(simulated::Build::observed);
  simulated::SimulationRequest request;
  request.algorithm = run.version->name;
  request.of_user = run.version->simulated_algorithm[build];
  request.effect_of_user = run.version->simulated_effect[build];
  request.type = type;
  request.size = size;
  request.gpu.schedule = schedule;
  for (const auto& file : run.task.compiled.source.files) request.lines_of.push_back(file.string());
  return request;
}

// What it says of one run. True: nothing is wrong.
bool take(JudgeRun& run, const simulated::Simulation& result) {
  run.writer.observed();
  for (const auto& race : result.races) run.writer.race(kernel_race(race));
  if (!result.races.empty()) {
    run.writer.wrong("wrong: a data race");
  } else if (!result.equal) {
    run.writer.fault(result.mismatch);
    run.writer.wrong("wrong: the table");
  }
  return result.races.empty() && result.equal;
}

bool observe(JudgeRun& run, SatType type, Size size, const Schedule& schedule, bool& may_go_on) {
  bool right = true;
  may_go_on = run.attempt("observed, " + text_of(size) + ", " + std::string(info(type).name) + ", " + text_of(schedule),
                          [&] {
                            if (const auto* algorithm = run.version->algorithm) {
                              const Arguments arguments(algorithm->parameters);
                              const auto plan = plan_sat(Device::simulated, 0, *algorithm, size, type, arguments);
                              run.allow_scratch(plan.workspace_bytes, size);
                            }
                            right = take(run, run.observed->simulate(request_of(run, type, size, schedule)));
                          });
  return may_go_on && right;
}

// What it may throw is no fault of the kernel's.
void count_beside(JudgeRun& run, SatType type, Size size) try {
  const auto* const beside = find_sat_algorithm(run.task.request.beside);
  if (!beside || std::ranges::count(beside->types, type) == 0) return;
  simulated::SimulationRequest request;
  request.algorithm = beside->name;
  request.type = type;
  request.size = size;
  run.writer.counted_beside(run.observed->simulate(request).counts);
} catch (const std::exception&) {}

}  // namespace

bool judge_observed(JudgeRun& run, bool& may_go_on) {
  const auto sizes = run.full() ? std::span<const Size>(full_sizes) : std::span<const Size>(trial_sizes);
  const auto schedules = run.full() ? full_schedules : trial_schedules;
  JudgeBudget budget(run, observed_until);
  for (const auto size : sizes)
    for (const auto type : types_of(run))
      for (std::uint64_t i = 0; i <= schedules; ++i) {
        if (!budget.allows(size.pixels())) return true;
        const auto schedule = i == 0 ? Schedule() : Schedule{Schedule::Kind::random, run.task.request.seed + i - 1};
        budget.begin();
        if (!observe(run, type, size, schedule, may_go_on)) return false;
        budget.end(size.pixels());
      }
  return true;
}

void judge_traffic(JudgeRun& run) {
  constexpr Size sizes[] = {{512, 512}, {256, 256}, {128, 128}};
  const auto types = types_of(run);
  const auto type = std::ranges::count(types, SatType::u8_u32) > 0 ? SatType::u8_u32 : types.front();
  JudgeBudget budget(run, 0.78);
  run.attempt("observed, 64x64, counted", [&] {
    budget.begin();
    run.observed->simulate(request_of(run, type, {64, 64}, {}));
    budget.end(Size{64, 64}.pixels());
  });
  const auto size = run.full() ? std::ranges::find_if(sizes, [&](Size each) { return budget.allows(each.pixels()); })
                               : std::prev(std::end(sizes));
  if (size == std::end(sizes)) return;
  run.attempt("observed, " + text_of(*size) + ", counted", [&] {
    const auto result = run.observed->simulate(request_of(run, type, *size, {}));
    take(run, result);
    run.writer.counted(*size, type, result.launches, result.counts);
    for (const auto& line : result.lines) run.writer.line(line);
  });
  count_beside(run, type, *size);
}

}  // namespace gpu
