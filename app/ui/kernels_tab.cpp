// The time of every kernel of a frame.
#include <algorithm>
#include <array>

#include "app/control/names.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Column {
  const char* title;
  const char* help;
  double StageRow::*value;
};
constexpr Column columns[] = {
    {"last", "in the latest frame", &StageRow::last},
    {"mean", "over the frames since the work last changed", &StageRow::mean},
    {"p50", "median: half of the frames cost less", &StageRow::p50},
    {"p90", "nine of ten frames cost less", &StageRow::p90},
    {"p99", "99 of 100 frames cost less", &StageRow::p99},
    {"max", "the slowest frame since the work last changed", &StageRow::max},
};

// All kernels as one bar, a piece per row.
void frame_bar(const State& state, float scale) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(6 * scale);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, colour::control);
  auto x = at.x;
  for (std::size_t i = 0; i < state.rows.size(); ++i) {
    if (!state.rows[i].leaf) continue;  // only its parts have pieces
    const auto piece = width * static_cast<float>(std::clamp(state.rows[i].share, 0.0, 1.0));
    const auto end = std::min(x + std::max(piece - 1, 0.f), at.x + width);
    draw.AddRectFilled({x, at.y}, {end, at.y + height}, colour::row(i));
    x += piece;
  }
  ImGui::Dummy({width, height});
}

// The unit and how many frames the figures are of; only the unit if there is no room for both.
void note(const State& state, float room) {
  const WithFont small(Font::small);
  const bool missing = state.untimed_frames > 0 || state.dropped_spans > 0;
  const std::string unit = state.device == gpu::Device::simulated ? "simulated: µs per frame" : "µs per frame";
  auto whole = unit + ", " + text_of(state.graph.of);
  if (state.untimed_frames > 0) whole += ", " + grouped(state.untimed_frames) + " untimed";
  if (state.dropped_spans > 0) whole += ", " + grouped(state.dropped_spans) + " launches not timed";
  ImGui::AlignTextToFramePadding();
  text(ImGui::CalcTextSize(whole.c_str()).x <= room ? whole : shortened(unit, room),
       missing ? colour::warning : colour::dim);
  const std::string explanation =
      missing ? "Frames are untimed if earlier timings could not be read before they started."
      : state.device == gpu::Device::simulated
          ? "Microseconds of the CPU that simulates the GPU: they say nothing about a real GPU."
          : "Microseconds. Kernels on the GPU are timed by events on its own clock; nothing waits for them.";
  tooltip(whole + '\n' + explanation);
}

void head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto choice_width = ImGui::CalcTextSize("every launch").x + style.FramePadding.x * 2 + ImGui::GetFrameHeight();
  const auto width = choice_width + ImGui::CalcTextSize("ResetExport").x + style.FramePadding.x * 4 +
                     style.ItemInnerSpacing.x * 2 + style.ItemSpacing.x;
  ImGui::SameLine();
  note(ui.state, ImGui::GetContentRegionAvail().x - width - style.ItemSpacing.x);
  same_line_at_right(width);
  auto timing = static_cast<int>(ui.settings.timing);
  ImGui::SetNextItemWidth(choice_width);
  if (combo("##timing", timing, {{"off", {}}, {"frame", {}}, {"launches", {}}, {"every launch", {}}}))
    ui.change("timing", std::string(timing_names[static_cast<std::size_t>(timing)]));
  ImGui::SameLine();
  if (button("Reset", std::string(description(Action::reset_statistics)) + "   " + labels(Action::reset_statistics)))
    ui.act(Action::reset_statistics);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (button("Export", std::string(description(Action::toggle_export_menu)) + "   " + labels(Action::toggle_export_menu)))
    ui.act(Action::toggle_export_menu);
}

void cells(const StageRow& row, bool launches = true) {
  ImGui::TableNextColumn();
  if (launches) right_aligned(number(row.launches, row.launches == std::floor(row.launches) ? 0 : 1));
  for (const auto& column : columns) {
    ImGui::TableNextColumn();
    right_aligned(microseconds(row.*column.value));
  }
}

void share_cell(double share, ImU32 fill) {
  if (!ImGui::TableNextColumn()) return;
  const auto at = ImGui::GetCursorScreenPos();
  const auto em = ImGui::GetFontSize(), number_width = em * 2.4f;
  const auto width = std::max(0.f, ImGui::GetContentRegionAvail().x - number_width);
  const auto top = at.y + std::round(em * 0.35f), bottom = at.y + std::round(em * 0.75f);
  if (width > em) {
    auto& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled({at.x, top}, {at.x + width, bottom}, colour::control);
    draw.AddRectFilled({at.x, top}, {at.x + width * static_cast<float>(std::clamp(share, 0.0, 1.0)), bottom}, fill);
  }
  right_aligned(number(share * 100, 0) + "%");
}

// Without the names of the rows above it in the tree.
std::string_view short_name(const StageRow& row) { return std::string_view(row.name).substr(row.name.rfind('/') + 1); }

void name_cell(const StageRow& row, ImU32 swatch) {
  ImGui::TableNextColumn();
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const auto side = std::round(em * 0.5f), top = std::round(at.y + (em - side) / 2);
  const auto left = at.x + static_cast<float>(row.depth) * side;
  if (row.leaf) ImGui::GetWindowDrawList()->AddRectFilled({left, top}, {left + side, top + side}, swatch, 1);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left - at.x + (row.leaf ? side + std::round(em * 0.4f) : 0));
  text(shortened(short_name(row), ImGui::GetContentRegionAvail().x));
  tooltip(row.name);
}

void header(bool shares) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const WithText dim(colour::dim);
  const auto cell = [](const char* title, std::string_view help, bool right) {
    ImGui::TableNextColumn();
    right ? right_aligned(title) : text(title);
    tooltip(help);
  };
  cell("kernel", "in the order they run", false);
  cell("launches", "per frame", true);
  for (const auto& column : columns) cell(column.title, column.help, true);
  if (shares) cell("share", "of the sum of all means", true);
}

// Above the kernels, where it stays in place when they scroll.
void total(const State& state, bool shares) {
  const auto& row = state.total;
  ImGui::TableNextRow();
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, colour::raised);
  ImGui::TableNextColumn();
  text("all kernels");
  tooltip("The device computing. Besides, per frame: transfers " + microseconds(state.transferring.mean) + " µs, waiting " +
          microseconds(state.waiting.mean) + " µs: for OpenGL, or on the CPU until the window takes the picture");
  cells(row, false);
  if (shares) ImGui::TableNextColumn();
}

// The width of the longest name, with its swatch.
float name_width(const State& state) {
  const auto em = ImGui::GetFontSize();
  auto longest = ImGui::CalcTextSize("all kernels").x;
  for (const auto& row : state.rows)
    longest = std::max(longest, ImGui::CalcTextSize(short_name(row).data()).x + static_cast<float>(row.depth) * em / 2);
  return longest + em;
}

void table(const State& state) {
  const auto em = ImGui::GetFontSize();
  const auto width = ImGui::GetContentRegionAvail().x;
  // Names have priority: if they do not fit, first the bars of the shares are left out, then the shares; the bar above shows
  // them too.
  const auto launches_width = ImGui::CalcTextSize("launches").x;
  const auto numbers = launches_width + em * (3.2f * static_cast<float>(std::size(columns)) + 0.8f * 9);
  const auto left_for_shares = width - numbers - name_width(state);
  const bool shares = left_for_shares > em * 2.4f && width > em * 34;
  const auto share_width = std::clamp(left_for_shares, em * 2.4f, em * 7);
  constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings |
                         ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {shares ? em * 0.4f : em * 0.2f, 2});
  const bool begun = ImGui::BeginTable("kernels", shares ? 9 : 8, flags, ImGui::GetContentRegionAvail());
  ImGui::PopStyleVar();
  if (!begun) return;
  ImGui::TableSetupScrollFreeze(0, 2);
  ImGui::TableSetupColumn("kernel", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("launches", 0, launches_width);
  for (const auto& column : columns) ImGui::TableSetupColumn(column.title, 0, em * (shares ? 3.2f : 2.87f));
  if (shares) ImGui::TableSetupColumn("share", 0, share_width);
  header(shares);
  total(state, shares);
  for (std::size_t i = 0; i < state.rows.size(); ++i) {
    ImGui::TableNextRow();
    name_cell(state.rows[i], colour::row(i));
    cells(state.rows[i]);
    if (shares) share_cell(state.rows[i].share, colour::row(i));
  }
  ImGui::EndTable();
}

}  // namespace

void kernels_tab(PanelContext& ui) {
  head(ui);
  frame_bar(ui.state, ui.scale);
  const WithFont small(Font::small);
  if (ui.state.rows.empty())
    text("nothing timed yet", colour::faint);
  else
    table(ui.state);
}

}  // namespace app::ui
