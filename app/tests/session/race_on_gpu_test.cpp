// The race of an effect on a GPU: with every algorithm the same rectangles and the same picture.

#include "app/output/race_figures.h"
#include "app/tests/session/race_of_effects.h"

namespace app {
namespace {

class RaceOnGpuTest : public RaceOfEffects {
 protected:
  void SetUp() override {
    const auto probe = gpu::probe_gpu();
    if (!probe.gpu) GTEST_SKIP() << probe.reason;
    settings_.device = DeviceChoice::cuda;
    engine_ = std::make_unique<Engine>(probe);
    engine_->keep_going(false);
  }
  void expect_timed_and_equal(std::string_view title) {
    show(*engine_, small_astronaut(true));
    Race race;
    finish(race, *engine_);
    const auto& figures = race.figures();
    ASSERT_TRUE(figures.effect);
    EXPECT_EQ(figures.effect->title, title);
    EXPECT_EQ(figures.effect_problem, "");
    int algorithms = 0;
    for (const auto& row : figures.rows) {
      SCOPED_TRACE(row.label);
      EXPECT_EQ(row.problem, "");
      if (row.bound) continue;
      ++algorithms;
      EXPECT_EQ(row.check, RaceRow::Check::equal);
      EXPECT_EQ(row.effect_runs, Race::enough_runs);
      EXPECT_GT(row.effect_us, 0);
      EXPECT_LE(row.effect_least_us, row.effect_us);
    }
    EXPECT_GT(algorithms, 10);
    EXPECT_TRUE(race.take_problems().empty());
    EXPECT_TRUE(effect_worth(figures).starts_with(std::string(title) + ": from ")) << effect_worth(figures);
  }

  std::unique_ptr<Engine> engine_;
};

TEST_F(RaceOnGpuTest, FacesByGlobalTablesAreTheSameWithEveryAlgorithm) {
  choose("faces", "tables", "global");
  expect_timed_and_equal("Faces");
}

TEST_F(RaceOnGpuTest, BlurredChannelsAreTheSameWithEveryAlgorithm) {
  choose("box_blur");
  expect_timed_and_equal("Box blur");
}

TEST_F(RaceOnGpuTest, HiddenFacesAreTheSameWithEveryAlgorithm) {
  choose("faces", "show", "pixelated");
  expect_timed_and_equal("Faces");
}

TEST_F(RaceOnGpuTest, AnAlgorithmWithWhichABlurIsAnotherIsWrong) {
  auto algorithm = *gpu::find_sat_algorithm("2r1w");
  const auto lane = [&] { return RaceLane{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "one"}; };
  EXPECT_EQ(problem_of_blur(gpu::Device::cuda, lane()), "");
  algorithm.run = [](gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat, const gpu::Arguments&) {
    const auto& right = *gpu::find_sat_algorithm("2r1w");
    gpu::compute_sat(context, right, image, sat, gpu::Arguments(right.parameters));
    if (!context.is_dry()) gpu::check(cudaMemsetAsync(sat.as<std::uint32_t>().row(8), 0, 64, context.stream()));
  };
  const auto problem = problem_of_blur(gpu::Device::cuda, lane());
  EXPECT_TRUE(problem.starts_with("another picture than with 2r2w: ")) << problem;
}

}  // namespace
}  // namespace app
