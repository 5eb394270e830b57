#include "gpu/python/plans.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/context.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/stream_order.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/installed/satscope_place.h"
#include "gpu/parameter.h"
#include "gpu/sat_runner.h"
#include "gpu/tables/tables.h"

namespace satscope::python {
namespace {

using detail::as_error;

// The GPU of a request, current while a plan for it is made.
std::optional<CurrentGpu> gpu_of(const PlanRequest& request) {
  if (request.device != gpu::Device::cuda) return {};
  if (const auto probe = gpu::probe_gpu(request.gpu); !probe.gpu)
    throw Error("no GPU: " + probe.reason + "; device=\"host\" and device=\"simulated\" compute without one");
  return std::optional<CurrentGpu>(std::in_place, request.gpu);
}

Options options_of(const PlanRequest& request) {
  return {.algorithm = request.algorithm,
          .parameters = request.task == Task::box_filter ? std::string() : request.parameters,
          .device = request.device == gpu::Device::cuda ? cuda : host,
          .padded = request.padded,
          .tilted = request.task == Task::tilted,
          .threads = request.threads};
}

// A plan by the library: a satscope::Plan, or a satscope::Filter.
template <class Native>
class NativePlan : public DevicePlan {
 public:
  NativePlan(const PlanRequest& request, Native (*make)(const PlanRequest&))
      : gpu_(request.device == gpu::Device::cuda ? request.gpu : -1), native_([&] {
          const auto current = gpu_of(request);
          return make(request);
        }()) {}

  void run(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch, CUstream_st* stream) override {
    if (gpu_ < 0) return native_(image, image_pitch, table, table_pitch);
    const CurrentGpu current(gpu_);
    native_(image, image_pitch, table, table_pitch, stream);
  }
  void run_batch(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
                 CUstream_st* stream) override {
    if constexpr (requires { native_(images, image_pitch, tables, table_pitch, batch, stream); }) {
      std::optional<CurrentGpu> current;
      if (gpu_ >= 0) current.emplace(gpu_);
      native_(images, image_pitch, tables, table_pitch, batch, gpu_ < 0 ? nullptr : stream);
    } else {
      DevicePlan::run_batch(images, image_pitch, tables, table_pitch, batch, stream);
    }
  }
  bool takes_channels() const override {
    if constexpr (requires { native_.takes_channels(); }) return native_.takes_channels();
    return false;
  }
  std::string algorithm() const override {
    if constexpr (requires { native_.algorithm(); }) return native_.algorithm();
    return {};
  }
  std::string parameters() const override { return native_.parameters(); }
  std::size_t memory_bytes() const override { return native_.memory_bytes(); }
  std::string origin() const override {
    if constexpr (requires { native_.origin(); }) return native_.origin();
    return {};
  }
  void tune() override {
    std::optional<CurrentGpu> current;
    if (gpu_ >= 0) current.emplace(gpu_);
    if constexpr (requires { native_.tune(); })
      native_.tune();
    else
      DevicePlan::tune();
  }

 private:
  int gpu_;
  Native native_;
};

std::unique_ptr<DevicePlan> native_plan(const PlanRequest& request) {
  if (request.task == Task::box_filter)
    return std::make_unique<NativePlan<Filter>>(request, [](const PlanRequest& of) {
      return Filter({of.size.width, of.size.height}, Filter::gray, "box_blur", of.parameters, options_of(of));
    });
  return std::make_unique<NativePlan<Plan>>(request, [](const PlanRequest& of) {
    return Plan({of.size.width, of.size.height}, static_cast<Type>(of.type), options_of(of));
  });
}

// There is one simulated GPU: its kernels run one after another.
std::mutex& turn_of_simulated_gpu() {
  static std::mutex mutex;
  return mutex;
}

class SimulatedPlan final : public DevicePlan {
 public:
  explicit SimulatedPlan(const PlanRequest& request)
      : request_(request),
        algorithm_(chosen(request)),
        arguments_(arguments_of(algorithm_, request.parameters)),
        runner_(gpu::SatRunner::on_simulated(simulated_driver(gpu::simulated::Build::plain))) {
    if (!algorithm_.not_simulated.empty())
      throw Error(std::string(algorithm_.name) +
                  " does not run on the simulated GPU: " + std::string(algorithm_.not_simulated));
    if (request.task == Task::tilted)
      runner_.reserve(runner_
                          .plan([&](gpu::Context& context) {
                            gpu::compute_tilted(context, gpu::view_without_memory<const std::uint8_t>(request.size),
                                                gpu::view_without_memory<std::uint32_t>(request.size));
                          })
                          .workspace_bytes);
    else
      runner_.reserve(runner_.plan(algorithm_, request.size, request.type, arguments_).workspace_bytes);
  }

  void run(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch, CUstream_st*) override {
    const auto& type = gpu::info(request_.type);
    const auto bytes = gpu::size_of(type.sum);
    const auto [width, height] = request_.size;
    const auto image_stride = static_cast<std::ptrdiff_t>(image_pitch / gpu::size_of(type.input));
    const auto table_stride = static_cast<std::ptrdiff_t>(table_pitch / bytes);
    const std::lock_guard lock(turn_of_simulated_gpu());
    as_error([&] {
      const gpu::AnyImageView whole(table, width + request_.padded, height + request_.padded, table_stride, type.sum);
      if (request_.padded) gpu::clear_borders(runner_.context(), whole);
      auto* first = static_cast<std::byte*>(table) + (request_.padded ? table_pitch + bytes : 0);
      const gpu::AnyConstImageView pixels(image, width, height, image_stride, type.input);
      const gpu::AnyImageView sums(first, width, height, table_stride, type.sum);
      if (!is_tilted()) return runner_.run(algorithm_, pixels, sums, arguments_);
      gpu::compute_tilted(runner_.context(), pixels.as<const std::uint8_t>(), sums.as<std::uint32_t>());
      if (request_.padded) detail::tilt_border(static_cast<std::byte*>(table), table_pitch, height);
    });
  }
  std::string algorithm() const override { return is_tilted() ? "tilted" : std::string(algorithm_.name); }
  std::string parameters() const override { return is_tilted() ? std::string() : text_of(arguments_); }
  std::size_t memory_bytes() const override { return runner_.workspace_bytes() + runner_.persistent_bytes(); }

 private:
  bool is_tilted() const { return request_.task == Task::tilted; }
  static const gpu::SatAlgorithm& chosen(const PlanRequest& request) {
    if (!request.algorithm.empty()) return algorithm_on(request.algorithm, gpu::Device::cuda);
    return gpu::table_algorithm(algorithm_on("1r1w_skss_lb", gpu::Device::cuda), request.type, request.size.height,
                                gpu::Device::simulated);
  }

  PlanRequest request_;
  const gpu::SatAlgorithm& algorithm_;
  gpu::Arguments arguments_;
  gpu::SatRunner runner_;
};

bool matches(const PlanStore::Key& key, const PlanStore::Wanted& wanted, unsigned long long stream) {
  const auto& request = key.request;
  return request.task == wanted.task && request.size == wanted.size && request.type == wanted.type &&
         request.padded == wanted.padded && request.device == wanted.device && request.gpu == wanted.gpu &&
         key.stream == stream && request.algorithm == wanted.algorithm && request.parameters == wanted.parameters;
}

}  // namespace

CurrentGpu::CurrentGpu(int index) : index_(index) {
  gpu::check(cudaGetDevice(&before_));
  if (before_ != index_) gpu::check(cudaSetDevice(index_));
}
CurrentGpu::~CurrentGpu() {
  if (before_ != index_) cudaSetDevice(before_);
}

void DevicePlan::run_batch(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch,
                           const Batch& batch, CUstream_st* stream) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.count); ++i)
    run(static_cast<const std::byte*>(images) + i * batch.image_stride, image_pitch,
        static_cast<std::byte*>(tables) + i * batch.table_stride, table_pitch, stream);
}

std::unique_ptr<DevicePlan> make_plan(const PlanRequest& request) {
  return as_error(Size{request.size.width, request.size.height}, [&]() -> std::unique_ptr<DevicePlan> {
    if (!request.algorithm.empty())
      algorithm_on(request.algorithm, request.device == gpu::Device::host ? gpu::Device::host : gpu::Device::cuda);
    if (request.device == gpu::Device::simulated) return std::make_unique<SimulatedPlan>(request);
    return native_plan(request);
  });
}

void sum_boxes(gpu::Device device, int index, const gpu::AnyConstImageView& table, bool padded, const gpu::Boxes& boxes,
               const gpu::AnyImageView& sums, CUstream_st* stream) {
  constexpr int worth_threads = 1 << 16;  // boxes, in about as much time as it takes to start them
  const auto sum = [&](gpu::Context&& context) { gpu::sum_boxes(context, table, padded, boxes, sums); };
  as_error([&] {
    if (device == gpu::Device::cuda) {
      const CurrentGpu current(index);
      sum(gpu::Context::on_stream(stream, {}));
    } else if (device == gpu::Device::simulated) {
      const auto& driver = simulated_driver(gpu::simulated::Build::plain);
      const std::lock_guard lock(turn_of_simulated_gpu());
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

const gpu::simulated::Driver& simulated_driver(gpu::simulated::Build build) {
  static std::mutex mutex;
  static gpu::simulated::LoadedDriver drivers[2];
  const std::lock_guard lock(mutex);
  auto& loaded = drivers[build == gpu::simulated::Build::observed];
  if (!loaded.driver) {
    std::vector<std::filesystem::path> folders;
    Dl_info info{};
    if (const char* chosen = std::getenv("SATSCOPE_SIMULATED"); chosen && *chosen)
      folders.emplace_back(chosen);
    else if (dladdr(reinterpret_cast<const void*>(&simulated_driver), &info) != 0 && info.dli_fname) {
      const auto here = std::filesystem::path(info.dli_fname).parent_path();
      folders = {here, (here / "../../simulated").lexically_normal()};
    }
    loaded = gpu::simulated::load_driver(build, folders);
  }
  if (!loaded.driver)
    throw Error("no simulated GPU: " + loaded.reason + "; SATSCOPE_SIMULATED can name a folder that has it");
  return *loaded.driver;
}

std::unique_ptr<PlanStore::StoredPlan> PlanStore::take(const Wanted& wanted) {
  unsigned long long stream = 0;
  if (wanted.device == gpu::Device::cuda) stream = gpu::id_of(reinterpret_cast<cudaStream_t>(wanted.stream));
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [&](const auto& entry) { return matches(entry->key, wanted, stream); });
    if (found != idle_.rend()) {
      auto entry = std::move(*found);
      idle_.erase(std::next(found).base());
      return entry;
    }
  }
  auto entry = std::make_unique<StoredPlan>();
  entry->key = {{wanted.task, wanted.size, wanted.type, wanted.padded, wanted.device, wanted.gpu,
                 std::string(wanted.algorithm), std::string(wanted.parameters), 0},
                stream};
  entry->plan = make_plan(entry->key.request);
  return entry;
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
