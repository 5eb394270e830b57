#include "app/ui/search_line.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/control/imgui_keys.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// Within a popup: nothing is opened over it.
bool is_top_popup() {
  const auto& context = *ImGui::GetCurrentContext();
  return context.BeginPopupStack.Size == context.OpenPopupStack.Size;
}

// What was typed since the previous frame; from then on nobody else gets it.
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

// A line that gets the keyboard has all of its text selected: typing goes on at its end.
int cursor_to_end(ImGuiInputTextCallbackData* data) {
  if (!std::exchange(*static_cast<bool*>(data->UserData), false)) return 0;
  data->CursorPos = data->BufTextLen;
  data->ClearSelection();
  return 0;
}

// True when clicked.
bool draw_list_row(const ListRow& row, bool selected) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, pad = std::round(em() / 2);
  const bool clicked = ImGui::Selectable("##row", selected, 0, {0, em()});
  tooltip(row.help);
  auto& draw = *ImGui::GetWindowDrawList();
  auto right = at.x + width - pad;
  const auto at_right = [&](const std::string& words, ImU32 ink, float most) {
    if (words.empty()) return;
    const auto shown = shortened(words, most);
    right -= text_width(shown);
    draw.AddText({right, at.y}, ink, shown.c_str());
    right -= em();
  };
  at_right(row.keys, colour::accent, width * 0.3f);
  const auto beside_title = right - at.x - pad - text_width(row.title) - em();
  at_right(row.note, row.ink == colour::faint ? row.ink : ImU32(colour::dim), std::max(width * 0.4f, beside_title));
  const auto ink = selected ? ImU32(colour::text) : row.ink;
  draw.AddText({at.x + pad, at.y}, ink, shortened(row.title, right - at.x - pad).c_str());
  return clicked;
}

}  // namespace

bool search_line(SearchLine& line, const char* hint) {
  const auto before = line.text;
  const bool on_top = is_top_popup();
  bool entered = false;
  ImGui::PushID(line.sets);
  if (on_top && !ImGui::IsAnyItemActive()) {  // ImGui gives the keyboard two frames late
    ImGui::SetWindowFocus();                  // ImGui 1.90.1 finds only what is in the window that has it (its issue 7226)
    ImGui::SetKeyboardFocusHere();
    line.to_end = true;
    line.text += take_typed();
    entered = imgui::enter_is_pressed();
  }
  entered |= ImGui::InputTextWithHint("##search", hint, &line.text,
                                      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways,
                                      cursor_to_end, &line.to_end);
  // Enter takes the keyboard from it, which the next frame gives back: an Escape in between is the line's, too.
  line.active = ImGui::IsItemActive() || (on_top && !ImGui::IsAnyItemActive());
  ImGui::PopID();
  if (line.text != before) line.selected = 0, line.moved = true;
  return on_top && entered;
}

bool move_by_keys(SearchLine& line, int count) {
  using imgui::KeyCode;
  constexpr int page = 10;
  const auto held = [](KeyCode key) { return imgui::is_repeated(key) ? 1 : 0; };
  const int steps = !is_top_popup() ? 0
                                    : held(KeyCode::down) - held(KeyCode::up) +
                                          page * (held(KeyCode::page_down) - held(KeyCode::page_up));
  line.moved |= steps != 0;
  line.selected = std::clamp(line.selected + steps, 0, std::max(count - 1, 0));
  return steps != 0;
}

std::optional<int> list_below(SearchLine& line, int count, float height, const std::function<ListRow(int)>& row) {
  move_by_keys(line, count);
  std::optional<int> clicked;
  if (ImGui::BeginChild("entries", {0, height})) {
    ImGuiListClipper rows;
    rows.Begin(count);
    if (line.moved && count > 0) rows.ForceDisplayRangeByIndices(line.selected, line.selected + 1);
    while (rows.Step())
      for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
        ImGui::PushID(i);
        // The rest of a double click, whose first click may have brought other rows here.
        const bool again = ImGui::IsMouseReleased(0) && ImGui::GetIO().MouseClickedLastCount[0] > 1;
        if (draw_list_row(row(i), i == line.selected) && !again) clicked = i;
        ImGui::PopID();
        if (i == line.selected && std::exchange(line.moved, false)) ImGui::SetScrollHereY();
      }
  }
  ImGui::EndChild();
  return clicked;
}

}  // namespace app::ui
