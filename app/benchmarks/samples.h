// Times of alternating runs: what is compared is run in turns, so that whatever slows the machine down for a while slows
// all of it down alike.
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

// Runs every contender once a round, each round beginning with another one: for `seconds`, and at least 15 rounds.
void alternate(std::vector<Contender>& contenders, double seconds);

}  // namespace app::benchmarks
