#include "app/session/trace_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "app/support/simulated_gpu.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/session/session_steps.h"

namespace app {
namespace {

TEST(TraceRunnerTest, WithoutASimulatedGpuTheHostTracesNothing) {
  if (why_no_simulated_gpu().empty()) GTEST_SKIP() << "there is one";
  const auto settings = host_settings("synthetic");
  Engine engine({{}, "no driver"});
  TraceRunner runner(settings, engine);
  EXPECT_NE(runner.why_not().find(" records no tiles"), std::string::npos) << runner.why_not();
  EXPECT_THROW(runner.start(), std::invalid_argument);
  EXPECT_FALSE(runner.under_way());
  EXPECT_FALSE(runner.in_vain()) << "nothing was asked for";
  EXPECT_THROW(runner.require_after({}), std::invalid_argument);
}

// Who asks often looks for its files less often.
TEST(TraceRunnerTest, WhyThereIsNoSimulatedGpuIsTakenFromWhoKnowsIt) {
  auto settings = host_settings("synthetic");
  settings.cuda_algorithm = "1r1w_skss_lb";
  Engine engine({{}, "no driver"});
  const TraceRunner runner(settings, engine);
  EXPECT_TRUE(runner.why_not("it is planted").ends_with(" records no tiles; the simulated GPU does, but it is planted"));
  EXPECT_EQ(runner.why_not(""), "");
}

TEST(TraceRunnerTest, OnTheHostWhatIsChosenForAGpuIsTracedSimulated) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  auto settings = host_settings("synthetic:64x48");
  settings.cuda_algorithm = "2r2w";
  Engine engine({{}, "no driver"});
  TraceRunner runner(settings, engine);
  EXPECT_TRUE(runner.why_not().starts_with("2r2w records no tiles")) << runner.why_not();
  settings.cuda_algorithm = "1r1w_skss_lb";
  EXPECT_EQ(runner.why_not(), "");
  runner.start();
  EXPECT_TRUE(runner.under_way());
  EXPECT_FALSE(runner.in_vain());
  runner.update();
  EXPECT_FALSE(runner.trace()) << "there is no picture";
  EXPECT_TRUE(runner.under_way());
  EXPECT_FALSE(runner.arrives()) << "a window need not stay awake";
}

TEST(TraceRunnerTest, OneIsSimulatedAtATimeAndWhyItFailedIsKnown) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  using namespace std::chrono_literals;
  auto settings = host_settings("synthetic:64x48");
  settings.cuda_algorithm = "1r1w_skss_lb";
  settings.effect = "none";
  Engine engine({{}, "no driver"});
  std::promise<void> fails;
  TraceRunner runner(settings, engine, [end = fails.get_future().share()](auto, auto&) -> TraceRunner::Trace {
    end.wait();
    throw std::runtime_error("planted");
  });
  ASSERT_TRUE(engine.process(noise_frame({64, 48}, 1), settings));
  runner.start();
  EXPECT_FALSE(runner.simulates());
  runner.hold(true);
  for (int i = 0; i < 3; ++i) runner.update();
  EXPECT_FALSE(runner.simulates());
  EXPECT_TRUE(runner.waits());
  EXPECT_TRUE(runner.under_way());
  runner.hold(false);
  runner.update();
  EXPECT_TRUE(runner.simulates());
  EXPECT_FALSE(runner.waits());
  EXPECT_TRUE(runner.arrives());
  EXPECT_THROW(runner.start(), std::invalid_argument);
  EXPECT_EQ(runner.problem(), "");
  fails.set_value();
  for (int i = 0; i < 10000 && runner.simulates(); ++i) {
    runner.update();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_FALSE(runner.under_way());
  EXPECT_EQ(runner.problem(), "the tile trace failed: planted");
  EXPECT_THROW(runner.require_after({}), std::invalid_argument);
  runner.start();
  EXPECT_EQ(runner.problem(), "");
}

TEST(TraceRunnerTest, ATraceForWhichTheSettingsHaveNoTilesAnyMoreIsInVain) {
  auto settings = host_settings("synthetic");
  settings.cuda_algorithm = "2r2w";
  Engine engine({{}, "no driver"});
  TraceRunner runner(settings, engine);
  engine.trace_next();
  EXPECT_TRUE(runner.under_way());
  EXPECT_TRUE(runner.in_vain());
  EXPECT_FALSE(runner.arrives());
  EXPECT_THROW(runner.require_after({}), std::invalid_argument);
  EXPECT_FALSE(runner.under_way()) << "it is not awaited any more";
}

}  // namespace
}  // namespace app
