#include "app/ui/cards_search.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/control/imgui_keys.h"
#include "app/ui/early_text.h"

namespace app::ui {

void begin_search(CardsDraft& draft) {
  draft.to_search = frames_to_search;
  // After a long frame the key, and what was typed after it, come together.
  const auto typed = take_typed();
  const auto key = typed.find('/');
  draft.search = key == std::string::npos ? std::string() : typed.substr(key + 1);
}

// Escape leaves the line, and clears it: ImGui itself brings back the text that was there before.
void search_field(CardsDraft& draft) {
  if (draft.to_search > 0 && !draft.searching) {
    draft.search += take_typed();
    draft.to_end = true;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::InputTextWithHint("##search", "Search (/)", &draft.search, ImGuiInputTextFlags_CallbackAlways, cursor_to_end,
                           &draft.to_end);
  if (draft.searching && imgui::is_pressed(imgui::KeyCode::escape)) draft.search.clear();
  draft.searching = ImGui::IsItemActive();
  if (draft.searching) draft.to_search = 0;
}

}  // namespace app::ui
