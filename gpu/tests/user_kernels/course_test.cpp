// The solutions of the course's exercises (gpu/examples/course).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "gpu/tests/user_kernels/judged_file.h"

namespace gpu {
namespace {

Verdict judged_solution(const std::string& name) {
  JudgeRequest request;
  request.limits.time = std::chrono::seconds(60);
  return judged(course_files() / (name + ".cu"), request);
}

double per_pixel(const Verdict& verdict, std::uint64_t count) {
  return static_cast<double>(count) / static_cast<double>(verdict.counted.pixels());
}

class CourseTest : public testing::TestWithParam<std::string> {};

TEST_P(CourseTest, SolutionIsRight) {
  const auto verdict = judged_solution(GetParam());
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
  EXPECT_TRUE(verdict.races.empty());
}

std::vector<std::string> solutions() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(course_files()))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, CourseTest, testing::ValuesIn(solutions()), [](const auto& info) { return info.param; });

TEST(CourseTrafficTest, EachStepMovesLess) {
  ASSERT_EQ(solutions().size(), 5u);
  const auto naive = judged_solution("exercise_1_rows_and_columns"), transposed = judged_solution("exercise_2_transpose"),
             tiles = judged_solution("exercise_4_tiles"), look_back = judged_solution("exercise_5_look_back");
  const auto sectors = [](const Verdict& verdict) {
    return per_pixel(verdict, verdict.counts.read.sectors + verdict.counts.written.sectors);
  };
  EXPECT_GT(sectors(naive), 2 * sectors(transposed));
  EXPECT_GT(sectors(transposed), 3 * sectors(tiles));
  // One read less of every pixel. (What passes between tiles is about as much in both.)
  EXPECT_LT(per_pixel(look_back, look_back.counts.read.bytes), per_pixel(tiles, tiles.counts.read.bytes) - 0.5);
  EXPECT_EQ(look_back.launches, 2);
}

}  // namespace
}  // namespace gpu
