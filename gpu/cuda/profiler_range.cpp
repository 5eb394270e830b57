#include "gpu/cuda/profiler_range.h"

#if __has_include(<nvtx3/nvToolsExt.h>) && !defined(SATSCOPE_SIMULATED)
#include <nvtx3/nvToolsExt.h>

namespace gpu {
namespace {

// Null without a profiler: NVTX loads the one that the environment names, if any, with the first call, and never later.
nvtxDomainHandle_t domain() noexcept {
  static const auto handle = nvtxDomainCreateA("satscope");
  return handle;
}

}  // namespace

void push_profiler_range(std::string_view name) noexcept {
  if (!domain()) return;
  char text[64];  // NVTX wants a terminating zero
  text[name.copy(text, sizeof text - 1)] = 0;
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = text;
  nvtxDomainRangePushEx(domain(), &range);
}

void pop_profiler_range() noexcept {
  if (domain()) nvtxDomainRangePop(domain());
}

}  // namespace gpu

#else

namespace gpu {

void push_profiler_range(std::string_view) noexcept {}
void pop_profiler_range() noexcept {}

}  // namespace gpu

#endif
