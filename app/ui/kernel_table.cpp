// The table of kernels: which columns fit, their titles, the rows.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/control/names.h"
#include "app/ui/kernel_cells.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "gpu/explanation.h"

namespace app::ui {
namespace {

std::string microseconds_of(const KernelRow& row, double StageRow::*figure) {
  return narrow_microseconds(row.stage.*figure);
}

std::string launches_text(const KernelRow& row) {
  return number(row.stage.launches, row.stage.launches == std::floor(row.stage.launches) ? 0 : 1);
}

constexpr const char *times_width = "1234.5", *long_times_width = "123\u2009456";  // in microseconds

struct Column {
  KernelSort sort;
  const char* title;
  const char* help;
  const char* widest;  // of its values
  int rank;            // where there is no room for all, those with the largest rank are left out
  std::string (*text)(const KernelRow& row);
};
constexpr Column columns[] = {
    {KernelSort::launches, "Launches", "per frame", "24.5", 7, launches_text},
    {KernelSort::last, "Last", "µs in the latest frame", times_width, 5,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::last); }},
    {KernelSort::mean, "Mean", "µs per frame", times_width, 0,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::mean); }},
    {KernelSort::p50, "p50", "µs, median: half of the frames cost less", times_width, 3,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::p50); }},
    {KernelSort::p90, "p90", "µs: nine of ten frames cost less", times_width, 9,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::p90); }},
    {KernelSort::p99, "p99", "µs: 99 of 100 frames cost less", times_width, 2,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::p99); }},
    {KernelSort::p999, "p99.9", "µs: 999 of 1000 frames cost less", times_width, 10,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::p999); }},
    {KernelSort::max, "Max", "µs in the slowest frame", times_width, 4,
     [](const KernelRow& row) { return microseconds_of(row, &StageRow::max); }},
    {KernelSort::rate, "GB/s",
     "Bytes read and written in memory over the mean time. On a GPU counted exactly, for the algorithm, luma and the "
     "effect's kernels. For CPU algorithms and libraries: the bytes of picture and table, once each. Detection by a cascade "
     "has none: how much memory its kernels read depends on what the frame shows",
     "1234", 8, [](const KernelRow& row) { return row.gb_per_s ? number(*row.gb_per_s, 0) : std::string(); }},
    {KernelSort::bound, "Bound",
     "The time of the bound over the algorithm's mean time: 100% is as fast. Of the algorithm's own row. The bound is "
     "convert_copy on a GPU (reads every pixel, writes every entry, sums nothing), memset of the table on the CPU: "
     "the median of some runs, timed as in the race; once a race has run, it is the race's own number",
     "100%", 6, [](const KernelRow& row) { return row.of_bound ? number(*row.of_bound * 100, 0) + "%" : std::string(); }},
};
constexpr int share_rank = 1, sparkline_rank = 11;

// What fits the width. Names have priority, up to a length.
struct ColumnFit {
  bool has(int rank) const { return rank < ranks; }

  bool long_times = false;  // of a tenth of a second and more
  int ranks = 0;            // columns with a smaller rank are shown
  float padding = 0, share_width = 0, sparkline_width = 0;
};

// With room for the arrow beside the title.
float width_of(const Column& column, bool long_times) {
  const auto* widest = long_times && column.widest == times_width ? long_times_width : column.widest;
  return std::max(ImGui::CalcTextSize(column.title).x + ImGui::GetFontSize() * 0.7f, ImGui::CalcTextSize(widest).x);
}

// By the slowest frame of any kernel: columns stay as wide as they are until there is a slower one.
bool has_long_times(const KernelsState& state) {
  constexpr double least = 99'999.5;
  return state.total.max >= least ||
         std::ranges::any_of(state.rows, [](const KernelRow& row) { return row.stage.max >= least; });
}

ColumnFit fit(float width, float names, bool long_times) {
  const auto em = ImGui::GetFontSize();
  ColumnFit fit{long_times, 0, std::round(em * (width > em * 40 ? 0.4f : 0.25f)), em * 3.0f, em * 6};
  auto left = width - std::min(names, em * 14) - 2 * fit.padding;
  const auto take = [&](float wanted) {
    left -= wanted + 2 * fit.padding;
    return left >= 0;
  };
  for (; fit.ranks <= sparkline_rank; ++fit.ranks) {
    const auto column = std::ranges::find(columns, fit.ranks, &Column::rank);
    const auto wanted = column != std::end(columns) ? width_of(*column, long_times)
                        : fit.ranks == share_rank   ? fit.share_width
                                                    : fit.sparkline_width;
    if (!take(wanted)) {
      left += wanted + 2 * fit.padding;
      break;
    }
  }
  fit.share_width += std::clamp(left - em, 0.f, em * 4);  // room for its bar
  return fit;
}

std::string times(const StageRow& stage) {
  return "mean " + microseconds(stage.mean) + " µs, p50 " + microseconds(stage.p50) + ", p90 " + microseconds(stage.p90) +
         ", p99 " + microseconds(stage.p99) + ", p99.9 " + microseconds(stage.p999) + ", max " + microseconds(stage.max) +
         ", last " + microseconds(stage.last) + "; of " + grouped(stage.frames) + (stage.frames == 1 ? " frame" : " frames");
}

// Of a row: what it is, and every figure, also those without a column.
std::string explained(const KernelRow& row) {
  const auto& stage = row.stage;
  auto all = stage.name;
  if (const auto what = gpu::explanation(stage.name); !what.empty()) all += "\n" + std::string(what);
  all += "\n\n" + times(stage) + "\n" + launches_text(row) + (launches_text(row) == "1" ? " launch" : " launches") +
         " per frame";
  if (row.computes()) all += "\n" + number(stage.share * 100, 1) + "% of computing";
  if (stage.kind == gpu::SpanKind::transfer) all += "\nmoves data: no part of computing";
  if (stage.kind == gpu::SpanKind::wait) all += "\nwaits: no part of computing";
  if (row.gb_per_s) all += "\n" + number(*row.gb_per_s, 0) + " GB/s";
  if (row.of_bound) all += (row.gb_per_s ? ", " : "\n") + number(*row.of_bound * 100, 1) + "% of the bound";
  return all;
}

void titles(PanelContext& ui, const ColumnFit& fit) {
  const KernelOrder now{ui.settings.kernels_sort, ui.settings.kernels_descending};
  const auto title = [&](const char* text, std::string_view help, bool right, KernelSort column) {
    ImGui::TableNextColumn();
    if (!title_cell(text, help, right, now.by == column, now.descending)) return;
    const auto next = after_click(now, column);
    const Change changes[] = {{"kernels_sort", std::string(name_of(kernel_sort_names, next.by))},
                              {"kernels_descending", next.descending ? "on" : "off"}};
    ui.change(changes);
  };
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  title("Kernel", "Click a title to sort by it, again to reverse, a third time for the order in which they run", false,
        KernelSort::name);
  for (const auto& column : columns)
    if (fit.has(column.rank)) title(column.title, column.help, true, column.sort);
  if (fit.has(sparkline_rank)) {
    ImGui::TableNextColumn();
    text("Latest", colour::dim);
    tooltip("The latest frames, from 0 up to the largest of them");
  }
  if (fit.has(share_rank)) title("Share", "of computing, without transfers and waiting", true, KernelSort::share);
}

void cells(const KernelRow& row, const ColumnFit& fit, bool launches) {
  for (const auto& column : columns) {
    if (!fit.has(column.rank)) continue;
    ImGui::TableNextColumn();
    if (launches || column.sort != KernelSort::launches) right_aligned(column.text(row));
  }
}

// Above the kernels, where it stays in place when they scroll.
void total(const KernelsState& state, const ColumnFit& fit) {
  ImGui::TableNextRow();
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, colour::raised);
  ImGui::TableNextColumn();
  text("all kernels");
  cells({state.total, 0, {}, {}}, fit, false);
  if (fit.has(sparkline_rank)) ImGui::TableNextColumn();
  if (fit.has(share_rank)) ImGui::TableNextColumn();
  if (row_hovered())
    show_tooltip("all kernels\nThe device computing.\n\n" + times(state.total) + "\nBesides, per frame: transfers " +
                 microseconds(state.transfers) + " µs, waiting " + microseconds(state.waiting) +
                 " µs: for OpenGL, or on the CPU until the window takes the picture (means)");
}

void row_of_table(const KernelRow& row, const ColumnFit& fit, bool tree) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  name_cell(row, tree);
  const WithText dimmed(row.computes() ? colour::text : colour::dim);
  cells(row, fit, true);
  if (fit.has(sparkline_rank)) {
    ImGui::TableNextColumn();
    sparkline(row.stage.recent, row_colour(row));
  }
  if (fit.has(share_rank)) {
    ImGui::TableNextColumn();
    share_cell(row);
  }
  if (row_hovered()) show_tooltip(explained(row));
}

}  // namespace

void kernel_table(PanelContext& ui) {
  const auto& state = ui.state.kernels;
  const auto& settings = ui.settings;
  const bool tree = settings.kernels_sort == KernelSort::run;
  auto names = ImGui::CalcTextSize("all kernels").x;
  // In whichever order the rows are: the columns stay where they are.
  for (const auto& row : state.rows) names = std::max({names, name_width(row, true), name_width(row, false)});
  const auto em = ImGui::GetFontSize();
  const auto room = ImGui::GetContentRegionAvail();
  const auto shown = fit(room.x - ImGui::GetStyle().ScrollbarSize, names + em * 0.5f, has_long_times(state));
  const auto count = 1 + static_cast<int>(std::ranges::count_if(columns, [&](const auto& c) { return shown.has(c.rank); })) +
                     shown.has(sparkline_rank) + shown.has(share_rank);
  constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings |
                         ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {shown.padding, 2});
  ImGui::PushID(count * 2 + shown.long_times);  // ImGui keeps the widths of a table: with others it is another table
  const bool begun = ImGui::BeginTable("kernels", count, flags, room);
  ImGui::PopStyleVar();
  if (begun) {
    ImGui::TableSetupScrollFreeze(0, 2);
    ImGui::TableSetupColumn("Kernel", ImGuiTableColumnFlags_WidthStretch);
    for (const auto& column : columns)
      if (shown.has(column.rank)) ImGui::TableSetupColumn(column.title, 0, width_of(column, shown.long_times));
    if (shown.has(sparkline_rank)) ImGui::TableSetupColumn("Latest", 0, shown.sparkline_width);
    if (shown.has(share_rank)) ImGui::TableSetupColumn("Share", 0, shown.share_width);
    titles(ui, shown);
    total(state, shown);
    for (const auto* row : ordered(state.rows, settings.kernels_sort, settings.kernels_descending))
      row_of_table(*row, shown, tree);
    ImGui::EndTable();
  }
  ImGui::PopID();
}

}  // namespace app::ui
