#include "app/ui/figure_table.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>

#include "app/session/kernel_rows.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr ImGuiTableFlags always = ImGuiTableFlags_Sortable | ImGuiTableFlags_Hideable | ImGuiTableFlags_ContextMenuInBody |
                                   ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;

float width_of(const FigureColumn& column) {
  const bool titled = !(column.flags & ImGuiTableColumnFlags_NoHeaderLabel);
  const auto values = std::max(column.width, text_width(column.widest));
  return std::round(std::max(values, titled ? std::min(text_width(column.title) + em() * 0.6f, em() * 5) : 0));
}

void set_up_columns(std::span<const FigureColumn> columns, float room) {
  const auto padding = 2 * ImGui::GetStyle().CellPadding.x;
  for (const auto& column : columns)
    if (column.stays) room -= width_of(column) + padding;
  PriorityRow others(room);
  for (const auto& column : columns) {
    auto flags = column.flags;
    const bool stretches = flags & ImGuiTableColumnFlags_WidthStretch;
    if (!stretches) flags |= ImGuiTableColumnFlags_WidthFixed;
    const bool asks = !column.stays && !(flags & (ImGuiTableColumnFlags_DefaultHide | ImGuiTableColumnFlags_Disabled));
    if (asks && !others.has_room_for(width_of(column) + padding)) flags |= ImGuiTableColumnFlags_Disabled;
    ImGui::TableSetupColumn(column.title.c_str(), flags, stretches ? 0 : width_of(column), column.id);
  }
}

}  // namespace

bool begin_figures(const char* name, std::span<const FigureColumn> columns, ImGuiTableFlags flags, float height) {
  const auto room = ImGui::GetContentRegionAvail().x;
  if (height > 0) flags |= ImGuiTableFlags_ScrollY;
  if (!ImGui::BeginTable(name, static_cast<int>(columns.size()), always | flags, {0, height})) return false;
  set_up_columns(columns, room);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const auto& column : columns)
    if (ImGui::TableNextColumn() && !(column.flags & ImGuiTableColumnFlags_NoHeaderLabel))
      header_cell(column.title, column.help, &column != columns.data());
  return true;
}

std::vector<std::size_t> sorted_rows(std::span<const FigureColumn> columns, std::size_t rows,
                                     const std::function<std::string(std::size_t row)>& name) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto* specs = ImGui::TableGetSortSpecs();
  if (!specs || specs->SpecsCount == 0) return order;
  const auto& by = columns[static_cast<std::size_t>(specs->Specs->ColumnIndex)];
  const bool down = specs->Specs->SortDirection == ImGuiSortDirection_Descending;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (by.value) return precedes(by.value(a), by.value(b), down);
    return down ? name(b) < name(a) : name(a) < name(b);
  });
  return order;
}

void figure(const FigureColumn& column, std::size_t row) { figure(column, column.value(row)); }

void figure(const FigureColumn& column, const std::optional<double>& value) {
  if (!value) return;
  const WithText shade(column.dim ? ImU32(colour::dim) : ImGui::GetColorU32(ImGuiCol_Text));
  right_aligned((column.decimals < 0 ? narrow_microseconds(*value) : number(*value, column.decimals)) + column.unit);
}

namespace {

// "[Table][0x1234ABCD,7]", as ImGui writes it. It takes the memory for the columns that such a line announces.
bool is_head(const std::string& line) {
  unsigned id = 0;
  int columns = 0, end = 0;
  return std::sscanf(line.c_str(), "[Table][0x%8X,%2d]%n", &id, &columns, &end) == 2 && end > 0 &&
         line.size() == std::size_t(end) && columns >= 1 && columns <= 64;
}

// "Column 3  UserID=0000002A Visible=0 Sort=0v", or the scale of the letters. No table of the program has another order of
// columns, or is sorted by several.
bool is_about_columns(const std::string& line) {
  constexpr std::string_view letters = "0123456789ABCDEFabcdef.=^v ColumnUserIDVisibleSortWidthWeightRefScale";
  const auto sort = line.find("Sort=");  // is last, with one digit and an arrow
  return line.size() < 200 && (line.starts_with("Column ") || line.starts_with("RefScale=")) &&
         line.find_first_not_of(letters) == line.npos && (sort == line.npos || line.size() == sort + 7);
}

// A damaged text is as none.
bool is_of_tables(const std::string& text) {
  bool in_table = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, ';');) {
    if (line.empty()) continue;
    if (is_head(line))
      in_table = true;
    else if (!in_table || !is_about_columns(line))
      return false;
  }
  return true;
}

}  // namespace

// ImGui's own settings, of which the program keeps those of tables, in one line.
void restore_table_settings(std::string text) {
  auto& context = *ImGui::GetCurrentContext();
  context.SettingsTables.clear();
  for (int i = 0; i < context.Tables.GetMapSize(); ++i) {
    auto* table = context.Tables.TryGetMapData(i);
    if (!table) continue;
    ImGui::TableResetSettings(table);
    table->IsSettingsDirty = false;
  }
  if (!is_of_tables(text)) text.clear();
  std::ranges::replace(text, ';', '\n');
  ImGui::LoadIniSettingsFromMemory(text.c_str(), text.size());
}

namespace {

// Of a table that is sorted as at first, with the columns that it has at first: ImGui writes its order all the same.
bool is_usual(const std::string& section) {
  unsigned id = 0;
  if (std::sscanf(section.c_str(), "[Table][0x%8X", &id) != 1 || section.find("Visible=") != section.npos) return false;
  const auto* table = ImGui::GetCurrentContext()->Tables.GetByKey(id);
  if (!table) return false;
  const ImGuiTableColumn* usual = nullptr;
  for (const auto flag : {ImGuiTableColumnFlags_DefaultSort, ImGuiTableColumnFlags_None})
    for (int i = 0; i < table->ColumnsCount && !usual; ++i) {
      const auto& column = table->Columns[i];
      if ((column.Flags & flag) == flag && column.IsEnabled && !(column.Flags & ImGuiTableColumnFlags_NoSort))
        usual = &column;
    }
  return usual && usual->SortOrder == 0 && usual->SortDirection == (usual->SortDirectionsAvailList & 3);
}

std::string without_usual(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find("[Table]", at + 1), text.size());
    if (const auto section = text.substr(at, end - at); !is_usual(section)) kept += section;
    at = end;
  }
  return kept;
}

}  // namespace

std::optional<std::string> changed_table_settings() {
  if (ImGui::GetCurrentContext()->SettingsDirtyTimer <= 0) return {};
  std::string text = ImGui::SaveIniSettingsToMemory();
  text.erase(0, std::min(text.find("[Table]"), text.size()));
  std::ranges::replace(text, '\n', ';');
  return without_usual(text);
}

}  // namespace app::ui
