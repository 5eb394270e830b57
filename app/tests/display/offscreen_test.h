// Shared by the OpenGL tests: an offscreen surface for one test, or a skip with the reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

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
