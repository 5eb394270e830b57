// Ranges of a profiler. NVTX offers tools its table of functions; here the tool is linked into the test program, and notes
// the names that it gets.
#include "gpu/execution/timeline.h"

#include <gtest/gtest.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <cstdint>

extern "C" {
extern int (*InitializeInjectionNvtx2_fnptr)(const void* (*export_table)(std::uint32_t));
}
#define NVTX_STATIC_INJECTION_IMPL
#include <nvtx3/nvToolsExt.h>

#include <string>
#include <thread>

namespace gpu {
namespace {

thread_local std::string seen;

nvtxDomainHandle_t create(const char* name) {
  seen += std::string(name) + ':';
  static int domain;
  return reinterpret_cast<nvtxDomainHandle_t>(&domain);
}
int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* range) {
  seen += '<' + std::string(range->message.ascii);
  return 0;
}
int pop(nvtxDomainHandle_t) {
  seen += '>';
  return 0;
}

int attach(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

TEST(ProfilerRangeTest, AProfilerSeesTheNamesAndTheirNesting) {
  push_profiler_range("2r1w");
  push_profiler_range(std::string_view("tile sums and more").substr(0, 9));
  pop_profiler_range();
  pop_profiler_range();
  EXPECT_TRUE(seen.ends_with("<2r1w<tile sums>>")) << seen;
  seen.clear();
  push_profiler_range(std::string(1000, 'x'));
  EXPECT_EQ(seen, '<' + std::string(63, 'x')) << "long names are cut, not allocated";
  pop_profiler_range();
}

TEST(ProfilerRangeTest, ThereIsOneDomainForAllThreads) {
  push_profiler_range("first");
  pop_profiler_range();
  std::string other;
  std::thread([&] {
    push_profiler_range("second");
    pop_profiler_range();
    other = seen;
  }).join();
  EXPECT_EQ(other, "<second>");
}

}  // namespace
}  // namespace gpu

int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(std::uint32_t)) = gpu::attach;
#endif
