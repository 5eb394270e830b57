#include "app/benchmarks/host_benchmarks.h"

#include <algorithm>
#include <chrono>

#include "gpu/percentile.h"

namespace app::benchmarks {
namespace {

constexpr int fewest_rounds = 15;
using Clock = std::chrono::steady_clock;

}  // namespace

double Contender::median() const {
  auto values = microseconds;
  return gpu::percentile(values, 50);
}

double Contender::minimum() const { return *std::min_element(microseconds.begin(), microseconds.end()); }

void alternate(std::vector<Contender>& contenders, double seconds) {
  for (auto& contender : contenders) contender.run();  // warm-up: pages, caches, threads
  const auto start = Clock::now();
  for (int round = 0; round < fewest_rounds || Clock::now() - start < std::chrono::duration<double>(seconds); ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      auto& contender = contenders[(i + static_cast<std::size_t>(round)) % contenders.size()];
      contender.run();  // not counted: wakes the contender's threads, which slept while others ran
      const auto before = Clock::now();
      contender.run();
      contender.microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
}

}  // namespace app::benchmarks
