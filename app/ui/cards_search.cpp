#include "app/ui/cards_search.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <utility>

#include "app/control/imgui_keys.h"
#include "app/ui/early_text.h"

namespace app::ui {
namespace {

constexpr int frames_to_search = 4;

}  // namespace

void begin_search(PanelContext& ui) {
  ui.change("cards_search", false);
  if (!ui.settings.cards) ui.act(Action::toggle_cards);  // only the setting was changed
  auto& draft = ui.drafts.cards;
  draft.to_search = frames_to_search;
  draft.search.clear();
  if (!std::exchange(draft.searching, false)) return;
  ImGui::ClearActiveID();  // or ImGui keeps the text of the active line
  draft.left = true;
}

// Escape leaves the line, and clears it: ImGui itself brings back the text that was there before. From 1.89 on ImGui gives a line
// that was left its text once more, the next time that the line is drawn.
void search_field(CardsDraft& draft) {
  if (draft.to_search > 0 && !draft.searching) {
    draft.search += take_typed();
    draft.to_end = true;
    ImGui::SetWindowFocus();  // ImGui 1.90.1 finds only what is in the window that has the keyboard (its issue 7226)
    ImGui::SetKeyboardFocusHere();
  }
  const auto before = draft.search;
  ImGui::InputTextWithHint("##search", "Search (/)", &draft.search, ImGuiInputTextFlags_CallbackAlways, cursor_to_end,
                           &draft.to_end);
  if (std::exchange(draft.left, false)) draft.search = before;
  if (draft.searching && imgui::is_pressed(imgui::KeyCode::escape)) {
    draft.search.clear();
    draft.left = true;
  }
  draft.searching = ImGui::IsItemActive();
  if (draft.searching) draft.to_search = 0;
}

}  // namespace app::ui
