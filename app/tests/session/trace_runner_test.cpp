#include "app/session/trace_runner.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "app/tests/session/session_steps.h"

namespace app {
namespace {

TEST(TraceRunnerTest, TheHostRecordsNoTiles) {
  const auto settings = host_settings("synthetic");
  Engine engine({{}, "no driver"});
  TraceRunner runner(settings, engine);
  EXPECT_NE(runner.why_not().find(" records no tiles"), std::string::npos) << runner.why_not();
  EXPECT_THROW(runner.start(), std::invalid_argument);
  EXPECT_FALSE(runner.under_way());
  EXPECT_FALSE(runner.in_vain()) << "nothing was asked for";
  EXPECT_THROW(runner.require_after({}), std::invalid_argument);
}

TEST(TraceRunnerTest, ATraceForWhichTheSettingsHaveNoTilesAnyMoreIsInVain) {
  auto settings = host_settings("synthetic");
  Engine engine({{}, "no driver"});
  TraceRunner runner(settings, engine);
  engine.trace_next();
  EXPECT_TRUE(runner.under_way());
  EXPECT_TRUE(runner.in_vain());
  EXPECT_THROW(runner.require_after({}), std::invalid_argument);
  EXPECT_FALSE(runner.under_way()) << "it is not awaited any more";
}

}  // namespace
}  // namespace app
