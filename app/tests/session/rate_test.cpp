#include "app/session/rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace app {
namespace {

Rate::Clock::time_point at(double seconds) {
  return Rate::Clock::time_point() + std::chrono::milliseconds(std::lround(seconds * 1000));
}
// Of something that happens at these times.
Rate rate_of(std::initializer_list<double> times) {
  Rate rate;
  for (const auto seconds : times) rate.count(at(seconds));
  return rate;
}

TEST(RateTest, ASlowRateComesFromItsIntervals) {
  EXPECT_NEAR(rate_of({0, 1.25}).now(at(2.4)), 0.8, 1e-9);
  const auto uneven = rate_of({0, 1.4, 2, 3.4, 4});
  for (const double now : {4.0, 4.5, 5.3}) EXPECT_NEAR(uneven.now(at(now)), 3 / 2.6, 1e-9) << now;
  EXPECT_EQ(uneven.now(at(6)), 0) << "nothing has come for more than two intervals";
  EXPECT_EQ(rate_of({0}).now(at(0)), 0);
}

TEST(RateTest, APauseIsNoSlowRateAndAFastOneIsThatOfTheLastSecond) {
  EXPECT_EQ(rate_of({0, 0.1, 20}).now(at(20)), 0);
  EXPECT_NEAR(rate_of({0, 0.1, 20, 20.1}).now(at(20.1)), 10, 1e-9);
  EXPECT_NEAR(rate_of({0, 1, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3, 3.1}).now(at(3.1)), 10, 1e-9);
}

}  // namespace
}  // namespace app
