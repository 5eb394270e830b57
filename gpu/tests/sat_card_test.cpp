// The cards agree with the algorithms: every algorithm has one, and every kernel that it launches is explained.
#include "gpu/sat_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gpu/effect.h"
#include "gpu/parameter_search.h"
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

TEST(SatCard, every_algorithm_has_one_and_no_other_name_has) {
  EXPECT_EQ(sat_cards().size(), sat_algorithms().size());
  for (const auto* algorithm : sat_algorithms()) EXPECT_TRUE(find_sat_card(algorithm->name)) << algorithm->name;
  EXPECT_FALSE(find_sat_card("2r3w"));
}

TEST(SatCard, every_kernel_is_explained_and_nothing_else_is) {
  for (const auto* algorithm : sat_algorithms()) {
    const auto& card = *find_sat_card(algorithm->name);
    const auto names = launched_by(*algorithm);
    for (const auto& name : names)
      EXPECT_FALSE(kernel_note(std::string(algorithm->name) + '/' + name).empty()) << algorithm->name << '/' << name;
    for (const auto& note : card.kernels) {
      const auto stem = note.name.substr(0, note.name.find('*'));
      EXPECT_TRUE(std::ranges::any_of(names, [&](const auto& name) { return name.starts_with(stem); }))
          << algorithm->name << " launches no " << note.name;
    }
  }
}

TEST(SatCard, the_kernels_of_effects_are_explained) {
  for (const auto* effect : all_effects()) {
    auto dry = Context::dry(Device::cuda);
    const Size size{640, 480};
    const auto* algorithm = find_sat_algorithm("2r1w");
    const Arguments initial(algorithm->parameters);
    EffectInput input{view_without_memory<const Bgr>(size),
                      view_without_memory<const std::uint8_t>(size),
                      {},
                      nullptr,
                      algorithm,
                      &initial};
    input.tables.sum = view_without_memory<std::uint32_t>(size);
    run_effect(dry, *effect, input, {{{}, view_without_memory<Rgba>(size)}, {}}, Arguments(effect->parameters));
    for (const auto& launch : dry.launches())
      EXPECT_FALSE(kernel_note("2r1w/" + launch.name).empty()) << effect->name << ": " << launch.name;
  }
}

TEST(SatCard, a_kernel_of_an_algorithm_is_found_in_any_path) {
  const auto note = kernel_note("2r1w/tile sums");
  EXPECT_TRUE(note.starts_with("Row sums"));
  EXPECT_EQ(kernel_note("lane 2/2r1w/tile sums"), note);
  EXPECT_NE(kernel_note("1_plus_r_r1w/tile sums"), note);
  EXPECT_EQ(kernel_note("prefix_doubling/add at distance 512"), kernel_note("prefix_doubling/add at distance 1"));
  EXPECT_EQ(kernel_note("lane 1/luma"), kernel_note("luma"));
  EXPECT_EQ(kernel_note("1r1w_skss/clear"), kernel_note("clear"));
  EXPECT_TRUE(kernel_note("no such kernel").empty());
}

TEST(SatCard, families_have_names_and_every_card_has_steps) {
  for (const auto family : sat_families()) EXPECT_FALSE(name(family).empty());
  for (const auto& card : sat_cards()) {
    EXPECT_FALSE(card.steps.empty()) << card.algorithm;
    for (const auto& step : card.steps) EXPECT_TRUE(step.text.ends_with('.') || step.text.ends_with(',')) << step.text;
    EXPECT_TRUE(card.doi.empty() || card.doi.starts_with("10.")) << card.doi;
  }
}

}  // namespace
}  // namespace gpu
