// What the table, the JSON and the CSV of a race say; and the scale of its bars.
#include "app/output/race_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "gpu/effect.h"

namespace app {
namespace {

TEST(RaceTextTest, ARaceOnTheSimulatedGpuSaysWhatItIsRankedByAndWhy) {
  RaceFigures race;
  race.device = gpu::Device::simulated;
  race.size = {64, 32};
  for (const auto& [name, us, bytes] : {std::tuple("1r1w_skss_lb", 83'247., 5.125), {"2r2w", 1355., 13.}}) {
    auto& row = race.rows.emplace_back();
    row.name = row.label = name;
    row.runs = 5;
    row.us = us;
    row.least_us = us - 1;
    row.bytes_per_pixel = bytes;
    row.sectors_per_pixel = 0.5;
  }
  const auto table = race_table(race);
  EXPECT_NE(table.find(why_by_traffic), table.npos) << table;
  EXPECT_LT(table.find("bytes"), table.find("sectors"));
  EXPECT_LT(table.find("sectors"), table.find("CPU"));
  EXPECT_NE(table.find("5.12"), table.npos) << table;
  const auto json = nlohmann::json::parse(race_json(race));
  EXPECT_EQ(json["ranked_by"], "bytes_per_pixel, then sectors_per_pixel");
  EXPECT_EQ(json["race"][0]["bytes_per_pixel"], 5.125);
  EXPECT_EQ(json["race"][1]["sectors_per_pixel"], 0.5);
  const auto csv = race_csv(race);
  EXPECT_NE(csv.find("# ranked by: bytes_per_pixel"), csv.npos) << csv;
  EXPECT_NE(csv.find(",least_us,bytes_per_pixel,sectors_per_pixel\n"), csv.npos) << csv;
  EXPECT_NE(csv.find("\n1r1w_skss_lb,,83247.0,,,0,5,83246.0,5.125,0.5\n"), csv.npos) << csv;
  race.device = gpu::Device::cuda;
  EXPECT_EQ(nlohmann::json::parse(race_json(race))["ranked_by"], "us");
  EXPECT_EQ(race_table(race).find("sectors"), std::string::npos);
}

// What is saved while it runs, or after it was stopped, does not pass for a race.
TEST(RaceTextTest, AnUnfinishedRaceSaysSoAndWhoHasNotRun) {
  RaceFigures race;
  race.size = {64, 32};
  race.runs = 3, race.runs_wanted = 10;
  for (const auto& [name, runs, problem] :
       {std::tuple("host_serial", 3, ""), {"host_parallel", 0, ""}, {"failing", 0, "memory is exhausted"}}) {
    auto& row = race.rows.emplace_back();
    row.name = row.label = name;
    row.runs = runs;
    row.problem = problem;
  }
  auto json = nlohmann::json::parse(race_json(race));
  EXPECT_EQ(json["finished"], false);
  EXPECT_EQ(json["race"].size(), 1u);
  EXPECT_EQ(json["absent"], nlohmann::json::parse(R"([{"name": "host_parallel", "because": "it has not run yet"},
                                                      {"name": "failing", "because": "memory is exhausted"}])"));
  EXPECT_NE(race_csv(race).find("\n# not finished: 3 of 10 runs\n"), std::string::npos) << race_csv(race);
  race.finished = true;
  EXPECT_EQ(nlohmann::json::parse(race_json(race))["finished"], true);
  EXPECT_EQ(race_csv(race).find("not finished"), std::string::npos);
}

TEST(RaceTextTest, WhatIsAbsentForOneReasonIsOneLine) {
  RaceFigures race;
  race.size = {64, 32};
  for (const auto* name : {"1r1w", "2r1w", "2r2w", "one_wave"})
    race.absent.push_back({name, "only on a GPU, or on the simulated GPU"});
  race.absent.push_back({"cub", "only on a GPU"});
  race.absent.push_back({"npp", "only on a GPU"});
  const auto table = race_table(race);
  EXPECT_TRUE(table.starts_with("Race on 64x32, 8u32u, CPU\n")) << table;
  EXPECT_NE(
      table.find("\nnot in the race:\n  cub, npp: only on a GPU\n  4 algorithms: only on a GPU, or on the simulated GPU\n"),
      table.npos)
      << table;
}

TEST(RaceTextEffectTest, WhatTheChoiceIsWorthIsTheDifferenceOfTheExtremes) {
  RaceFigures race;
  race.device = gpu::Device::cuda;
  race.effect = gpu::find_effect("faces");
  for (const auto& [name, us] : {std::pair("1r1w_skss_lb", 812.), {"2r2w", 2210.}, {"2r1w", 1000.}}) {
    auto& row = race.rows.emplace_back();
    row.name = row.label = name;
    row.effect_us = us;
    row.effect_runs = row.runs = 25;
  }
  EXPECT_EQ(effect_worth(race),
            "Faces: from 812 us with 1r1w_skss_lb to 2210 us with 2r2w: the choice is worth 1398 us per frame");
  EXPECT_EQ(effect_worth(race, "µs").find(" us "), std::string::npos);
  race.rows[1].problem = "Faces: 0 annotations instead of 2";
  EXPECT_EQ(effect_worth(race),
            "Faces: from 812 us with 1r1w_skss_lb to 1000 us with 2r1w: the choice is worth 188 us per frame")
      << "a wrong result is no choice";
  race.effect_problem = "it needs 300 MB of scratch memory";
  EXPECT_EQ(effect_worth(race), "Faces: not timed: it needs 300 MB of scratch memory");
}

TEST(RaceTextEffectTest, EachOfItsNumbersHasItsPlace) {
  RaceFigures race;
  race.size = {64, 32};
  race.effect = gpu::find_effect("faces");
  race.effect_arguments = gpu::Arguments(race.effect->parameters);
  auto& row = race.rows.emplace_back();
  row.name = row.label = "2r1w";
  row.us = 11, row.least_us = 10, row.runs = 3;
  row.effect_us = 21, row.effect_least_us = 20, row.effect_runs = 4;
  row.effect_bytes_per_pixel = 1.5;
  EXPECT_NE(race_csv(race).find("\n2r1w,,11.0,,,0,3,10.0,,,21.0,20.0,4,1.5\n"), std::string::npos) << race_csv(race);
  const auto json = race_rows_json(race)[0];
  EXPECT_EQ(json["us"], 11);
  EXPECT_EQ(json["least_us"], 10);
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["effect_us"], 21);
  EXPECT_EQ(json["effect_least_us"], 20);
  EXPECT_EQ(json["effect_runs"], 4);
  row.effect_runs = 0;
  EXPECT_NE(race_csv(race).find(",10.0,,,,,0,1.5\n"), std::string::npos) << race_csv(race);
}

RaceFigures race_of(std::initializer_list<double> times) {
  RaceFigures race;
  for (const auto us : times) {
    RaceRow row;
    row.name = row.label = "row " + std::to_string(race.rows.size());
    row.runs = 25;
    row.us = us;
    race.rows.push_back(row);
  }
  return race;
}

TEST(RaceScaleTest, BarsBeginAtTheBoundAndAreLinearUpToFiveTimes) {
  auto race = race_of({4, 8, 12, 20, 100, 400});
  race.bound = race.rows[0].label;
  const RaceScale scale(race);
  EXPECT_EQ(scale.position(4), 0);
  EXPECT_EQ(scale.position(400), 1);
  EXPECT_NEAR(scale.position(12), 2 * scale.position(8), 1e-9);
  EXPECT_NEAR(scale.position(20), 4 * scale.position(8), 1e-9);
  EXPECT_LT(scale.position(100), 5 * scale.position(20)) << "logarithmic";
  EXPECT_TRUE(scale.is_linear(20));
  EXPECT_FALSE(scale.is_linear(100));
  EXPECT_EQ(scale.marks(), (std::vector<double>{1, 5, 100, 2, 3, 4, 20, 10})) << "those first that others make room for";
}

TEST(RaceScaleTest, WhereNoneIsMuchSlowerAllIsLinear) {
  auto race = race_of({10, 20, 101});
  race.bound = race.rows[0].label;
  const RaceScale scale(race);
  EXPECT_TRUE(scale.is_linear(101));
  EXPECT_NEAR(scale.position(20), 1 / 9.1, 1e-9);
  EXPECT_EQ(scale.marks(), (std::vector<double>{1, 2, 4, 6, 8, 10}));
  const RaceScale without_bound(race_of({10, 20}));
  EXPECT_EQ(without_bound.position(10), 0) << "from the best row on";
  EXPECT_EQ(RaceScale(RaceFigures()).marks(), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace app
