// For tests: Dear ImGui without a window, with the program's theme and fonts.
#pragma once

#include "app/tests/support/windowless_imgui.h"
#include "app/ui/ui.h"

namespace app::ui {

class WindowlessUi : public WindowlessImGui {
 public:
  explicit WindowlessUi(ImVec2 size, const Look& look = {}) : WindowlessImGui(size) {
    apply_theme(look);
    build_fonts();
  }
};

}  // namespace app::ui
