#include "gpu/vision/prepared_cascade.h"

namespace gpu::vision {

const IntegerCascade& PreparedCascade::integers() const {
  std::call_once(integers_made_, [this] { integers_ = integer_cascade(cascade_); });
  return integers_;
}

const WrittenCascadeLists& PreparedCascade::written() const {
  std::call_once(written_made_, [this] { written_ = WrittenCascadeLists(cascade_); });
  return written_;
}

const std::array<HostProgramLists, 2>& PreparedCascade::programs() const {
  std::call_once(programs_made_, [this] {
    if (!integers().exact) return;
    for (const int step : {1, 2}) programs_[static_cast<std::size_t>(step - 1)] = HostProgramLists(integers(), step);
  });
  return programs_;
}

std::shared_ptr<const DeviceCascade> PreparedCascade::packed(const GpuLimits& limits) const {
  const std::lock_guard lock(packed_mutex_);
  auto at = packed_.find(limits.shared_bytes);
  if (at == packed_.end()) {
    auto made = pack(integers(), limits.shared_bytes);
    at =
        packed_.emplace(limits.shared_bytes, made ? std::make_shared<const DeviceCascade>(*std::move(made)) : nullptr).first;
  }
  return at->second;
}

}  // namespace gpu::vision
