// A matrix source as a class follows it: at the left its numbers, which can be changed, at the right its table. An entry under
// the mouse shows the pixels that it sums, and the addition that makes it from its neighbours. A rectangle of numbers lights
// the four entries that give its sum.
#include "app/ui/matrix_overlay.h"

#include <imgui_internal.h>

#include "app/pipeline/picture_drawing.h"
#include "app/ui/panel.h"
#include "app/ui/rectangle.h"

namespace app::ui {
namespace {

// Both as they are where there is room; otherwise an equal share, and what one does not need is the other's.
std::pair<float, float> shares(float first, float second, float room) {
  if (first + second <= room) return {first, second};
  const auto half = std::floor(room / 2);
  if (first < half) return {first, room - first};
  if (second < half) return {room - second, second};
  return {half, half};
}

// The same in both grids; that of other text where even smaller digits have no room.
ImFont* digits_for(const std::string& of_matrix, ImVec2 matrix_cell, const std::string& of_table, ImVec2 table_cell) {
  constexpr float filled = 0.8f;  // of a cell, at the most
  auto* a = fitting_font(of_matrix, matrix_cell.x * filled, matrix_cell.y * filled);
  auto* b = fitting_font(of_table, table_cell.x * filled, table_cell.y * filled);
  auto* usual = font(Font::regular);
  if (!a || !b) return usual;
  auto* smaller = a->FontSize < b->FontSize ? a : b;
  return smaller->FontSize < usual->FontSize ? usual : smaller;
}

}  // namespace

GridPlaces grid_places(gpu::Size size, const std::string& of_matrix, const std::string& of_table, ImVec2 room, float foot) {
  const auto matrix_text = text_width(of_matrix), table_text = text_width(of_table);
  const auto bar = ImGui::GetStyle().ScrollbarSize, gap = 2 * em(), title = ImGui::GetTextLineHeightWithSpacing();
  const auto columns = static_cast<float>(size.width), rows = static_cast<float>(size.height);
  const auto most = std::max(room.y - title - foot, em() * 1.4f);  // of the grids' height
  const auto bars = em() * 1.4f * rows > most ? 2 * bar : 0;       // of what scrolls down
  const auto free = (room.x - gap - bars) / columns - matrix_text - table_text;
  const auto margins = std::floor(std::clamp(free / 2 - 1, em() * 0.5f, em() * 8));  // 1: cells are rounded up
  const auto matrix_cell = std::ceil(matrix_text + margins), table_cell = std::ceil(table_text + margins);
  const auto below = (matrix_cell + table_cell) * columns + gap > room.x ? bar : 0;  // of what scrolls to the right
  const auto height = std::floor(std::clamp((most - below) / rows, em() * 1.4f, std::max(em() * 2.6f, matrix_cell)));
  const auto beside = height * rows > most - below ? bar : 0;  // of what scrolls down
  const auto [first, second] = shares(matrix_cell * columns + beside, table_cell * columns + beside, room.x - gap);
  // Whole cells at first.
  const auto fitted = [&](float share, float cell) {
    return beside + cell * std::clamp(std::floor((share - beside) / cell), 1.f, columns);
  };
  const ImVec2 matrix(fitted(first, matrix_cell), std::min(most, height * rows + below)),
      table(fitted(second, table_cell), matrix.y);
  const auto centred = [](float room, float used) { return std::max(0.f, std::floor((room - used) / 2)); };
  const auto start = ImGui::GetCursorPos();
  const ImVec2 at(start.x + centred(room.x, matrix.x + gap + table.x),
                  start.y + centred(room.y, title + matrix.y + foot) + title);
  return {{at, matrix, {matrix_cell, height}},
          {{at.x + matrix.x + gap, at.y}, table, {table_cell, height}},
          digits_for(of_matrix, {matrix_cell, height}, of_table, {table_cell, height})};
}

namespace {

// The area of a grid, during its lifetime: what is drawn scrolls in it. It can be continued by another of the same name.
class GridArea {
 public:
  GridArea(const char* name, const GridPlace& place) {
    ImGui::SetCursorPos(place.at);
    ImGui::BeginChild(name, place.size, false, ImGuiWindowFlags_HorizontalScrollbar);
  }
  ~GridArea() { ImGui::EndChild(); }
  GridArea(const GridArea&) = delete;
  GridArea& operator=(const GridArea&) = delete;
};

constexpr ImU32 summed = colour::rgb(0x4aa8d8, 70);      // pixels that an entry sums
constexpr ImU32 neighbour = colour::rgb(0x62b98a, 80);   // entries that are added
constexpr ImU32 subtracted = colour::rgb(0xdfa643, 90);  // and the one that is subtracted

struct Cell {
  int x = 0, y = 0;
  friend bool operator==(Cell, Cell) = default;
};
float outline_width() { return std::max(2.f, std::round(ImGui::GetFontSize() * 0.12f)); }

// A grid of numbers in an area of its own, with the cell under the mouse.
class Grid {
 public:
  Grid(const char* name, gpu::Size size, const GridPlace& place) : size_(size), cell_(place.cell) {
    const GridArea area(name, place);
    window_ = ImGui::GetCurrentWindow();
    at_ = ImGui::GetCursorScreenPos();
    clicked_ = ImGui::InvisibleButton(name,
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
  ImGuiWindow* window() const { return window_; }

  // Around some cells.
  void outline(const PixelBox& cells, ImU32 colour) const {
    const auto from = corner({cells.x, cells.y}), end = corner({cells.x + cells.width, cells.y + cells.height});
    ImGui::GetWindowDrawList()->AddRect(from, {end.x - 1, end.y - 1}, colour, 0, 0, outline_width());
  }

  // tint(cell): behind the number; value(cell): the number, in `digits`.
  template <class Tint, class Value>
  void draw(ImFont* digits, const Tint& tint, const Value& value) const {
    auto& draw = *ImGui::GetWindowDrawList();
    const float pad = std::min(ImGui::GetFontSize() * 0.35f, cell_.x * 0.12f);
    ImGui::PushFont(digits);
    const float text_top = std::round((cell_.y - ImGui::GetFontSize()) / 2);
    for (int y = 0; y < size_.height; ++y)
      for (int x = 0; x < size_.width; ++x) {
        const auto from = corner({x, y});
        const ImVec2 to(from.x + cell_.x - 1, from.y + cell_.y - 1);
        if (!ImGui::IsRectVisible(from, to)) continue;
        draw.AddRectFilled(from, to, colour::control);
        if (const auto over = tint(Cell{x, y})) draw.AddRectFilled(from, to, over);
        const auto text = grouped(value(Cell{x, y}));
        draw.AddText({to.x - pad - ImGui::CalcTextSize(text.c_str()).x, from.y + text_top}, colour::text, text.c_str());
      }
    ImGui::PopFont();
  }

 private:
  gpu::Size size_;
  ImVec2 cell_, at_;
  ImGuiWindow* window_;
  std::optional<Cell> hovered_;
  bool clicked_ = false;
};

// Where one of them was scrolled since the last time, the other follows it, cell by cell.
void scroll_together(const Grid& a, const Grid& b) {
  for (const ImGuiAxis axis : {ImGuiAxis_X, ImGuiAxis_Y}) {
    // Where each was, or will be because it follows.
    const auto before = [axis](const Grid& grid) { return grid.window()->StateStorage.GetFloatRef(axis + 1u); };
    const auto now = [axis](const Grid& grid) { return grid.window()->Scroll[axis]; };
    const auto cell = [axis](const Grid& grid) { return grid.cell_size()[axis]; };
    const auto moved = [&](const Grid& grid) { return std::abs(now(grid) - *before(grid)) > 0.5f; };
    const bool a_leads = moved(a), follows = a_leads || moved(b);
    *before(a) = now(a);
    *before(b) = now(b);
    if (!follows) continue;
    const auto &leader = a_leads ? a : b, &follower = a_leads ? b : a;
    const auto there = std::clamp(std::floor(now(leader) / cell(leader) * cell(follower)), 0.f,
                                  follower.window()->ScrollMax[axis]);
    axis == ImGuiAxis_X ? ImGui::SetScrollX(follower.window(), there) : ImGui::SetScrollY(follower.window(), there);
    *before(follower) = there;
  }
}

// The number that is selected, and what is typed in its place.
void draw_selected(MatrixDraft& draft, const Grid& grid) {
  auto& draw = *ImGui::GetWindowDrawList();
  const auto cell = grid.cell_size();
  const auto em = ImGui::GetFontSize(), pad = std::min(em * 0.35f, cell.x * 0.12f);
  const auto from = grid.corner({draft.x, draft.y});
  const auto typed = ImGui::CalcTextSize(draft.text.c_str()).x;
  const auto width = draft.editing ? std::max(cell.x, typed + 3 * pad) : cell.x;
  const ImVec2 to(from.x + width - 1, from.y + cell.y - 1);
  if (std::exchange(draft.moved, false))
    ImGui::ScrollToRect(
        grid.window(), {from, to},
        ImGuiScrollFlags_KeepVisibleEdgeX | ImGuiScrollFlags_KeepVisibleEdgeY | ImGuiScrollFlags_NoScrollParent);
  if (draft.editing) {
    const auto top = from.y + std::round((cell.y - em) / 2), end = to.x - pad * 2;
    draw.AddRectFilled(from, to, colour::background);
    draw.AddText({end - typed, top}, colour::text, draft.text.c_str());
    draw.AddRectFilled({end + 1, top}, {end + 1 + std::max(1.f, std::round(em * 0.08f)), top + em}, colour::text);
  }
  draw.AddRect({from.x - 1, from.y - 1}, {to.x + 1, to.y + 1}, colour::accent, 0, 0, outline_width());
}

// The mouse selects a number, and edits it by a double click.
void use_mouse(PanelContext& ui, const Grid& grid) {
  if (const auto cell = grid.clicked()) click_number(ui, cell->x, cell->y);
  if (!grid.hovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) leave_numbers(ui);
  if (grid.hovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) edit_number(ui);
}

// The rectangle of the tool is drawn, moved and resized by the mouse as over a picture. A View has square pixels, which cells
// need not be: there they have a unit of their own.
void use_rectangle(PanelContext& ui, const Grid& grid, gpu::Size size) {
  constexpr float unit = 64;
  const View view{unit, {0.5, 0.5}, size, {0, 0, double{unit} * size.width, double{unit} * size.height}};
  const auto from = grid.corner({0, 0}), cell = grid.cell_size(), mouse = ImGui::GetIO().MousePos;
  const MouseInput input{{(mouse.x - from.x) / cell.x * unit, (mouse.y - from.y) / cell.y * unit},
                         grid.hovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left),
                         ImGui::IsMouseDown(ImGuiMouseButton_Left)};
  if (input.pressed) leave_numbers(ui);
  const double reach = ImGui::GetFontSize() * 0.5f * unit / cell.x;
  if (const auto box = ui.drafts.matrix.rectangle.update(view, ui.settings.rectangle, input, reach))
    ui.settings.rectangle = box;
}

void draw_box(const Grid& grid, const PixelBox& box, bool handles) {
  grid.outline(box, colour::accent);
  if (!handles) return;
  const auto side = std::round(ImGui::GetFontSize() * 0.25f);
  const auto from = grid.corner({box.x, box.y}), end = grid.corner({box.x + box.width, box.y + box.height});
  for (const auto x : {from.x, end.x - 1})
    for (const auto y : {from.y, end.y - 1})
      ImGui::GetWindowDrawList()->AddRectFilled({x - side, y - side}, {x + side, y + side}, colour::text);
}

void draw_entry(const Grid& grid, const RectangleCorner& corner) {
  if (corner.outside()) return;
  grid.outline({corner.x, corner.y, 1, 1}, tint_of_entry(corner.letter));
  const auto em = ImGui::GetFontSize();
  if (grid.cell_size().x < em * 2.5f) return;  // else it would lie on the number
  const auto from = grid.corner({corner.x, corner.y});
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), em * 0.75f,
                                      {from.x + std::round(em * 0.35f), from.y + std::round(em * 0.2f)}, colour::text,
                                      &corner.letter, &corner.letter + 1);
}

// The largest font up to `most` in which a line has room.
Font font_of_formula(std::string_view line, float room, Font most) {
  for (const auto which : {Font::sum, Font::slide}) {
    const WithFont with(which);
    if (which <= most && text_width(line) <= room) return which;
  }
  return Font::regular;
}

void centre(float width) {
  const auto room = ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, std::round((room - width) / 2)));
}

// "D - B - C + A = 154 - 74 - 63 + 36 = 53", each entry in its colour, and in words, in the middle below the grids.
void rectangle_foot(const RectangleSum& sum, Font most) {
  std::vector<FormulaPart> parts;
  std::string line;
  for (const bool values : {false, true}) {
    for (const auto& part : formula_parts(sum.corners, values)) parts.push_back(part);
    parts.push_back({values ? "  =  " + grouped(sum.sum) : "  =  "});
  }
  for (const auto& part : parts) line += part.text;
  ImGui::BeginGroup();
  {
    const WithFont large(font_of_formula(line, ImGui::GetContentRegionAvail().x, most));
    centre(text_width(line));
    text_of_formula(parts);
  }
  const auto count = static_cast<std::uint64_t>(sum.box.width * sum.box.height);
  const auto words = "the sum of the " + counted(count, "number") + " in the rectangle, mean " + number(sum.mean, 2) +
                     ", from four entries of the table";
  centre(text_width(words));
  text(words, colour::dim);
  ImGui::EndGroup();
}

// An addition is read from afar where it has room; what else is said is small.
void foot_text(const MatrixDraft& draft, const std::string& hint, Font most) {
  if (!draft.wrong.empty()) return wrapped(draft.wrong, colour::warning);
  if (hint.find(" = ") == hint.npos) return wrapped(hint, colour::dim);
  const WithFont large(font_of_formula(hint, ImGui::GetContentRegionAvail().x * 1.8f, most));  // in two lines
  wrapped(hint, colour::text);
}

std::string hint_of(const MatrixDraft& draft, bool rectangle_tool) {
  if (draft.offered && !rectangle_tool)
    return "Type a number in place of the first, or click another; point at an entry of the table to see its addition.";
  if (draft.editing) return "Enter accepts and goes down, Tab to the right; Esc leaves the number as it was.";
  if (draft.selected && !draft.offered)
    return cell_name("pixel", draft.x, draft.y) + ": type a number, or Enter to edit it; the arrows move on, Esc ends.";
  if (rectangle_tool) return "Drag over numbers of the matrix: their sum, from four entries of the table.";
  return "Click a number of the matrix and type another; point at an entry of the table to see its addition.";
}

using Sum = std::optional<RectangleSum>;

bool is_in(const PixelBox& box, Cell c) {
  return c.x >= box.x && c.y >= box.y && c.x < box.x + box.width && c.y < box.y + box.height;
}

// `entry`: of the table, under the mouse; the pixels that it sums are marked.
void draw_matrix(PanelContext& ui, const ProbedPixels& pixels, const GridPlaces& places, const Grid& matrix,
                 std::optional<Cell> entry, const Sum& sum) {
  const GridArea area("numbers", places.matrix);
  matrix.draw(
      places.digits,
      [&](Cell c) {
        if (entry) return c.x <= entry->x && c.y <= entry->y ? summed : 0u;
        if (sum && is_in(sum->box, c)) return summed;
        return c == matrix.hovered() ? colour::hovered : 0u;
      },
      [&](Cell c) { return static_cast<unsigned>(pixels.at(c.x, c.y)->gray); });
  ui.settings.rectangle_tool ? use_rectangle(ui, matrix, pixels.picture) : use_mouse(ui, matrix);
  if (sum) draw_box(matrix, sum->box, ui.settings.rectangle_tool);
  auto& draft = ui.drafts.matrix;
  if (draft.offered && ui.settings.rectangle_tool) return;
  if (draft.selected && draft.x < pixels.picture.width && draft.y < pixels.picture.height) draw_selected(draft, matrix);
}

// `pixel`: of the matrix, under the mouse; the entries that sum it are marked.
void draw_table(const ProbedPixels& pixels, const GridPlaces& places, const Grid& table, std::optional<Cell> pixel,
                const Sum& sum) {
  const GridArea area("table", places.table);
  const auto entry = table.hovered();
  table.draw(
      places.digits,
      [&](Cell c) -> ImU32 {
        if (sum && !entry) {
          const auto is_here = [&](const RectangleCorner& corner) { return c == Cell{corner.x, corner.y}; };
          const auto lit = std::ranges::find_if(sum->corners, is_here);
          return lit == sum->corners.end() ? 0u : colour::translucent(tint_of_entry(lit->letter), 70);
        }
        if (pixel) return c.x >= pixel->x && c.y >= pixel->y ? summed : 0u;
        if (!entry) return 0;
        if (c == *entry) return colour::active;
        if (c == Cell{entry->x - 1, entry->y} || c == Cell{entry->x, entry->y - 1}) return neighbour;
        return c == Cell{entry->x - 1, entry->y - 1} ? subtracted : 0u;
      },
      [&](Cell c) { return pixels.at(c.x, c.y)->sum; });
  if (sum && !entry)
    for (const auto& corner : sum->corners) draw_entry(table, corner);
}

GridPlaces places_of(const ProbedPixels& pixels, float foot) {
  const auto size = pixels.picture;
  const auto largest = pixels.at(size.width - 1, size.height - 1)->sum;
  return grid_places(size, grouped(255), grouped(std::max(largest, 100u)), ImGui::GetContentRegionAvail(), foot);
}

void titles(MatrixDraft& draft, const GridPlaces& places) {
  const auto top = places.matrix.at.y - ImGui::GetTextLineHeightWithSpacing();
  const auto right = places.table.at.x + places.table.size.x;
  const auto title = [&](const GridPlace& grid, const char* words, const char* name, float end) {
    ImGui::SetCursorPos({grid.at.x, top});
    text(text_width(words) < end - grid.at.x ? words : name, colour::dim);
    return last_item();
  };
  const auto first = title(places.matrix, "Matrix: click a number and type", "Matrix", places.table.at.x);
  const auto second = title(places.table, "Table: each entry is the sum of all numbers above and to the left", "Table",
                            std::max(right, ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x));
  const auto width = std::max(right - places.matrix.at.x, second.x + second.width - first.x);
  draft.head = {first.x, first.y, width, ImGui::GetTextLineHeightWithSpacing()};
  draft.numbers = {first.x, first.y, right - places.matrix.at.x, draft.head.height + places.matrix.size.y};
}

// Returns the sum of the rectangle where that is what the grids show.
Sum grids(PanelContext& ui, const ProbedPixels& pixels, const GridPlaces& places, std::string& hint) {
  const auto size = pixels.picture;
  auto& draft = ui.drafts.matrix;
  titles(draft, places);
  const Grid matrix("numbers", size, places.matrix), table("table", size, places.table);
  const auto sum = ui.settings.rectangle ? rectangle_sum(*ui.settings.rectangle, size, pixels) : std::nullopt;
  draw_matrix(ui, pixels, places, matrix, table.hovered(), sum);
  draw_table(pixels, places, table, matrix.hovered(), sum);
  scroll_together(matrix, table);
  const bool selected = draft.selected && !draft.offered;
  if (const auto entry = table.hovered())
    hint = text_of_addition(pixels, entry->x, entry->y);
  else if (sum && sum->known && !selected)
    return sum;
  else if (const auto pixel = matrix.hovered(); pixel && !selected && !ui.settings.rectangle_tool)
    hint = cell_name("pixel", pixel->x, pixel->y) + ": marked are the entries that sum it, from " +
           cell_name("table", pixel->x, pixel->y) + " on";
  return {};
}

}  // namespace

void matrix_overlay(PanelContext& ui, const Rect& rect) {
  const auto* pixels = ui.state.probed;
  auto& draft = ui.drafts.matrix;
  draft.focused = false;
  draft.hint = {};
  if (!shows_matrix(ui.settings, ui.state.capture.kind) || !pixels || pixels->values.empty() ||
      pixels->places.cells() != static_cast<int>(pixels->picture.pixels()) || pixels->picture != ui.state.picture)
    return;
  const PanelWindow window("matrix", rect, 0, PanelWindow::Padding::usual, PanelWindow::Ground::over_picture);
  if (!window.visible()) return;
  if (ImGui::IsWindowAppearing()) offer_number(ui);
  draft.focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  auto hint = hint_of(draft, ui.settings.rectangle_tool);
  const auto largest = rect.height < em() * 20 ? Font::regular : Font::sum;  // the numbers come first
  const float foot = std::floor(font(largest)->FontSize * 2.4f);             // whole pixels: text between them is blurred
  const auto left = ImGui::GetCursorPosX();
  const auto places = places_of(*pixels, foot);
  const auto sum = grids(ui, *pixels, places, hint);
  const bool worked_out = sum && draft.wrong.empty();  // in the middle
  ImGui::SetCursorPos(
      {worked_out ? left : places.matrix.at.x, places.matrix.at.y + places.matrix.size.y + std::round(em() * 0.75f)});
  const auto at = ImGui::GetCursorScreenPos();
  if (worked_out)
    rectangle_foot(*sum, largest);
  else
    foot_text(draft, hint, largest);
  draft.hint = {at.x, at.y, ImGui::GetItemRectSize().x, ImGui::GetItemRectSize().y};
}

}  // namespace app::ui
