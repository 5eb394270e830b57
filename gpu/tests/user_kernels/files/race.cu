// The threads of a block add up a row in shared memory without waiting for each other.
#include <satscope_kernel.cuh>

__global__ void rows(Image image, Table table) {
  __shared__ unsigned sum;
  for (int left = 0; left < image.width; left += 32) {
    const int x = left + threadIdx.x, y = blockIdx.x;
    if (threadIdx.x == 0 && left == 0) sum = 0;
    for (int turn = 0; turn < 32; ++turn)
      if (turn == static_cast<int>(threadIdx.x) && x < image.width) table(x, y) = sum += image(x, y);
  }
}

__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}

void run(Image image, Table table) {
  rows<<<image.height, 32>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
