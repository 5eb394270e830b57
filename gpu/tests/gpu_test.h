// Shared by tests that need a GPU. Without one they are skipped, with the reason.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/event.h"

namespace gpu {

template <class Base>
class NeedsGpu : public Base {
 protected:
  void SetUp() override {
    if (const auto probe = probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  }
};

// Whether all work of the stream ends in time. If not, a block may be waiting forever.
inline bool done_within(std::chrono::seconds limit, cudaStream_t stream) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const auto code = cudaStreamQuery(stream);
    if (code == cudaSuccess) return true;
    if (code != cudaErrorNotReady) check(code);
    if (std::chrono::steady_clock::now() - start > limit) return false;
    std::this_thread::yield();
  }
}
// For blocks that wait forever: they end only with the process.
[[noreturn]] inline void give_up(const std::string& who) {
  std::fprintf(stderr, "[  FAILED  ] %s: its blocks wait forever\n", who.c_str());
  std::_Exit(1);
}

}  // namespace gpu
