// For tests: what is said where a run is refused.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "app/support/exit_code.h"
#include "gpu/tests/refusal.h"

namespace app {

// By the error that `work` throws, which has this code; gpu::test::nothing_refused where it throws none.
template <class Work>
std::string exit_refusal(ExitCode code, const Work& work) {
  try {
    work();
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return gpu::test::nothing_refused;
}

}  // namespace app
