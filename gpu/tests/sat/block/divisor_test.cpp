#include "gpu/sat/block/divisor.h"

#include <gtest/gtest.h>

namespace gpu::sat {
namespace {

constexpr std::uint32_t largest = 0x7fffffffu;

// Quotients change at multiples of the divisor: errors show first in the numbers on both sides of these.
TEST(DivisorTest, DividesAsDivisionDoes) {
  for (const std::uint32_t divisor :
       {1u,    2u,    3u,     5u,     7u,       31u,         32u,         33u,         641u,        1080u,  1920u,
        4096u, 4097u, 65535u, 65536u, 1000003u, 0x3fffffffu, 0x40000000u, 0x40000001u, largest - 1, largest}) {
    const auto fast = Divisor::of(divisor);
    const auto check = [&](std::uint64_t n) {
      if (n <= largest) {
        ASSERT_EQ(fast.quotient(static_cast<std::uint32_t>(n)), n / divisor) << n << " / " << divisor;
      }
    };
    for (std::uint64_t n = 0; n < 3000; ++n) check(n), check(largest - n);
    const std::uint64_t most = largest / divisor, step = most / 5000 + 1;
    for (std::uint64_t quotient = 0; quotient <= most; quotient += step)
      for (const std::uint64_t n : {quotient * divisor, quotient * divisor + 1, quotient * divisor + divisor - 1}) check(n);
    for (std::uint64_t back = 0; back < 50 && back <= most; ++back) check((most - back) * divisor + divisor - 1);
  }
}

}  // namespace
}  // namespace gpu::sat
