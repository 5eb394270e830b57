// tensor_band.cuh: the product of the tensor cores against its definition, and the table of a band against plain loops.
#include "gpu/sat/block/tensor_band.cuh"

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

// Matrices of one product, in the order of rows.
struct Operands {
  static constexpr int a_rows = 16, depth = 32, b_columns = 8;
  static constexpr int a = a_rows * depth, b = depth * b_columns, sums = a_rows * b_columns;
};

__device__ std::uint32_t four_bytes(const std::uint8_t* first, int step) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(first[i * step]) << 8 * i;
  return word;
}

// One product per block, and then the same matrices once more: sums + 2 A B.
__global__ void multiply(const std::uint8_t* all_a, const std::uint8_t* all_b, std::uint32_t* all_sums) {
  const int g = static_cast<int>(threadIdx.x) / 4, t = static_cast<int>(threadIdx.x) % 4,
            block = static_cast<int>(blockIdx.x);
  const auto *const a = all_a + block * Operands::a, *const b = all_b + block * Operands::b;
  auto* const sums = all_sums + block * Operands::sums;
  std::uint32_t of_a[4], of_b[2], of_sums[4];
  for (int i = 0; i < 4; ++i) of_a[i] = four_bytes(a + (g + i % 2 * 8) * Operands::depth + i / 2 * 16 + 4 * t, 1);
  for (int i = 0; i < 2; ++i) of_b[i] = four_bytes(b + (i * 16 + 4 * t) * Operands::b_columns + g, Operands::b_columns);
  const auto at = [&](int i) { return (g + i / 2 * 8) * Operands::b_columns + 2 * t + i % 2; };
  for (int i = 0; i < 4; ++i) of_sums[i] = sums[at(i)];
  for (int twice = 0; twice < 2; ++twice) add_product(of_sums, of_a, of_b);
  for (int i = 0; i < 4; ++i) sums[at(i)] = of_sums[i];
}

class TensorCoreTest : public NeedsGpu<testing::Test> {};

// Random matrices, and the largest ones; sums wrap around.
TEST_F(TensorCoreTest, AddsTheProductOfBytes) {
  constexpr int products = 5;
  auto a = numbers<std::uint8_t>(products * Operands::a, 1), b = numbers<std::uint8_t>(products * Operands::b, 2);
  std::fill_n(a.begin(), Operands::a, std::uint8_t{255});
  std::fill_n(b.begin(), Operands::b, std::uint8_t{255});
  const auto before = numbers<std::uint32_t>(products * Operands::sums, 3);
  const OnDevice<std::uint8_t> there_a(a), there_b(b);
  const OnDevice<std::uint32_t> there_sums(before);
  start(multiply, {dim3(products), dim3(warp_lanes)}, there_a.data(), there_b.data(), there_sums.data());
  auto expected = before;
  for (int p = 0; p < products; ++p)
    for (int row = 0; row < Operands::a_rows; ++row)
      for (int column = 0; column < Operands::b_columns; ++column)
        for (int k = 0; k < Operands::depth; ++k)
          expected[static_cast<std::size_t>(p * Operands::sums + row * Operands::b_columns + column)] +=
              2u * a[static_cast<std::size_t>(p * Operands::a + row * Operands::depth + k)] *
              b[static_cast<std::size_t>(p * Operands::b + k * Operands::b_columns + column)];
  EXPECT_TRUE(same(there_sums.back(), expected));
}

// Two bands per block, one below the other. `above`: of the columns of each band; `left`: of its rows. Each band is computed once
// more, into the same memory, with pixels that the first one had not.
template <class IsAligned>
__global__ void tables_of_bands(ImageView<const std::uint8_t> image, const std::uint32_t* above, const std::uint32_t* left,
                                ImageView<std::uint32_t> table, std::uint32_t* row_sums, IsAligned aligned) {
  struct Shared {
    TensorBand::Shared bands[2];
  };
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = TensorBand::lane();
  auto& shared = static_shared<Shared>().bands[warp];
  const int band_row = static_cast<int>(blockIdx.y) * 2 + warp;
  const int number = band_row * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
  const int x0 = static_cast<int>(blockIdx.x) * TensorBand::columns, y0 = band_row * TensorBand::rows;
  for (int last = 0; last < 2; ++last) {
    for (int r = 0; r < TensorBand::rows; ++r) {
      std::uint32_t word = 0;
      for (int c = 0; c < 4; ++c) {
        const int x = x0 + 4 * lane + c, y = y0 + r;
        const std::uint32_t pixel = x < image.width && y < image.height ? image(x, y) : 0;
        word |= (last ? pixel : 255 - pixel) << 8 * c;
      }
      shared.pixels[r][lane] = word;
    }
    for (int c = 0; c < 4; ++c) shared.above[lane].at[c] = above[number * TensorBand::columns + 4 * lane + c];
    __syncwarp();
    TensorBand band;
    band.multiply(shared, [&](int row, std::uint32_t sum) { row_sums[number * TensorBand::rows + row] = sum; });
    band.store_table(table, x0, y0, aligned, shared, [&](int row) { return left[number * TensorBand::rows + row]; });
    __syncwarp();
  }
}

class TensorBandTest : public NeedsGpu<testing::Test> {
 protected:
  void expect_tables(const Lie& lie, const std::vector<std::uint8_t>& pixels) {
    constexpr int W = TensorBand::columns, H = TensorBand::rows;
    const int rows = ceil_div(lie.size.height, 2 * H), columns = ceil_div(lie.size.width, W);
    const auto bands = static_cast<std::size_t>(2 * rows * columns);
    const auto above = numbers<std::uint32_t>(bands * W, 2), left = numbers<std::uint32_t>(bands * H, 3);
    auto table = numbers<std::uint32_t>(lie.elements(), 4);  // around the table, everything stays
    std::vector<std::uint32_t> row_sums(bands * H);
    const OnDevice<std::uint8_t> there(pixels);
    const OnDevice<std::uint32_t> there_above(above), there_left(left), seen(table), seen_rows(row_sums.size());

    const auto image = lie.view(pixels.data());
    for (int I = 0; I < 2 * rows; ++I)
      for (int J = 0; J < columns; ++J) {
        const auto number = static_cast<std::size_t>(I * columns + J);
        std::vector<std::uint32_t> down(W);
        for (int i = 0; i < H; ++i) {
          std::uint32_t entry = left[number * H + static_cast<std::size_t>(i)], sum = 0;
          for (int j = 0; j < W; ++j) {
            const int x = J * W + j, y = I * H + i;
            const bool inside = x < lie.size.width && y < lie.size.height;
            down[static_cast<std::size_t>(j)] += inside ? image(x, y) : 0;
            sum += inside ? image(x, y) : 0;
            entry += down[static_cast<std::size_t>(j)];
            if (inside) lie.view(table.data())(x, y) = entry + above[number * W + static_cast<std::size_t>(j)];
          }
          row_sums[number * H + static_cast<std::size_t>(i)] = sum;
        }
      }
    const auto view = lie.view(seen.data());
    const Grid grid{dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows)), dim3(2 * warp_lanes)};
    const ImageView<const std::uint8_t> image_there = lie.view(there.data());
    if (aligned_to_four(view))
      start(tables_of_bands<std::true_type>, grid, image_there, there_above.data(), there_left.data(), view,
            seen_rows.data(), std::true_type{});
    else
      start(tables_of_bands<std::false_type>, grid, image_there, there_above.data(), there_left.data(), view,
            seen_rows.data(), std::false_type{});
    EXPECT_TRUE(same(seen.back(), table));
    EXPECT_TRUE(same(seen_rows.back(), row_sums));
  }
};

TEST_F(TensorBandTest, HasTheTableOfItsPixels) {
  for (const Size size : {Size{261, 37}, Size{128, 32}, Size{127, 16}, Size{131, 15}, Size{3, 1}})
    for (const auto& lie : {Lie::aligned(size), Lie::odd(size)}) {
      SCOPED_TRACE(std::to_string(size.width) + " x " + std::to_string(size.height) + ", " + std::to_string(lie.offset));
      expect_tables(lie, numbers<std::uint8_t>(lie.elements()));
    }
}

// The largest prefix sums of rows, and all that are smaller: each of them is split into two bytes.
TEST_F(TensorBandTest, IsExactForWhitePixels) {
  const auto lie = Lie::aligned({128, 32});
  expect_tables(lie, std::vector<std::uint8_t>(lie.elements(), 255));
}

}  // namespace
}  // namespace gpu::sat
