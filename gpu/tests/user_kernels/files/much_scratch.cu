// Asks for 8 GiB of scratch memory, and writes to all of its pages.
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

__global__ void fill(unsigned char* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 4096) bytes[i] = 1;
}

void run(Image image, Table table) {
  const std::size_t bytes = std::size_t{8} << 30;
  fill<<<1, 1>>>(scratch<unsigned char>(bytes), bytes);
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
