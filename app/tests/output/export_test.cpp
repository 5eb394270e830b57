// The contents of an export, for known figures.
#include "app/output/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/pipeline/frame_figures.h"
#include "app/support/text.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

auto named(std::initializer_list<std::string> paths) { return std::make_shared<std::vector<std::string>>(paths); }

Report example() {
  Settings settings;
  settings.effect = "box_blur";
  settings.effect_values["box_blur"]["window"] = "9x5";
  Report report;
  report.device = "A \"quoted\" device";
  report.driver = "CPU, 2 threads";
  report.source = "clip.mp4, 4x3, 30/s";
  report.size = {4, 3};
  report.selection = make_selection(settings, gpu::Device::host);
  const auto paths = named({"2r1w", "2r1w/sums, first"});
  for (int i = 0; i <= 100; ++i) {  // unsorted intervals of 1 to 100 ms; kernels of 0 to 100 us in two launches
    FrameRecord record;
    record.id = 1000 + static_cast<std::uint64_t>(i);
    record.dropped_before = i % 50 == 7;
    record.interval_us = i == 0 ? 0 : (101 - i) * 1000.0;
    record.work_us = 2000;
    record.times.timed = true;
    record.times.paths = paths;
    record.times.spans = {{0, -1, 0, 0, i * 1.0, true}, {1, 0, 0, 0, i / 2.0, true}, {1, 0, 0, i / 2.0, i * 1.0, true}};
    record.times.points = 4;
    record.times.timing_us = 20;
    report.figures.add(record);
  }
  return report;
}

// What is given has these values there, whatever else it has.
void expect_values(const nlohmann::json& given, const char* expected) {
  const auto values = nlohmann::json::parse(expected).flatten();
  for (const auto& [path, value] : values.items())
    EXPECT_EQ(given.value(nlohmann::json::json_pointer(path), nlohmann::json()), value) << path;
}

TEST(ExportTest, ACellOfCsvIsQuotedWhereReadersNeedIt) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a, b"), "\"a, b\"");
  EXPECT_EQ(csv_cell("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell("two\rlines"), "\"two\rlines\"");
  EXPECT_EQ(csv_cell("a\ttab"), "a\ttab");
}

TEST(ExportTest, JsonHasTheMeasurements) {
  const auto json = nlohmann::json::parse(report_json(example()));
  // Of 100 intervals the slowest, of 100 ms; a group is not a kernel.
  expect_values(json, R"({
    "device": "A \"quoted\" device", "driver": "CPU, 2 threads", "size": [4, 3], "algorithm": "host_parallel",
    "effect": "box_blur", "effect_parameters": {"window": "9x5"}, "frames": 101, "dropped": 2, "untimed": 0,
    "first_frame": 1000, "last_frame": 1100, "selected": false, "fps": 19.8, "low_1_percent_fps": 10,
    "low_0.1_percent_fps": 10, "frame_ms": {"mean": 50.5, "p50": 50, "p90": 90, "p99": 99, "p99.9": 100, "max": 100},
    "work_ms": {"p50": 2}, "kernels_total_us": {"max": 100},
    "kernels": [{"name": "2r1w/sums, first", "frames": 101, "launches": 2, "mean": 50, "p50": 50, "p90": 90, "p99": 99,
                 "max": 100, "kind": "compute", "share": 1}],
    "groups": [{"name": "2r1w", "launches": 1}],
    "timing": {"what": "kernels", "points_per_frame": 4, "us_per_frame": {"mean": 20}}})");
  EXPECT_EQ(json["kernels"].size(), 1u);
  EXPECT_EQ(json["timing"]["share_of_frame"], 0.0004)
      << "of intervals of 50 ms, which are longer than the work and the kernels";
}

TEST(ExportTest, VersionsOfAUsersKernelAreToldApart) {
  auto report = example();
  auto json = nlohmann::json::parse(report_json(report));
  EXPECT_TRUE(json.at("algorithm_version").is_null() && json.at("effect_version").is_null());
  gpu::KernelVersion version;
  version.name = "mine";
  auto algorithm = *report.selection.algorithm;
  algorithm.name = version.name;
  algorithm.version = &version;
  report.selection.algorithm = &algorithm;
  for (version.number = 3; version.number < 5; ++version.number) {
    json = nlohmann::json::parse(report_json(report));
    EXPECT_EQ(json["algorithm"], "mine") << "as a script chooses it";
    EXPECT_EQ(json["algorithm_version"], version.number);
    EXPECT_NE(report_csv(report).find("# algorithm: mine." + std::to_string(version.number)), std::string::npos);
  }
}

TEST(ExportTest, SaysWhatWasLostToDrawing) {
  auto report = example();
  auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["lost_us"]["frames"], 0);
  EXPECT_EQ(json["kernels"].at(0)["lost_frames"], 0);
  FrameRecord frame;
  frame.times.timed = true;
  frame.times.paths = named({"luma"});
  frame.times.spans = {{0, -1, 0, 0, 366, true}};
  frame.times.spans[0].lost = 300;
  report.figures.add(frame);
  json = nlohmann::json::parse(report_json(report));
  expect_values(json["lost_us"], R"({"frames": 1, "max": 300})");
  const auto luma = std::ranges::find_if(json["kernels"], [](const auto& kernel) { return kernel["name"] == "luma"; });
  ASSERT_NE(luma, json["kernels"].end());
  expect_values(*luma, R"({"frames": 0, "lost_frames": 1, "lost_us": 300})");
  EXPECT_NE(report_csv(report).find("\nfar above usual,1,1,300,300,300,300,300,300\n"), std::string::npos);
}

TEST(ExportTest, RatesAreNullWhereNobodyKnowsThem) {
  auto report = example();
  report.selection.algorithm = gpu::find_sat_algorithm("2r1w");
  report.selection.algorithm_arguments = gpu::Arguments(report.selection.algorithm->parameters);
  report.selection.device = gpu::Device::cuda;
  report.size = {400, 300};
  report.bound_us = 10;
  auto json = nlohmann::json::parse(report_json(report));
  const auto& arguments = report.selection.algorithm_arguments;
  const auto bytes = bytes_of(*report.selection.algorithm, report.size, gpu::SatType::u8_u32, arguments);
  EXPECT_NEAR(json["groups"].at(0)["gb_per_s"].get<double>(), static_cast<double>(bytes) / 50e3, 0.005);
  EXPECT_EQ(json["groups"].at(0)["percent_of_bound"], 20);
  EXPECT_TRUE(json["kernels"].at(0)["gb_per_s"].is_null());
  EXPECT_TRUE(json["kernels"].at(0).at("percent_of_bound").is_null());
  report.bound_us.reset();
  json = nlohmann::json::parse(report_json(report));
  EXPECT_TRUE(json["groups"].at(0)["gb_per_s"].is_number());
  EXPECT_TRUE(json["groups"].at(0).at("percent_of_bound").is_null());
}

TEST(ExportTest, CsvHasTheSameRowsAndQuotesNames) {
  const auto csv = report_csv(example());
  EXPECT_NE(
      csv.find("\nframe,100,1,50500,50000,90000,99000,100000,100000\nmain thread,101,1,2000,2000,2000,2000,2000,2000\n"),
      std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\n\"2r1w/sums, first\",101,2,50,50,90,99,100,100\n2r1w,101,1,50,50,90,99,100,100\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("# effect: box_blur window=9x5"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n# timing: kernels, 4 points and 20 us per frame, 0.04% of the time\n"), std::string::npos) << csv;
}

// Each is another than all others.
TEST(ExportTest, EachNumberHasItsPlace) {
  Settings settings;
  settings.compare = {true, "sat_view", "haar"};
  settings.compare_mode = Composition::Mode::difference;
  Report report;
  report.size = {64, 48};
  report.selection = make_selection(settings, gpu::Device::host);
  auto& figures = report.figures;
  const auto paths = named({"upload", "wait", "luma"});
  for (int i = 0; i <= 2000; ++i) {
    FrameRecord record;
    record.id = 70 + static_cast<std::uint64_t>(i);
    record.interval_us = i == 0 ? 0 : i > 1995 ? 100'000 : i > 1980 ? 50'000 : 10'000;
    record.times.timed = true;
    record.times.paths = paths;
    record.times.spans = {{0, -1, 0, 0, 31, true, gpu::SpanKind::transfer},
                          {1, -1, 0, 40, 45, true, gpu::SpanKind::wait},
                          {2, -1, 0, 50, 67, true}};
    figures.add(record);
  }
  figures.dropped = 11, figures.untimed = 12, figures.first_launches = 13, figures.checked = 14, figures.wrong = 15;
  for (const bool selected : {false, true}) {
    report.is_range = selected;
    const auto json = nlohmann::json::parse(report_json(report));
    EXPECT_EQ(json["selected"], selected);
    // 20 intervals in 1.25 s; waiting with what is between the spans.
    expect_values(json, R"({"first_frame": 70, "last_frame": 2070, "frames": 2001, "dropped": 11, "untimed": 12,
      "first_launches": 13, "checked": 14, "wrong": 15, "low_1_percent_fps": 16, "low_0.1_percent_fps": 10,
      "transfer_us": {"p50": 31}, "waiting_us": {"p50": 19}, "kernels_total_us": {"p50": 17},
      "compare": {"a": "sat_view", "b": "haar", "mode": "difference"}})");
    const auto csv = report_csv(report);
    for (const auto& line :
         {std::string("# compare: sat_view,haar difference"),
          "# frames: 2001 from 70 to 2070" + std::string(selected ? ", selected" : "") +
              "; untimed: 12, first launches: 13, dropped: 11, checked: 14, wrong: 15",
          std::string("transfers,2001,1,31,31,31,31,31,31"), std::string("waiting,2001,1,19,19,19,19,19,19")})
      EXPECT_NE(csv.find('\n' + line + '\n'), std::string::npos) << line << csv;
    EXPECT_NE(csv.find(", 1% low: 16, 0.1% low: 10\n"), std::string::npos) << csv;
  }
}

TEST(ExportTest, ARunWithoutAnyPictureAlsoGivesAReport) {
  const auto json = nlohmann::json::parse(report_json(Report{}));
  EXPECT_EQ(json["frames"], 0);
  EXPECT_EQ(json["fps"], 0);
  EXPECT_EQ(json["frame_ms"]["p50"], 0);
  EXPECT_TRUE(json["kernels"].empty());
}

TEST(ExportTest, TheRaceOfAnotherPictureIsLeftOut) {
  auto report = example();
  RaceRow row;
  row.name = row.label = "2r1w";
  row.runs = 3;
  report.race.rows = {row};
  EXPECT_EQ(nlohmann::json::parse(report_json(report))["race"].size(), 1u);
  report.race.earlier = true;
  EXPECT_FALSE(nlohmann::json::parse(report_json(report)).contains("race"));
}

TEST(ExportTest, NamesThatAreNotUtf8AreAccepted) {
  auto report = example();
  report.source = "\xff\xfe.mp4";
  EXPECT_TRUE(nlohmann::json::accept(report_json(report)));
}

// Values of an export by their paths.

const auto document = nlohmann::ordered_json::parse(R"({
  "fps": 59.5, "low_0.1_percent_fps": 30, "size": [640, 480], "empty": [],
  "kernels": [{"name": "2r1w", "p50": 12, "p99.9": 15}, {"name": "2r1w.columns", "p50": 7}],
  "race": [{"name": "one_wave", "us": 3}, {"name": "one_wave", "us": 4}]})");

// What a path leads to, or why it leads to nothing.
nlohmann::json answer(const nlohmann::ordered_json& report, const std::string& path, const Settings& settings = {}) try {
  return nlohmann::json::parse(answer_of(report, std::span(&path, 1), settings, {})).at(path);
} catch (const std::invalid_argument& none) {
  return {{"why", none.what()}};
}

TEST(ExportValuesTest, APathLeadsThroughNamesAndNumbers) {
  const std::pair<const char*, double> table[] = {{"fps", 59.5},
                                                  {"low_0.1_percent_fps", 30},
                                                  {"size.1", 480},
                                                  {"kernels.2r1w.p50", 12},
                                                  {"kernels.2r1w.p99.9", 15},
                                                  {"kernels.2r1w.columns.p50", 7},
                                                  {"kernels.1.p50", 7},
                                                  {"race.one_wave.us", 3},
                                                  {"race.1.us", 4}};
  for (const auto& [path, value] : table) EXPECT_EQ(answer(document, path), value) << path;
  EXPECT_EQ(answer(document, "race.0"), nlohmann::json({{"name", "one_wave"}, {"us", 3}}));
}

TEST(ExportValuesTest, WhereItLeadsNoFurtherTheNearestPathIsNamed) {
  const std::pair<const char*, const char*> table[] = {{"fsp", " (did you mean 'fps'?)"},
                                                       {"kernels.2r1v.p50", " (did you mean 'kernels.2r1w.p50'?)"},
                                                       {"kernels.2r1w.p51", " (did you mean 'kernels.2r1w.p50'?)"},
                                                       {"size.-1", " (did you mean 'size.1'?)"},
                                                       {"fps.mean", ""},
                                                       {"race.7.us", " (did you mean 'race.0.us'?)"},
                                                       {"", ""},
                                                       {".", ""},
                                                       {"fps.", " (did you mean 'fps'?)"}};
  for (const auto& [path, says] : table)
    EXPECT_EQ(answer(document, path)["why"], "no value '" + std::string(path) + "'" + says);
}

TEST(ExportValuesTest, AGroupIsFoundAmongTheKernels) {
  const auto report = nlohmann::ordered_json::parse(
      R"({"kernels": [{"name": "luma", "p50": 1}, {"name": "2r1w/columns", "p50": 2}],
                                                        "groups": [{"name": "blur"}, {"name": "2r1w", "p50": 3}]})");
  for (const auto& [path, p50] : {std::pair{"kernels.2r1w.p50", 3},
                                  {"groups.2r1w.p50", 3},
                                  {"groups.1.p50", 3},
                                  {"kernels.2r1w/columns.p50", 2},
                                  {"kernels.luma.p50", 1},
                                  {"kernels.0.p50", 1}})
    EXPECT_EQ(answer(report, path), p50) << path;
  EXPECT_EQ(answer(report, "kernels").size(), 2u);
}

TEST(ExportValuesTest, ASourceThatFailedSaysWhyAndElseWhatWasAskedFor) {
  using Phase = capture::Status::Phase;
  capture::Status status;
  status.message = "the camera is gone";
  capture::Drops drops;
  drops.add(capture::DropReason::not_taken, 3);
  drops.add(capture::DropReason::failed);
  for (const auto phase : {Phase::playing, Phase::ended, Phase::failed}) {
    status.phase = phase;
    const auto json = source_json(status, 1.5, true, "no such file", drops);
    EXPECT_EQ(json["problem"], phase == Phase::failed ? "the camera is gone" : "no such file");
    EXPECT_EQ(json["ended"], phase == Phase::ended);
    EXPECT_EQ(json["position"], 1.5);
    EXPECT_EQ(json["dropped"].dump(), R"({"not_taken":3,"failed":1})");
  }
}

// Before the first picture nothing is in use.
TEST(ExportValuesTest, WhatIsNotInUseYetIsNull) {
  Settings settings;
  settings.effect = "haar";
  for (const auto& [used, algorithm] : {std::pair("", ""), {"box_blur", "2r1w"}}) {
    const nlohmann::ordered_json report{{"effect", used}, {"algorithm", algorithm}, {"groups", nlohmann::json::array()}};
    const std::string paths[] = {"effect", "settings.effect"};
    const auto answer = nlohmann::json::parse(answer_of(report, paths, settings, {}));
    EXPECT_EQ(answer["effect"], *used ? nlohmann::json(used) : nlohmann::json());
    EXPECT_EQ(answer["settings.effect"], "haar");
  }
}

TEST(ExportValuesTest, WhatIsWrongIsNamedAsItWasAskedFor) {
  const auto report = nlohmann::ordered_json::parse(R"({"kernels": [], "groups": [{"name": "2r1w", "p50": 3}]})");
  EXPECT_EQ(answer(report, "kernels.2r1w.p50"), 3);
  for (const auto* list : {"kernels", "groups"})
    EXPECT_EQ(answer(report, std::string(list) + ".2r1w.p51")["why"],
              "no value '" + std::string(list) + ".2r1w.p51' (did you mean '" + list + ".2r1w.p50'?)");
}

const auto nothing_yet = nlohmann::ordered_json::parse(R"({"kernels": [], "groups": [], "race": []})");

TEST(ExportValuesTest, WhatComesLaterHasANumberOrAName) {
  for (const auto* path : {"kernels.0.name", "race.17", "kernels.2r1w.p50", "race.one_wave.us", "kernels.0x.p50",
                           "kernels.2r1w.p99.9", "race.0.effect_us", "race.0.problem", "race.one_wave.parameters.tile"})
    EXPECT_EQ(answer(nothing_yet, path), nlohmann::json()) << path;
  EXPECT_EQ(answer(nothing_yet, "kernels"), nlohmann::json::array());
  for (const auto* path : {"kernels.-1.name", "kernels.01", "race.+1.us", "kernels.", "kernels..name", "race. .us"})
    EXPECT_TRUE(answer(nothing_yet, path).is_object()) << path;
}

TEST(ExportValuesTest, AWrongNameOfWhatComesLaterIsNoValue) {
  for (const auto& [path, says] : {std::pair{"kernels.2r1w.p51", " (did you mean 'kernels.2r1w.p50'?)"},
                                   {"race.0.uss", " (did you mean 'race.0.us'?)"},
                                   {"race.0.us.x", " (did you mean 'race.0.us'?)"},
                                   {"groups.0.p50.x", " (did you mean 'groups.0.p50'?)"}})
    EXPECT_EQ(answer(nothing_yet, path)["why"], "no value '" + std::string(path) + "'" + says);
}

}  // namespace
}  // namespace app
