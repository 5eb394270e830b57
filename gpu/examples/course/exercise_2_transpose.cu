// Every sum goes down a column, where neighbouring threads access neighbouring addresses; rows become columns by transposing.
//
// The 32 threads of a warp make each access together, and memory is moved in sectors of 32 bytes. Down the columns of a table
// the warp's 32 entries lie in 4 sectors. Along its rows they would lie in 32.
#include <satscope_kernel.cuh>

constexpr int threads = 128;  // of a block that sums columns
constexpr int side = 32;      // of a tile that is transposed

template <class Pixels>
__global__ void columns(Pixels pixels, Table table) {
  const int x = blockIdx.x * threads + threadIdx.x;
  if (x >= table.width) return;

  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) {
    sum += pixels(x, y);
    table(x, y) = sum;
  }
}

// A block reads a tile by rows and writes it by rows; shared memory, which has no sectors, exchanges the two directions.
__global__ void transpose(Table from, Table to) {
  // Shared memory has 32 banks, and a warp is fast where its threads access 32 different ones. Of rows of 32 words, a column
  // would lie in one bank: therefore a row has one word more.
  __shared__ unsigned tile[side][side + 1];

  // A row of the tile is a warp's. The tile may reach beyond the edges.
  const int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
  if (x < from.width && y < from.height) tile[threadIdx.y][threadIdx.x] = from(x, y);
  __syncthreads();

  const int to_x = blockIdx.y * side + threadIdx.x, to_y = blockIdx.x * side + threadIdx.y;
  if (to_x < to.width && to_y < to.height) to(to_x, to_y) = tile[threadIdx.x][threadIdx.y];
}

void run(Image image, Table table) {
  // A transposed image is as wide as the image is high. Its rows begin at multiples of 32 entries.
  const int stride = blocks(image.height, side) * side;
  const Table turned{scratch<unsigned>(static_cast<std::size_t>(stride) * image.width), image.height, image.width, stride};
  const dim3 tile(side, side);

  columns<Image><<<blocks(image.width, threads), threads>>>(image, table);
  transpose<<<dim3(blocks(table.width, side), blocks(table.height, side)), tile>>>(table, turned);
  columns<Table><<<blocks(turned.width, threads), threads>>>(turned, turned);
  transpose<<<dim3(blocks(turned.width, side), blocks(turned.height, side)), tile>>>(turned, table);
}
