// A loop compiled for every processor, and for the wider vectors of this one: the same results bit for bit.
#include "gpu/pictures/host_vectors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace gpu {
namespace {

// The operations of effects: bytes to integers, products, and floats whose rounding a fused multiply-add would change.
struct Mixed {
  const std::uint8_t* in;
  std::uint32_t* whole;
  float* fraction;

  void operator()(int count) const {
    for (int i = 0; i < count; ++i) {
      whole[i] = (3735u * in[i] + 19235u * in[i + 1] + 9798u * in[i + 2] + (1u << 14)) >> 15;
      fraction[i] = static_cast<float>(in[i]) * 0.1f + static_cast<float>(in[i + 1]) / 3.f - 0.7f;
    }
  }
};

struct Results {
  std::vector<std::uint32_t> whole;
  std::vector<float> fraction;
};

Results results(HostVectors vectors, int count) {
  std::vector<std::uint8_t> in(static_cast<std::size_t>(count) + 2);
  std::uint32_t state = 1;
  for (auto& value : in) value = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  const auto size = static_cast<std::size_t>(count);
  Results made{std::vector<std::uint32_t>(size), std::vector<float>(size)};
  const Mixed mixed{in.data(), made.whole.data(), made.fraction.data()};
  run_with(vectors, [&] { mixed(count); });
  return made;
}

TEST(HostVectorsTest, TheBaselineIsAlwaysThereAndFirst) {
  ASSERT_FALSE(host_vectors_here().empty());
  EXPECT_EQ(host_vectors_here().front(), HostVectors::baseline);
}

TEST(HostVectorsTest, EveryVariantHereComputesTheSame) {
  for (const int count : {1, 7, 8, 31, 32, 33, 1000}) {
    const auto expected = results(HostVectors::baseline, count);
    for (const auto vectors : host_vectors_here()) {
      const auto made = results(vectors, count);
      EXPECT_EQ(made.whole, expected.whole) << count;
      EXPECT_EQ(std::memcmp(made.fraction.data(), expected.fraction.data(), expected.fraction.size() * sizeof(float)), 0)
          << count;
    }
  }
}

}  // namespace
}  // namespace gpu
