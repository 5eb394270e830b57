// Times of alternating runs: the contenders run in turns, so that a temporary slowdown of the machine affects all of them
// equally.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace app::benchmarks {

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> microseconds = {};

  double median() const;
  double minimum() const;
};

// Runs every contender once per round, each round starting with another one, for `seconds` and at least 15 rounds.
void alternate(std::vector<Contender>& contenders, double seconds);

}  // namespace app::benchmarks
