// The cards agree with the algorithms: every algorithm has one, and every kernel that it launches is explained.
#include "gpu/choice/sat_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "gpu/choice/parameter_search.h"
#include "gpu/sat.h"

namespace gpu {
namespace {

// The names of all launches, with every choice of every parameter.
std::set<std::string> launched_by(const SatAlgorithm& algorithm) {
  std::set<std::string> names;
  for (const auto& arguments : combinations(Arguments(algorithm.parameters), {})) {
    auto dry = Context::dry(algorithm.device, 4);
    const Size size{1000, 700};
    compute_sat(dry, algorithm, view_without_memory(size, ElementType::u8), view_without_memory(size, ElementType::u32),
                arguments);
    for (const auto& launch : dry.launches()) names.insert(launch.name);
  }
  return names;
}

TEST(SatCardTest, EveryAlgorithmHasOneAndNoOtherNameHas) {
  EXPECT_EQ(sat_cards().size(), sat_algorithms().size());
  for (const auto* algorithm : sat_algorithms()) EXPECT_TRUE(find_sat_card(algorithm->name)) << algorithm->name;
  EXPECT_FALSE(find_sat_card("2r3w"));
}

TEST(SatCardTest, EveryKernelIsExplainedAndNothingElseIs) {
  for (const auto* algorithm : sat_algorithms()) {
    const auto& card = *find_sat_card(algorithm->name);
    const auto names = launched_by(*algorithm);
    for (const auto& name : names)
      EXPECT_TRUE(name == "clear" || !note_of(card.kernels, name).empty()) << algorithm->name << '/' << name;
    for (const auto& note : card.kernels) {
      const auto stem = note.name.substr(0, note.name.find('*'));
      EXPECT_TRUE(std::ranges::any_of(names, [&](const auto& name) { return name.starts_with(stem); }))
          << algorithm->name << " launches no " << note.name;
    }
  }
}

TEST(SatCardTest, FamiliesHaveNamesAndEveryCardHasSteps) {
  for (const auto family : sat_families()) EXPECT_FALSE(name(family).empty());
  for (const auto& card : sat_cards()) {
    EXPECT_FALSE(card.steps.empty()) << card.algorithm;
    for (const auto& step : card.steps) EXPECT_TRUE(step.text.ends_with('.') || step.text.ends_with(',')) << step.text;
    EXPECT_TRUE(card.doi.empty() || card.doi.starts_with("10.")) << card.doi;
  }
}

TEST(SatCardTest, EveryAlgorithmIsInOneFamilyByYear) {
  std::size_t all = 0;
  for (const auto family : sat_families()) {
    const auto algorithms = algorithms_of(family);
    EXPECT_TRUE(std::ranges::is_sorted(algorithms, {}, &SatAlgorithm::year)) << name(family);
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(name(family).front()))) << name(family);
    all += algorithms.size();
  }
  EXPECT_EQ(all, sat_algorithms().size());
}

// Its tiles are not chained: none waits for another's table.
TEST(SatCardTest, OneWaveAddsTheSumsOfAllTilesAtOnce) {
  EXPECT_EQ(find_sat_card("one_wave")->steps.back().move, SatMove::sums_of_all);
}

}  // namespace
}  // namespace gpu
