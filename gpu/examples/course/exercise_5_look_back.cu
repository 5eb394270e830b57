// One kernel: each tile publishes its sums, and finds what is before it by looking back over what others have published.
//
// Every pixel is read once and every entry is written once. A block that waits for another block's final sums would wait for a
// whole line of blocks. It adds up their own sums instead, which they know at once, until it meets a final one: decoupled
// look-back (Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016), here along rows of tiles,
// then along columns of tiles.
#include <satscope_kernel.cuh>

constexpr int W = 64;  // side of a tile, and threads of its block

// A sum and what it is, in one word: who sees the one sees the other, in whatever order the GPU's stores are seen. No fence is
// needed.
using Word = unsigned long long;
constexpr Word empty = 0;   // not there yet
constexpr Word local = 1;   // the sum of this tile
constexpr Word global = 2;  // the sum of this tile and all before it in its line

// Publishes this tile's sum in *own, and returns the sum of all before it. The words of the tiles before it are `step` apart.
__device__ unsigned look_back(Word* own, int step, bool is_first, unsigned sum) {
  if (is_first) {
    atomicExch(own, global << 32 | sum);
    return 0;
  }
  atomicExch(own, local << 32 | sum);

  unsigned before = 0;
  Word word = empty;
  for (Word* at = own - step; word >> 32 != global; at -= step) {
    do {
      word = atomicAdd(at, Word{0});  // reads it where all blocks see the same: in the L2 cache
    } while (word >> 32 == empty);
    before += static_cast<unsigned>(word);
  }
  atomicExch(own, global << 32 | (before + sum));
  return before;
}

__global__ void clear(Word* words, int count, unsigned* ticket) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = empty;
  if (i == 0) *ticket = 0;
}

__global__ void look_back_tiles(Image image, Table table, Word* row_words, Word* column_words, unsigned* ticket) {
  __shared__ unsigned tile[W][W + 1];
  __shared__ unsigned number;
  const int rows = blocks(image.height, W), columns = blocks(image.width, W), t = threadIdx.x;

  // The GPU starts blocks in any order, and perhaps not all at once. Blocks take numbers when they start: whoever has a
  // smaller number runs already, or is done, and the smallest one that is not done waits for nobody. So there is no deadlock.
  if (t == 0) number = atomicAdd(ticket, 1u);
  __syncthreads();
  const int I = number / columns, J = number % columns, x0 = J * W, y0 = I * W;

  for (int y = 0; y < W; ++y) tile[y][t] = x0 + t < image.width && y0 + y < image.height ? image(x0 + t, y0 + y) : 0;
  __syncthreads();

  // Row t: its sum, then what is to the left of it, then its prefix sums.
  unsigned row = 0;
  for (int x = 0; x < W; ++x) row += tile[t][x];
  row = look_back(row_words + (J * rows + I) * W + t, rows * W, J == 0, row);
  for (int x = 0; x < W; ++x) tile[t][x] = row += tile[t][x];
  __syncthreads();

  // Column t of those prefix sums, likewise: what is above it is the table's entry above the tile.
  unsigned column = 0;
  for (int y = 0; y < W; ++y) column += tile[y][t];
  column = look_back(column_words + (I * columns + J) * W + t, columns * W, I == 0, column);
  for (int y = 0; y < W && y0 + y < table.height && x0 + t < table.width; ++y) table(x0 + t, y0 + y) = column += tile[y][t];
}

void run(Image image, Table table) {
  const int tiles = blocks(image.height, W) * blocks(image.width, W), words = tiles * W;
  Word* const row_words = scratch<Word>(2 * words);
  unsigned* const ticket = scratch<unsigned>(1);
  clear<<<blocks(2 * words, 256), 256>>>(row_words, 2 * words, ticket);
  look_back_tiles<<<tiles, W>>>(image, table, row_words, row_words + words, ticket);
}
