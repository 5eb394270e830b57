// PreparedCascade: a cascade and the forms of it that detectors evaluate. They depend on nothing but the cascade and a GPU's limits,
// and take longer to make than a frame has time: each is made once, when it is asked for first, by whatever thread, and shared by
// all detectors.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gpu/vision/cascade.h"
#include "gpu/vision/device_cascade.h"
#include "gpu/vision/host_program.h"
#include "gpu/vision/integer_cascade.h"

namespace gpu::vision {

class PreparedCascade {
 public:
  explicit PreparedCascade(Cascade cascade) : cascade_(std::move(cascade)) {}

  const Cascade& cascade() const { return cascade_; }
  const IntegerCascade& integers() const {
    std::call_once(integers_made_, [this] { integers_ = integer_cascade(cascade_); });
    return integers_;
  }
  // For steps 1 and 2; empty where the integers are not exact and packed.
  const std::array<HostProgram, 2>& programs() const {
    std::call_once(programs_made_, [this] {
      if (!integers().exact || !integers().packed) return;
      for (const int step : {1, 2}) programs_[static_cast<std::size_t>(step - 1)] = HostProgram(integers(), step);
    });
    return programs_;
  }
  // As pack() makes it; null where that gives nothing.
  std::shared_ptr<const DeviceCascade> packed(const GpuLimits& limits) const {
    const std::lock_guard lock(packed_mutex_);
    auto at = packed_.find(limits.shared_bytes);
    if (at == packed_.end()) {
      auto made = pack(integers(), limits);
      at = packed_.emplace(limits.shared_bytes, made ? std::make_shared<const DeviceCascade>(*std::move(made)) : nullptr)
               .first;
    }
    return at->second;
  }

 private:
  Cascade cascade_;
  mutable std::once_flag integers_made_, programs_made_;
  mutable IntegerCascade integers_;
  mutable std::array<HostProgram, 2> programs_;
  mutable std::mutex packed_mutex_;
  mutable std::map<std::size_t, std::shared_ptr<const DeviceCascade>> packed_;  // by the shared memory of the GPU
};

using SharedCascade = std::shared_ptr<const PreparedCascade>;

}  // namespace gpu::vision
