// register_matrix.cuh: the matrix in the registers of a warp, its transpose, scan and loading, and the carries of a block.
#include "gpu/sat/block/register_matrix.cuh"

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/four.cuh"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

constexpr int warps = 3;
constexpr int matrix_elements = matrix_side * matrix_side;

// Element (register j, lane i) of warp w's matrix is number (w * 32 + j) * 32 + i.
__device__ int first_element() {
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  return warp * matrix_elements + lane;
}

template <class Sum>
__global__ void transpose_and_scan(const Sum* values, Sum* transposed, Sum* scanned) {
  auto& buffer = static_shared<TransposeBuffer<Sum>[warps]>();
  Sum data[matrix_side];
  for (int j = 0; j < matrix_side; ++j) data[j] = values[first_element() + j * matrix_side];
  put_rows(buffer[threadIdx.x / warp_lanes], data);
  get_columns(buffer[threadIdx.x / warp_lanes], data);
  for (int j = 0; j < matrix_side; ++j) transposed[first_element() + j * matrix_side] = data[j];
  serial_scan(data);
  for (int j = 0; j < matrix_side; ++j) scanned[first_element() + j * matrix_side] = data[j];
}

template <class Sum>
class RegisterMatrixTest : public PerSum<Sum> {};
TYPED_TEST_SUITE(RegisterMatrixTest, Sums);

TYPED_TEST(RegisterMatrixTest, IsTransposedAndScanned) {
  const auto values = numbers<TypeParam>(warps * matrix_elements);
  auto transposed = values, scanned = values;
  for (std::size_t w = 0; w < warps; ++w)
    for (std::size_t j = 0; j < matrix_side; ++j)
      for (std::size_t i = 0; i < matrix_side; ++i) {
        const auto at = (w * matrix_side + j) * matrix_side + i;
        scanned[at] = transposed[at] = values[(w * matrix_side + i) * matrix_side + j];
        if (j > 0) scanned[at] += scanned[at - matrix_side];
      }
  const OnDevice<TypeParam> there(values), seen_transposed(values.size()), seen_scanned(values.size());
  start(transpose_and_scan<TypeParam>, {dim3(1), dim3(warps * warp_lanes)}, there.data(), seen_transposed.data(),
        seen_scanned.data());
  EXPECT_TRUE(same(seen_transposed.back(), transposed));
  EXPECT_TRUE(same(seen_scanned.back(), scanned));
}

// Blocks lie below each other, the warps of each side by side; the last block lies below the image.
template <class T>
__global__ void load(ImageView<const T> image, T* matrices) {
  T data[matrix_side];
  load_matrix(image, static_cast<int>(threadIdx.x), static_cast<int>(blockIdx.x) * matrix_side, data);
  T* target = matrices + static_cast<std::ptrdiff_t>(blockIdx.x) * warps * matrix_elements + first_element();
  for (int j = 0; j < matrix_side; ++j) target[j * matrix_side] = data[j];
}

// value(pixel) of each element; outside the image the pixels are 0.
template <class Element, class T, class Value>
std::vector<Element> matrices_of(const ImageView<T>& image, std::size_t blocks, const Value& value) {
  std::vector<Element> matrices(blocks * warps * matrix_elements);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const auto matrix = static_cast<int>(i / matrix_elements), element = static_cast<int>(i % matrix_elements);
    const int x = matrix % warps * matrix_side + element % matrix_side;
    const int y = matrix / warps * matrix_side + element / matrix_side;
    matrices[i] = value(x < image.width && y < image.height ? image(x, y) : T(0));
  }
  return matrices;
}

template <class T>
void check_load(const Lie& lie) {
  SCOPED_TRACE(std::to_string(lie.size.width) + "x" + std::to_string(lie.size.height));
  const auto pixels = numbers<T>(lie.elements());
  const auto image = lie.view(pixels.data());
  const auto blocks = static_cast<std::size_t>(ceil_div(lie.size.height, matrix_side) + 1);
  const auto expected = matrices_of<T>(image, blocks, [](T pixel) { return pixel; });
  const OnDevice<T> there(pixels), seen(expected.size());
  start(load<T>, {dim3(static_cast<unsigned>(blocks)), dim3(warps * warp_lanes)}, ImageView<const T>(lie.view(there.data())),
        seen.data());
  EXPECT_TRUE(same(seen.back(), expected));
}

class RegisterMatrixLoadTest : public NeedsGpu<testing::Test> {};
TEST_F(RegisterMatrixLoadTest, HasZerosOutsideTheImage) {
  for (const Size size : {Size{96, 64}, Size{70, 45}, Size{65, 33}, Size{31, 31}, Size{1, 1}}) {
    check_load<std::uint8_t>(Lie::odd(size));
    check_load<double>(Lie::aligned(size));
  }
}

// The same for bytes, four per word: through the buffer, because no lane holds a row or a column of them.
template <class Sum>
__global__ void load_packed(ImageView<const std::uint8_t> image, bool aligned, Sum* matrices) {
  auto& buffers = static_shared<TransposeBuffer<Sum>[warps]>();
  auto& buffer = buffers[threadIdx.x / warp_lanes];
  PackedMatrix<4> matrix;
  matrix.load(image, static_cast<int>(threadIdx.x / warp_lanes) * matrix_side, static_cast<int>(blockIdx.x) * matrix_side,
              aligned);
  put_rows(buffer, matrix);
  Sum* target = matrices + static_cast<std::ptrdiff_t>(blockIdx.x) * warps * matrix_elements + first_element();
  for (int j = 0; j < matrix_side; ++j) target[j * matrix_side] = buffer.at[j][threadIdx.x % warp_lanes];
}

template <class Sum>
void check_load_packed(const Lie& lie) {
  SCOPED_TRACE(std::to_string(lie.size.width) + "x" + std::to_string(lie.size.height));
  const auto pixels = numbers<std::uint8_t>(lie.elements());
  const auto image = lie.view(pixels.data());
  const auto blocks = static_cast<std::size_t>(ceil_div(lie.size.height, matrix_side));
  const auto expected = matrices_of<Sum>(image, blocks, [](std::uint8_t pixel) { return term<Sum>(pixel); });
  const OnDevice<std::uint8_t> there(pixels);
  const OnDevice<Sum> seen(expected.size());
  const ImageView<const std::uint8_t> view = lie.view(there.data());
  start(load_packed<Sum>, {dim3(static_cast<unsigned>(blocks)), dim3(warps * warp_lanes)}, view, aligned_to_four(view),
        seen.data());
  EXPECT_TRUE(same(seen.back(), expected));
}

TEST_F(RegisterMatrixLoadTest, LoadsBytesFourAtATime) {
  for (const Size size : {Size{96, 64}, Size{70, 45}, Size{65, 33}, Size{31, 31}, Size{64, 40}, Size{1, 1}})
    for (const auto& lie : {Lie::odd(size), Lie::aligned(size)}) {
      check_load_packed<std::uint32_t>(lie);
      check_load_packed<std::uint64_t>(lie);
    }
}

// The reverse, with the values that load() would have loaded; nothing outside the image is written.
template <class T>
__global__ void store(ImageView<T> image, const T* matrices) {
  const T* source = matrices + static_cast<std::ptrdiff_t>(blockIdx.x) * warps * matrix_elements + first_element();
  store_matrix(image, static_cast<int>(threadIdx.x), static_cast<int>(blockIdx.x) * matrix_side,
               [&](int j) { return source[j * matrix_side]; });
}

template <class T>
void check_store(const Lie& lie) {
  SCOPED_TRACE(std::to_string(lie.size.width) + "x" + std::to_string(lie.size.height));
  const auto blocks = static_cast<std::size_t>(ceil_div(lie.size.height, matrix_side) + 1);
  const auto matrices = numbers<T>(blocks * warps * matrix_elements, 5);
  const auto before = numbers<T>(lie.elements());
  auto expected = before;
  const auto image = lie.view(expected.data());
  for (int y = 0; y < lie.size.height; ++y)
    for (int x = 0; x < lie.size.width; ++x)
      image(x, y) = matrices[static_cast<std::size_t>(
          ((y / matrix_side * warps + x / matrix_side) * matrix_side + y % matrix_side) * matrix_side + x % matrix_side)];
  const OnDevice<T> there(matrices), seen(before);
  start(store<T>, {dim3(static_cast<unsigned>(blocks)), dim3(warps * warp_lanes)}, lie.view(seen.data()), there.data());
  EXPECT_TRUE(same(seen.back(), expected));
}

class RegisterMatrixStoreTest : public NeedsGpu<testing::Test> {};
TEST_F(RegisterMatrixStoreTest, WritesNothingOutsideTheImage) {
  for (const Size size : {Size{96, 64}, Size{70, 45}, Size{65, 33}, Size{31, 31}, Size{1, 1}}) {
    check_store<std::uint32_t>(Lie::odd(size));
    check_store<double>(Lie::aligned(size));
  }
}

// Warps of different speed, so that one is a step ahead of another wherever no barrier prevents it.
__device__ void dawdle(int number) {
  if (number % 3 == 0) __nanosleep(static_cast<unsigned>(number % 7) * 200);
}

// Element (step * Warps + warp) * 32 + lane is the total of one line in one matrix; likewise the sum before it, and the
// running sum after it.
template <int Warps, class Sum>
__global__ void stitch(const Sum* totals, Sum* before, Sum* running_after, int steps) {
  auto& stitch = static_shared<Stitch<Sum, Warps>>();
  Sum running = 0;
  for (int step = 0; step < steps; ++step) {
    const int i = step * Warps * warp_lanes + static_cast<int>(threadIdx.x);
    dawdle(step * 5 + static_cast<int>(threadIdx.x) / warp_lanes);
    before[i] = stitch.carry(step, totals[i], running);
    running_after[i] = running;
  }
}

template <int Warps, class Sum>
void check_stitch() {
  constexpr std::size_t steps = 40, step_elements = Warps * warp_lanes;
  const auto totals = numbers<Sum>(steps * step_elements);
  auto before = totals, running = totals;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    Sum sum = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      const auto first = step * step_elements + lane, last = first + step_elements;
      for (auto i = first; i < last; i += warp_lanes) {
        before[i] = sum;
        sum += totals[i];
      }
      for (auto i = first; i < last; i += warp_lanes) running[i] = sum;
    }
  }
  const OnDevice<Sum> there(totals), seen_before(totals.size()), seen_running(totals.size());
  start(stitch<Warps, Sum>, {dim3(1), dim3(step_elements)}, there.data(), seen_before.data(), seen_running.data(),
        static_cast<int>(steps));
  EXPECT_TRUE(same(seen_before.back(), before)) << Warps << " warps";
  EXPECT_TRUE(same(seen_running.back(), running)) << Warps << " warps";
}

// As many warps as the algorithms have, and half as many.
TYPED_TEST(RegisterMatrixTest, AddsTheSumsOfItsNeighbours) {
  constexpr int most = sizeof(TypeParam) == 8 ? 8 : 16;
  check_stitch<most, TypeParam>();
  check_stitch<most / 2, TypeParam>();
}

}  // namespace
}  // namespace gpu::sat
