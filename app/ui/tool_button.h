// The buttons of the bar, the strip and the playback bar: an icon, words, both, and what says that they are on or open a list.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

#include "app/control/command.h"

namespace app::ui {

struct PanelContext;
struct Rect;

enum class Icon {
  none,
  race,
  measure,
  save,
  menu,
  compare,
  rectangle,
  check,
  record,
  close,
  to_start,
  back,
  play,
  pause,
  again,
  forward
};
// Within a square of one em around the centre.
void draw_icon(ImDrawList& draw, Icon icon, ImVec2 centre, ImU32 colour);

struct ToolButton {
  const char* id;
  Icon icon = Icon::none;
  std::string text = {};     // empty: the icon alone
  std::string help = {};     // its tooltip
  std::string why_not = {};  // not empty: it is disabled, and its tooltip shows the reason
  bool on = false;           // filled with the colour of what is chosen, also under the mouse
  bool raised = false;       // has a ground where it is off, too
  bool opens = false;        // a list: an arrow at its right end
  ImU32 ink = 0;             // of the icon; 0: that of the text
  ImU32 edge = 0;            // a border; 0: none
};
float width_of(const ToolButton& button);
bool tool_button(const ToolButton& button);  // true when it is clicked

// A button with what it does: a command, or a list of lists(), which it opens below itself. A command's list is opened by the
// right button.
struct Tool {
  ToolButton button;
  std::optional<Command> command = {};
  const char* list = nullptr;
  Rect* place = nullptr;  // where it is drawn; null: nobody asks
  bool apart = false;     // a line before it
};
// Side by side, the last one ending at `right`, in the line of the cursor. What is left of them ends before left_of_tools().
void tool_row(PanelContext& ui, std::span<const Tool> tools, float right);
float left_of_tools(std::span<const Tool> tools, float right);

}  // namespace app::ui
