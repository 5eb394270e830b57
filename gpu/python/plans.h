// Plans of every device, the simulated GPU included, and those that integral() keeps for its next calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpu/execution/driver.h"
#include "gpu/pictures/box_sums.h"
#include "gpu/sat.h"
#include "gpu/satscope.h"

namespace satscope::python {

struct PlanRequest {
  gpu::Size size;
  gpu::SatType type = gpu::SatType::u8_u32;
  gpu::Device device = gpu::Device::host;
  int gpu = -1;            // CUDA's index; -1: the device is not one
  bool is_filter = false;  // the means of windows, by satscope::Filter; options.parameters are the filter's
  Options options;         // Options::device is set by `device`

  bool operator==(const PlanRequest& other) const;  // of two that have the same number of threads
};

// A plan or a filter of the library, and its GPU, which is the current one for the time of a call.
class DevicePlan {
 public:
  explicit DevicePlan(const PlanRequest& request);  // throws Error

  // As satscope::Plan's; a filter's images follow one another.
  void run(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
           CUstream_st* stream);
  bool takes_channels() const;                      // Batch::channels
  Plan& plan() { return std::get<Plan>(native_); }  // unless the request is a filter's

 private:
  int gpu_;
  std::variant<Plan, Filter> native_;
};

// The GPU that is current while this object exists; -1: whichever is.
class CurrentGpu {
 public:
  explicit CurrentGpu(int index);
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = 0, index_;
};

// gpu::sum_boxes() on a device; on GPU `index`, which is the current one for the time of the call, it is queued. Throws Error.
void sum_boxes(gpu::Device device, int index, const gpu::AnyConstImageView& table, bool padded, const gpu::Boxes& boxes,
               const gpu::AnyImageView& sums, CUstream_st* stream);

// The algorithm of that name; throws Error unless it is one of the device. `device`: cuda's for the simulated GPU too.
const gpu::SatAlgorithm& algorithm_on(std::string_view name, gpu::Device device);
// "W=64 rows=8"; throws Error.
gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, std::string_view text);
// Where the libraries of the simulated GPU may be: the folder $SATSCOPE_SIMULATED, else the module's own, or that of the build tree.
std::vector<std::filesystem::path> simulated_folders();
// The driver in the first of them that has it. Throws Error.
const gpu::simulated::Driver& simulated_driver(gpu::simulated::Build build);

// Plans that no call uses at present. Each stream has plans of its own, so that streams do not wait for each other, and a plan that
// is taken belongs to nobody else. The least recently used are dropped.
class PlanStore {
 public:
  struct StoredPlan {
    PlanRequest request;
    unsigned long long stream;  // gpu::id_of(); 0 where there is none
    DevicePlan plan;
  };

  std::unique_ptr<StoredPlan> take(const PlanRequest& request,
                                   std::uintptr_t stream);  // makes one if there is none; throws Error
  // This and clear() may wait for a GPU: without the GIL.
  void give_back(std::unique_ptr<StoredPlan> entry);
  void clear();
  std::size_t size();
  // In a child process the threads of these plans do not exist: they cannot be used, and not destroyed either.
  void forget_in_child();
  int generation() const { return generation_; }  // of processes

 private:
  static constexpr std::size_t most = 8;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StoredPlan>> idle_;
  int generation_ = 0;
};

}  // namespace satscope::python
