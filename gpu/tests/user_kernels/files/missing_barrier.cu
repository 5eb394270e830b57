// A barrier is missing between the loads and the stores of a step: right in some orders of warps.
#include <satscope_kernel.cuh>

constexpr int threads = 256;

__global__ void rows(Image image, Table table) {
  __shared__ unsigned row[threads];
  const int y = blockIdx.x, t = threadIdx.x;
  unsigned before = 0;
  for (int left = 0; left < image.width; left += threads) {
    row[t] = left + t < image.width ? image(left + t, y) : 0;
    __syncthreads();
    for (int step = 1; step < threads; step *= 2) {
      const unsigned other = t >= step ? row[t - step] : 0;
      row[t] += other;
      __syncthreads();
    }
    if (left + t < image.width) table(left + t, y) = before + row[t];
    before += row[threads - 1];
    __syncthreads();
  }
}

__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}

void run(Image image, Table table) {
  rows<<<image.height, threads>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
