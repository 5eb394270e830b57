#include "app/ui/early_text.h"

#include <imgui_internal.h>

#include <utility>

namespace app::ui {

std::string take_typed() {
  auto& typed = ImGui::GetIO().InputQueueCharacters;
  std::string text;
  for (const auto character : typed) {
    char utf8[5];
    text += ImTextCharToUtf8(utf8, character);
  }
  typed.resize(0);
  return text;
}

int cursor_to_end(ImGuiInputTextCallbackData* data) {
  if (!std::exchange(*static_cast<bool*>(data->UserData), false)) return 0;
  data->CursorPos = data->BufTextLen;
  data->ClearSelection();
  return 0;
}

}  // namespace app::ui
