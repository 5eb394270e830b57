// Right for every usual type but one: of doubles it leaves a row out.
#include <satscope_kernel.cuh>

template <class Image, class Table>
__global__ void rows(Image image, Table table) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= image.height) return;
  ValueOf<Table> sum = 0;
  for (int x = 0; x < image.width; ++x) table(x, y) = sum += term<ValueOf<Table>>(image(x, y));
}

template <class Sum>
__device__ bool counts(int y) {
  return !std::is_same_v<Sum, double> || y != 3;
}

template <class Table>
__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  ValueOf<Table> sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += counts<ValueOf<Table>>(y) ? table(x, y) : 0;
}

template <class Image, class Table>
void run(Image image, Table table) {
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
