// A matrix is changed as a spreadsheet is: a click selects a number, the arrows select its neighbours, a digit, Enter or F2
// begins to edit it, Enter and Tab accept it and select the next one; one that is refused stays selected. While a number is
// selected, no character is a shortcut, so that a mistyped number does not start an action.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/key_table.h"
#include "app/ui/panel.h"

namespace app::ui {

// What a typed text makes of a number. What is no whole number from 0 to 255 changes nothing.
struct TypedNumber {
  std::uint8_t value = 0;
  std::string wrong;  // why the number stays as it was, one line; empty: it does not
};
TypedNumber typed_number(std::string_view text, std::uint8_t before);

// The keys that the grid uses itself while a number is selected and the grid has the keyboard, besides all that type a
// character; none else. While a number is edited, all other keys without Ctrl are the grid's, too.
std::span<const NamedKey> keys_of_matrix(const PanelContext& ui);
// Before the window's keys: does what the grid's own ones ask for, adds them to `taken`, and drops all characters. True while a
// number is edited: all of these keys are the grid's.
bool take_matrix_keys(PanelContext& ui, std::vector<NamedKey>& taken);
void click_number(PanelContext& ui, int x, int y);
void edit_number(PanelContext& ui);  // the selected one
// The program may end: a number that is being typed counts as entered where it is valid, else it is typed on.
void accept_valid_number(PanelContext& ui);
void leave_numbers(PanelContext& ui);  // the mouse is used elsewhere: what was typed is accepted

}  // namespace app::ui
