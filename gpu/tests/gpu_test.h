// The fixture of tests that need a GPU: without one they are skipped, with the reason.
#pragma once

#include <gtest/gtest.h>

#include "gpu/device.h"

namespace gpu {

template <class Base>
class NeedsGpu : public Base {
 protected:
  void SetUp() override {
    if (const auto probe = probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  }
};

}  // namespace gpu
