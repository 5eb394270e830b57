#include "gpu/satscope.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "gpu/check_views.h"
#include "gpu/context.h"
#include "gpu/persistent_memory.h"
#include "gpu/sat.h"
#include "gpu/sat_runner.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"

namespace satscope {
namespace {

// The two enumerations are in one order.
gpu::SatType type_of(Type type) {
  if (type < u8_u32 || type > u8_u64) throw Error("no such type of sums");
  return static_cast<gpu::SatType>(type);
}

gpu::Device device_of(Device device) {
  if (device == host) return gpu::Device::host;
  const auto probe = gpu::probe_gpu();
  if (device == cuda && !probe.gpu)
    throw Error("no GPU: " + probe.reason + "; Options::device = satscope::host computes without one");
  return probe.gpu ? gpu::Device::cuda : gpu::Device::host;
}

const gpu::SatAlgorithm& algorithm_of(const Options& options, gpu::Device device, gpu::SatType type, int height) {
  if (options.algorithm.empty()) {
    const auto* usual = gpu::find_sat_algorithm(device == gpu::Device::cuda ? "one_wave" : "host_parallel");
    return gpu::table_algorithm(*usual, type, height, device);
  }
  const auto* algorithm = gpu::find_sat_algorithm(options.algorithm);
  if (!algorithm) throw Error("no algorithm '" + options.algorithm + "': satscope::algorithms() has their names");
  if (algorithm->device != device)
    throw Error(options.algorithm + " runs on " + (algorithm->device == gpu::Device::host ? "the host" : "a GPU") +
                ", and the plan is for the other: choose Options::device, or another algorithm");
  return *algorithm;
}

// "W=64 rows=8".
gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, const std::string& text) {
  gpu::Arguments arguments(algorithm.parameters);
  for (std::size_t at = text.find_first_not_of(' '); at != text.npos;) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    const auto equals = word.find('=');
    if (equals == word.npos) throw Error("parameters are written NAME=VALUE, not '" + word + "'");
    arguments.set(word.substr(0, equals), word.substr(equals + 1));
    at = text.find_first_not_of(' ', end);
  }
  return arguments;
}

// What the library throws becomes Error.
template <class F>
auto as_error(const F& f) {
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory for the plan");
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

std::ptrdiff_t stride_of(std::size_t pitch, gpu::ElementType type, const char* what) {
  const auto bytes = gpu::size_of(type);
  if (pitch % bytes != 0)
    throw Error(std::string("the pitch of the ") + what + ", " + std::to_string(pitch) +
                " bytes, is no multiple of its elements' " + std::to_string(bytes));
  return static_cast<std::ptrdiff_t>(pitch / bytes);
}

}  // namespace

struct Plan::State {
  State(Size size, gpu::SatType type, const Options& options)
      : device(device_of(options.device)),
        size{size.width, size.height},
        type(gpu::info(type)),
        padded(options.padded),
        algorithm(algorithm_of(options, device, type, size.height)),
        arguments(arguments_of(algorithm, options.parameters)),
        persistent(device) {
    if (device == gpu::Device::host)
      pool.emplace(options.threads);
    else
      gpu::check(cudaGetDevice(&index));
    auto dry = gpu::Context::dry(device, pool ? pool->threads() : 0);
    dry.set_persistent(&persistent);
    gpu::compute_sat(dry, algorithm, gpu::view_without_memory(this->size, this->type.input),
                     gpu::view_without_memory(this->size, this->type.sum), arguments);
    persistent.reserve();
    workspace = gpu::Buffer<std::byte>(dry.workspace_bytes(), device);
    if (device == gpu::Device::cuda) run_once();
  }

  // The first run clears what later ones leave to each other, and loads the kernels: it could not be captured.
  void run_once() {
    const auto pitch = [&](gpu::ElementType of) {
      return static_cast<std::size_t>(gpu::pitched_stride(size.width + 1, gpu::size_of(of))) * gpu::size_of(of);
    };
    const auto rows = static_cast<std::size_t>(size.height) + 1;
    const gpu::Buffer<std::byte> image(pitch(type.input) * rows, device), table(pitch(type.sum) * rows, device);
    gpu::check(cudaMemsetAsync(image.data(), 0, image.size(), nullptr));
    run(image.data(), pitch(type.input), table.data(), pitch(type.sum), nullptr);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  void run(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch, cudaStream_t stream) {
    auto context = pool ? gpu::Context::on_host(*pool, workspace.span()) : gpu::Context::on_stream(stream, workspace.span());
    context.set_persistent(&persistent);
    const auto stride = stride_of(table_pitch, type.sum, "table");
    const gpu::AnyConstImageView pixels(image, size.width, size.height, stride_of(image_pitch, type.input, "image"),
                                        type.input);
    gpu::AnyImageView sums(table, size.width + padded, size.height + padded, stride, type.sum);
    check(context, pixels, sums);
    if (padded) clear_border(sums, stream);
    auto* first = static_cast<std::byte*>(table) + (padded ? table_pitch + gpu::size_of(type.sum) : 0);
    try {
      gpu::compute_sat(context, algorithm, pixels, gpu::AnyImageView(first, size.width, size.height, stride, type.sum),
                       arguments);
    } catch (...) {
      persistent.distrust();
      throw;
    }
  }

  // The whole table, of which compute_sat() sees a part; and the GPU.
  void check(const gpu::Context& context, const gpu::AnyConstImageView& pixels, const gpu::AnyImageView& sums) const {
    if (!pixels.data) throw Error("the image has no memory");
    if (!sums.data) throw Error("the table has no memory");
    gpu::check_views(context, "the plan", {{"the table", sums, gpu::ViewArgument::written}});
    if (padded && meets_border(pixels, sums)) throw Error("the image and the table overlap");
    if (pool) return;
    int current = 0;
    gpu::check(cudaGetDevice(&current));
    if (current != index)
      throw Error("the plan is for GPU " + std::to_string(index) + ", and the current one is " + std::to_string(current) +
                  ": call cudaSetDevice(), or make a plan for it");
    check_place(pixels.data, "image");
    check_place(sums.data, "table");
  }
  // Of the border compute_sat() knows nothing.
  bool meets_border(const gpu::AnyConstImageView& pixels, const gpu::AnyImageView& sums) const {
    const auto end = [](const auto& view) {
      return static_cast<const std::byte*>(view.data) +
             (view.stride * (view.height - 1) + view.width) * static_cast<std::ptrdiff_t>(gpu::size_of(view.type));
    };
    return pixels.data < end(sums) && sums.data < end(pixels);
  }
  void check_place(const void* data, const char* what) const {
    cudaPointerAttributes attributes{};
    gpu::check(cudaPointerGetAttributes(&attributes, data));
    if (attributes.type == cudaMemoryTypeUnregistered)
      throw Error(std::string("the ") + what +
                  " is in the host's memory, and the plan is for a GPU: copy it there, or use satscope::host");
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != index)
      throw Error(std::string("the ") + what + " is in the memory of GPU " + std::to_string(attributes.device) +
                  ", and the plan is for GPU " + std::to_string(index));
  }

  void clear_border(const gpu::AnyImageView& sums, cudaStream_t stream) const {
    const auto bytes = gpu::size_of(type.sum), pitch = static_cast<std::size_t>(sums.stride) * bytes;
    auto* table = static_cast<std::byte*>(sums.data);
    const auto row = static_cast<std::size_t>(sums.width) * bytes;
    if (!pool) {
      gpu::check(cudaMemsetAsync(table, 0, row, stream));
      gpu::check(cudaMemset2DAsync(table + pitch, pitch, 0, bytes, static_cast<std::size_t>(size.height), stream));
      return;
    }
    std::memset(table, 0, row);
    for (int y = 1; y < sums.height; ++y) std::memset(table + static_cast<std::size_t>(y) * pitch, 0, bytes);
  }

  gpu::Device device;
  gpu::Size size;
  gpu::SatTypeInfo type;
  bool padded;
  const gpu::SatAlgorithm& algorithm;
  gpu::Arguments arguments;
  gpu::PersistentMemory persistent;
  std::optional<gpu::ThreadPool> pool;  // of the host
  int index = 0;                        // of the GPU
  gpu::Buffer<std::byte> workspace;
};

Plan::Plan(Size size, Type type, const Options& options)
    : state_(as_error([&] { return std::make_unique<State>(size, type_of(type), options); })) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

void Plan::operator()(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch,
                      CUstream_st* stream) {
  as_error([&] { state_->run(image, image_pitch, table, table_pitch, stream); });
}

Device Plan::device() const { return state_->device == gpu::Device::host ? host : cuda; }

std::string Plan::algorithm() const { return std::string(state_->algorithm.name); }

std::string Plan::parameters() const {
  std::string text;
  for (const auto& parameter : state_->arguments.parameters())
    text += (text.empty() ? "" : " ") + std::string(parameter.name) + '=' + state_->arguments.text(parameter.name);
  return text;
}

Size Plan::table_size() const { return {state_->size.width + state_->padded, state_->size.height + state_->padded}; }

std::size_t Plan::memory_bytes() const { return state_->workspace.size() + state_->persistent.bytes(); }

std::vector<std::string> algorithms(Device device, Type type) {
  const auto on = as_error([&] { return device_of(device); });
  const auto wanted = type_of(type);
  std::vector<std::string> names;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (algorithm->device == on && gpu::why_unavailable(*algorithm).empty() &&
        std::ranges::find(algorithm->types, wanted) != algorithm->types.end())
      names.emplace_back(algorithm->name);
  return names;
}

}  // namespace satscope
