// A thread per row, then a thread per column: the first way to share a table's work.
//
// The table at (x, y) is the sum of all pixels above and to the left of it. The sums along the rows come first; the sums of
// those down the columns are the table. Within one row each sum needs the one before, but no row needs another: every row has
// its own thread.
#include <satscope_kernel.cuh>

constexpr int threads = 128;  // of a block

__global__ void rows(Image image, Table table) {
  // The last block has more threads than there are rows: those do nothing.
  const int y = blockIdx.x * threads + threadIdx.x;
  if (y >= image.height) return;

  unsigned sum = 0;
  for (int x = 0; x < image.width; ++x) {
    sum += image(x, y);
    table(x, y) = sum;
  }
}

// A kernel begins when the one before it has ended: all sums along the rows are there.
__global__ void columns(Table table) {
  const int x = blockIdx.x * threads + threadIdx.x;
  if (x >= table.width) return;

  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) {
    sum += table(x, y);
    table(x, y) = sum;
  }
}

void run(Image image, Table table) {
  rows<<<blocks(image.height, threads), threads>>>(image, table);
  columns<<<blocks(image.width, threads), threads>>>(table);
}
