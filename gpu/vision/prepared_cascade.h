// PreparedCascade: a cascade and the forms of it that detectors evaluate. They depend on nothing but the cascade and a GPU's shared
// memory, and take longer to make than a frame has time: each is made once, when it is asked for first, by whatever thread, and
// shared by all detectors.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gpu/vision/cascade.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/integer_cascade.h"
#include "gpu/vision/packed_cascade.h"

namespace gpu::vision {

class PreparedCascade {
 public:
  explicit PreparedCascade(Cascade cascade) : cascade_(std::move(cascade)) {}

  const Cascade& cascade() const { return cascade_; }
  const IntegerCascade& integers() const;
  const WrittenCascadeLists& written() const;
  // For steps 1 and 2; empty where the integers are not exact.
  const std::array<HostProgramLists, 2>& programs() const;
  // As pack() makes it; null where that gives nothing.
  std::shared_ptr<const DeviceCascade> packed(const GpuLimits& limits) const;

 private:
  Cascade cascade_;
  mutable std::once_flag integers_made_, written_made_, programs_made_;
  mutable IntegerCascade integers_;
  mutable WrittenCascadeLists written_;
  mutable std::array<HostProgramLists, 2> programs_;
  mutable std::mutex packed_mutex_;
  mutable std::map<std::size_t, std::shared_ptr<const DeviceCascade>> packed_;  // by the shared memory of the GPU
};

using SharedCascade = std::shared_ptr<const PreparedCascade>;

}  // namespace gpu::vision
