#include "gpu/installed/satscope_backend.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/choice/tuned.h"
#include "gpu/parameter.h"
#include "gpu/pictures/check_views.h"

namespace satscope::detail {
namespace {

// The type of CUDA's driver function cuPointerGetAttribute().
using PointerAttribute = int(void* value, int attribute, unsigned long long address);

// How often a library was loaded or unloaded.
unsigned long long loads_of_libraries() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* sum) {
        *static_cast<unsigned long long*>(sum) = library->dlpi_adds + library->dlpi_subs;
        return 1;  // all of them have the same numbers
      },
      &loads);
  return loads;
}

PointerAttribute* find_pointer_attribute() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return nullptr;
  auto* const found = reinterpret_cast<PointerAttribute*>(dlsym(driver, "cuPointerGetAttribute"));
  dlclose(driver);  // it stays as long as whoever has loaded it needs it
  return found;
}

// The threads of this process: the one thing that all its plans share.
class ThreadsOfProcess {
 public:
  static ThreadsOfProcess& here() {
    static auto* const threads = new ThreadsOfProcess;  // never destroyed: plans may end later than static objects
    return *threads;
  }

  std::shared_ptr<gpu::ThreadPool> of(int count) {
    const std::lock_guard lock(mutex_);
    auto& known = pools_[count];
    auto pool = known.lock();
    if (!pool) known = pool = std::make_shared<gpu::ThreadPool>(count);
    return pool;
  }

 private:
  ThreadsOfProcess() {
    pthread_atfork([] { here().mutex_.lock(); }, [] { here().mutex_.unlock(); },
                   [] {
                     here().forget();
                     here().mutex_.unlock();
                   });
  }
  // In a child process these threads do not exist, and cannot be joined.
  void forget() {
    for (auto& [count, known] : pools_)
      if (auto pool = known.lock()) static_cast<void>(new std::shared_ptr(std::move(pool)));
    pools_.clear();
  }

  std::mutex mutex_;
  std::map<int, std::weak_ptr<gpu::ThreadPool>> pools_;
};

}  // namespace

std::shared_ptr<gpu::ThreadPool> shared_threads(int threads) {
  return ThreadsOfProcess::here().of(gpu::ThreadPool::thread_count(threads));
}

std::mutex& turn_of_simulated_gpu() {
  static std::mutex mutex;
  return mutex;
}

BesideCaptures::BesideCaptures(bool on_gpu) noexcept
    : changed_(on_gpu && cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
BesideCaptures::~BesideCaptures() {
  if (changed_) cudaThreadExchangeStreamCaptureMode(&mode_);
}

std::optional<gpu::GpuInfo> gpu_of(Device device) {
  if (device < automatic || device > cuda) throw Error("no such device: satscope::automatic, host or cuda");
  if (device == host) return {};
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) cudaGetLastError();
  auto probe = gpu::probe_gpu(current);
  if (device == cuda && !probe.gpu)
    throw Error("no GPU: " + probe.reason + "; Options::device = satscope::host computes without one");
  return probe.gpu;
}

Choice choice_of(const Options& options, const std::optional<gpu::GpuInfo>& gpu, gpu::Size size, gpu::SatType type,
                 bool is_simulated) {
  Choice choice{gpu::find_sat_algorithm(options.algorithm), {}, "named"};
  if (options.algorithm.empty() && is_simulated) {
    const auto& usual = *gpu::find_sat_algorithm("1r1w_skss_lb");
    choice = {&gpu::table_algorithm(usual, type, size.height, gpu::Device::simulated), {}, {}};
  } else if (options.algorithm.empty()) {
    const auto tuned = gpu ? gpu::load_tuned(gpu::tuned_path()) : gpu::Tuned();
    auto fastest = gpu::fastest_algorithm(size, type, gpu, gpu::RunBy::graph, tuned);
    choice = {fastest.algorithm, {}, std::move(fastest.origin)};
    if (!tuned.problem.empty()) choice.origin += "; " + tuned.problem;
  }
  if (!choice.algorithm) throw Error("no algorithm '" + options.algorithm + "': satscope::algorithms() lists them");
  if ((choice.algorithm->device == gpu::Device::cuda) != (gpu || is_simulated))
    throw Error(options.algorithm + " runs on " + (choice.algorithm->device == gpu::Device::cuda ? "a GPU" : "the host") +
                ", and the plan is not: choose Options::device, or another algorithm");
  if (is_simulated && !choice.algorithm->not_simulated.empty())
    throw Error(options.algorithm + " does not run on the simulated GPU: " + std::string(choice.algorithm->not_simulated));
  choice.arguments = gpu::Arguments(choice.algorithm->parameters);
  gpu::set_from_text(choice.arguments, options.parameters);
  return choice;
}

std::ptrdiff_t stride_of(std::size_t pitch, std::size_t bytes, std::string_view what) {
  if (pitch % bytes != 0)
    throw Error(std::string(what) + ", " + std::to_string(pitch) + " bytes, is not a multiple of its elements' " +
                std::to_string(bytes));
  if (pitch > std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / gpu::most_side)
    throw Error(std::string(what) + ", " + std::to_string(pitch) + " bytes, is too large");
  return static_cast<std::ptrdiff_t>(pitch / bytes);
}

void tilt_border(std::byte* table, std::size_t pitch, int height) {
  constexpr auto bytes = sizeof(std::uint32_t);
  for (std::size_t y = 1; y <= static_cast<std::size_t>(height); ++y)
    std::memcpy(table + y * pitch, table + (y - 1) * pitch + bytes, bytes);
}

Backend::Backend(const std::optional<gpu::GpuInfo>& gpu, int threads, std::string_view what,
                 const gpu::simulated::Driver* driver)
    : what_(what) {
  if (threads < 0)
    throw Error(std::to_string(threads) + " threads: Options::threads is 0, one per core, or a number of them");
  if (gpu) {
    index_ = gpu->index;
    order_.emplace();
    runner_.emplace(gpu::SatRunner::on_stream(nullptr));
  } else if (driver) {
    runner_.emplace(gpu::SatRunner::on_simulated(*driver));
  } else {
    pool_ = shared_threads(threads);
    runner_.emplace(gpu::SatRunner::on_host(*pool_));
  }
}

Backend::~Backend() {
  const BesideCaptures beside(!on_host());
  runner_.reset();
  order_.reset();
}

// The work that was queued before the failure may still run: other streams have to wait for it.
void Backend::end_after_failure() noexcept {
  if (order_) try {
      order_->end(runner_->context().stream());
    } catch (const std::exception&) {  // the stream has failed, as the exception says that is on its way
    }
}

void Backend::load_kernels(const std::function<void(gpu::Context&)>& work) const {
  auto dry = gpu::Context::dry(device());
  work(dry);
  cudaFuncAttributes attributes{};  // asking for them loads the kernel
  for (const auto& launch : dry.launches()) gpu::check(cudaFuncGetAttributes(&attributes, launch.kernel));
}

void Backend::check_gpu() const {
  if (on_host()) return;
  int current = 0;
  gpu::check(cudaGetDevice(&current));
  if (current != index_)
    throw Error(what_ + " is for GPU " + std::to_string(index_) + ", and the current one is " + std::to_string(current) +
                ": call cudaSetDevice() before it is made and used");
}

// CUDA's runtime would initialise a GPU that a plan on the host does not need. A process that has not loaded the driver has no such
// memory. The search for the driver takes longer than small tables, and is repeated only when libraries have come or gone.
bool Backend::is_only_of_a_gpu(const void* data) {
  constexpr int memory_type = 2, is_managed = 8;  // of CUpointer_attribute
  constexpr unsigned of_device = 2;               // of CUmemorytype
  if (const auto loads = loads_of_libraries(); loads != loads_of_libraries_) {
    pointer_attribute_ = find_pointer_attribute();
    loads_of_libraries_ = loads;
  }
  if (!pointer_attribute_) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  unsigned type = 0, managed = 0;
  if (pointer_attribute_(&type, memory_type, address) != 0) return false;  // memory that CUDA does not know
  if (pointer_attribute_(&managed, is_managed, address) != 0) managed = 0;
  return type == of_device && managed == 0;  // managed memory is everybody's
}

void Backend::check_memory(const void* data, const char* what) {
  if (!data) throw Error(std::string(what) + " has no memory");
  if (on_host()) {
    if (is_only_of_a_gpu(data))
      throw Error(std::string(what) + " is in a GPU's memory, and " + what_ +
                  " is for the host: copy it, or use satscope::cuda");
    return;
  }
  cudaPointerAttributes attributes{};
  gpu::check(cudaPointerGetAttributes(&attributes, data));
  if (attributes.type == cudaMemoryTypeUnregistered)
    throw Error(std::string(what) + " is in the host's memory, and " + what_ +
                " is for a GPU: copy it there, or use satscope::host");
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != index_)
    throw Error(std::string(what) + " is in the memory of GPU " + std::to_string(attributes.device) + ", and " + what_ +
                " is for GPU " + std::to_string(index_));
}

}  // namespace satscope::detail
