// Plans of every device, the simulated GPU included, and those that integral() keeps for its next calls.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/execution/driver.h"
#include "gpu/pictures/box_sums.h"
#include "gpu/sat.h"
#include "gpu/satscope.h"

namespace satscope::python {

// Sums; sums of triangles; the means of windows, by satscope::Filter (`parameters` are the filter's).
enum class Task { table, tilted, box_filter };

struct PlanRequest {
  Task task = Task::table;
  gpu::Size size;
  gpu::SatType type = gpu::SatType::u8_u32;
  bool padded = false;
  gpu::Device device = gpu::Device::host;
  int gpu = 0;                        // CUDA's index
  std::string algorithm, parameters;  // empty: the plan chooses
  int threads = 0;
};

class DevicePlan {
 public:
  virtual ~DevicePlan() = default;
  // As satscope::Plan's; on a GPU that of the request becomes current for the time of the call.
  virtual void run(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch,
                   CUstream_st* stream) = 0;
  // Several images at once.
  virtual void run_batch(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch,
                         const Batch& batch, CUstream_st* stream);
  virtual bool takes_channels() const { return false; }  // Batch::channels
  virtual std::string algorithm() const = 0;
  virtual std::string parameters() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  virtual std::string origin() const { return {}; }
  virtual void tune() { throw Error("only plans for tables on the host or on a GPU can be tuned"); }
};
// Throws Error.
std::unique_ptr<DevicePlan> make_plan(const PlanRequest& request);

// The GPU that is current while this object exists.
class CurrentGpu {
 public:
  explicit CurrentGpu(int index);
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = 0, index_;
};

// gpu::sum_boxes() on a device; on GPU `index`, which is current for the time of the call, it is queued. Throws Error.
void sum_boxes(gpu::Device device, int index, const gpu::AnyConstImageView& table, bool padded, const gpu::Boxes& boxes,
               const gpu::AnyImageView& sums, CUstream_st* stream);

// The algorithm of that name; throws Error unless it is one of the device. `device`: cuda's for the simulated GPU too.
const gpu::SatAlgorithm& algorithm_on(std::string_view name, gpu::Device device);
// "W=64 rows=8"; throws Error.
gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, std::string_view text);
// The driver in the folder $SATSCOPE_SIMULATED, of the module's own, or of the build tree. Throws Error.
const gpu::simulated::Driver& simulated_driver(gpu::simulated::Build build);

// Plans that no call uses at present. Each stream has plans of its own, so that streams do not wait for each other, and a plan that
// is taken belongs to nobody else. The least recently used are dropped.
class PlanStore {
 public:
  struct Key {
    PlanRequest request;
    unsigned long long stream = 0;  // gpu::id_of(); 0 where there is none
  };
  // The key that is looked for, without memory of its own.
  struct Wanted {
    Task task;
    gpu::Size size;
    gpu::SatType type;
    bool padded;
    gpu::Device device;
    int gpu;
    std::string_view algorithm, parameters;
    std::uintptr_t stream;
  };
  struct StoredPlan {
    Key key;
    std::unique_ptr<DevicePlan> plan;
  };

  std::unique_ptr<StoredPlan> take(const Wanted& wanted);  // makes one if there is none; throws Error
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
