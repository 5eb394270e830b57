// The threads of a block sum one row together, in shared memory, in steps of 1, 2, 4, ... entries.
//
// After the step of 1 each entry is the sum of 2 pixels, after the step of 2 of 4, after that of 4 of 8: 8 steps sum 256
// pixels, where one thread would need 256 (Hillis and Steele, Data parallel algorithms, 1986).
#include <satscope_kernel.cuh>

constexpr int threads = 256;  // of a block, and pixels of a row that it sums at once

__global__ void rows(Image image, Table table) {
  __shared__ unsigned sums[threads];
  const int y = blockIdx.x, t = threadIdx.x;

  // `before` is the sum of all pixels to the left of this piece of the row; each thread has its own copy.
  unsigned before = 0;
  for (int left = 0; left < image.width; left += threads) {
    const int x = left + t;
    sums[t] = x < image.width ? image(x, y) : 0;
    __syncthreads();

    for (int step = 1; step < threads; step *= 2) {
      // All threads read before one of them writes, and all have written before one of them reads again.
      const unsigned other = t >= step ? sums[t - step] : 0;
      __syncthreads();
      sums[t] += other;
      __syncthreads();
    }

    if (x < image.width) table(x, y) = before + sums[t];
    before += sums[threads - 1];
    __syncthreads();  // the next piece overwrites what others may still read
  }
}

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
  rows<<<image.height, threads>>>(image, table);
  columns<<<blocks(image.width, threads), threads>>>(table);
}
