// warp.cuh: sums and scans of a warp, and of its segments.
#include "gpu/sat/block/warp.cuh"

#include "gpu/parameter.h"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

constexpr int threads = 96;  // three warps
constexpr int segments[] = {1, 2, 4, 8, 16, 32};

// One row of results for each size of a segment.
template <class T>
__global__ void scan_segments(const T* values, T* scans, T* sums) {
  const int i = static_cast<int>(threadIdx.x);
  const T value = values[i];
  const auto put = [&]<int Lanes>(int row) {
    scans[row * threads + i] = inclusive_scan<Lanes>(value);
    sums[row * threads + i] = segment_sum<Lanes>(value);
  };
  put.template operator()<1>(0);
  put.template operator()<2>(1);
  put.template operator()<4>(2);
  put.template operator()<8>(3);
  put.template operator()<16>(4);
  put.template operator()<32>(5);
}

template <class WarpScan, class T>
__global__ void scan_warps(const T* values, T* scans) {
  scans[threadIdx.x] = WarpScan::scan(values[threadIdx.x]);
}

// Inclusive prefix sums of every `length` neighbours, and their sum at each of them.
template <class T>
std::vector<T> scans_of(const std::vector<T>& values, int length) {
  auto scans = values;
  for (std::size_t i = 0; i < scans.size(); ++i)
    if (i % static_cast<std::size_t>(length) != 0) scans[i] += scans[i - 1];
  return scans;
}
template <class T>
std::vector<T> sums_of(const std::vector<T>& values, int length) {
  auto sums = scans_of(values, length);
  for (std::size_t i = sums.size(); i-- > 0;)
    if (i % static_cast<std::size_t>(length) != static_cast<std::size_t>(length) - 1) sums[i] = sums[i + 1];
  return sums;
}

template <class T>
class WarpTest : public PerSum<T> {};
TYPED_TEST_SUITE(WarpTest, Sums);

TYPED_TEST(WarpTest, ScansAndAddsSegments) {
  const auto values = numbers<TypeParam>(threads);
  const OnDevice<TypeParam> there(values);
  const OnDevice<TypeParam> scans(std::size(segments) * threads), sums(std::size(segments) * threads);
  start(scan_segments<TypeParam>, {dim3(1), dim3(threads)}, there.data(), scans.data(), sums.data());
  std::vector<TypeParam> expected_scans, expected_sums;
  for (const int length : segments) {
    const auto scan = scans_of(values, length), sum = sums_of(values, length);
    expected_scans.insert(expected_scans.end(), scan.begin(), scan.end());
    expected_sums.insert(expected_sums.end(), sum.begin(), sum.end());
  }
  EXPECT_TRUE(same(scans.back(), expected_scans));
  EXPECT_TRUE(same(sums.back(), expected_sums));
}

// Each scan that a parameter can name.
TYPED_TEST(WarpTest, HasTheScansOfTheParameter) {
  const auto values = numbers<TypeParam>(threads);
  const OnDevice<TypeParam> there(values);
  for (const auto name : split_choices(warp_scans)) {
    const OnDevice<TypeParam> scans(threads);
    visit_warp_scan(name, [&]<class WarpScan>() {
      EXPECT_EQ((std::is_same_v<WarpScan, LadnerFischer>), name == "ladner_fischer");
      start(scan_warps<WarpScan, TypeParam>, {dim3(1), dim3(threads)}, there.data(), scans.data());
    });
    EXPECT_TRUE(same(scans.back(), scans_of(values, warp_lanes))) << name;
  }
}

}  // namespace
}  // namespace gpu::sat
