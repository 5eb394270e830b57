// The machine on which measurements are made, and whether anything disturbs them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda/device.h"

namespace gpu::benchmarks {

struct Machine {
  std::string name;    // "NVIDIA H200", or the processor
  std::string driver;  // "580.95.05"; empty on the host
  std::string cuda;    // of the driver, "13.0"
  std::size_t memory_bytes = 0;
  std::size_t cache_bytes = 0;  // of the last level
  int units = 0;                // multiprocessors, or threads
};
Machine describe_machine(Device device, int threads);

// Watches the GPU while it is measured: whether anything disturbed it. Its clocks come from NVML, which is part of the driver;
// without it they are omitted.
class GpuWatch {
 public:
  GpuWatch();
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  void look();  // takes a reading; does nothing without NVML
  std::string driver() const;
  // "SM clock 1980 MHz (limit 1980), memory clock 3201 MHz"; empty without NVML.
  std::string clocks() const;
  // What may have made the figures worse: other programs on the GPU, throttling.
  std::vector<std::string> warnings() const;

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;  // null if it is missing
  unsigned lowest_sm_ = ~0u, highest_sm_ = 0, limit_sm_ = 0, memory_ = 0, busy_before_ = 0;
  unsigned other_programs_ = 0;
  unsigned long long throttled_ = 0;
};

}  // namespace gpu::benchmarks
