// Accesses outside all allocations end the launch, and the message says what, where and by how much.
#include <dlfcn.h>

#include <cstdlib>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/observed_support.cuh"
#include "gpu/tests/surface_array.h"

namespace gpu::simulated {
namespace {

using testing::Test;
using ObservedBoundsTest = Observed;
constexpr Grid one_thread{dim3(1), dim3(1)};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr unsigned load_line = __LINE__ + 1;
__global__ void load_at(const float* data, std::ptrdiff_t index, float* to) { *to = data[index]; }

TEST_F(ObservedBoundsTest, WithinIsNoFault) {
  const auto data = zeros<float>(10), to = zeros<float>(1);
  EXPECT_EQ(fault(load_at, one_thread, data.data(), 0, to.data()), "no fault");
  EXPECT_EQ(fault(load_at, one_thread, data.data(), 9, to.data()), "no fault");
}

TEST_F(ObservedBoundsTest, PastTheEnd) {
  const auto data = zeros<float>(10), to = zeros<float>(1);
  const auto message = fault(load_at, one_thread, data.data(), 11, to.data());
  EXPECT_TRUE(contains(message, "out of bounds: a load of 4 bytes 4 bytes past the end of an allocation of 40 bytes"))
      << message;
  EXPECT_TRUE(contains(message, "observed_bounds_test.cu:" + std::to_string(load_line))) << message;
}

TEST_F(ObservedBoundsTest, BeforeTheStart) {
  const auto data = zeros<float>(10), to = zeros<float>(1);
  const auto message = fault(load_at, one_thread, data.data(), -2, to.data());
  EXPECT_TRUE(contains(message, "8 bytes before the start of an allocation of 40 bytes")) << message;
}

TEST_F(ObservedBoundsTest, AcrossTheEnd) {
  const auto data = zeros<unsigned char>(10);
  const auto to = zeros<float>(1);
  const auto message = fault(load_at, one_thread, reinterpret_cast<const float*>(data.data()), 2, to.data());
  EXPECT_TRUE(contains(message, "at offset 8 of an allocation of 10 bytes")) << message;
}

TEST_F(ObservedBoundsTest, ReleasedMemory) {
  auto data = zeros<float>(10);
  const auto to = zeros<float>(1);
  const auto* gone = data.data();
  EXPECT_EQ(fault(load_at, one_thread, gone, 0, to.data()), "no fault");
  data = Buffer<float>();
  EXPECT_TRUE(contains(fault(load_at, one_thread, gone, 0, to.data()), "out of bounds: a load"));
}

TEST_F(ObservedBoundsTest, HostMemoryAndNull) {
  const auto to = zeros<float>(1);
  const std::vector<float> host(1);
  EXPECT_TRUE(contains(fault(load_at, one_thread, host.data(), 0, to.data()), "not in the GPU's memory"));
  EXPECT_TRUE(contains(fault(load_at, one_thread, nullptr, 0, to.data()), "not in the GPU's memory"));
}

__global__ void store_at(float* data, std::ptrdiff_t index) { data[index] = 1; }
__global__ void add_at(unsigned* data, std::ptrdiff_t index) { atomicAdd(data + index, 1u); }
__global__ void look_at(const std::uint64_t* data, std::ptrdiff_t index, std::uint64_t* to) { load_word(data + index, *to); }

TEST_F(ObservedBoundsTest, StoresAtomicsAndRelaxedLoads) {
  const auto floats = zeros<float>(1);
  const auto words = zeros<unsigned>(1);
  const auto wide = zeros<std::uint64_t>(2);
  EXPECT_TRUE(contains(fault(store_at, one_thread, floats.data(), 1), "out of bounds: a store of 4 bytes 0 bytes past"));
  EXPECT_TRUE(contains(fault(add_at, one_thread, words.data(), 1), "out of bounds: an atomic of 4 bytes"));
  EXPECT_TRUE(contains(fault(look_at, one_thread, wide.data(), 2, wide.data()), "out of bounds: a load of 8 bytes"));
}

// Not the kernel of another test, whose source line may be cached by now.
__global__ void store_next(float* data, std::ptrdiff_t index) { data[index + 1] = 1; }

// Without addr2line it is unknown that this store is the kernel's; it counts nevertheless.
TEST_F(ObservedBoundsTest, WithoutASourceLine) {
  const auto data = zeros<float>(1);
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", "/nowhere", 1);
  const auto message = fault(store_next, one_thread, data.data(), 0);
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(contains(message, "out of bounds: a store of 4 bytes 0 bytes past")) << message;
  EXPECT_TRUE(contains(message, "an unknown place")) << message;
}

__global__ void draw_at(cudaSurfaceObject_t surface, int x_bytes, int y) { surf2Dwrite(uchar4{}, surface, x_bytes, y); }

TEST_F(ObservedBoundsTest, StoresOutsideASurfaceAreNotCounted) {
  const test::SurfaceArray array({3, 2});
  EXPECT_TRUE(contains(fault(draw_at, one_thread, array.object(), 12, 1), "out of bounds: a store of 4 bytes to a surface"));
  EXPECT_EQ(observer_.results().counts.surface_bytes, 0u);
}

__global__ void shared_at(unsigned index) {
  auto* words = reinterpret_cast<unsigned*>(dynamic_shared());
  words[index] = 1;
}

TEST_F(ObservedBoundsTest, PastSharedMemory) {
  EXPECT_EQ(fault(shared_at, {dim3(1), dim3(1), 64}, 15u), "no fault");
  const auto message = fault(shared_at, {dim3(1), dim3(1), 64}, 16u);
  EXPECT_TRUE(contains(message, "a store of 4 bytes 0 bytes past the end of a shared array of 64 bytes")) << message;
  EXPECT_TRUE(contains(message, "observed_bounds_test.cu:")) << message;
}

struct Row {
  unsigned word[16];
};
struct NextRow : Row {};
__global__ void store_past_row(std::ptrdiff_t index) {
  static_shared<NextRow>().word[0] = 0;
  static_shared<Row>().word[index] = 1;
}

// From one static array, or from the dynamic one, into its neighbour.
TEST_F(ObservedBoundsTest, FromOneSharedArrayIntoTheNext) {
  const Grid shape{dim3(1), dim3(1), 64};
  EXPECT_EQ(fault(store_past_row, shape, 15), "no fault");
  EXPECT_TRUE(contains(fault(store_past_row, shape, 16), "0 bytes past the end of a shared array of 64 bytes"));
  EXPECT_TRUE(contains(fault(store_past_row, shape, -1), "4 bytes before the start of a shared array of 64 bytes"));
}

// Misaligned accesses, which an x86 processor does and a GPU refuses.
TEST_F(ObservedBoundsTest, MisalignedWords) {
  const auto data = zeros<float>(4), to = zeros<float>(1);
  const auto* shifted = reinterpret_cast<const float*>(reinterpret_cast<const char*>(data.data()) + 2);
  const auto message = fault(load_at, one_thread, shifted, 0, to.data());
  EXPECT_TRUE(contains(message, "misaligned: a load of 4 bytes")) << message;
  EXPECT_TRUE(contains(message, "observed_bounds_test.cu:" + std::to_string(load_line))) << message;
}

struct alignas(16) Piece {
  unsigned word[4];
};
struct Pieces {
  Piece piece[2];
};
constexpr unsigned copy_line = __LINE__ + 4;
__global__ void copy_shifted(const unsigned* from, unsigned shift, unsigned shared_shift, unsigned* to) {
  auto& shared = static_shared<Pieces>();
  auto* const target = reinterpret_cast<Piece*>(shared.piece[0].word + shared_shift);
  gpu::copy_async(target, reinterpret_cast<const Piece*>(from + shift));
  gpu::commit_async_copies();
  gpu::wait_for_async_copies<0>();
  *to = target->word[0];
}

// Also instructions that the compiler does not see: copies, relaxed words, stores past the cache.
TEST_F(ObservedBoundsTest, MisalignedCopies) {
  const auto from = zeros<unsigned>(16), to = zeros<unsigned>(1);
  EXPECT_EQ(fault(copy_shifted, one_thread, from.data(), 4u, 0u, to.data()), "no fault");
  const auto message = fault(copy_shifted, one_thread, from.data(), 1u, 0u, to.data());
  EXPECT_TRUE(contains(message, "misaligned: an asynchronous copy from an address that is not a multiple of 16 bytes"))
      << message;
  EXPECT_TRUE(contains(message, "observed_bounds_test.cu:" + std::to_string(copy_line))) << message;
  EXPECT_TRUE(contains(fault(copy_shifted, one_thread, from.data(), 4u, 1u, to.data()), "an asynchronous copy to"));
}

__global__ void store_shifted(unsigned* to, unsigned shift) { store_once(reinterpret_cast<uint4*>(to + shift), uint4{}); }
__global__ void load_shifted(const unsigned* from, unsigned shift, std::uint64_t* to) { load_word(from + shift, *to); }

TEST_F(ObservedBoundsTest, MisalignedInstructions) {
  const auto words = zeros<unsigned>(16);
  const auto to = zeros<std::uint64_t>(1);
  EXPECT_EQ(fault(store_shifted, one_thread, words.data(), 4u), "no fault");
  EXPECT_TRUE(contains(fault(store_shifted, one_thread, words.data(), 2u), "misaligned: a store"));
  EXPECT_EQ(fault(load_shifted, one_thread, words.data(), 2u, to.data()), "no fault");
  EXPECT_TRUE(contains(fault(load_shifted, one_thread, words.data(), 1u, to.data()), "misaligned: a relaxed load from"));
}

TEST_F(ObservedBoundsTest, ALaunchAfterAFaultRuns) {
  const auto data = zeros<float>(10), to = zeros<float>(1);
  EXPECT_NE(fault(load_at, {dim3(5), dim3(64)}, data.data(), 10, to.data()), "no fault");
  EXPECT_EQ(run(load_at, one_thread, data.data(), 0, to.data()).counts.read.bytes, 4u);
}

// Its constants, for example.
TEST_F(ObservedBoundsTest, StaticDataOfTheLibraryOfAKernelIsItsOwn) {
  AddressSpace space(the_gpu().heap());
  const Block block;
  const void *kernel = dlsym(RTLD_DEFAULT, "qsort"), *data = dlsym(RTLD_DEFAULT, "getenv");
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(space.kind_of(block, data, 4), AddressSpace::Kind::nothing);
  space.begin(kernel);
  EXPECT_EQ(space.kind_of(block, data, 4), AddressSpace::Kind::own);
}

}  // namespace
}  // namespace gpu::simulated
