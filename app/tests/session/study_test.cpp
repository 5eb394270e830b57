// The study of the algorithms over sizes, with the host's algorithms and with tables that a test spoils.
#include "app/session/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/output/study_text.h"
#include "app/session/race.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/session/kernel_example.h"
#include "app/tests/session/session_steps.h"

namespace app {
namespace {

using namespace std::chrono_literals;

const std::vector<gpu::Size> small{{16, 16}, {40, 30}, {64, 64}};

class StudyTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_.device = DeviceChoice::host;
    settings_.effect = "none";
    ASSERT_TRUE(engine_.process(noise_frame({67, 41}, 1), settings_));
  }
  void step(Study& study, bool alone = true) {
    study.wait(1s);
    study.step(engine_, settings_, alone);
  }
  template <class Holds>
  void step_until(Study& study, const Holds& holds) {
    for (int i = 0; i < 20000 && !holds(); ++i) step(study);
    ASSERT_TRUE(holds());
  }
  void finish(Study& study) {
    step_until(study, [&] { return study.finished(); });
  }

  Settings settings_;
  Engine engine_{{{}, "no driver"}};
};

RaceBench::Compute wrong_for(std::string_view name, gpu::Size at) {
  return [=](gpu::Context& context, const gpu::SatAlgorithm& algorithm, gpu::AnyConstImageView image,
             gpu::AnyImageView table, const gpu::Arguments& arguments) {
    gpu::compute_sat(context, algorithm, image, table, arguments);
    if (algorithm.name == name && image.width == at.width) ++table.as<std::uint32_t>()(3, 2);
  };
}

TEST_F(StudyTest, EverySizeIsMeasuredAndVerifiedFromTheSmallestOn) {
  Study study({}, small);
  EXPECT_FALSE(study.running());
  study.start();
  finish(study);
  const auto& figures = study.figures();
  ASSERT_EQ(figures.sizes.size(), small.size());
  EXPECT_EQ(figures.progress(), 1);
  EXPECT_TRUE(figures.problem.empty()) << figures.problem;
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto& race = figures.sizes[i];
    EXPECT_EQ(race.size, small[i]);
    const auto* row = measured_row(race, "host_parallel");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->check, RaceRow::Check::equal);
    EXPECT_EQ(row->runs, Race::enough_runs);
    EXPECT_GT(times_bound(race, *row).value(), 0);
  }
  EXPECT_TRUE(study.take_problems().empty());
  EXPECT_FALSE(answer_of(figures).algorithm.empty());
}

// The pixels differ: a table of equal ones would not show that entries are mixed up.
TEST_F(StudyTest, ThePixelsAreRandom) {
  std::atomic<bool> differ = false;
  Study study(
      [&](auto& context, auto& algorithm, auto image, auto table, auto& arguments) {
        const auto pixels = image.template as<const std::uint8_t>();
        differ = pixels(0, 0) != pixels(1, 0) || pixels(0, 0) != pixels(0, 1);
        gpu::compute_sat(context, algorithm, image, table, arguments);
      },
      {{512, 512}});
  study.start();
  finish(study);
  EXPECT_TRUE(differ);
}

TEST_F(StudyTest, OnlyTheChosenAlgorithmsAreMeasured) {
  settings_.study_algorithms = " host_serial,";
  Study study({}, small);
  study.start();
  finish(study);
  EXPECT_TRUE(measured_row(study.figures().sizes[0], "host_serial"));
  EXPECT_FALSE(measured_row(study.figures().sizes[0], "host_parallel"));
  settings_.study_algorithms = "2r1w";  // of a GPU
  study.start();
  finish(study);
  EXPECT_TRUE(study.figures().sizes.empty());
  EXPECT_EQ(study.figures().problem, "none of the chosen algorithms runs here");
  settings_.study_algorithms = "host_seriel";
  study.start();
  finish(study);
  EXPECT_NE(study.figures().problem.find("host_serial"), std::string::npos) << study.figures().problem;
}

TEST_F(StudyTest, AWrongTableIsReportedAndMeasuredNoMore) {
  Study study(wrong_for("host_serial", small[1]), small);
  study.start();
  finish(study);
  const auto problems = study.take_problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("study of 40x30: host_serial: wrong at (3, 2)")) << problems[0];
  const auto& sizes = study.figures().sizes;
  EXPECT_TRUE(measured_row(sizes[0], "host_serial"));
  EXPECT_FALSE(measured_row(sizes[1], "host_serial"));
  const auto absent = std::ranges::find(sizes[2].absent, "host_serial", &RaceFigures::Absent::name);
  ASSERT_NE(absent, sizes[2].absent.end());
  EXPECT_EQ(absent->why, "it failed at 40x30");
}

// One curve would be of two kernels.
TEST_F(StudyTest, AUsersKernelThatIsSavedMeanwhileIsMeasuredNoMore) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  OwnAlgorithm own("studied_mine");
  own.save();
  settings_.device = DeviceChoice::simulated;
  settings_.study_algorithms = "studied_mine,2r2w";
  ASSERT_TRUE(engine_.process(noise_frame({67, 41}, 2), settings_));
  const std::vector<gpu::Size> sizes{{16, 16}, {32, 32}, {40, 30}, {48, 32}, {64, 64}};
  Study study({}, sizes);
  for (int version = 1; version <= 2; ++version) {
    study.start();
    step_until(study, [&] { return study.figures().sizes.size() == 1; });
    own.save();
    finish(study);
    const auto& all = study.figures().sizes;
    ASSERT_EQ(all.size(), sizes.size());
    for (const auto& size : all) {
      EXPECT_TRUE(measured_row(size, "2r2w"));
      if (const auto* row = measured_row(size, "studied_mine")) {
        EXPECT_EQ(row->version, version) << text_of(size.size);
      }
    }
    for (std::size_t i = 3; i < all.size(); ++i) {  // the second one may have been under way
      const auto absent = std::ranges::find(all[i].absent, "studied_mine", &RaceFigures::Absent::name);
      ASSERT_NE(absent, all[i].absent.end());
      EXPECT_NE(absent->why.find("it was saved again"), std::string::npos) << absent->why;
    }
  }
}

TEST_F(StudyTest, StoppedItKeepsWhatItHasAndStartedAgainItBeginsAnew) {
  Study study({}, small);
  study.start();
  study.start();  // twice in quick succession
  step_until(study, [&] { return study.figures().sizes.size() == 1; });
  study.stop();
  study.stop();
  for (int i = 0; i < 5; ++i) step(study);
  EXPECT_EQ(study.figures().sizes.size(), 1u);
  EXPECT_FALSE(study.busy());
  study.start();
  study.stop();
  study.start();
  finish(study);
  EXPECT_EQ(study.figures().sizes.size(), small.size());
  study.start();  // while nothing is under way
  step(study);
  EXPECT_TRUE(study.figures().sizes.empty());
  finish(study);
  EXPECT_EQ(study.figures().sizes.size(), small.size());
}

TEST_F(StudyTest, ItRestsWhileAnythingElseIsMeasured) {
  std::atomic<int> runs = 0;
  Study study(
      [&](auto& context, auto& algorithm, auto image, auto table, auto& arguments) {
        ++runs;
        gpu::compute_sat(context, algorithm, image, table, arguments);
      },
      small);
  study.start();
  for (int i = 0; i < 3; ++i) step(study, false);
  EXPECT_EQ(runs, 0);
  step_until(study, [&] { return runs > 10; });
  step(study, false);
  step(study, false);  // what was under way is taken in
  EXPECT_FALSE(study.busy());
  const int before = runs;
  for (int i = 0; i < 5; ++i) step(study, false);
  EXPECT_EQ(runs, before);
  EXPECT_TRUE(study.running());
  finish(study);
}

TEST_F(StudyTest, ItIsSavedAsASizeAfterTheOther) {
  Study study({}, small);
  study.start();
  finish(study);
  const auto data = nlohmann::json::parse(study_json(study.figures()));
  EXPECT_EQ(data["type"], "8u32u");
  ASSERT_EQ(data["sizes"].size(), small.size());
  EXPECT_EQ(data["sizes"][1]["size"], (nlohmann::json{40, 30}));
  EXPECT_FALSE(data["sizes"][1]["race"].empty());
  const auto csv = study_csv(study.figures());
  for (const auto size : small)
    EXPECT_NE(csv.find("\n" + std::to_string(size.width) + ',' + std::to_string(size.height) + ",host_parallel,"),
              std::string::npos)
        << csv;
  const auto table = study_table(study.figures());
  EXPECT_NE(table.find("40x30"), std::string::npos) << table;
  EXPECT_NE(table.find("is nearest to the bound"), std::string::npos) << table;
}

TEST(StudyAnswerTest, TheAnswerIsTheBestAtTheLargestSizeAndWhereThatBegins) {
  StudyFigures study;
  const auto add = [&](gpu::Size size, std::initializer_list<std::pair<const char*, double>> times) {
    RaceFigures race;
    race.size = size;
    for (const auto& [name, us] : times) {
      auto& row = race.rows.emplace_back();
      row.name = row.label = name;
      row.runs = 25;
      row.us = us;
      row.over_bound = us / 10;
    }
    study.sizes.push_back(race);
  };
  EXPECT_TRUE(study_sentence(study).empty());
  add({256, 256}, {{"one", 11}, {"two", 20}});
  add({512, 512}, {{"two", 13}, {"one", 14}});
  add({1024, 1024}, {{"two", 12}});
  EXPECT_EQ(study_sentence(study), "two is nearest to the bound from 512x512 on: 1.20 times");
  study.sizes.erase(study.sizes.begin());
  EXPECT_EQ(study_sentence(study), "two is nearest to the bound at every size: 1.20 times");
}

// A script starts it, waits for it and saves it, also while a race was asked for.
TEST(StudySessionTest, ARaceGoesFirstAndBothFinish) {
  auto settings = host_settings("synthetic:64x48");
  settings.effect = "none";
  SessionParts parts(settings);
  ASSERT_TRUE(parts.shows_source());
  parts.race.study().start();
  parts.race.race().start();
  for (int i = 0; i < 20000 && !parts.race.race().finished(); ++i) {
    parts.race.wait(1s);
    parts.race.step({1, "scene"}, 1, false);
    EXPECT_TRUE(parts.race.study().figures().sizes.empty());
  }
  EXPECT_TRUE(parts.race.race().finished());
  EXPECT_TRUE(parts.race.study().running());
  parts.race.study().stop();
  parts.race.end();
}

}  // namespace
}  // namespace app
