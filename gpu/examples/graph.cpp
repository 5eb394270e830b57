// Summed area tables in a CUDA graph: captured once, launched a hundred times with new pixels in the same memory.
//
// The program has its own CUDA runtime, the library another one; streams and memory serve both.
#include <cuda_runtime_api.h>
#include <satscope.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

void run() {
  const satscope::Size size{1920, 1080};
  satscope::Plan plan(size, satscope::u8_u32, {.device = satscope::cuda});

  std::uint8_t* image = nullptr;
  std::uint32_t* table = nullptr;
  std::size_t image_pitch = 0, table_pitch = 0;
  check(cudaMallocPitch(reinterpret_cast<void**>(&image), &image_pitch, 1920, 1080));
  check(cudaMallocPitch(reinterpret_cast<void**>(&table), &table_pitch, 1920 * sizeof *table, 1080));
  cudaStream_t stream{};
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  // The plan allocates nothing: its first call can be captured.
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  plan(image, image_pitch, table, table_pitch, stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));

  std::vector<std::uint8_t> pixels(1920 * 1080);
  for (int frame = 0; frame < 100; ++frame) {
    for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(frame);  // your pixels
    check(cudaMemcpy2DAsync(image, image_pitch, pixels.data(), 1920, 1920, 1080, cudaMemcpyHostToDevice, stream));
    check(cudaGraphLaunch(executable, stream));
    std::uint32_t all = 0;
    const auto last = reinterpret_cast<const char*>(table) + 1079 * table_pitch + 1919 * sizeof all;
    check(cudaMemcpyAsync(&all, last, sizeof all, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    if (all != 1920u * 1080u * static_cast<std::uint32_t>(frame)) throw std::runtime_error("a wrong sum");
  }
  std::printf("100 tables by %s in a graph\n", plan.algorithm().c_str());

  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  check(cudaFree(table));
  check(cudaFree(image));
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {  // no GPU: satscope::Error says why
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
