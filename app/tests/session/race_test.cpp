// The race, with the host's algorithms and with tables that a test spoils.
#include "app/session/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/output/race_figures.h"
#include "app/output/race_view.h"
#include "app/session/messages.h"
#include "app/session/race_runner.h"
#include "app/support/simulated_gpu.h"
#include "app/support/threads.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/session/kernel_example.h"
#include "app/tests/session/race_of_effects.h"
#include "app/tests/session/session_steps.h"
#include "gpu/choice/bounds.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class RaceTest : public testing::Test {
 protected:
  static Settings on_host() {
    Settings settings;
    settings.device = DeviceChoice::host;
    settings.effect = "none";  // race_effect_test.cpp has those that are raced, too
    return settings;
  }
  void show(gpu::Size size, unsigned seed = 1) { ASSERT_TRUE(engine_.process(noise_frame(size, seed), settings_)); }
  void step(Race& race) {
    race.wait(1s);
    race.step(engine_, settings_, source_);
  }
  // From its start.
  void finish(Race& race) {
    race.start();
    finish_running(race);
  }
  void finish_running(Race& race) {
    for (int i = 0; i < 10000 && !race.finished(); ++i) step(race);
    ASSERT_TRUE(race.finished());
  }
  void start_some(Race& race) {
    race.start();
    run_some(race);
  }
  void run_some(Race& race) {
    for (int i = 0; i < 10000 && race.figures().runs < 10; ++i) step(race);
    ASSERT_TRUE(race.running());
  }

  Settings settings_ = on_host();
  Engine engine_{{{}, "no driver"}};
  Race::Source source_{1, "noise"};
};

// Each algorithm's own table, and then this.
template <class Then>
RaceBench::Compute and_then(Then then) {
  return [then](gpu::Context& context, const gpu::SatAlgorithm& algorithm, gpu::AnyConstImageView image,
                gpu::AnyImageView table, const gpu::Arguments& arguments) {
    gpu::compute_sat(context, algorithm, image, table, arguments);
    then(algorithm, image, table);
  };
}
// Entry (w/2, h/2) of one algorithm's table is one too large.
RaceBench::Compute spoiling(std::string_view name) {
  return and_then([name](auto& algorithm, auto, gpu::AnyImageView table) {
    if (algorithm.name == name) ++table.as<std::uint32_t>()(table.width / 2, table.height / 2);
  });
}

TEST_F(RaceTest, EveryAlgorithmOfTheDeviceIsTimedAndEqualsTheReference) {
  show({67, 41});
  std::atomic<int> runs = 0;
  Race race(and_then([&](auto& algorithm, auto, auto) { runs += algorithm.name == "host_serial"; }));
  EXPECT_TRUE(race.figures().rows.empty());
  race.start();
  EXPECT_TRUE(race.running());
  finish_running(race);
  EXPECT_EQ(runs, Race::enough_runs + 1) << "the first one loads what the others find, and is in no figure";
  const auto& figures = race.figures();
  EXPECT_EQ(figures.size, (gpu::Size{67, 41}));
  EXPECT_EQ(figures.source, "noise");
  EXPECT_EQ(figures.bound, "memset");
  for (const auto* algorithm : gpu::sat_algorithms()) {
    const auto* row = find(race, algorithm->name);
    EXPECT_EQ(row != nullptr, algorithm->device == gpu::Device::host) << algorithm->name;
    if (!row) continue;
    EXPECT_EQ(row->runs, Race::enough_runs);
    EXPECT_EQ(row->check, RaceRow::Check::equal);
    EXPECT_GT(row->us, 0);
    EXPECT_LE(row->least_us, row->lower_us);
    EXPECT_LE(row->lower_us, row->us);
    EXPECT_LE(row->us, row->upper_us);
    EXPECT_DOUBLE_EQ(row->over_bound.value(), row->us / find(race, "memset")->us);
    EXPECT_DOUBLE_EQ(row->gb_per_s.value(), 67 * 41 * (1 + 4) / row->us / 1e3);  // image and table
  }
  const auto* opencv = find(race, "opencv");
  ASSERT_TRUE(opencv);
  EXPECT_TRUE(opencv->peer);
  EXPECT_EQ(opencv->runs, Race::enough_runs);
  EXPECT_EQ(opencv->check, RaceRow::Check::equal);
  EXPECT_DOUBLE_EQ(opencv->over_bound.value(), opencv->us / find(race, "memset")->us);
  EXPECT_DOUBLE_EQ(opencv->gb_per_s.value(), 67 * 41 * (1 + 4) / opencv->us / 1e3);
  EXPECT_TRUE(std::ranges::is_sorted(figures.rows, {}, &RaceRow::us));
  EXPECT_EQ(figures.runs, figures.runs_wanted);
  EXPECT_TRUE(race.take_problems().empty());
}

// Its table has a row and a column more, and lies in memory that it shares with the others.
TEST_F(RaceTest, OpenCVsTableIsRightAtEverySize) {
  Race race;
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 9}, {130, 1}, {31, 33}, {320, 240}, {31, 33}})
    for (int turn = 0; turn < 2; ++turn) {
      show(size);
      race.start();
      finish(race);
      EXPECT_EQ(find(race, "opencv")->check, RaceRow::Check::equal) << size.width << 'x' << size.height;
      EXPECT_TRUE(race.take_problems().empty());
    }
}

TEST_F(RaceTest, APeerThatIsWrongOrFailsCostsItsOwnRowOnly) {
  static constexpr RacePeer peers[] = {{"idle", [](auto, auto) {}},
                                       {"one_more",
                                        [](auto image, auto table) {
                                          opencv_peer.run(image, table);
                                          ++table(table.width - 1, table.height - 1);
                                        }},
                                       {"failing", [](auto, auto) { throw std::runtime_error("no luck"); }}};
  show({67, 41});
  Race race({}, [](const Selection& selection, gpu::Size size, const Settings& settings) {
    auto lanes = race_lanes(selection, size, settings);
    for (const auto& peer : peers) lanes.lanes.push_back({nullptr, nullptr, {}, std::string(peer.name), &peer});
    return lanes;
  });
  for (int turn = 0; turn < 2; ++turn) {
    race.start();
    finish(race);
    EXPECT_EQ(find(race, "idle")->check, RaceRow::Check::wrong);
    EXPECT_TRUE(find(race, "one_more")->problem.starts_with("wrong at (66, 40)")) << find(race, "one_more")->problem;
    EXPECT_EQ(find(race, "failing")->problem, "no luck");
    EXPECT_EQ(find(race, "failing")->runs, 0);
    EXPECT_EQ(race.take_problems().size(), 3u);
    for (const auto* right : {"opencv", "host_parallel"}) EXPECT_EQ(find(race, right)->check, RaceRow::Check::equal);
  }
}

// A GPU's race has the GPU's libraries.
TEST_F(RaceTest, OpenCVTakesPartOnTheHostAlone) {
  for (const auto device : {gpu::Device::host, gpu::Device::simulated}) {
    const auto lanes = race_lanes(selection_of(device == gpu::Device::host ? "host_serial" : "2r1w", "none", device),
                                  {64, 48}, settings_);
    EXPECT_EQ(std::ranges::count(lanes.lanes, "opencv", &RaceLane::label), device == gpu::Device::host ? 1 : 0);
  }
}

// It loads what the others find: whatever its time, it is in no figure.
TEST_F(RaceTest, TheFirstRunOfALaneDoesNotCount) {
  show({67, 41});
  std::atomic<int> runs = 0;
  Race race([&](auto& context, auto& algorithm, auto image, auto table, auto& arguments) {
    runs += algorithm.name == "host_serial";
    gpu::compute_sat(context, algorithm, image, table, arguments);
  });
  race.start();
  finish(race);
  EXPECT_EQ(find(race, "host_serial")->runs, Race::enough_runs);
  EXPECT_EQ(runs, Race::enough_runs + 1);
}

TEST_F(RaceTest, ThoseThatCannotRunAreNamedWithTheReason) {
  show({16, 16});
  Race race;
  race.start();
  step(race);
  const auto& absent = race.figures().absent;
  const auto at = std::ranges::find(absent, "2r1w", &RaceFigures::Absent::name);
  ASSERT_NE(at, absent.end());
  EXPECT_EQ(at->why, "only on a GPU, or on the simulated GPU");
  ASSERT_TRUE(at->bytes_per_pixel) << "the simulated GPU runs it";
  EXPECT_GT(*at->bytes_per_pixel, 5) << "it reads every pixel and writes every entry";
}

TEST_F(RaceTest, AWrongTableIsReportedOnceAndMarked) {
  show({67, 41});
  Race race(spoiling("host_parallel"));
  finish(race);
  EXPECT_EQ(find(race, "host_parallel")->check, RaceRow::Check::wrong);
  EXPECT_EQ(find(race, "host_serial")->check, RaceRow::Check::equal);
  const auto problems = race.take_problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("race: host_parallel: wrong at (33, 20)")) << problems[0];
  EXPECT_TRUE(race.take_problems().empty());
  for (const auto& row : race_rows_json(race.figures())) EXPECT_EQ(row["equal"], row["name"] != "host_parallel");
}

// An algorithm that writes nothing finds no right table from the run before.
TEST_F(RaceTest, AnAlgorithmThatFailsOrWritesNothingCostsItsOwnRowOnly) {
  show({32, 32});
  for (const bool fails : {true, false}) {
    Race race([=](auto& context, auto& algorithm, auto image, auto table, auto& arguments) {
      const bool serial = algorithm.name == "host_serial";
      if (serial && fails) throw std::runtime_error("no luck");
      if (!serial) gpu::compute_sat(context, algorithm, image, table, arguments);
    });
    finish(race);
    const auto* serial = find(race, "host_serial");
    EXPECT_EQ(serial->check == RaceRow::Check::wrong, !fails);
    EXPECT_EQ(find(race, "host_parallel")->check, RaceRow::Check::equal);
    if (!fails) continue;
    EXPECT_EQ(serial->problem, "no luck");
    EXPECT_EQ(serial->runs, 0);
    EXPECT_EQ(race_rows_json(race.figures()).size(), 4u);  // only what ran
  }
}

TEST_F(RaceTest, WhileItRunsAnotherSourceSizeOrSelectionStartsItAnew) {
  show({67, 41});
  Race race;
  start_some(race);
  ++source_.number;
  step(race);
  EXPECT_EQ(race.figures().runs, 0);
  run_some(race);
  show({40, 30});
  step(race);
  EXPECT_EQ(race.figures().runs, 0);
  EXPECT_EQ(race.figures().size, (gpu::Size{40, 30}));
  run_some(race);
  settings_.algorithm_values["host_parallel"]["threads"] = "1";
  step(race);
  EXPECT_EQ(race.figures().runs, 0);
  run_some(race);
  settings_.effect = "adaptive_threshold";
  show({40, 30});
  step(race);
  EXPECT_GE(race.figures().runs, 10);  // the effect takes no part
  finish_running(race);
  EXPECT_EQ(find(race, "host_parallel")->arguments.text("threads"), "1");
  EXPECT_FALSE(race.figures().earlier);
}

TEST_F(RaceTest, FinishedItStaysUntilItIsStartedAgain) {
  show({67, 41});
  Race race;
  finish(race);
  step(race);
  EXPECT_FALSE(race.figures().earlier);
  const auto stays = [&] {
    step(race);
    EXPECT_TRUE(race.finished());
    EXPECT_EQ(race.figures().size, (gpu::Size{67, 41}));
    EXPECT_EQ(race.figures().source, "noise");
    EXPECT_EQ(race.figures().runs, race.figures().runs_wanted);
  };
  settings_.algorithm_values["host_parallel"]["threads"] = "1";
  stays();
  EXPECT_FALSE(race.figures().earlier);
  source_ = {2, "another"};
  stays();
  EXPECT_TRUE(race.figures().earlier);
  source_.number = 1;
  stays();
  EXPECT_FALSE(race.figures().earlier) << "its own is back";
  source_.number = 2;
  show({40, 30});
  stays();
  EXPECT_TRUE(race.figures().earlier);
  EXPECT_FALSE(race.figures().earlier_device) << "the device is the same";
  race.start();
  EXPECT_FALSE(race.figures().earlier);
  step(race);
  EXPECT_TRUE(race.running());
  EXPECT_FALSE(race.figures().earlier);
  EXPECT_EQ(race.figures().source, "another");
  finish_running(race);
  EXPECT_EQ(race.figures().size, (gpu::Size{40, 30}));
}

TEST_F(RaceTest, StoppedItKeepsWhatWasMeasuredUntilTheWorkChanges) {
  show({67, 41});
  Race race;
  start_some(race);
  race.stop();
  EXPECT_FALSE(race.on());
  step(race);
  const int runs = race.figures().runs;
  EXPECT_GE(runs, 10);
  step(race);
  EXPECT_EQ(race.figures().runs, runs);
  show({40, 30});
  step(race);
  EXPECT_TRUE(race.figures().rows.empty());
  EXPECT_FALSE(race.on());
}

TEST_F(RaceTest, ItSumsThePictureThatIsShown) {
  gpu::Image<std::uint8_t> raced;
  Race race(and_then([&](auto&, gpu::AnyConstImageView image, auto) {
    raced = gpu::Image<std::uint8_t>({image.width, image.height}, gpu::Device::host);
    const auto pixels = image.as<const std::uint8_t>();
    for (int y = 0; y < image.height; ++y) std::copy_n(pixels.row(y), image.width, raced.view().row(y));
  }));
  unsigned seed = 0;
  for (const gpu::Size size : {gpu::Size{67, 41}, {41, 67}, {67, 41}}) {
    show(size, ++seed);
    finish(race);
    EXPECT_TRUE(same(raced, engine_.pipeline().picture().gray)) << seed;
  }
}

// A slow one gets several runs at once, too, but no more than the others.
TEST_F(RaceTest, EveryLaneGetsAsManyRuns) {
  show({16, 16});
  Race race(and_then([&](auto& algorithm, auto, auto) {
    const auto time = algorithm.name == "host_serial" ? 450us : 750us;
    for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < time;) continue;
  }));
  for (int turn = 0; turn < 3; ++turn) {
    finish(race);
    for (const auto& row : race.figures().rows) EXPECT_EQ(row.runs, Race::enough_runs) << row.label;
  }
}

// The bound's runs of which `slow_bound_runs` are left are held up, as on a processor that another program uses.
std::atomic<int> slow_bound_runs = 0;
RaceLanes with_slow_bound(const Selection& selection, gpu::Size size, const Settings& settings) {
  static constexpr gpu::Bound slow{"memset", [](gpu::Context&, gpu::AnyConstImageView, gpu::AnyImageView) {
                                     if (slow_bound_runs-- > 0) std::this_thread::sleep_for(5ms);
                                   }};
  auto lanes = race_lanes(selection, size, settings);
  for (auto& lane : lanes.lanes)
    if (lane.label == slow.name) lane.bound = &slow;
  return lanes;
}

TEST_F(RaceTest, ABoundThatWasHeldUpIsTimedAgain) {
  slow_bound_runs = 2 + Race::enough_runs;  // one plans, and the first does not count
  show({320, 240});
  Race race({}, with_slow_bound);
  finish(race);
  EXPECT_LE(slow_bound_runs, 0);
  EXPECT_EQ(find(race, "memset")->runs, Race::enough_runs);
  EXPECT_LT(find(race, "memset")->us, 1000);
  EXPECT_GT(find(race, "opencv")->over_bound.value(), 1);
  EXPECT_EQ(race.figures().runs, race.figures().runs_wanted);
}

TEST_F(RaceTest, ABoundThatStaysSlowerThanAnAlgorithmEndsTheRace) {
  slow_bound_runs = 1000;
  show({16, 16});
  Race race({}, with_slow_bound);
  finish(race);
  slow_bound_runs = 0;
  EXPECT_EQ(find(race, "memset")->runs, Race::enough_runs);
  EXPECT_LT(find(race, "host_serial")->over_bound.value(), 1);
}

TEST_F(RaceTest, WhoTakesPartIsAskedOncePerSelectionAndWhatIsWrongThereEndsIt) {
  show({16, 16});
  int asked = 0;
  std::string wrong;
  Race race({}, [&](const Selection& selection, gpu::Size size, const Settings& settings) {
    ++asked;
    if (!wrong.empty()) throw std::invalid_argument(wrong);
    return race_lanes(selection, size, settings);
  });
  for (int turn = 0; turn < 2; ++turn) {
    asked = 0;
    wrong = "no such value";
    race.start();
    step(race);
    EXPECT_FALSE(race.on());
    EXPECT_EQ(race.figures().problem, "race: no such value");
    EXPECT_EQ(race.take_problems(), std::vector<std::string>{"race: no such value"});
    wrong.clear();
    race.start();
    EXPECT_EQ(race.figures().problem, "");
    finish_running(race);
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(race.take_problems().empty());
  }
}

// Who quits the program waits for the run under way, not for the rest of its batch.
TEST_F(RaceTest, ItEndsWithinARun) {
  show({67, 41});
  std::atomic<bool> slow = false;
  std::atomic<int> runs = 0;
  auto race = std::make_unique<Race>(and_then([&](auto&, auto, auto) {
    if (!slow) return;
    ++runs;
    std::this_thread::sleep_for(300ms);  // the destructor has begun long before it ends
  }));
  race->start();
  for (int i = 0; i < 100 && race->figures().runs < 20; ++i) step(*race);  // batches have several runs from here on
  slow = true;
  while (runs == 0) race->step(engine_, settings_, source_);
  race.reset();
  EXPECT_EQ(runs, 1);
}

// It takes seconds, and cannot be stopped.
TEST_F(RaceTest, ItEndsWithoutWaitingForACount) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  settings_.device = DeviceChoice::simulated;
  show({33, 17});
  std::promise<void> begun, gate;
  std::atomic<bool> counted = false;
  const auto count = [&, opened = gate.get_future().share()](auto&&...) -> std::optional<double> {
    begun.set_value();
    opened.wait_for(20s);
    counted = true;
    return 1;
  };
  auto race = std::make_unique<Race>(
      RaceBench::Compute(),
      [](const Selection&, gpu::Size, const Settings&) {
        const auto& algorithm = *gpu::find_sat_algorithm("2r1w");
        return RaceLanes{{{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "2r1w"}}, {}};
      },
      count);
  race->start();
  auto counting = begun.get_future();
  while (counting.wait_for(0s) != std::future_status::ready) race->step(engine_, settings_, source_);
  race.reset();
  EXPECT_FALSE(counted);
  gate.set_value();
  EXPECT_TRUE(wait_for_detached(60s));
}

TEST_F(RaceTest, EveryCombinationOfParametersIsARowOnRequest) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  settings_.device = DeviceChoice::simulated;
  settings_.race_parameters = true;
  show({33, 17});
  Race race;
  finish(race);
  const auto* row = find(race, "2r1w W=64");
  ASSERT_TRUE(row);
  EXPECT_TRUE(find(race, "2r1w W=32"));
  EXPECT_TRUE(find(race, "brlt_scanrow"));  // has no parameters
  EXPECT_EQ(row->runs, Race::enough_simulated_runs);
  EXPECT_FALSE(row->over_bound);
  EXPECT_FALSE(row->gb_per_s);
  EXPECT_TRUE(race.figures().bound.empty());
  for (const auto& each : race.figures().rows) EXPECT_EQ(each.check, RaceRow::Check::equal) << each.label;
}

TEST_F(RaceTest, FiguresOfAVersionThatWasReplacedKeepItsNumberAndSaySo) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  settings_.device = DeviceChoice::simulated;
  show({40, 30});
  OwnAlgorithm own("raced_mine");
  own.save();
  Race race(
      {},
      [&](const Selection&, gpu::Size, const Settings&) {
        const auto& algorithm = own.algorithm();
        return RaceLanes{{{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), numbered_name(algorithm)}}, {}};
      },
      Race::CountSectors());
  finish(race);
  const auto& figures = race.figures();
  const auto expect_version = [&](int version, bool earlier) {
    step(race);
    ASSERT_EQ(figures.rows.size(), 1u);
    EXPECT_EQ(figures.rows[0].name, "raced_mine");
    EXPECT_EQ(figures.rows[0].label, "raced_mine." + std::to_string(version));
    EXPECT_EQ(figures.rows[0].version, version);
    EXPECT_EQ(figures.earlier_version, earlier);
    EXPECT_EQ(race_is_stale(figures).find("was saved since") != std::string::npos, earlier) << race_is_stale(figures);
    EXPECT_EQ(race_rows_json(figures)[0]["version"], version);
    EXPECT_NE(race_csv(figures).find("\nraced_mine." + std::to_string(version) + ','), std::string::npos);
  };
  expect_version(1, false);
  own.save();
  own.save();  // in quick succession
  expect_version(1, true);
  finish(race);
  expect_version(3, false);
  race.start();
  for (int i = 0; i < 10000 && figures.runs == 0; ++i) step(race);
  own.save();
  finish_running(race);
  expect_version(4, false);
}

// Times of the CPU that simulates would rank 2r2w, a slow baseline, first.
TEST_F(RaceTest, TheSimulatedGpuRanksByBytesThenBySectors) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  settings_.device = DeviceChoice::simulated;
  show({200, 130});
  gpu::Size counted;
  Race race({}, race_lanes, [&](const gpu::SatAlgorithm& algorithm, const gpu::Arguments&, gpu::Size size) {
    counted = size;
    return std::optional(static_cast<double>(algorithm.name.size()));
  });
  finish(race);
  const auto& rows = race.figures().rows;
  ASSERT_GT(rows.size(), 10u);
  for (const auto& row : rows) {
    ASSERT_TRUE(row.bytes_per_pixel && row.sectors_per_pixel) << row.label;
    const auto* algorithm = gpu::find_sat_algorithm(row.name);
    const auto traffic = algorithm->traffic({200, 130}, race_type, row.arguments, gpu::current_gpu_limits());
    EXPECT_DOUBLE_EQ(*row.bytes_per_pixel, static_cast<double>(traffic.bytes()) / (200 * 130)) << row.label;
  }
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_LE(std::pair(*rows[i - 1].bytes_per_pixel, *rows[i - 1].sectors_per_pixel),
              std::pair(*rows[i].bytes_per_pixel, *rows[i].sectors_per_pixel));
  EXPECT_EQ(counted, (gpu::Size{200, 130}));
  EXPECT_NE(rows.front().name, "2r2w");
}

TEST_F(RaceTest, ItsJsonAndCsvSayWhatRan) {
  show({32, 32});
  Race race;
  finish(race);
  const auto json = nlohmann::json::parse(race_json(race.figures()));
  EXPECT_EQ(json["size"], (std::vector{32, 32}));
  EXPECT_EQ(json["race"].size(), 5u);
  EXPECT_EQ(json["race_bound"]["name"], "memset");
  for (const auto& row : json["race"]) {
    EXPECT_TRUE(row["equal"]);
    EXPECT_NEAR(row["over_bound"], row["us"].get<double>() / json["race_bound"]["us"].get<double>(), 0.2);
    EXPECT_GT(row["gb_per_s"], 0);
  }
  const auto csv = race_csv(race.figures());
  EXPECT_NE(csv.find("\nname,parameters,us,over_bound,gb_per_s,equal,runs,least_us,bytes_per_pixel,sectors_per_pixel\n"),
            csv.npos);
  EXPECT_NE(csv.find("\nhost_serial,,"), csv.npos);
  EXPECT_NE(race_table(race.figures()).find("host_parallel"), std::string::npos);
}

// When a race runs, and who is told what goes wrong: without a session.
class RaceRunnerTest : public testing::Test {
 protected:
  RaceRunnerTest() {
    settings_.device = DeviceChoice::host;
    settings_.effect = "none";
  }
  // On a picture that is shown already, which is the last one.
  void finish(RaceRunner& runner, std::uint64_t frames = 1) {
    for (int i = 0; i < 10000 && !runner.race().finished(); ++i) {
      runner.step({1, "noise"}, frames, true);
      runner.wait(1s);
    }
    ASSERT_TRUE(runner.race().finished());
  }

  app::Run run_;
  Settings settings_;
  Messages messages_;
  Engine engine_{{{}, "no driver"}};
  RaceRunner::Report nobody_ = [](const std::string&) { return false; };
};

TEST_F(RaceRunnerTest, ARaceThatTheRunAsksForIsDueOnceThereIsAPictureUntilItIsFinished) {
  run_.race = true;
  run_.frames = 3;
  RaceRunner runner(run_, settings_, engine_, messages_, nobody_);
  EXPECT_FALSE(runner.is_due());
  ASSERT_TRUE(engine_.process(noise_frame({64, 48}, 1), settings_));
  EXPECT_TRUE(runner.is_due());
  EXPECT_FALSE(runner.has_all());
  runner.step({1, "noise"}, 1, false);
  EXPECT_FALSE(runner.race().on()) << "there are pictures to come";
  runner.step({1, "noise"}, 2, true);
  EXPECT_TRUE(runner.has_all());
  EXPECT_TRUE(said(messages_, "the source ended before frame 3: the race is on frame 2, its last one"));
  finish(runner, 2);
  EXPECT_FALSE(runner.is_due());
  EXPECT_FALSE(runner.has_all());
  EXPECT_EQ(messages_.exit_code(), ExitCode::ok);
}

TEST_F(RaceRunnerTest, ARaceThatCannotBeRunIsTriedOnce) {
  run_.race = true;
  RaceRunner runner(run_, settings_, engine_, messages_, nobody_);
  ASSERT_TRUE(engine_.process(noise_frame({64, 48}, 1), settings_));
  settings_.algorithm_values["host_parallel"]["threads"] = "many";
  EXPECT_TRUE(runner.is_due());
  for (int i = 0; i < 3; ++i) runner.step({1, "noise"}, 1, true);
  EXPECT_FALSE(runner.is_due());
  EXPECT_TRUE(said(messages_, "race: 'many' is not a valid value of threads"));
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
}

// They would slow each other down.
TEST_F(RaceRunnerTest, TheBoundAndTheRaceAreNeverMeasuredAtOnce) {
  constexpr gpu::Size size{2000, 1500};  // which takes milliseconds
  RaceRunner runner(run_, settings_, engine_, messages_, nobody_);
  ASSERT_TRUE(engine_.process(noise_frame(size, 1), settings_));
  runner.bound().want(gpu::Device::host, size);
  runner.step({1, "noise"}, 1, false);
  ASSERT_TRUE(runner.bound().busy());
  if (runner.leaves_processors(0us)) {
    EXPECT_TRUE(runner.bound().leaves_processors(0us));
  }
  runner.race().start();
  bool raced = false;
  for (int i = 0; i < 10000 && !raced; ++i) {
    runner.step({1, "noise"}, 1, false);
    ASSERT_FALSE(runner.bound().busy() && runner.race().busy());
    raced = runner.race().figures().runs > 0;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(raced);
}

TEST_F(RaceRunnerTest, WhileItIsHeldNothingIsMeasured) {
  constexpr gpu::Size size{64, 48};
  RaceRunner runner(run_, settings_, engine_, messages_, nobody_);
  ASSERT_TRUE(engine_.process(noise_frame(size, 1), settings_));
  const auto step = [&](int times) {
    for (int i = 0; i < times; ++i) {
      runner.step({1, "noise"}, 1, false);
      runner.wait(1ms);
    }
  };
  runner.hold(true);
  runner.bound().want(gpu::Device::host, size);
  step(20);
  EXPECT_FALSE(runner.bound().busy());
  EXPECT_FALSE(runner.bound().of(gpu::Device::host, size));
  runner.race().start();
  step(20);
  EXPECT_FALSE(runner.busy());
  EXPECT_EQ(runner.race().figures().runs, 0);
  runner.race().stop();
  runner.study().start();
  step(20);
  EXPECT_FALSE(runner.busy());
  runner.study().stop();
  runner.race().start();
  runner.hold(false);
  finish(runner);
}

TEST_F(RaceRunnerTest, ARunThatAsksForNoneHasOneOnRequestAlone) {
  RaceRunner runner(run_, settings_, engine_, messages_, nobody_);
  ASSERT_TRUE(engine_.process(noise_frame({64, 48}, 1), settings_));
  runner.step({1, "noise"}, 1, true);
  EXPECT_FALSE(runner.race().on());
  runner.race().start();
  finish(runner);
  EXPECT_FALSE(runner.has_all());
  EXPECT_FALSE(messages_.any());
}

TEST_F(RaceRunnerTest, WhatIsWrongIsToldToWhoeverWaitsElseAMessageAndFailsTheRun) {
  ASSERT_TRUE(engine_.process(noise_frame({64, 48}, 1), settings_));
  for (const bool waits : {false, true}) {
    messages_ = Messages();
    std::vector<std::string> told;
    const auto report = [&](const std::string& problem) {
      if (waits) told.push_back(problem);
      return waits;
    };
    RaceRunner runner(run_, settings_, engine_, messages_, report, spoiling("host_serial"));
    runner.race().start();
    finish(runner);
    EXPECT_EQ(told.size(), waits ? 1u : 0u);
    EXPECT_EQ(said(messages_, "host_serial: wrong at (32, 24)"), !waits);
    EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
  }
}

}  // namespace
}  // namespace app
