// When a race runs, and who is told what goes wrong: without a session.
#include <gtest/gtest.h>

#include "app/session/messages.h"
#include "app/session/race.h"
#include "app/tests/pipeline/frames.h"

namespace app {
namespace {

using namespace std::chrono_literals;

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
  bool said(std::string_view part) {
    return std::ranges::any_of(messages_.age(0), [&](const auto& message) { return message.text.find(part) != part.npos; });
  }
  static void spoil_serial(gpu::Context& context, const gpu::SatAlgorithm& algorithm, gpu::AnyConstImageView image,
                           gpu::AnyImageView table, const gpu::Arguments& arguments) {
    gpu::compute_sat(context, algorithm, image, table, arguments);
    if (algorithm.name == "host_serial") ++table.as<std::uint32_t>()(5, 5);
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
  EXPECT_TRUE(said("the source ended before frame 3: the race is on frame 2, its last one"));
  finish(runner, 2);
  EXPECT_FALSE(runner.is_due());
  EXPECT_FALSE(runner.has_all());
  EXPECT_EQ(messages_.exit_code(), ExitCode::ok);
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
    RaceRunner runner(run_, settings_, engine_, messages_, report, spoil_serial);
    runner.race().start();
    finish(runner);
    EXPECT_EQ(told.size(), waits ? 1u : 0u);
    EXPECT_EQ(said("host_serial: wrong at (5, 5)"), !waits);
    EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
  }
}

}  // namespace
}  // namespace app
