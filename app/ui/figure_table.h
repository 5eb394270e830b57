// Tables of figures, a row per algorithm or kernel: ImGui sorts them by a click on a title, hides columns by the menu of the
// titles, and keeps both.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace app::ui {

struct FigureColumn {
  std::string title, help;
  float width = 0;  // pixels that its values need, where it is more than for the title; of one that stretches: at least
  // ImGui's: WidthStretch takes what is left, DefaultHide hides it until the menu shows it, Disabled leaves it out altogether.
  ImGuiTableColumnFlags flags = 0;
  std::function<std::optional<double>(std::size_t row)> value = {};  // by which it is sorted; empty: by the row's name
  int decimals = -1;                                                 // -1: microseconds, as many as they need
  const char* unit = "";                                             // behind each value
  ImGuiID id = 0;                                                    // ImGuiTableColumnSortSpecs::ColumnUserID
  bool stays = false;       // where the table is narrow; others go, the last ones first
  bool dim = false;         // its values
  const char* widest = "";  // of its values, where `width` does not say what they need
};

// Begins it and draws the row of titles; a column with NoHeaderLabel has none. The first column has the names, at the left. With
// a `height` its rows scroll within that. False: it is out of sight, and there is nothing to end.
bool begin_figures(const char* name, std::span<const FigureColumn> columns, ImGuiTableFlags flags = 0, float height = 0);
// Rows from 0 to `rows` - 1 as they are sorted; those without the figure are last.
std::vector<std::size_t> sorted_rows(std::span<const FigureColumn> columns, std::size_t rows,
                                     const std::function<std::string(std::size_t row)>& name);
// In its cell; nothing where it has no value.
void figure(const FigureColumn& column, const std::optional<double>& value);
void figure(const FigureColumn& column, std::size_t row);

// What the user has made of the tables: columns that are hidden, and orders. Empty: nothing.
void restore_table_settings(std::string text);
std::optional<std::string> changed_table_settings();  // once it is another text, in the same frame

}  // namespace app::ui
