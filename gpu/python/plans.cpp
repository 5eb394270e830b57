#include "gpu/python/plans.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <tuple>
#include <utility>

#include "gpu/context.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/stream_order.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/installed/satscope_backend.h"
#include "gpu/parameter.h"

namespace satscope::python {
namespace {

using detail::as_error;

std::variant<Plan, Filter> native_plan(const PlanRequest& request) {
  if (!request.options.algorithm.empty())
    algorithm_on(request.options.algorithm, request.device == gpu::Device::host ? gpu::Device::host : gpu::Device::cuda);
  const Size size{request.size.width, request.size.height};
  const auto type = static_cast<Type>(request.type);
  if (request.device == gpu::Device::simulated)
    return detail::Inside::plan_on_simulated(size, type, request.options, simulated_driver(gpu::simulated::Build::plain));
  const bool on_gpu = request.device == gpu::Device::cuda;
  if (on_gpu)
    if (const auto probe = gpu::probe_gpu(request.gpu); !probe.gpu)
      throw Error("no GPU: " + probe.reason + "; device=\"host\" and device=\"simulated\" compute without one");
  auto options = request.options;
  options.device = on_gpu ? cuda : host;
  const CurrentGpu current(request.gpu);
  if (!request.is_filter) return Plan(size, type, options);
  const auto parameters = std::exchange(options.parameters, {});
  return Filter(size, Filter::gray, "box_blur", parameters, options);
}

}  // namespace

bool PlanRequest::operator==(const PlanRequest& other) const {
  const auto all = [](const PlanRequest& of) {
    return std::tie(of.size, of.type, of.device, of.gpu, of.is_filter, of.options.algorithm, of.options.parameters,
                    of.options.padded, of.options.tilted);
  };
  return all(*this) == all(other);
}

CurrentGpu::CurrentGpu(int index) : before_(index), index_(index) {
  if (index < 0) return;
  gpu::check(cudaGetDevice(&before_));
  if (before_ != index_) gpu::check(cudaSetDevice(index_));
}
CurrentGpu::~CurrentGpu() {
  if (before_ != index_) cudaSetDevice(before_);
}

DevicePlan::DevicePlan(const PlanRequest& request) : gpu_(request.gpu), native_(native_plan(request)) {}

void DevicePlan::run(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
                     CUstream_st* stream) {
  const CurrentGpu current(gpu_);
  if (gpu_ < 0) stream = nullptr;
  if (auto* const plan = std::get_if<Plan>(&native_))
    return (*plan)(images, image_pitch, tables, table_pitch, batch, stream);
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.count); ++i)
    std::get<Filter>(native_)(static_cast<const std::byte*>(images) + i * batch.image_stride, image_pitch,
                              static_cast<std::byte*>(tables) + i * batch.table_stride, table_pitch, stream);
}

bool DevicePlan::takes_channels() const {
  const auto* const plan = std::get_if<Plan>(&native_);
  return plan && plan->takes_channels();
}

void sum_boxes(gpu::Device device, int index, const gpu::AnyConstImageView& table, bool padded, const gpu::Boxes& boxes,
               const gpu::AnyImageView& sums, CUstream_st* stream) {
  constexpr int worth_threads = 1 << 16;  // boxes, in about as much time as it takes to start them
  const auto sum = [&](gpu::Context&& context) { gpu::sum_boxes(context, table, padded, boxes, sums); };
  as_error([&] {
    const CurrentGpu current(index);
    if (device == gpu::Device::cuda) {
      sum(gpu::Context::on_stream(stream, {}));
    } else if (device == gpu::Device::simulated) {
      const auto& driver = simulated_driver(gpu::simulated::Build::plain);
      const std::lock_guard lock(detail::turn_of_simulated_gpu());
      sum(gpu::Context::on_simulated(driver, {}));
    } else {
      const auto threads = detail::shared_threads(boxes.count < worth_threads ? 1 : 0);
      sum(gpu::Context::on_host(*threads, {}));
    }
  });
}

const gpu::SatAlgorithm& algorithm_on(std::string_view name, gpu::Device device) {
  const auto* algorithm = gpu::find_sat_algorithm(name);
  if (!algorithm) {
    std::vector<std::string_view> names;
    for (const auto* known : gpu::sat_algorithms()) names.push_back(known->name);
    const auto near = gpu::nearest(name, names);
    throw Error("no algorithm '" + std::string(name) + "'" +
                (near.empty() ? ": satscope.algorithms() lists them" : ": did you mean " + std::string(near) + "?"));
  }
  if (algorithm->device == device) return *algorithm;
  if (device == gpu::Device::host)
    throw Error(std::string(name) +
                " runs on a GPU, and the image is in the host's memory: device=\"simulated\" runs it on the CPU, "
                "and cupy.asarray() or cuda() copies the image to the GPU");
  throw Error(std::string(name) + " runs on the CPU: choose one of satscope.algorithms(\"cuda\")");
}

gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, std::string_view text) {
  return as_error([&] {
    gpu::Arguments arguments(algorithm.parameters);
    gpu::set_from_text(arguments, text);
    return arguments;
  });
}

std::vector<std::filesystem::path> simulated_folders() {
  if (const char* chosen = std::getenv("SATSCOPE_SIMULATED"); chosen && *chosen) return {chosen};
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&simulated_folders), &info) == 0 || !info.dli_fname) return {};
  const auto here = std::filesystem::path(info.dli_fname).parent_path();
  return {here, (here / "../../simulated").lexically_normal()};
}

const gpu::simulated::Driver& simulated_driver(gpu::simulated::Build build) {
  static std::mutex mutex;
  static gpu::simulated::LoadedDriver drivers[2];
  const std::lock_guard lock(mutex);
  auto& loaded = drivers[build == gpu::simulated::Build::observed];
  if (!loaded.driver) loaded = gpu::simulated::load_driver(build, simulated_folders());
  if (!loaded.driver)
    throw Error("no simulated GPU: " + loaded.reason + "; SATSCOPE_SIMULATED can name a folder that has it");
  return *loaded.driver;
}

std::unique_ptr<PlanStore::StoredPlan> PlanStore::take(const PlanRequest& request, std::uintptr_t stream) {
  const auto id = request.device == gpu::Device::cuda ? gpu::id_of(reinterpret_cast<cudaStream_t>(stream)) : 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [&](const auto& entry) { return entry->stream == id && entry->request == request; });
    if (found != idle_.rend()) {
      auto entry = std::move(*found);
      idle_.erase(std::next(found).base());
      return entry;
    }
  }
  return std::unique_ptr<StoredPlan>(new StoredPlan{request, id, DevicePlan(request)});
}

void PlanStore::give_back(std::unique_ptr<StoredPlan> entry) {
  std::unique_ptr<StoredPlan> dropped;  // without the lock: this may wait for a GPU
  const std::lock_guard lock(mutex_);
  if (idle_.size() == most) {
    dropped = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(entry));
}

void PlanStore::clear() {
  std::vector<std::unique_ptr<StoredPlan>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(idle_);
}

std::size_t PlanStore::size() {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

void PlanStore::forget_in_child() {
  ++generation_;
  new (&mutex_) std::mutex;  // another thread of the parent may have held it
  for (auto& entry : idle_) static_cast<void>(entry.release());
  idle_.clear();
}

}  // namespace satscope::python
