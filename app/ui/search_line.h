// The line above a list: what is typed there finds entries, the arrows choose one, Enter takes it.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/theme.h"

namespace app::ui {

struct SearchLine {
  std::string text;
  int selected = 0;
  bool active = false;  // the line has the keyboard, or gets it with the next frame
  bool moved = false;   // the selected entry is to be brought into view, once
  bool to_end = false;  // the cursor is to go to the end of the text
  int sets = 0;         // calls of set(): ImGui keeps a copy of what is typed, and takes another text as another field's
  void set(std::string other) { text = std::move(other), selected = 0, ++sets; }
};
// Draws the line, as wide as the next item; true for Enter. It has the keyboard while its popup is on top and nothing else of that
// is edited: letters start no actions, also those typed before ImGui has given it the keyboard.
bool search_line(SearchLine& line, const char* hint);
// The arrows, Page up and Page down move among `count` entries. True when they did. Both within a popup.
bool move_by_keys(SearchLine& line, int count);

// A row of the list: at the right end of its line are the keys, and before them a note.
struct ListRow {
  std::string title, note = {}, keys = {}, help = {};  // help: its tooltip
  ImU32 ink = colour::text;                            // of the title
};
// The list below the line, so high, with the keys of move_by_keys(). Of its `count` rows those in sight are asked for. The one that
// was clicked.
std::optional<int> list_below(SearchLine& line, int count, float height, const std::function<ListRow(int)>& row);

}  // namespace app::ui
