// Waits and looks for errors after each launch, as courses on CUDA do.
#include <satscope_kernel.cuh>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                            \
  do {                                                         \
    const cudaError_t error = (call);                          \
    if (error != cudaSuccess) {                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error)); \
      std::exit(1);                                            \
    }                                                          \
  } while (0)
#define CHECK_LAUNCH() CHECK(cudaGetLastError())

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
  CHECK(cudaPeekAtLastError());
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  columns<<<blocks(image.width, 128), 128>>>(table);
  if (cudaGetLastError() != cudaSuccess) std::abort();
  ::cudaDeviceSynchronize();
  cudaStreamSynchronize(0);
}
