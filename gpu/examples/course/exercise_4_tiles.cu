// Tiles of 32 x 32 pixels: the sums of each first, then each tile's table, from the sums of what is above and to the left.
//
// Every pixel is read twice, every entry is written once, and what passes between the kernels is small. This is 2R1W (Nehab,
// Maximo, Lima, Hoppe, GPU-efficient recursive filtering and summed-area tables, 2011).
#include <satscope_kernel.cuh>

constexpr int W = 32;  // side of a tile, and threads of its block: one warp

// Pixels behind the edges of the image count as zero: every tile has W rows and W columns. Of tile row I and tile column J:
struct Sums {
  int tile_rows, tile_columns;
  unsigned* rows;     // of row y in tile column J: rows[J * tile_rows * W + y]
  unsigned* columns;  // of column x in tile row I: columns[I * tile_columns * W + x]
  unsigned* tiles;    // tiles[I * tile_columns + J]
};

__device__ unsigned pixel(Image image, int x, int y) { return x < image.width && y < image.height ? image(x, y) : 0; }

// Thread t reads column t of the tile, so that the warp reads whole rows of it. Then it sums row t, from shared memory.
__global__ void sum_tiles(Image image, Sums sums) {
  __shared__ unsigned tile[W][W + 1];
  const int I = blockIdx.y, J = blockIdx.x, t = threadIdx.x;

  unsigned column = 0;
  for (int y = 0; y < W; ++y) column += tile[y][t] = pixel(image, J * W + t, I * W + y);
  sums.columns[(I * sums.tile_columns + J) * W + t] = column;
  __syncthreads();

  unsigned row = 0;
  for (int x = 0; x < W; ++x) row += tile[t][x];
  sums.rows[(J * sums.tile_rows + I) * W + t] = row;

  // The sum of the tile: each lane adds that of its partner, until all lanes have the whole.
  for (int partner = W / 2; partner > 0; partner /= 2) row += __shfl_xor_sync(0xffffffffu, row, partner);
  if (t == 0) sums.tiles[I * sums.tile_columns + J] = row;
}

// Thread i replaces each entry of line i by the sum of those before it in the line, whose entries are `step` apart.
__global__ void sum_before(unsigned* sums, int lines, int line_step, int count, int step) {
  const int i = blockIdx.x * W + threadIdx.x;
  if (i >= lines) return;

  unsigned before = 0;
  for (int k = 0; k < count; ++k) {
    unsigned& entry = sums[i * line_step + k * step];
    const unsigned own = entry;
    entry = before;
    before += own;
  }
}

// Row 0 here is the line above the tile. It is summed as the others are, and begins with the sum of all tiles above and left.
__global__ void finish_tiles(Image image, Table table, Sums sums) {
  __shared__ unsigned tile[W + 1][W + 1];
  const int I = blockIdx.y, J = blockIdx.x, t = threadIdx.x;

  tile[0][t] = sums.columns[(I * sums.tile_columns + J) * W + t];
  for (int y = 0; y < W; ++y) tile[y + 1][t] = pixel(image, J * W + t, I * W + y);
  __syncthreads();

  for (int y = t; y <= W; y += W) {
    unsigned row = y == 0 ? sums.tiles[I * sums.tile_columns + J] : sums.rows[(J * sums.tile_rows + I) * W + y - 1];
    for (int x = 0; x < W; ++x) tile[y][x] = row += tile[y][x];
  }
  __syncthreads();

  const int x = J * W + t;
  unsigned column = tile[0][t];
  for (int y = 0; y < W && I * W + y < table.height && x < table.width; ++y) table(x, I * W + y) = column += tile[y + 1][t];
}

void run(Image image, Table table) {
  const int rows = blocks(image.height, W), columns = blocks(image.width, W), tiles = rows * columns;
  const Sums sums{rows, columns, scratch<unsigned>(tiles * W), scratch<unsigned>(tiles * W), scratch<unsigned>(tiles)};

  sum_tiles<<<dim3(columns, rows), W>>>(image, sums);
  sum_before<<<rows, W>>>(sums.rows, rows * W, 1, columns, rows * W);           // to the left of row y
  sum_before<<<columns, W>>>(sums.columns, columns * W, 1, rows, columns * W);  // above column x
  sum_before<<<blocks(rows, W), W>>>(sums.tiles, rows, columns, columns, 1);    // the table of the tiles, rows first
  sum_before<<<blocks(columns, W), W>>>(sums.tiles, columns, 1, rows, columns);
  finish_tiles<<<dim3(columns, rows), W>>>(image, table, sums);
}
