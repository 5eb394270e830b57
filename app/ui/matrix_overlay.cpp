// A matrix source as a class follows it: at the left its numbers, which can be changed, at the right its table. An entry under
// the mouse shows the pixels that it sums, and the addition that makes it from its neighbours.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr ImU32 summed = colour::rgb(0x4aa8d8, 70);      // pixels that an entry sums
constexpr ImU32 neighbour = colour::rgb(0x62b98a, 80);   // entries that are added
constexpr ImU32 subtracted = colour::rgb(0xdfa643, 90);  // and the one that is subtracted

struct Cell {
  int x = 0, y = 0;
  friend bool operator==(Cell, Cell) = default;
};

// A grid of numbers at the cursor, with the cell under the mouse.
class Grid {
 public:
  Grid(const char* id, gpu::Size size, ImVec2 cell) : size_(size), cell_(cell) {
    at_ = ImGui::GetCursorScreenPos();
    clicked_ = ImGui::InvisibleButton(id,
                                      {cell_.x * static_cast<float>(size.width), cell_.y * static_cast<float>(size.height)});
    if (!ImGui::IsItemHovered()) return;
    const auto mouse = ImGui::GetIO().MousePos;
    hovered_ = Cell{std::clamp(static_cast<int>((mouse.x - at_.x) / cell_.x), 0, size.width - 1),
                    std::clamp(static_cast<int>((mouse.y - at_.y) / cell_.y), 0, size.height - 1)};
  }

  std::optional<Cell> hovered() const { return hovered_; }
  std::optional<Cell> clicked() const { return clicked_ ? hovered_ : std::nullopt; }
  ImVec2 corner(Cell cell) const {
    return {at_.x + cell_.x * static_cast<float>(cell.x), at_.y + cell_.y * static_cast<float>(cell.y)};
  }
  ImVec2 cell_size() const { return cell_; }

  // tint(cell): behind the number; value(cell): the number.
  template <class Tint, class Value>
  void draw(const Tint& tint, const Value& value) const {
    auto& draw = *ImGui::GetWindowDrawList();
    const float text_top = std::round((cell_.y - ImGui::GetFontSize()) / 2);
    const float pad = std::min(ImGui::GetFontSize() * 0.35f, cell_.x * 0.12f);
    for (int y = 0; y < size_.height; ++y)
      for (int x = 0; x < size_.width; ++x) {
        const auto from = corner({x, y});
        const ImVec2 to(from.x + cell_.x - 1, from.y + cell_.y - 1);
        if (!ImGui::IsRectVisible(from, to)) continue;
        draw.AddRectFilled(from, to, colour::control);
        if (const auto over = tint(Cell{x, y})) draw.AddRectFilled(from, to, over);
        char text[16];
        std::snprintf(text, sizeof text, "%u", value(Cell{x, y}));
        draw.AddText({to.x - pad - ImGui::CalcTextSize(text).x, from.y + text_top}, colour::text, text);
      }
  }

 private:
  gpu::Size size_;
  ImVec2 cell_, at_;
  std::optional<Cell> hovered_;
  bool clicked_ = false;
};

// Cells of both grids, beside each other: as wide and as high as there is room, within what is easily read.
struct Cells {
  ImVec2 matrix, table;
};
Cells cells_for(gpu::Size size, std::uint32_t largest, ImVec2 room, float gap) {
  const auto em = ImGui::GetFontSize();
  const auto text = [](std::uint32_t number) {
    return ImGui::CalcTextSize(std::to_string(std::max(number, 100u)).c_str()).x;
  };
  const float of_matrix = text(255), of_table = text(largest);
  const float free = (room.x - gap) / static_cast<float>(size.width) - of_matrix - of_table;
  const float margins = std::floor(std::clamp(free / 2, em * 0.5f, em * 2));
  const float height = std::floor(std::clamp(room.y / static_cast<float>(size.height), em * 1.4f, em * 2.6f));
  return {{std::ceil(of_matrix + margins), height}, {std::ceil(of_table + margins), height}};
}

// The values as they were set last, which may not have been computed yet; else those of the picture.
capture::Matrix matrix_now(const Settings& settings, const ProbedPixels& pixels) {
  if (!settings.matrix.empty()) try {
      return capture::matrix_from(settings.matrix, ';', "matrix");
    } catch (const capture::SourceError&) {  // its error is the source's to report
    }
  capture::Matrix matrix{pixels.picture, {}};
  for (const auto& pixel : pixels.values) matrix.values.push_back(pixel.gray);
  matrix.values.resize(matrix.size.pixels());
  return matrix;
}

void set_cell(PanelContext& ui, Cell cell, const char* text) {
  auto matrix = matrix_now(ui.settings, *ui.state.probed);
  int value = 0;
  if (std::sscanf(text, "%d", &value) != 1 || cell.x >= matrix.size.width || cell.y >= matrix.size.height) return;
  auto& entry = matrix.at(cell.x, cell.y);
  const auto wanted = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
  if (entry == wanted) return;
  entry = wanted;
  ui.change("matrix", capture::text_of(matrix, ';'));
}

void begin_cell(PanelContext& ui, Cell cell) {
  auto matrix = matrix_now(ui.settings, *ui.state.probed);  // it may be smaller already than the picture shown
  if (cell.x >= matrix.size.width || cell.y >= matrix.size.height) return;
  auto& draft = ui.drafts.cell.emplace(Drafts::Cell{cell.x, cell.y, {}, true});
  std::snprintf(draft.text, sizeof draft.text, "%d", matrix.at(cell.x, cell.y));
}

// The cell that is edited: Enter and Tab accept the number and go on, downwards and to the right; Escape leaves it.
void edit(PanelContext& ui, const Grid& grid, gpu::Size size) {
  if (!ui.drafts.cell) return;
  auto& draft = *ui.drafts.cell;
  const Cell cell{draft.x, draft.y};
  if (cell.x >= size.width || cell.y >= size.height) return ui.drafts.cell.reset();
  ImGui::SetCursorScreenPos(grid.corner(cell));
  ImGui::SetNextItemWidth(grid.cell_size().x);
  if (std::exchange(draft.begins, false)) ImGui::SetKeyboardFocusHere();
  const auto font = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {font * 0.2f, std::round((grid.cell_size().y - font) / 2)});  // all of it
  ImGui::PushID(cell.y * capture::largest_matrix_side + cell.x);
  const bool entered = ImGui::InputText(
      "##cell", draft.text, sizeof draft.text,
      ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = ImGui::IsItemDeactivated();
  const bool tab = imgui::is_pressed(imgui::KeyCode::tab);  // ImGui has no other field to go on to and stays in this one
  ImGui::PopID();
  ImGui::PopStyleVar();
  if (!entered && !left && !tab) return;
  const bool escape = imgui::is_pressed(imgui::KeyCode::escape);
  if (!escape) set_cell(ui, cell, draft.text);
  ui.drafts.cell.reset();
  const int index = cell.y * size.width + cell.x + 1;
  if (entered && cell.y + 1 < size.height) begin_cell(ui, {cell.x, cell.y + 1});
  if (tab && index < size.width * size.height) begin_cell(ui, {index % size.width, index / size.width});
}

// "table(3, 2) = 5 + 12 + 8 - 3 = 22    the sum of 12 pixels"
std::string addition(const ProbedPixels& pixels, Cell cell) {
  const auto entry = [&](int x, int y) -> std::uint32_t {
    const auto* pixel = pixels.at(x, y);
    return pixel ? pixel->sum : 0;
  };
  const auto* here = pixels.at(cell.x, cell.y);
  if (!here) return {};
  const auto left = entry(cell.x - 1, cell.y), above = entry(cell.x, cell.y - 1), both = entry(cell.x - 1, cell.y - 1);
  const int pixels_summed = (cell.x + 1) * (cell.y + 1);
  return "table(" + std::to_string(cell.x) + ", " + std::to_string(cell.y) + ") = " + std::to_string(here->gray) + " + " +
         grouped(left) + " + " + grouped(above) + " - " + grouped(both) + " = " + grouped(here->sum) +
         "   pixel + left + above - above left;  the sum of " + std::to_string(pixels_summed) +
         (pixels_summed == 1 ? " pixel" : " pixels");
}

void grids(PanelContext& ui, const ProbedPixels& pixels, std::string& hint) {
  const auto size = pixels.picture;
  const auto last = pixels.at(size.width - 1, size.height - 1)->sum;
  const auto start = ImGui::GetCursorPos();
  const auto em = ImGui::GetFontSize(), line = ImGui::GetTextLineHeightWithSpacing();
  const auto room = ImGui::GetContentRegionAvail();
  const auto cells = cells_for(size, last, {room.x, room.y - line}, em);
  const auto table_at = start.x + cells.matrix.x * static_cast<float>(size.width) + em;
  text("Matrix", colour::dim);
  ImGui::SameLine(table_at);
  text("Table", colour::dim);
  ImGui::SetCursorPos({start.x, start.y + line});
  const Grid matrix("matrix", size, cells.matrix);
  ImGui::SetCursorPos({table_at, start.y + line});
  const Grid table("table", size, cells.table);
  const auto entry = table.hovered(), pixel = matrix.hovered();
  matrix.draw(
      [&](Cell c) { return entry && c.x <= entry->x && c.y <= entry->y ? summed
                           : c == pixel                                ? colour::hovered
                                                                       : 0u; },
      [&](Cell c) { return static_cast<unsigned>(pixels.at(c.x, c.y)->gray); });
  table.draw(
      [&](Cell c) -> ImU32 {
        if (pixel) return c.x >= pixel->x && c.y >= pixel->y ? summed : 0u;
        if (!entry) return 0;
        if (c == *entry) return colour::active;
        if (c == Cell{entry->x - 1, entry->y} || c == Cell{entry->x, entry->y - 1}) return neighbour;
        return c == Cell{entry->x - 1, entry->y - 1} ? subtracted : 0u;
      },
      [&](Cell c) { return pixels.at(c.x, c.y)->sum; });
  if (entry)
    hint = addition(pixels, *entry);
  else if (pixel)
    hint = "pixel(" + std::to_string(pixel->x) + ", " + std::to_string(pixel->y) + "): marked are the entries that sum it";
  if (const auto cell = matrix.clicked()) begin_cell(ui, *cell);
  edit(ui, matrix, size);
}

}  // namespace

bool shows_matrix(const State& state, const Settings& settings) {
  return settings.matrix_editor && state.capture.kind == capture::SourceKind::matrix;
}

void matrix_overlay(PanelContext& ui, const Rect& rect) {
  const auto* pixels = ui.state.probed;
  if (!shows_matrix(ui.state, ui.settings) || !pixels || pixels->values.empty() ||
      pixels->places.cells() != static_cast<int>(pixels->picture.pixels()) || pixels->picture != ui.state.picture)
    return;
  const PanelWindow window("matrix", rect);
  if (!window.visible()) return;
  {
    const WithFont bold(Font::bold);
    ImGui::AlignTextToFramePadding();
    text("Matrix and table, " + std::to_string(pixels->picture.width) + " x " + std::to_string(pixels->picture.height));
  }
  ImGui::SameLine(0, ImGui::GetFontSize());
  if (button("Save CSV", description(Action::save_matrix))) ui.act(Action::save_matrix);
  ImGui::SameLine();
  if (button("Picture", "Shows the picture instead   " + labels(Action::toggle_matrix))) ui.act(Action::toggle_matrix);
  std::string hint = "Click a number of the matrix to change it; point at an entry of the table to see its addition.";
  const float foot = ImGui::GetTextLineHeightWithSpacing() * 2;
  ImGui::BeginChild("grids", {0, -foot}, false, ImGuiWindowFlags_HorizontalScrollbar);
  grids(ui, *pixels, hint);
  ImGui::EndChild();
  wrapped(hint, colour::dim);
}

}  // namespace app::ui
