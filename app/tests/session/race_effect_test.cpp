// The race of an effect whose tables the algorithm computes: its times, its check, and when it matters.
#include "app/session/race_bench.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "app/output/race_figures.h"
#include "app/pipeline/frame_figures.h"
#include "app/support/simulated_gpu.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/session/race_of_effects.h"

namespace app {
namespace {

class RaceEffectTest : public RaceOfEffects {
 protected:
  RaceEffectTest() { settings_.device = DeviceChoice::host; }
  void show(const capture::Frame& frame) { RaceOfEffects::show(engine_, frame); }
  void finish(Race& race) { RaceOfEffects::finish(race, engine_); }
  // The next picture, with what is chosen.
  void show_and_step(Race& race, const capture::Frame& frame) {
    show(frame);
    step(race, engine_);
  }
  // After so many runs.
  void run(Race& race, int runs) {
    step_until(race, engine_, [&] { return race.figures().runs >= runs; });
  }

  Engine engine_{{{}, "no driver"}};
  const int bounds_ = static_cast<int>(gpu::bounds(gpu::Device::host).size());
};

RaceEffect effect_of(std::string_view effect, std::initializer_list<std::pair<const char*, const char*>> values,
                     gpu::Size size = {120, 90}, gpu::Device device = gpu::Device::host) {
  auto selection = selection_of("host_serial", effect, device);
  for (const auto& [name, value] : values) selection.effect_arguments.set(name, value);
  return race_effect(selection, size);
}

TEST_F(RaceEffectTest, ItsTablesAreThoseThatTheChosenAlgorithmComputesForIt) {
  for (const auto* effect : {"none", "sat_view", "haar", "adaptive_threshold", "faces"})
    EXPECT_EQ(effect_of(effect, {}), RaceEffect()) << effect;
  EXPECT_EQ(effect_of("box_blur", {{"colour", "off"}}), RaceEffect());
  const RaceEffect::Table whole{{120, 90}, gpu::SatType::u8_u32};
  const auto in_colour = effect_of("box_blur", {}, {120, 90}, gpu::Device::simulated);
  EXPECT_EQ(in_colour.tables, std::vector(3, whole)) << "of the channels";
  EXPECT_EQ(effect_of("box_blur", {{"passes", "3"}}), RaceEffect()) << "the host needs none";
  EXPECT_EQ(effect_of("box_blur", {{"colour", "off"}, {"passes", "3"}}).tables, std::vector(2, whole));
  const auto& algorithm = *gpu::find_sat_algorithm("2r1w");
  RaceLane lane{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "2r1w"};
  for (const auto* width : {"32", "64"}) {
    lane.arguments.set("W", width);
    const auto bytes = bytes_of(algorithm, {120, 90}, gpu::SatType::u8_u32, lane.arguments);
    EXPECT_DOUBLE_EQ(effect_bytes_per_pixel(in_colour, lane, gpu::Device::simulated, {120, 90}).value(),
                     static_cast<double>(3 * bytes) / (120 * 90))
        << width;
  }
  for (const auto device : {gpu::Device::host, gpu::Device::simulated}) {
    const auto tables = effect_of("faces", {{"tables", "global"}, {"scale_factor", "1.5"}}, {120, 90}, device).tables;
    ASSERT_EQ(tables.size(), 8u) << "sums and squares of four levels";
    for (std::size_t i = 0; i < tables.size(); ++i) {
      EXPECT_EQ(tables[i].type, i % 2 == 0 ? gpu::SatType::u8_u32 : gpu::SatType::u8_u64);
      EXPECT_LE(tables[i].size.width, 120);
      if (i > 1) {
        EXPECT_LT(tables[i].size.width, tables[i - 2].size.width);
      }
    }
  }
}

TEST_F(RaceEffectTest, ItIsTimedWithEveryAlgorithm) {
  choose("faces", "tables", "global");
  show(small_astronaut());
  Race race;
  finish(race);
  const auto& figures = race.figures();
  ASSERT_TRUE(figures.effect);
  EXPECT_EQ(figures.effect->name, "faces");
  EXPECT_EQ(figures.effect_arguments.text("tables"), "global");
  EXPECT_TRUE(figures.effect_problem.empty()) << figures.effect_problem;
  for (const auto* name : {"host_serial", "host_parallel"}) {
    const auto* row = find(race, name);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->check, RaceRow::Check::equal);
    EXPECT_EQ(row->problem, "");
    EXPECT_EQ(row->effect_runs, Race::enough_runs);
    EXPECT_GT(row->effect_us, 0);
    EXPECT_LE(row->effect_least_us, row->effect_us);
    EXPECT_FALSE(row->effect_bytes_per_pixel) << "nobody counts them on the host";
  }
  EXPECT_EQ(find(race, "memset")->effect_runs, 0);
  EXPECT_EQ(figures.runs, figures.runs_wanted);
  EXPECT_EQ(find(race, "opencv")->effect_runs, 0) << "nothing else is computed with it";
  EXPECT_EQ(figures.runs, (bounds_ + 1 + 4 + 4) * Race::enough_runs)
      << "the bounds, OpenCV, four tables, and the effect with all of them";
  EXPECT_TRUE(std::ranges::is_sorted(figures.rows, {}, &RaceRow::us)) << "by the table's time all the same";
  EXPECT_TRUE(race.take_problems().empty());

  const auto json = nlohmann::json::parse(race_json(figures));
  EXPECT_EQ(json["race_effect"]["name"], "faces");
  EXPECT_EQ(json["race_effect"]["parameters"]["tables"], "global");
  for (const auto& row : json["race"]) {
    if (row["name"] == "opencv") {
      EXPECT_TRUE(row["effect_us"].is_null());
      continue;
    }
    EXPECT_GT(row["effect_us"], 0);
    EXPECT_EQ(row["effect_runs"], Race::enough_runs);
    EXPECT_TRUE(row["equal"]);
  }
  const auto worth = effect_worth(figures);
  EXPECT_TRUE(worth.starts_with("Faces: from ")) << worth;
  const auto table = race_table(figures), csv = race_csv(figures);
  EXPECT_NE(table.find(worth), table.npos) << table;
  EXPECT_NE(table.find("Faces"), table.find("Faces: from")) << table;
  EXPECT_NE(csv.find("\n# effect: faces "), csv.npos) << csv;
  EXPECT_NE(csv.find(",sectors_per_pixel,effect_us,effect_least_us,effect_runs,effect_bytes_per_pixel\n"), csv.npos) << csv;
}

TEST_F(RaceEffectTest, WithoutTablesOfItsOwnItTakesNoPart) {
  choose("faces");
  show(small_astronaut());
  Race race;
  finish(race);
  const auto& figures = race.figures();
  EXPECT_FALSE(figures.effect);
  EXPECT_EQ(figures.runs, (bounds_ + 1 + 4) * Race::enough_runs);
  EXPECT_EQ(effect_worth(figures), "");
  for (const auto& text : {race_json(figures), race_csv(figures), race_table(figures)})
    EXPECT_EQ(text.find("ffect"), text.npos) << text;
}

void sum_serially(gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat) {
  const auto& serial = *gpu::find_sat_algorithm("host_serial");
  gpu::compute_sat(context, serial, image, sat, gpu::Arguments(serial.parameters));
}

// Right for frames of the test's size, wrong for the levels of a pyramid.
void sum_frames_alone(gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat, const gpu::Arguments&) {
  sum_serially(context, image, sat);
  if (context.is_dry() || image.width == 256 || sat.type != gpu::ElementType::u32) return;
  const auto table = sat.as<std::uint32_t>();
  for (int y = 0; y < table.height; ++y)
    for (int x = 0; x < table.width; ++x) table(x, y) += static_cast<std::uint32_t>(x * y % 7 * 500);
}

TEST_F(RaceEffectTest, AnAlgorithmWithWhichItFindsOtherRectanglesIsWrong) {
  auto algorithm = *gpu::find_sat_algorithm("host_serial");
  algorithm.name = "frames_alone";
  algorithm.run = sum_frames_alone;
  choose("faces", "tables", "global");
  show(small_astronaut());
  Race race({}, [&](const Selection& selection, gpu::Size size, const Settings&) {
    const auto& right = *gpu::find_sat_algorithm("host_parallel");
    return RaceLanes{{{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "frames_alone"},
                      {&right, nullptr, gpu::Arguments(right.parameters), "host_parallel"}},
                     {},
                     race_effect(selection, size)};
  });
  finish(race);
  const auto* wrong = find(race, "frames_alone");
  EXPECT_EQ(wrong->check, RaceRow::Check::wrong);
  EXPECT_EQ(wrong->runs, Race::enough_runs) << "its table is right";
  EXPECT_TRUE(wrong->problem.starts_with("Faces: 0 annotations instead of ")) << wrong->problem;
  EXPECT_EQ(find(race, "host_parallel")->check, RaceRow::Check::equal);
  EXPECT_EQ(find(race, "host_parallel")->effect_runs, Race::enough_runs);
  EXPECT_EQ(race.take_problems(), std::vector{"race: frames_alone: " + wrong->problem});
  EXPECT_EQ(race.figures().runs, race.figures().runs_wanted) << "of a wrong one there are no more";
  for (const auto& row : race_rows_json(race.figures())) EXPECT_EQ(row["equal"], row["name"] == "host_parallel");
  EXPECT_EQ(effect_worth(race.figures()), "") << "one row alone has no choice";
}

// All of one colour, and annotations with these values, as many as there is room for.
template <class Value>
void draw(const gpu::EffectOutput& output, gpu::Rgba colour, int annotations, Value value) {
  for (int y = 0; y < output.canvas.size().height; ++y)
    for (int x = 0; x < output.canvas.size().width; ++x) output.canvas.put(x, y, colour);
  *output.annotations.count = annotations;
  for (int i = 0; i < std::min(annotations, output.annotations.capacity); ++i) {
    output.annotations.items[i] = {};
    output.annotations.items[i].value = value(i);
  }
}

// An effect that calls the algorithm, and may use what it likes.
gpu::Effect effect_by(decltype(gpu::Effect::run) run) {
  return {.name = "own",
          .title = "Own",
          .idea = {},
          .parameters = {},
          .channels = [](const gpu::Arguments&) { return 3; },
          .most_annotations = [](const gpu::Arguments&) { return 4; },
          .traffic = [](const gpu::Arguments&, gpu::Size, int) { return std::vector<gpu::LaunchTraffic>(); },
          .run = run};
}
Race race_of(const gpu::Effect& effect, bool backwards = false) {
  return Race({}, [&effect, backwards](const Selection& selection, gpu::Size size, const Settings& settings) {
    auto lanes = race_lanes(selection, size, settings);
    if (backwards) std::ranges::reverse(lanes.lanes);
    lanes.effect = {&effect, {}, {{size, gpu::SatType::u8_u32}}};
    return lanes;
  });
}

// The algorithm `host_parallel` makes other annotations of it, and as many as there are.
template <int annotations>
void tell_algorithms_apart(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                           const gpu::Arguments&) {
  if (context.is_dry()) return;
  draw(output, gpu::Rgba(), annotations, [&](int) { return input.algorithm->name == "host_parallel" ? 1 : 2; });
}

TEST_F(RaceEffectTest, OfMoreAnnotationsThanAreListedNothingIsCompared) {
  show(noise_frame({40, 30}));
  const auto full = effect_by(tell_algorithms_apart<4>), more = effect_by(tell_algorithms_apart<9>),
             few = effect_by(tell_algorithms_apart<3>);
  for (const auto* effect : {&full, &more, &few}) {
    Race race = race_of(*effect);
    finish(race);
    const auto* row = find(race, "host_parallel");
    EXPECT_EQ(row->problem, effect == &few ? "Own: other annotations than with host_serial" : "");
    EXPECT_EQ(row->check, effect == &few ? RaceRow::Check::wrong : RaceRow::Check::equal) << "of the table";
    EXPECT_EQ(find(race, "host_serial")->effect_runs, Race::enough_runs);
  }
}

// Draws white, but for what the algorithm `host_parallel` does.
enum class Does { all, nothing, other_pixel, other_order, throws };
template <Does does>
void draw_white(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                const gpu::Arguments&) {
  if (context.is_dry()) return;
  const bool other = input.algorithm->name == "host_parallel";
  if (other && does == Does::throws) throw std::runtime_error("no luck");
  if (other && does == Does::nothing) return;
  draw(output, {255, 255, 255, 255}, 3, [&](int i) { return other && does == Does::other_order ? 2 - i : i; });
  if (other && does == Does::other_pixel) output.canvas.put(7, 3, gpu::Rgba{255, 255, 0, 255});
}

TEST_F(RaceEffectTest, WhatOneAlgorithmDrawsIsItsOwnInWhicheverOrderTheyRun) {
  show(noise_frame({40, 30}));
  const std::pair<gpu::Effect, std::string> effects[] = {
      {effect_by(draw_white<Does::all>), ""},
      {effect_by(draw_white<Does::nothing>), "Own: "},
      {effect_by(draw_white<Does::other_pixel>), "Own: another picture than with host_serial: 1 pixel, the first at (7, 3)"},
      {effect_by(draw_white<Does::other_order>), ""},
      {effect_by(draw_white<Does::throws>), "Own: no luck"}};
  for (const auto& [effect, problem] : effects)
    for (const bool backwards : {false, true}) {
      Race race = race_of(effect, backwards);
      finish(race);
      EXPECT_TRUE(find(race, "host_parallel")->problem.starts_with(problem)) << find(race, "host_parallel")->problem;
      EXPECT_EQ(find(race, "host_parallel")->problem.empty(), problem.empty()) << find(race, "host_parallel")->problem;
      EXPECT_EQ(find(race, "host_serial")->problem, "");
      EXPECT_EQ(find(race, "host_serial")->effect_runs, Race::enough_runs);
      EXPECT_EQ(race.figures().effect_problem, "");
    }
}

// Stopped before its first run: that is no fault.
TEST_F(RaceEffectTest, ARaceThatIsStoppedReportsNothing) {
  static std::atomic<bool> in, out;
  auto algorithm = *gpu::find_sat_algorithm("host_serial");
  algorithm.run = [](gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat, const gpu::Arguments&) {
    sum_serially(context, image, sat);
    if (context.is_dry()) return;
    in = true;
    while (!out) std::this_thread::yield();
  };
  const auto at_once = [](gpu::Context& context, const auto&, auto image, auto table, const auto& arguments) {
    gpu::compute_sat(context, *gpu::find_sat_algorithm("host_serial"), image, table, arguments);
  };
  show(noise_frame({40, 30}));
  const auto effect = effect_by(draw_white<Does::all>);
  for (int turn = 0; turn < 2; ++turn) {
    Race race(at_once, [&](const Selection&, gpu::Size size, const Settings&) {
      return RaceLanes{{{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "slow"}},
                       {},
                       {&effect, {}, {{size, gpu::SatType::u8_u32}}}};
    });
    in = out = false;
    race.start();
    for (int i = 0; i < 10'000 && !in; ++i) {  // the table that the effect reads
      race.step(engine_, settings_, {1, "noise"});
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!in) out = true;  // else the race would not end
    ASSERT_TRUE(in);
    race.stop();
    out = true;
    step_until(race, engine_, [&] { return !race.busy(); });
    EXPECT_EQ(find(race, "slow")->problem, "");
    EXPECT_EQ(find(race, "slow")->runs, Race::enough_runs);
    EXPECT_TRUE(race.take_problems().empty());
  }
}

TEST_F(RaceEffectTest, WhyItIsNotDrawnIsSaid) {
  show(noise_frame({40, 30}));
  for (const std::string why : {"it needs 300 MB of memory", ""}) {
    Race race({}, [&](const Selection& selection, gpu::Size size, const Settings& settings) {
      auto lanes = race_lanes(selection, size, settings);
      lanes.effect_problem = why;
      return lanes;
    });
    finish(race);
    EXPECT_EQ(race.figures().effect_problem, why);
  }
}

TEST_F(RaceEffectTest, AReferenceThatFailsIsNoFaultOfTheAlgorithms) {
  show(noise_frame({40, 30}));
  const auto fails = effect_by([](gpu::Context& context, const auto&, const auto&, const auto&) {
    if (!context.is_dry()) throw std::runtime_error("too little of everything");
  });
  Race race = race_of(fails);
  finish(race);
  EXPECT_EQ(race.figures().effect_problem, "too little of everything");
  EXPECT_EQ(race.take_problems(), std::vector<std::string>{"race: Own: too little of everything"});
  for (const auto* name : {"host_serial", "host_parallel"}) {
    EXPECT_EQ(find(race, name)->check, RaceRow::Check::equal);
    EXPECT_EQ(find(race, name)->problem, "");
    EXPECT_EQ(find(race, name)->effect_runs, 0);
  }
  EXPECT_EQ(race.figures().runs, race.figures().runs_wanted);
}

// Before it is allocated: on the CPU that would not fail, and take the memory of others.
TEST(RaceEffectBenchTest, ItsPicturesCountAsMemory) {
  const auto effect = effect_by(tell_algorithms_apart<1>);
  for (const gpu::Size size : {gpu::Size{64, 48}, {12'000, 10'000}}) {
    RaceLanes lanes{{}, {}, {&effect, {}, {{{64, 48}, gpu::SatType::u8_u32}}}};
    const RaceBench bench(gpu::Device::host, nullptr, size, lanes, {});
    EXPECT_EQ(lanes.effect_problem, size.width == 64 ? "" : "it needs 1258 MB of memory");
  }
}

// It has no annotations: the picture shows it.
TEST(RaceEffectBenchTest, AnAlgorithmWithWhichABlurIsAnotherIsWrong) {
  auto algorithm = *gpu::find_sat_algorithm("host_serial");
  const auto lane = [&] { return RaceLane{&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "one"}; };
  EXPECT_EQ(problem_of_blur(gpu::Device::host, lane()), "");
  algorithm.run = [](gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat, const gpu::Arguments&) {
    sum_serially(context, image, sat);
    if (!context.is_dry()) sat.as<std::uint32_t>()(9, 8) += 100'000;
  };
  const auto problem = problem_of_blur(gpu::Device::host, lane());
  EXPECT_TRUE(problem.starts_with("another picture than with host_serial: ")) << problem;
  EXPECT_NE(problem.find(" pixels, the first at ("), problem.npos) << problem;
}

// The gray picture is 100 everywhere, and so is the first of the channels.
TEST(RaceEffectBenchTest, AnAlgorithmThatTakesOneChannelForAllIsWrong) {
  auto algorithm = *gpu::find_sat_algorithm("host_serial");
  algorithm.run = [](gpu::Context& context, gpu::AnyConstImageView, gpu::AnyImageView sat, const gpu::Arguments&) {
    if (context.is_dry()) return;
    const auto table = sat.as<std::uint32_t>();
    for (int y = 0; y < table.height; ++y)
      for (int x = 0; x < table.width; ++x) table(x, y) = 100u * static_cast<std::uint32_t>((x + 1) * (y + 1));
  };
  const auto problem = problem_of_blur(gpu::Device::host,
                                       {&algorithm, nullptr, gpu::Arguments(algorithm.parameters), "one"});
  EXPECT_TRUE(problem.starts_with("another picture than with host_serial: 1200 pixels")) << problem;
}

TEST_F(RaceEffectTest, AnotherEffectOrValueStartsARunningRaceAnew) {
  choose("faces", "tables", "global");
  const auto frame = small_astronaut();
  show(frame);
  Race race;
  race.start();
  run(race, 10);
  const auto starts_anew = [&] {
    show_and_step(race, frame);
    EXPECT_EQ(race.figures().runs, 0);
    run(race, 10);
  };
  choose("faces", "scale_factor", "1.4");
  starts_anew();
  EXPECT_EQ(race.figures().effect_arguments.text("scale_factor"), "1.4");
  choose("none");
  starts_anew();
  EXPECT_FALSE(race.figures().effect);
  choose("adaptive_threshold");  // it matters neither before nor after
  show_and_step(race, frame);
  EXPECT_GE(race.figures().runs, 10);
  choose("faces");
  starts_anew();
  EXPECT_EQ(race.figures().effect_arguments.text("scale_factor"), "1.4");
}

TEST_F(RaceEffectTest, AFinishedRaceSaysThatTheEffectIsAnotherOne) {
  choose("box_blur", "colour", "off");
  choose("box_blur", "passes", "3");
  const auto frame = noise_frame({40, 30});
  show(frame);
  Race race;
  finish(race);
  step(race, engine_);
  EXPECT_FALSE(race.figures().earlier_effect);
  choose("box_blur", "passes", "2");
  show_and_step(race, frame);
  EXPECT_TRUE(race.finished());
  EXPECT_TRUE(race.figures().earlier_effect);
  EXPECT_FALSE(race.figures().earlier) << "its tables are those of this picture";
  finish(race);
  EXPECT_FALSE(race.figures().earlier_effect);
}

TEST_F(RaceEffectTest, AFinishedRaceWithoutAnEffectSaysThatThereIsOneNow) {
  choose("none");
  const auto frame = noise_frame({40, 30});
  show(frame);
  Race race;
  finish(race);
  choose("adaptive_threshold");  // it would take no part either
  show_and_step(race, frame);
  EXPECT_FALSE(race.figures().earlier_effect);
  choose("box_blur", "colour", "off");
  choose("box_blur", "passes", "2");
  show_and_step(race, frame);
  EXPECT_TRUE(race.finished());
  EXPECT_TRUE(race.figures().earlier_effect);
  choose("none");
  show_and_step(race, frame);
  EXPECT_FALSE(race.figures().earlier_effect);
  choose("box_blur");
  show(frame);
  finish(race);
  EXPECT_FALSE(race.figures().earlier_effect);
  EXPECT_TRUE(race.figures().effect);
  choose("none");
  show_and_step(race, frame);
  EXPECT_TRUE(race.figures().earlier_effect);
  choose("adaptive_threshold");
  show(frame);
  finish(race);
  choose("none");
  show_and_step(race, frame);
  EXPECT_FALSE(race.figures().earlier_effect) << "what was found out is of the race before";
}

// To draw it takes seconds with every algorithm, and says nothing about a GPU.
TEST_F(RaceEffectTest, OnTheSimulatedGpuItsTablesAreCounted) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  settings_.device = DeviceChoice::simulated;
  choose("faces", "tables", "global");
  choose("faces", "scale_factor", "1.5");
  show(noise_frame({64, 48}));
  Race race({}, race_lanes, {});
  finish(race);
  const auto effect = effect_of("faces", {{"tables", "global"}, {"scale_factor", "1.5"}}, {64, 48}, gpu::Device::simulated);
  const auto& figures = race.figures();
  ASSERT_TRUE(figures.effect);
  ASSERT_GT(figures.rows.size(), 10u);
  for (const auto& row : figures.rows) {
    std::uint64_t bytes = 0;
    const auto& algorithm = *gpu::find_sat_algorithm(row.name);
    for (const auto& table : effect.tables) bytes += bytes_of(algorithm, table.size, table.type, row.arguments);
    EXPECT_DOUBLE_EQ(row.effect_bytes_per_pixel.value(), static_cast<double>(bytes) / (64 * 48)) << row.label;
    EXPECT_EQ(row.effect_runs, 0);
    EXPECT_EQ(row.runs, Race::enough_simulated_runs);
  }
  const auto worth = effect_worth(figures);
  EXPECT_TRUE(worth.starts_with("Faces: tables from ")) << worth;
  EXPECT_EQ(worth.find(" us"), worth.npos) << worth;
  for (const auto& row : race_rows_json(figures)) EXPECT_TRUE(row["effect_us"].is_null());
  EXPECT_NE(race_table(figures).find("bytes/pixel"), std::string::npos);
}

}  // namespace
}  // namespace app
