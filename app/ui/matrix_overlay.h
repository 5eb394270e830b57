// The places of a matrix and its table, side by side: both are always in view. Where they do not fit, each scrolls in an area
// of its own, and the other one with it.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

#include "app/control/key_table.h"
#include "app/ui/panel.h"
#include "gpu/image.h"

namespace app::ui {

// A matrix is changed as a spreadsheet is: a click selects a number, the arrows select its neighbours, a digit, Enter or F2
// begins to edit it, Enter and Tab accept it and select the next one; one that is refused stays selected. While a number is
// selected, no character is a shortcut, so that a mistyped number does not start an action.

// The keys that the grid uses itself while a number is selected and the grid has the keyboard, besides all that type a
// character; none else. While a number is edited, all other keys without Ctrl are the grid's, too.
std::span<const imgui::KeyCode> keys_of_matrix(const PanelContext& ui);
// Before the window's keys: does what the grid's own ones ask for, adds them to `taken`, and drops all characters. True while a
// number is edited: all of these keys are the grid's.
bool take_matrix_keys(PanelContext& ui, std::vector<imgui::KeyCode>& taken);
// The first number, where none is selected: what is typed replaces it.
void offer_number(PanelContext& ui);
void click_number(PanelContext& ui, int x, int y);
void edit_number(PanelContext& ui);  // the selected one
// The program may end: a number that is being typed counts as entered where it is valid, else it is typed on.
void accept_valid_number(PanelContext& ui);
void leave_numbers(PanelContext& ui);  // the mouse is used elsewhere: what was typed is accepted

// The place of a grid, in the window that is drawn now.
struct GridPlace {
  ImVec2 at, size;  // of the area in which it scrolls
  ImVec2 cell;
};
struct GridPlaces {
  GridPlace matrix, table;
  ImFont* digits;  // the largest for which the cells have room
};
// Beside each other in the middle of `room`, which begins at the cursor, each below a line for its title, and above `foot` pixels
// that are left free. Cells are as wide and as high as there is room, at most squares; of areas that are too small for their grids
// each has at least half of the width. `of_matrix` and `of_table`: the longest numbers.
GridPlaces grid_places(gpu::Size size, const std::string& of_matrix, const std::string& of_table, ImVec2 room, float foot);

}  // namespace app::ui
