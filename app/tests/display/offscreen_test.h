// Shared by the OpenGL tests: an offscreen render target for one test; the test is skipped if there is none.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "app/display/render_target.h"

namespace app {

class OffscreenTest : public ::testing::Test {
 protected:
  static constexpr int width = 320, height = 240;

  void SetUp() override {
    try {
      target_ = open_offscreen(width, height);
    } catch (const RenderTargetError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::unique_ptr<RenderTarget> target_;
};

}  // namespace app
