// Small parts that the panels share.
#pragma once

#include <imgui.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/support/text.h"
#include "app/ui/theme.h"
#include "app/ui/ui.h"

namespace app::ui {

// An ImGui window that fills `rect` during its lifetime. It lies on panel_background() and has none of its own, unless it
// covers the picture. visible() is false if there is no room.
class PanelWindow {
 public:
  enum class Padding { usual, none };          // above and below
  enum class Ground { panels, over_picture };  // the panels have one background; over the picture a window has its own
  PanelWindow(const char* name, const Rect& rect, ImGuiWindowFlags flags = 0, Padding padding = Padding::usual,
              Ground ground = Ground::panels);
  ~PanelWindow();
  PanelWindow(const PanelWindow&) = delete;
  PanelWindow& operator=(const PanelWindow&) = delete;
  bool visible() const { return visible_; }

 private:
  bool begun_ = false, visible_ = false;
};

// An ImGui window over the panels, during its lifetime: raised, with round corners. Its place and size are as given before, to
// ImGui::SetNextWindowPos() and its like; `flags` say whether it fits its contents, or scrolls; `padding` is at scale 1, and
// without it the style's.
class OverlayWindow {
 public:
  OverlayWindow(const char* name, float scale, ImGuiWindowFlags flags = ImGuiWindowFlags_NoScrollbar,
                std::optional<ImVec2> padding = {});
  ~OverlayWindow() { ImGui::End(); }
  OverlayWindow(const OverlayWindow&) = delete;
  OverlayWindow& operator=(const OverlayWindow&) = delete;
  bool visible() const { return visible_; }

 private:
  bool visible_ = false;
};

// A dialog over the window, during its lifetime: with a scrim, a title and a button that closes it. A popup of that name is open:
// see follow_popup(). Its size is in em, as far as the window has room; without a height it is that of its contents.
class Dialog {
 public:
  Dialog(const char* title, float width, float height = 0);
  ~Dialog();
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
  bool visible() const { return visible_; }

 private:
  bool visible_ = false;
};

// Begins a popup at the lower edge of an item, from the item's edge that is nearer to the window's; of an empty one at the
// window's corner. `widest`: as wide as it may become: in a narrow window it begins further left then.
bool begin_popup_below(const char* id, const Rect& item, bool at_right, float widest = 0);

// Lines of a menu during its lifetime: farther apart than text.
class MenuStyle {
 public:
  MenuStyle();
  ~MenuStyle() { ImGui::PopStyleVar(); }
  MenuStyle(const MenuStyle&) = delete;
  MenuStyle& operator=(const MenuStyle&) = delete;
};

inline float em() { return ImGui::GetFontSize(); }
float text_width(std::string_view text);
void text(std::string_view text);  // printed as it is: % is not special
void text(std::string_view text, ImU32 colour);
void wrapped(std::string_view text, ImU32 colour);
void heading(std::string_view title);  // of what follows, in bold
// A paper, and its DOI with a button that copies the link; `doi` may be empty.
void paper(std::string_view title, std::string_view doi);
void same_line_at_right(float width);  // the next item, `width` wide, is at the right end of the line
// Within the table cell or what is left of the line.
void right_aligned(std::string_view text);
float width_of_buttons(std::initializer_list<const char*> words);  // of buttons side by side
void progress(double part);                                        // 0..1: a thin bar as long as the line
// The sentence that a tab begins with, as large as a title; as many lines as it needs beside what is `beside` wide.
void sentence(std::string_view words, float beside = 0);
// A title in a table's row of titles (ImGuiTableRowFlags_Headers), by which ImGui sorts it and opens the menu of its columns; at
// the right where its values are.
void header_cell(const std::string& title, std::string_view help, bool right);
// The item before takes the mouse's wheel: the window around it does not scroll.
void take_wheel();
// A tick where it is right, a cross where it is wrong, and a place for them where that is not known.
void verdict(std::optional<bool> right);
Rect last_item();  // where the previous item is
// Of the previous item, even if that is disabled: below it, or above it where there is no other room or what is below belongs to
// it, or beside its list. Text that is shown whole needs none.
enum class TooltipSide { below, above };
void tooltip(std::string_view text, TooltipSide side = TooltipSide::below);
void show_tooltip(std::string_view text, float wrap = 0);  // in any case; `wrap`: less than the usual width
// The same as tooltip(), with its corner at a place that hides nothing of what belongs to the item. `pivot`: of the tooltip,
// 0..1.
void tooltip_at(ImVec2 place, ImVec2 pivot, std::string_view text);
// Whether the mouse is on the row of a table, after its cells were drawn.
bool row_hovered();
// What `draw` draws, disabled if `why_not` gives a reason, with that or `help` as the tooltip of its last item. Returns what it
// returns.
struct EndDisabled {
  std::string_view words;
  ~EndDisabled() {
    ImGui::EndDisabled();
    tooltip(words);
  }
};
template <class Draw>
auto disabled_if(std::string_view why_not, std::string_view help, const Draw& draw) {
  ImGui::BeginDisabled(!why_not.empty());
  const EndDisabled end{why_not.empty() ? help : why_not};
  return draw();
}
// Starts a row "label   control": the control that follows fills the rest of the line.
void label(std::string_view text, std::string_view help = {});
// A button; if `why_not` gives a reason, it is disabled and its tooltip shows the reason.
bool button(const char* text, std::string_view help, std::string_view why_not = {});
// An entry of a menu, with `note` at its right end. True when it was chosen.
bool menu_entry(const std::string& label, const std::string& note, bool on = false, bool enabled = true);
// An entry of a list, with any text: in a label of ImGui what follows ## would be hidden, and a line end makes it higher. Inside
// a scope of its own (ImGui::PushID()). True when clicked.
bool list_entry(std::string_view text, bool selected);
// A line of text to edit; `shown` stands there while nobody does: its end where it is longer than the line.
bool text_input(const char* id, const char* hint, std::string& text, std::string_view shown, ImGuiInputTextFlags flags = 0);
// Its box is smaller than other controls, in the middle of their height.
bool checkbox(const char* text, bool& value, std::string_view help, std::string_view why_not = {});
bool radio_button(const std::string& text, bool chosen);  // likewise; true when clicked
// ImGui's BeginCombo(), with a thinner arrow, and as high as its entries where the window has room.
bool begin_combo(const char* id, std::string_view preview);
// A list of texts that opens. `why_not`: why one cannot be chosen, which is its tooltip in place of `help`. Returns the one that
// was chosen in place of `chosen`. `draw` adds something to an entry whose corner is there.
struct ComboEntry {
  std::string text, why_not = {}, help = {};
};
std::optional<std::size_t> combo(const char* id, std::string_view preview, std::span<const ComboEntry> entries,
                                 std::size_t chosen, const std::function<void(std::size_t, ImVec2)>& draw = {});
// An arrow that points down, in a box of one em around `centre`.
void chevron(ImDrawList& draw, ImVec2 centre, ImU32 colour);
// A line of one pixel, also along the edges of a window.
void hairline(ImVec2 from, ImVec2 to);

// Numbers along an axis, each in the middle of its place but within `from` and `to`. One that would touch one before it in `marks`
// is left out. Returns the places of the others.
struct AxisPlace {
  float from, to;
  float across;  // the upper edge of the numbers; of an upright axis their right end
  bool upright = false;
};
struct AxisMark {
  float at;
  std::string words;
  ImU32 ink = colour::dim;
};
std::vector<float> axis_marks(ImDrawList& draw, const AxisPlace& axis, std::span<const AxisMark> marks);
// As few decimals as multiples of `step` need: 5, 0.5, 0.05.
std::string axis_number(double value, double step);

// A slider on a thin track; true when changed. Its value is beside it, never under its handle. Without a track it lies in a frame
// of the caller's, and a value is typed after a click with Ctrl, any number.
struct SliderRange {
  double least = 0, most = 1;
  bool logarithmic = false;
};
bool slider(const char* id, double& value, const SliderRange& range, float width, bool with_track = true);

// Whether the field just drawn is left with what is typed in it: by Enter, a click elsewhere or Tab.
bool is_entered();
// A field for a number; true when one was entered. A whole one beyond ten million is ten million: more than any field takes.
bool number_field(const char* id, double& value, float width, int decimals = 0);
bool whole_number_field(const char* id, int& value, float width);

// The text in one line of that width.
std::string shortened(std::string_view text, float width);  // with ... in the middle if it does not fit
std::string end_of(std::string_view path, float width);     // with ... at the beginning: of a file its name counts most
// What has room in a row: its parts in the order of their priority. Where one has none, all after it have none, too.
class PriorityRow {
 public:
  explicit PriorityRow(float room) : left_(room) {}
  bool has_room_for(float width) {
    full_ = full_ || width > left_;
    if (!full_) left_ -= width;
    return !full_;
  }
  float left() const { return left_; }

 private:
  float left_;
  bool full_ = false;
};
// The first of these texts that fits, from the longest wording to the shortest; null: none.
const std::string* first_that_fits(std::span<const std::string> wordings, float room);
// In one line, of whole figures, as many from the first on as fit into `room`.
std::string line_of(std::span<const std::string> figures, std::string_view between, float room);

}  // namespace app::ui
