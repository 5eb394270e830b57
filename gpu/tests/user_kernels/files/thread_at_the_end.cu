// Right. Leaves a thread behind that writes until the process is gone.
#include <satscope_kernel.cuh>

#include <chrono>
#include <thread>

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

volatile int turns[64];

int start_thread() {
  std::thread([] {
    for (int i = 0;; ++i) {
      turns[i % 64] = i;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }).detach();
  return 0;
}

const int started = start_thread();

void run(Image image, Table table) {
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
