// One thread sums a row, then one thread sums a column: right, and far from fast.
//
// satscope compiles this file whenever it is saved, and shows its picture and whether its table is right. It takes plain CUDA, and
// satscope_kernel.cuh adds image(x, y) of 8 bits, table(x, y) of 32, blocks(n, threads), and scratch<T>(n): memory until run() ends.
#include <satscope_kernel.cuh>

// table(x, y) becomes the sum of the pixels 0 to x of row y.
__global__ void rows(Image image, Table table) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= image.height) return;
  unsigned sum = 0;
  for (int x = 0; x < image.width; ++x) table(x, y) = sum += image(x, y);
}

// Then that of all pixels to the left and above, its own included.
__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}

// Once per picture, on the CPU. A kernel begins when the one before has ended.
void run(Image image, Table table) {
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
