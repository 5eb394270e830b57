// The rest of CUDA C++ that kernels find: vector types, functions on bits, conversions, arithmetic, assert() and keywords.
#include <limits>
#include <vector>

#include "gpu/simulated/tests/kernels.cuh"

#undef NDEBUG
#include <cassert>

namespace gpu::simulated {
namespace {

template <class T, std::size_t size, std::size_t alignment>
constexpr bool laid_out = sizeof(T) == size && alignof(T) == alignment;

// As in CUDA C++ Programming Guide, "Built-in Vector Types".
TEST(DeviceFunctionsTest, VectorTypesAreLaidOutAsInCuda) {
  static_assert(laid_out<char1, 1, 1> && laid_out<char2, 2, 2> && laid_out<char3, 3, 1> && laid_out<char4, 4, 4>);
  static_assert(laid_out<uchar1, 1, 1> && laid_out<uchar2, 2, 2> && laid_out<uchar3, 3, 1> && laid_out<uchar4, 4, 4>);
  static_assert(laid_out<short1, 2, 2> && laid_out<short2, 4, 4> && laid_out<short3, 6, 2> && laid_out<short4, 8, 8>);
  static_assert(laid_out<ushort2, 4, 4> && laid_out<ushort4, 8, 8>);
  static_assert(laid_out<int1, 4, 4> && laid_out<int2, 8, 8> && laid_out<int3, 12, 4> && laid_out<int4, 16, 16>);
  static_assert(laid_out<uint2, 8, 8> && laid_out<uint3, 12, 4> && laid_out<uint4, 16, 16>);
  static_assert(laid_out<long2, 16, 16> && laid_out<ulong3, 24, 8> && laid_out<long4, 32, 16>);
  static_assert(laid_out<longlong1, 8, 8> && laid_out<longlong2, 16, 16> && laid_out<ulonglong4, 32, 16>);
  static_assert(laid_out<float1, 4, 4> && laid_out<float2, 8, 8> && laid_out<float3, 12, 4> && laid_out<float4, 16, 16>);
  static_assert(laid_out<double1, 8, 8> && laid_out<double2, 16, 16> && laid_out<double3, 24, 8> &&
                laid_out<double4, 32, 16>);
  static_assert(make_float4(1, 2, 3, 4).w == 4 && make_uchar3(7, 8, 9).z == 9 && make_longlong2(1, -2).y == -2);
  const dim3 from(make_uint3(4, 5, 6));
  const uint3 back = from;
  EXPECT_EQ(back.z, 6u);
}

TEST(DeviceFunctionsTest, BitsAndBytes) {
  EXPECT_EQ(__popc(0xf0f0u) + __popcll(0xf0f0ull << 32), 16);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(12), 3);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__brev(0x80000002u), 0x40000001u);
  EXPECT_EQ(__brevll(0x8000000000000002ull), 0x4000000000000001ull);
  EXPECT_EQ(__mul24(0x01000003, -2), -6);
  EXPECT_EQ(__umul24(0x01000003u, 2u), 6u);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umulhi(0x80000000u, 6u), 3u);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(1ull << 63, 6), 3u);
  EXPECT_EQ(__usad(3, 10, 5), 12u);
  EXPECT_EQ(__usad(10, 3, 5), 12u);
  EXPECT_EQ(__sad(-3, 10, 5), 18u);
  EXPECT_EQ(__hadd(std::numeric_limits<int>::max(), 1), 1 << 30);
  EXPECT_EQ(__urhadd(~0u, 0u), 1u << 31);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
  EXPECT_EQ(__funnelshift_lc(7u, 1u, 40), 7u);
  EXPECT_EQ(__funnelshift_l(7u, 1u, 32), 1u);
  EXPECT_EQ(__funnelshift_rc(7u, 5u, 40), 5u);
  EXPECT_EQ(__funnelshift_r(7u, 1u, 1), 0x80000003u);
  EXPECT_EQ(__dp4a(static_cast<int>(0xff02ff01u), 0x01010101, 10), 11);
  EXPECT_EQ(__dp4a(0xff02ff01u, 0x01010101u, 10u), 523u);
  EXPECT_EQ(__float_as_uint(-0.0f), 1u << 31);
  EXPECT_EQ(__int_as_float(__float_as_int(1.25f)), 1.25f);
  EXPECT_EQ(__hiloint2double(__double2hiint(-3.7), __double2loint(-3.7)), -3.7);
  EXPECT_EQ(__longlong_as_double(__double_as_longlong(2.5)), 2.5);
}

TEST(DeviceFunctionsTest, ConversionsRoundAndSaturate) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rz(-2.5f), -2);
  EXPECT_EQ(__float2int_ru(-2.5f), -2);
  EXPECT_EQ(__float2int_rd(-2.5f), -3);
  EXPECT_EQ(__float2int_rz(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2uint_rn(-5.0f), 0u);
  EXPECT_EQ(__double2uint_rz(4e9 + 0.5), 4'000'000'000u);
  EXPECT_EQ(__double2ll_rn(-1e30), std::numeric_limits<long long>::min());
  EXPECT_EQ(__float2ull_rd(std::numeric_limits<float>::quiet_NaN()), 0u);
  EXPECT_EQ(__int2float_rn(-7), -7.0f);
  EXPECT_EQ(__uint2double_rn(~0u), 4294967295.0);
}

TEST(DeviceFunctionsTest, Arithmetic) {
  EXPECT_EQ(min(3, 4u), 3u);
  EXPECT_EQ(max(-1, 4u), 0xffffffffu) << "as CUDA's, of unsigned";
  EXPECT_EQ(max(1.5f, 2.25), 2.25);
  EXPECT_EQ(min(5, 4ll), 4);
  EXPECT_EQ(max(2, 3), 3);
  EXPECT_EQ(__saturatef(1.5f) + __saturatef(-1.0f) + __saturatef(0.25f), 1.25f);
  EXPECT_EQ(__saturatef(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(__fmaf_rn(2, 3, 4), 10);
  EXPECT_EQ(fmaf(1 + 0x1p-23f, 1 - 0x1p-23f, -1), -0x1p-46f) << "rounded once";
  EXPECT_EQ(__fdividef(1, 4) + __frcp_rn(4) + __fsqrt_rn(0.25f) + rsqrtf(4), 1.5f);
  EXPECT_NEAR(__expf(1) + __logf(1) + __powf(2, 3) + __sinf(0) + __cosf(0) + sinpif(0.5f), std::exp(1.0) + 10, 1e-5);
  float sine, cosine;
  __sincosf(1, &sine, &cosine);
  EXPECT_NEAR(sine * sine + cosine * cosine, 1, 1e-6);
}

// What stands around the code of kernels.
__constant__ const int offsets[3] = {10, 20, 30};
__device__ __noinline__ int add_offset(int value) { return value + offsets[threadIdx.x]; }
template <class F>
__global__ void __launch_bounds__(32) apply(const int* __restrict__ from, int* __restrict__ to, F f) {
  for (auto i = threadIdx.x; i < 3; i += blockDim.x) __stcg(to + i, f(__ldg(from + i)) + add_offset(0));
  const uint3 here = threadIdx;
  const dim3 extent = blockDim;
  if (here.x == 0) to[3] = warpSize + static_cast<int>(extent.y) + (clock64() > 0);
  if (here.x == 0) printf("thread %u of %u\n", here.x, extent.x);
}
TEST(DeviceFunctionsTest, KernelsAreWrittenAsUsual) {
  const Zeroed<int> from(3), to(4);
  from[2] = 5;
  testing::internal::CaptureStdout();
  launch_kernel(
      nullptr, apply<int (*)(int)>, {dim3(1), dim3(3)}, static_cast<const int*>(from.data()), to.data(),
      +[](int value) { return 2 * value; });
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "thread 0 of 3\n");
  EXPECT_EQ(to.values(), (std::vector<int>{10, 20, 40, 34}));
}

constexpr unsigned assert_line = __LINE__ + 1;
__global__ void demand(int least) { assert(static_cast<int>(threadIdx.x) >= least); }
TEST(DeviceFunctionsTest, AFailedAssertIsAFaultByLine) {
  EXPECT_EQ(fault_of([] { launch_kernel(nullptr, demand, {dim3(1), dim3(4)}, 0); }), "");
  const auto fault = fault_of([] { launch_kernel(nullptr, demand, {dim3(1), dim3(4)}, 1); });
  EXPECT_TRUE(says(fault, "assertion failed: static_cast<int>(threadIdx.x) >= least, at device_functions_test.cu:" +
                              std::to_string(assert_line)));
}
TEST(DeviceFunctionsTest, AssertOfHostCodeEndsTheProcess) { EXPECT_DEATH(assert(1 > 2), "Assertion `1 > 2' failed"); }

}  // namespace
}  // namespace gpu::simulated
