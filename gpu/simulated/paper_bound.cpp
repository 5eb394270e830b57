#include "gpu/simulated/paper_bound.h"

#include <cmath>

namespace gpu::simulated {
namespace {

double numbers(const MemoryProblem& problem) { return problem.width * problem.height; }
// Section 5's names of the three terms.
double bandwidth_limitation(const MemoryProblem& problem) { return numbers(problem) / problem.memory_width; }
double latency_limitation(const MemoryProblem& problem) { return numbers(problem) * problem.latency / problem.threads; }
double reduction_limitation(const MemoryProblem& problem) { return problem.latency * std::log2(numbers(problem)); }

double optimal(const MemoryProblem& problem) {
  return bandwidth_limitation(problem) + latency_limitation(problem) + reduction_limitation(problem);
}
constexpr std::string_view optimal_formula = "n/w + nl/p + l log n";

}  // namespace

PaperBound contiguous_access_bound(const MemoryProblem& problem) {
  return {bandwidth_limitation(problem) + latency_limitation(problem) + problem.latency, "n/w + nl/p + l", "Lemma 1"};
}

PaperBound lower_bound(const MemoryProblem& problem) { return {optimal(problem), optimal_formula, "Theorem 3"}; }

std::optional<PaperBound> paper_bound(std::string_view algorithm, const MemoryProblem& problem) {
  const double both = bandwidth_limitation(problem) + latency_limitation(problem);
  if (algorithm == "prefix_tree") return PaperBound{optimal(problem), optimal_formula, "Theorem 7"};
  if (algorithm == "prefix_tree_blocked") {
    const double k = problem.work_space;
    return PaperBound{both + numbers(problem) * problem.latency * std::log2(k) / k, "n/w + nl/p + nl log k / k",
                      "Corollary 6"};
  }
  if (algorithm == "prefix_doubling")
    return PaperBound{both * std::log2(numbers(problem)) + reduction_limitation(problem),
                      "n log n / w + nl log n / p + l log n", "Lemma 4"};
  return std::nullopt;
}

}  // namespace gpu::simulated
