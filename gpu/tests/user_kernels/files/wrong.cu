// Leaves the last columns of an image without their sums.
#include <satscope_kernel.cuh>

__global__ void rows(Image image, Table table) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= image.height) return;
  unsigned sum = 0;
  for (int x = 0; x < image.width; ++x) table(x, y) = sum += image(x, y);
}

__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}

void run(Image image, Table table) {
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  columns<<<1, 128>>>(table);
}
