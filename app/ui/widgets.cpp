#include "app/ui/widgets.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/control/imgui_keys.h"
#include "app/ui/tool_button.h"

namespace app::ui {
namespace {

// Not NoSavedSettings: ImGui would not keep the settings of the tables in them either.
constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                   ImGuiWindowFlags_NoNavFocus;

// Tab goes from a field to the next one; where no field has the keyboard, it is a key as any other.
ImGuiWindowFlags tabbing() { return ImGui::GetIO().WantTextInput ? 0 : ImGuiWindowFlags_NoNavInputs; }

}  // namespace

PanelWindow::PanelWindow(const char* name, const Rect& rect, ImGuiWindowFlags flags, Padding padding, Ground ground) {
  if (rect.width < 1 || rect.height < 1) return;
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({rect.width, rect.height});
  const auto usual = ImGui::GetStyle().WindowPadding;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {usual.x, padding == Padding::none ? 0 : usual.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  visible_ = ImGui::Begin(name, nullptr,
                          fixed | tabbing() | flags | (ground == Ground::over_picture ? 0 : ImGuiWindowFlags_NoBackground));
  begun_ = true;
  ImGui::PopStyleVar(2);
}

PanelWindow::~PanelWindow() {
  if (begun_) ImGui::End();
}

OverlayWindow::OverlayWindow(const char* name, float scale, ImGuiWindowFlags flags, std::optional<ImVec2> padding) {
  const auto inside = padding ? ImVec2(padding->x * scale, padding->y * scale) : ImGui::GetStyle().WindowPadding;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, inside);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6 * scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  visible_ = ImGui::Begin(name, nullptr,
                          ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                              ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | flags);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

Dialog::Dialog(const char* title, float width, float height) {
  const auto& display = ImGui::GetIO().DisplaySize;
  const ImVec2 most(display.x * 0.96f, display.y * 0.96f);
  const auto wide = std::min(most.x, std::round(width * em()));
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  if (height > 0)
    ImGui::SetNextWindowSize({wide, std::min(most.y, std::round(height * em()))});
  else
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, most.y});
  const auto padding = ImGui::GetStyle().FramePadding;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {padding.x * 2, std::round(padding.y * 1.6f)});  // of the title
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding.x * 2, padding.x * 1.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ImGui::GetStyle().PopupRounding);
  bool open = true;
  float title_height = 0;
  {
    const WithFont large(Font::title);
    title_height = ImGui::GetFrameHeight();
    visible_ = ImGui::BeginPopupModal(title, &open,
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize |
                                          ImGuiWindowFlags_NoSavedSettings |
                                          (height > 0 ? 0 : ImGuiWindowFlags_AlwaysAutoResize));
  }
  // With the font of the title ImGui has taken the texture from the dialog that it gave to the window around it.
  if (visible_) ImGui::GetWindowDrawList()->PushTextureID(ImGui::GetIO().Fonts->TexID);
  ImGui::PopStyleVar(4);
  if (!visible_) return;
  const auto corner = ImGui::GetWindowPos();
  hairline({corner.x, corner.y + title_height}, {corner.x + ImGui::GetWindowWidth(), corner.y + title_height + 1});
}

Dialog::~Dialog() {
  if (visible_) ImGui::EndPopup();
}

bool begin_popup_below(const char* id, const Rect& item, bool at_right, float widest) {
  const auto& display = ImGui::GetIO().DisplaySize;
  const auto& padding = ImGui::GetStyle().WindowPadding;
  const auto gap = std::round(em() * 0.4f), left = std::max(item.x, gap);
  const bool from_right = at_right || left + widest > display.x - gap;
  const auto right = at_right && item.width > 0 ? item.x + item.width : display.x - gap;
  const ImVec2 corner(from_right ? right : left, item.y + item.height + gap);
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {from_right ? 1.f : 0.f, 0});
  ImGui::SetNextWindowSizeConstraints({item.width, 0}, {display.x, std::max(1.f, display.y - corner.y - gap)});
  // What is chosen is filled as far as half of the padding.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {std::round(padding.x * 4 / 3), padding.y});
  const bool open = ImGui::BeginPopup(id);
  ImGui::PopStyleVar();
  return open;
}

float text_width(std::string_view text) { return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x; }

void text(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

void text(std::string_view text, ImU32 colour) {
  const WithText with(colour);
  app::ui::text(text);
}

void wrapped(std::string_view text, ImU32 colour) {
  const WithText with(colour);
  ImGui::PushTextWrapPos(0);
  app::ui::text(text);
  ImGui::PopTextWrapPos();
}

void heading(std::string_view title) {
  const WithFont bold(Font::bold);
  text(title);
}

void paper(std::string_view title, std::string_view doi) {
  wrapped(title, colour::dim);
  if (doi.empty()) return;
  text("doi:" + std::string(doi), colour::dim);
  ImGui::SameLine();
  ImGui::PushID(doi.data(), doi.data() + doi.size());
  if (ImGui::SmallButton("Copy")) ImGui::SetClipboardText(("https://doi.org/" + std::string(doi)).c_str());
  ImGui::PopID();
  tooltip("Copy the link to the clipboard");
}

void same_line_at_right(float width) {
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
}

void right_aligned(std::string_view text) {
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, ImGui::GetContentRegionAvail().x - text_width(text)));
  app::ui::text(text);
}

Rect last_item() {
  const auto from = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
  return {from.x, from.y, size.x, size.y};
}

static constexpr float tooltip_width = 26;  // em, at most

// What was clicked is explained no more until the mouse comes again: a tooltip would lie over what the click has opened. Nor
// is anything explained that is dragged.
static bool wants_tooltip() {
  const auto& context = *ImGui::GetCurrentContext();
  if (ImGui::IsAnyMouseDown()) return false;
  const bool clicked = ImGui::GetTime() - ImGui::GetIO().MouseClickedTime[0] < context.HoveredIdTimer;
  return ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && !(clicked && ImGui::GetItemID() == context.HoveredId);
}

// Whether the item is of a list: in a popup, or in a dialog where rows scroll.
static bool is_listed() {
  const auto* window = ImGui::GetCurrentWindowRead();
  const auto flags = window->RootWindow->Flags;
  return (flags & ImGuiWindowFlags_Popup) && (!(flags & ImGuiWindowFlags_Modal) || window != window->RootWindow);
}

// The item stays in sight, and what is at its sides; of a list all of it does, where there is room beside it.
void tooltip(std::string_view text, TooltipSide side) {
  if (text.empty() || !wants_tooltip()) return;
  const auto& io = ImGui::GetIO();
  const auto& padding = ImGui::GetStyle().WindowPadding;
  const auto item = last_item();
  const auto gap = std::round(em() * 0.4f), below = item.y + item.height + gap;
  const auto list = ImGui::GetCurrentWindowRead()->RootWindow->Rect();
  const auto left = list.Min.x - gap, right = io.DisplaySize.x - list.Max.x - gap;
  const auto room = std::min(std::max(left, right) - padding.x, em() * tooltip_width);
  const bool beside = is_listed() && room >= em() * tooltip_width / 2;
  const auto wrap = beside ? room : em() * tooltip_width;  // with the padding before the text
  const auto size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap - padding.x);
  const auto width = size.x + 2 * padding.x, height = size.y + 2 * padding.y;
  if (beside) {
    const auto lowest = std::max(io.DisplaySize.y - height, 0.f);
    ImGui::SetNextWindowPos({right >= std::min(left, width) ? list.Max.x + gap : left - width, std::min(item.y, lowest)});
  } else if (item.height < 4 * em()) {  // else at the mouse
    const auto x = std::min(item.width > 20 * em() ? io.MousePos.x : item.x, io.DisplaySize.x - width);
    const auto above = item.y - gap - height;
    const bool is_above = below + height > io.DisplaySize.y || (side == TooltipSide::above && above >= 0);
    const auto y = is_above ? above : below;
    ImGui::SetNextWindowPos({std::max(x, 0.f), std::max(y, 0.f)});
  }
  show_tooltip(text, wrap);
}

void tooltip_at(ImVec2 place, ImVec2 pivot, std::string_view text) {
  if (text.empty() || !wants_tooltip()) return;
  ImGui::SetNextWindowPos(place, ImGuiCond_Always, pivot);
  show_tooltip(text);
}

// Rows touch each other and do not overlap, as items in neighbouring rows can.
bool row_hovered() {
  if (!ImGui::IsWindowHovered()) return false;
  const auto& table = *ImGui::GetCurrentContext()->CurrentTable;
  const auto& seen = ImGui::GetCurrentWindowRead()->ClipRect;  // not under the titles
  return ImGui::IsMouseHoveringRect({table.InnerClipRect.Min.x, std::max(table.RowPosY1, seen.Min.y)},
                                    {table.InnerClipRect.Max.x, std::min(table.RowPosY2, seen.Max.y)}, false);
}

void show_tooltip(std::string_view text, float wrap) {
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.f);  // not dimmed with what it explains
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(wrap > 0 ? wrap : em() * tooltip_width);
  app::ui::text(text, colour::text);  // nor in its colour
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void label(std::string_view name, std::string_view help) {
  ImGui::AlignTextToFramePadding();
  const auto column = std::round(std::max(em() * 5.8f, ImGui::CalcTextSize("Algorithm").x + em() * 0.5f));
  text(name, colour::dim);
  tooltip(help);
  // A long name has a line of its own.
  const auto start = ImGui::GetCursorStartPos().x + column;
  if (ImGui::CalcTextSize(name.data(), name.data() + name.size()).x > column - em() * 0.4f)
    ImGui::SetCursorPosX(start);
  else
    ImGui::SameLine(start);
  ImGui::SetNextItemWidth(-1);
}

bool button(const char* text, std::string_view help, std::string_view why_not) {
  return disabled_if(why_not, help, [&] { return ImGui::Button(text); });
}

// ImGui leaves room for the note, but would draw it where the notes of all entries begin.
bool menu_entry(const std::string& label, const std::string& note, bool on, bool enabled) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto right = at.x + ImGui::GetContentRegionAvail().x - (on ? em() * 1.5f : 0);  // of the tick
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, IM_COL32_BLACK_TRANS);
  const bool chosen = ImGui::MenuItem(label.c_str(), note.c_str(), on, enabled);
  ImGui::PopStyleColor();
  const auto ink = ImGui::GetColorU32(ImGuiCol_TextDisabled, enabled ? 1 : ImGui::GetStyle().DisabledAlpha);
  ImGui::GetWindowDrawList()->AddText({std::round(right - text_width(note)), at.y}, ink, note.c_str());
  return chosen;
}

bool list_entry(std::string_view text, bool selected) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto line = without_controls(text);
  const auto& spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {2 * spacing.x, spacing.y});  // it is filled as far around its text
  const bool clicked = ImGui::Selectable("##entry", selected, ImGuiSelectableFlags_SpanAvailWidth,
                                         {std::max(text_width(line), 1.f), 0});
  ImGui::PopStyleVar();
  if (selected) ImGui::SetItemDefaultFocus();
  ImGui::GetWindowDrawList()->AddText(at, ImGui::GetColorU32(ImGuiCol_Text), line.c_str());
  return clicked;
}

bool text_input(const char* id, const char* hint, std::string& text, std::string_view shown, ImGuiInputTextFlags flags) {
  const auto& padding = ImGui::GetStyle().FramePadding;
  const auto line = end_of(shown, ImGui::CalcItemWidth() - 2 * padding.x);
  const bool other = ImGui::GetActiveID() != ImGui::GetID(id) && line != text;
  bool entered = false;
  {
    const WithText colour(other ? IM_COL32_BLACK_TRANS : ImGui::GetColorU32(ImGuiCol_Text));
    entered = ImGui::InputTextWithHint(id, hint, &text, flags);
  }
  const auto corner = ImGui::GetItemRectMin();
  if (other)
    ImGui::GetWindowDrawList()->AddText({corner.x + padding.x, corner.y + padding.y}, ImGui::GetColorU32(ImGuiCol_Text),
                                        line.c_str());
  return entered;
}

namespace {

// What is ticked: a small box with an edge. Draws it and returns what that returns.
template <class Draw>
bool ticked(const Draw& draw) {
  const auto& padding = ImGui::GetStyle().FramePadding;
  const auto smaller = std::round(padding.y / 3), shift = padding.y - smaller;
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {padding.x, smaller});
  ImGui::PushStyleColor(ImGuiCol_Border, colour::box);
  ImGui::BeginGroup();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + shift);
  const bool result = draw();
  ImGui::EndGroup();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  return result;
}

}  // namespace

bool checkbox(const char* text, bool& value, std::string_view help, std::string_view why_not) {
  return disabled_if(why_not, help, [&] { return ticked([&] { return ImGui::Checkbox(text, &value); }); });
}

bool radio_button(const std::string& text, bool chosen) {
  return ticked([&] { return ImGui::RadioButton(text.c_str(), chosen); });
}

MenuStyle::MenuStyle() {
  const auto& style = ImGui::GetStyle();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {style.ItemSpacing.x * 2, std::round(style.ItemSpacing.y * 2.5f)});
}

void chevron(ImDrawList& draw, ImVec2 centre, ImU32 colour) {
  const auto half = std::round(em() * 0.27f), depth = half / 2;
  const ImVec2 points[] = {
      {centre.x - half, centre.y - depth}, {centre.x, centre.y + depth}, {centre.x + half, centre.y - depth}};
  draw.AddPolyline(points, 3, colour, 0, std::max(1.5f, em() * 0.1f));
}

void hairline(ImVec2 from, ImVec2 to) {
  auto& draw = *ImGui::GetWindowDrawList();
  const auto corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  draw.PushClipRect(corner, {corner.x + size.x, corner.y + size.y});  // into the padding, no further
  draw.AddRectFilled(from, {std::max(to.x, from.x + 1), std::max(to.y, from.y + 1)}, colour::line);
  draw.PopClipRect();
}

std::vector<float> axis_marks(ImDrawList& draw, const AxisPlace& axis, std::span<const AxisMark> marks) {
  struct Stretch {
    float begin, end;
  };
  std::vector<Stretch> taken;
  std::vector<float> written;
  const auto gap = axis.upright ? 0 : em() * 0.4f;
  for (const auto& mark : marks) {
    const auto width = text_width(mark.words), length = axis.upright ? em() : width;
    const auto begin = std::clamp(mark.at - length / 2, axis.from, std::max(axis.from, axis.to - length));
    const Stretch own{begin - gap / 2, begin + length + gap / 2};
    if (std::ranges::any_of(taken, [&](const Stretch& one) { return own.begin < one.end && one.begin < own.end; })) continue;
    taken.push_back(own);
    written.push_back(mark.at);
    draw.AddText(axis.upright ? ImVec2(axis.across - width, begin) : ImVec2(begin, axis.across), mark.ink,
                 mark.words.c_str());
  }
  return written;
}

std::string axis_number(double value, double step) {
  return number(value, static_cast<int>(std::clamp(std::ceil(-std::log10(step) - 1e-9), 0.0, 3.0)));
}

bool begin_combo(const char* id, std::string_view preview) {
  const auto width = ImGui::CalcItemWidth();
  const auto at = ImGui::GetCursorScreenPos();
  const auto height = ImGui::GetFrameHeight();
  const auto shown = shortened(preview, width - ImGui::GetStyle().FramePadding.x * 2 - em());
  const auto& padding = ImGui::GetStyle().FramePadding;
  const auto ink = ImGui::GetColorU32(ImGuiCol_Text);
  auto& below = *ImGui::GetWindowDrawList();  // an open list is a window of its own, with its own
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {2 * padding.x, padding.y});  // at the sides of its entries
  const bool open = ImGui::BeginCombo(id, nullptr, ImGuiComboFlags_HeightLargest | ImGuiComboFlags_NoArrowButton);
  ImGui::PopStyleVar();
  below.AddText({at.x + padding.x, at.y + padding.y}, ink, shown.c_str());  // ImGui would hide what follows ##
  chevron(below, {at.x + width - std::min(em() * 0.8f, width / 2), at.y + height / 2}, colour::dim);
  return open;
}

std::optional<std::size_t> combo(const char* id, std::string_view preview, std::span<const ComboEntry> entries,
                                 std::size_t chosen, const std::function<void(std::size_t, ImVec2)>& draw) {
  std::optional<std::size_t> other;
  if (!begin_combo(id, preview)) return other;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [words, why_not, help] = entries[i];
    const auto corner = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    const auto is_taken = [&] {
      const bool taken = list_entry(words, i == chosen);
      if (draw) draw(i, corner);
      return taken;
    };
    if (disabled_if(why_not, help, is_taken) && i != chosen) other = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
  return other;
}

// ImGui's, without its frame and its text.
bool slider(const char* id, double& value, const SliderRange& range, float width, bool with_track) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto middle = std::round(at.y + ImGui::GetFrameHeight() / 2), half = std::round(em() * 0.12f);
  auto& draw = *ImGui::GetWindowDrawList();
  if (with_track) draw.AddRectFilled({at.x, middle - half}, {at.x + width, middle + half}, colour::control, half);
  for (const auto part : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    ImGui::PushStyleColor(part, IM_COL32(0, 0, 0, 0));
  const auto flags = (with_track ? ImGuiSliderFlags_NoInput : 0) | (range.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  ImGui::SetNextItemWidth(width);
  const bool changed = ImGui::SliderScalar(id, ImGuiDataType_Double, &value, &range.least, &range.most, "", flags);
  ImGui::PopStyleColor(3);
  return changed;
}

// With Tab the next field takes the keyboard before this one is drawn again: ImGui 1.86 says nothing then.
bool is_entered() {
  return ImGui::IsItemDeactivatedAfterEdit() || (ImGui::IsItemActive() && imgui::is_pressed(imgui::KeyCode::tab));
}

bool number_field(const char* id, double& value, float width, int decimals) {
  auto typed = value;
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble(id, &typed, 0, 0, ("%." + std::to_string(decimals) + "f").c_str());
  if (!is_entered() || std::isnan(typed)) return false;
  value = typed;
  return true;
}

bool whole_number_field(const char* id, int& value, float width) {
  double typed = value;  // ImGui reads what is too large for an int as another number
  if (!number_field(id, typed, width)) return false;
  value = static_cast<int>(std::lround(std::clamp(typed, -1e7, 1e7)));
  return true;
}

float width_of_buttons(std::initializer_list<const char*> words) {
  const auto& style = ImGui::GetStyle();
  float width = -style.ItemSpacing.x;
  for (const auto* each : words) width += text_width(each) + 2 * style.FramePadding.x + style.ItemSpacing.x;
  return width;
}

void progress(double part) { ImGui::ProgressBar(static_cast<float>(part), {-1, std::round(em() * 0.25f)}, ""); }

void sentence(std::string_view words, float beside) {
  const WithFont large(Font::title);
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(ImGui::GetContentRegionAvail().x - beside, 4 * em()));
  text(words);
  ImGui::PopTextWrapPos();
}

// The arrow is where ImGui puts it, at the column's right end, but in the middle of the line, where ImGui's own is not; a
// title at the right stands before it.
void header_cell(const std::string& title, std::string_view help, bool right) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, padding = ImGui::GetStyle().CellPadding.x;
  constexpr float scale = 0.65f;  // of the arrow
  const auto gap = std::round(em() * 0.15f), arrow = std::floor(em() * scale + gap);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {gap, ImGui::GetStyle().FramePadding.y});
  {
    const WithText no_arrow(0);
    ImGui::TableHeader(("##" + title).c_str());
  }
  ImGui::PopStyleVar();
  tooltip(help);
  const bool sorts = (ImGui::TableGetColumnFlags() & ImGuiTableColumnFlags_IsSorted) != 0;
  const auto room = width - (sorts ? std::max(0.f, arrow - padding) : 0);
  const auto words = shortened(title, room);
  const auto x = right ? at.x + room - text_width(words) : at.x;
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddText({std::round(x), at.y}, sorts ? colour::text : colour::dim, words.c_str());
  if (!sorts) return;
  const auto& column = ImGui::GetCurrentContext()->CurrentTable->Columns[ImGui::TableGetColumnIndex()];
  const bool down = column.SortDirection == ImGuiSortDirection_Descending;
  ImGui::RenderArrow(&draw, {at.x + room, at.y + std::round(em() * (1 - scale) / 2)}, colour::text,
                     down ? ImGuiDir_Down : ImGuiDir_Up, scale);
}

void take_wheel() {
#if IMGUI_VERSION_NUM < 18900
  ImGui::SetItemUsingMouseWheel();
#else
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#endif
}

void verdict(std::optional<bool> right) {
  const auto at = ImGui::GetCursorScreenPos();
  const ImVec2 middle(at.x + em() / 2, at.y + em() / 2);
  if (right)
    draw_icon(*ImGui::GetWindowDrawList(), *right ? Icon::check : Icon::close, middle, *right ? colour::good : colour::bad);
  ImGui::Dummy({em(), em()});
}

const std::string* first_that_fits(std::span<const std::string> wordings, float room) {
  const auto found = std::ranges::find_if(wordings, [room](const auto& words) { return text_width(words) <= room; });
  return found == wordings.end() ? nullptr : &*found;
}

std::string line_of(std::span<const std::string> figures, std::string_view between, float room) {
  std::string line;
  for (const auto& figure : figures) {
    auto longer = line + std::string(line.empty() ? "" : between) + figure;
    if (text_width(longer) > room) break;
    line = std::move(longer);
  }
  return line;
}

namespace {

bool fits(const std::string& text, float width) { return ImGui::CalcTextSize(text.c_str()).x <= width; }

// The longest text that `cut` makes of one that does not fit, from the shortest on: a name may be as long as a file.
template <class Cut>
std::string longest_that_fits(std::string_view text, float width, const Cut& cut) {
  const auto whole = without_controls(text);
  if (fits(whole, width)) return whole;
  std::string found;
  for (std::size_t kept = 1; kept <= whole.size(); ++kept) {
    auto candidate = cut(whole, kept);
    if (!fits(candidate, width)) break;
    found = std::move(candidate);
  }
  return found;
}

}  // namespace

std::string end_of(std::string_view text, float width) {
  return longest_that_fits(text, width, [](std::string_view whole, std::size_t kept) {
    auto end = whole.substr(whole.size() - kept);
    while (!end.empty() && (end[0] & 0xc0) == 0x80) end.remove_prefix(1);  // a part of a UTF-8 character
    return "..." + std::string(end);
  });
}

std::string shortened(std::string_view text, float width) { return longest_that_fits(text, width, both_ends); }

}  // namespace app::ui
