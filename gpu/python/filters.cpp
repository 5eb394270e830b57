#include "gpu/python/filters.h"

#include <cuda_runtime_api.h>

#include <functional>
#include <optional>

#include "gpu/effect.h"
#include "gpu/python/plans.h"
#include "gpu/sat_runner.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"

namespace satscope::python {
namespace {

template <class T>
gpu::ImageView<T> view(const void* data, std::size_t pitch, gpu::Size size) {
  return {static_cast<T*>(const_cast<void*>(data)), size.width, size.height, static_cast<std::ptrdiff_t>(pitch / sizeof(T))};
}

// Plans `work`, takes the memory for it, and does it.
void run(const PlaneArgument& plane, const std::function<void(gpu::Context&)>& work) {
  std::optional<gpu::ThreadPool> pool;
  std::optional<CurrentGpu> current;
  if (plane.gpu < 0)
    pool.emplace();
  else
    current.emplace(plane.gpu);
  auto runner = pool ? gpu::SatRunner::on_host(*pool) : gpu::SatRunner::on_stream(plane.stream);
  runner.reserve(runner.plan(work).workspace_bytes);
  work(runner.context());
  if (current) gpu::check(cudaStreamSynchronize(plane.stream));  // before the memory goes
}

}  // namespace

void box_filter(const PlaneArgument& plane, const std::string& window, const std::string& border) {
  const auto& effect = *gpu::find_effect("box_blur");
  gpu::Arguments arguments(effect.parameters);
  arguments.set("colour", "off");
  arguments.set("window", window);
  arguments.set("border", border);
  const auto device = plane.gpu < 0 ? gpu::Device::host : gpu::Device::cuda;
  const auto& usual = *gpu::find_sat_algorithm(plane.gpu < 0 ? "host_parallel" : "one_wave");
  const auto& algorithm = gpu::table_algorithm(usual, gpu::SatType::u8_u32, plane.size.height, device);
  const gpu::Arguments initial(algorithm.parameters);

  gpu::EffectInput input;
  input.gray = view<const std::uint8_t>(plane.image, plane.image_pitch, plane.size);
  input.algorithm = &algorithm;
  input.algorithm_arguments = &initial;
  gpu::EffectOutput output;
  output.canvas.gray = view<std::uint8_t>(plane.result, plane.result_pitch, plane.size);
  run(plane, [&](gpu::Context& context) {
    const gpu::Context::ScratchScope scope(context);
    const auto table = context.scratch_image<std::uint32_t>(plane.size);
    input.compute_sat(context, input.gray, table);
    input.tables.sum = table;
    effect.run(context, input, output, arguments);  // run_effect() would ask for a colour image
  });
}

void tilted_table(const PlaneArgument& plane) {
  run(plane, [&](gpu::Context& context) {
    gpu::compute_tilted(context, view<const std::uint8_t>(plane.image, plane.image_pitch, plane.size),
                        view<std::uint32_t>(plane.result, plane.result_pitch, plane.size));
  });
}

}  // namespace satscope::python
