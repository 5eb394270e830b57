// Two kernels have one name, in two unnamed namespaces.
#include <satscope_kernel.cuh>

namespace by_rows {
namespace {

__global__ void sum(Image image, Table table) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= image.height) return;
  unsigned total = 0;
  for (int x = 0; x < image.width; ++x) table(x, y) = total += image(x, y);
}

}  // namespace
}  // namespace by_rows

namespace by_columns {
namespace {

__global__ void sum(Image, Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned total = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = total += table(x, y);
}

}  // namespace
}  // namespace by_columns

void run(Image image, Table table) {
  by_rows::sum<<<blocks(image.height, 128), 128>>>(image, table);
  by_columns::sum<<<blocks(image.width, 128), 128>>>(image, table);
}
