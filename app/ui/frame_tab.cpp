// The tab of kernels: what their figures are of and cost, a bar of their shares, their table.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/control/cards.h"
#include "app/control/names.h"
#include "app/pipeline/pipeline.h"
#include "app/ui/kernel_rows.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"

namespace app::ui {

// The table of kernels: which columns fit, their titles, the rows.
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
  PriorityRow row(width - std::min(names, em * 14) - 2 * fit.padding);
  for (; fit.ranks <= sparkline_rank; ++fit.ranks) {
    const auto column = std::ranges::find(columns, fit.ranks, &Column::rank);
    const auto wanted = column != std::end(columns) ? width_of(*column, long_times)
                        : fit.ranks == share_rank   ? fit.share_width
                                                    : fit.sparkline_width;
    if (!row.has_room_for(wanted + 2 * fit.padding)) break;
  }
  fit.share_width += std::clamp(row.left() - em, 0.f, em * 4);  // room for its bar
  return fit;
}

std::string times(const StageRow& stage) {
  return "mean " + microseconds(stage.mean) + " µs, p50 " + microseconds(stage.p50) + ", p90 " + microseconds(stage.p90) +
         ", p99 " + microseconds(stage.p99) + ", p99.9 " + microseconds(stage.p999) + ", max " + microseconds(stage.max) +
         ", last " + microseconds(stage.last) + "; of " + grouped(stage.frames) + (stage.frames == 1 ? " frame" : " frames");
}

// The tooltip of a row: what it is, and every figure, also those without a column.
std::string explained(const KernelRow& row) {
  const auto& stage = row.stage;
  auto all = stage.name;
  if (const auto what = explanation(stage.name); !what.empty()) all += "\n" + std::string(what);
  all += "\n\n" + times(stage) + "\n" + launches_text(row) + (launches_text(row) == "1" ? " launch" : " launches") +
         " per frame";
  if (stage.lost_frames > 0)
    all += "\nleft out: " + grouped(stage.lost_frames) + (stage.lost_frames == 1 ? " frame" : " frames") +
           ", far above usual by " + microseconds(stage.lost_us) + " µs (mean), probably OpenGL's drawing";
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

// All computing as one bar, a piece per kernel.
void shares_bar(const KernelsState& state, float scale) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(6 * scale);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, colour::control);
  const bool reachable = ImGui::IsWindowHovered();  // nothing is over it
  auto x = at.x;
  for (const auto& row : state.rows) {
    if (!row.stage.leaf) continue;  // only its parts have pieces
    const auto piece = width * static_cast<float>(std::clamp(row.stage.share, 0.0, 1.0));
    const auto end = std::min(x + std::max(piece - 1, 0.f), at.x + width);
    if (end > x) draw.AddRectFilled({x, at.y}, {end, at.y + height}, row_colour(row));
    if (reachable && ImGui::IsMouseHoveringRect({x, at.y}, {x + piece, at.y + height})) {
      ImGui::BeginTooltip();
      text(row.title() + ": " + number(row.stage.share * 100, 1) + "% of computing");
      ImGui::EndTooltip();
    }
    x += piece;
  }
  ImGui::Dummy({width, height});
}

// "left out in 3 of 100 frames: 300 µs far above usual, probably OpenGL's drawing"
std::string lost_time(const KernelsState& state) {
  return "left out in " + grouped(state.lost_frames) + " of " + grouped(state.timed_frames) +
         (state.timed_frames == 1 ? " frame: " : " frames: ") + microseconds(state.lost_us) +
         " µs (mean) far above usual, probably OpenGL's drawing";
}

std::string cost_of_timing(const KernelsState& state) {
  const auto percent = state.timing_share * 100;
  return number(percent, percent < 9.95 ? 1 : 0) + "%";
}

// The unit, what the timing costs, and how many frames the figures are of, of which the graph speaks too: as much of it as
// there is room for. The unit says where times are simulated, so it comes first.
void note(const PanelContext& ui, float room) {
  const auto& state = ui.state.kernels;
  const WithFont small(Font::small);
  const bool simulated = ui.state.device == gpu::Device::simulated;
  const bool missing = state.untimed_frames > 0 || state.dropped_spans > 0;
  const std::string unit = simulated ? "simulated: µs per frame" : "µs per frame",
                    narrow = simulated ? "simulated µs" : "µs";
  auto frames = unit + ", " + frames_text(ui.state.graph.of);
  if (state.untimed_frames > 0) frames += ", " + grouped(state.untimed_frames) + " untimed";
  if (state.dropped_spans > 0) frames += ", " + grouped(state.dropped_spans) + " launches not timed";
  if (state.lost_frames > 0) frames += ", " + grouped(state.lost_frames) + " far above usual";
  const auto cost = cost_of_timing(state), timing = ", timing " + cost + " CPU";
  const auto all = frames + ", timing costs the CPU " + cost + " of the time";
  const std::string candidates[] = {all, frames + timing, unit + timing, narrow + timing, unit};
  const auto* shown = first_that_fits(candidates, room);
  ImGui::AlignTextToFramePadding();
  text(shown ? *shown : shortened(narrow, room), missing ? colour::warning : colour::dim);
  if (!ImGui::IsItemHovered()) return;
  auto explanation = all + "\n\n";
  if (missing)
    explanation +=
        "Frames are untimed if earlier timings could not be read before they started, and as many as needed so that in the "
        "long run timing costs the CPU at most " +
        number(TimingBudget::largest_share(gpu::Device::cuda) * 100, 1) +
        "% of the time; \"Every launch\" has no such limit.\n";
  if (state.lost_frames > 0)
    explanation +=
        lost_time(state) +
        ". OpenGL draws on the GPU that computes, and while it draws, kernels wait within their times: no timing event "
        "records this. Times far above the usual ones are therefore in no figure of their kernels; what they took too "
        "long counts as waiting.\n";
  explanation += simulated
                     ? "Microseconds of the CPU that simulates the GPU: they say nothing about a real GPU."
                     : "Microseconds. Kernels on the GPU are timed by events on its own clock; nothing waits for them.";
  explanation += "\nThe timing takes " + microseconds(state.timing_us) + " µs of the CPU per timed frame, for " +
                 number(state.timing_points, 0) + " points.";
  if (ui.state.device == gpu::Device::cuda) explanation += "\nEvents also take GPU time, which is not counted.";
  if (state.bound)
    explanation += "\nThe bound for this size, " + std::string(state.bound->name) + ", takes " +
                   microseconds(state.bound->us) + " µs: the median of " +
                   grouped(static_cast<std::uint64_t>(state.bound->runs)) +
                   " runs between two frames, as the race measures it, or its own number.";
  tooltip(explanation);
}

void timing_choice(PanelContext& ui, float width) {
  ImGui::SetNextItemWidth(width);
  setting_combo(ui, "timing");
  tooltip(
      "What is timed. Off: nothing, no events at all. Frame: its work on the device as a whole. Each kernel: every launch, "
      "but an algorithm with more than 16 as a whole, because timing a launch takes time itself. Every launch: these too");
}

// Right of the tabs. Where there is no room for all, the last controls are left out: there are keys for them.
void kernels_head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto width_of = [&](const char* title) { return ImGui::CalcTextSize(title).x + style.FramePadding.x * 2; };
  const float widths[] = {width_of("Every launch") + ImGui::GetFontSize(), width_of("Reset"), width_of("Save...")};
  ImGui::SameLine();
  const auto room = ImGui::GetContentRegionAvail().x;
  std::size_t shown = 0;
  float width = 0;
  for (; shown < std::size(widths); ++shown) {
    const auto with = width + (shown > 0 ? style.ItemInnerSpacing.x : 0) + widths[shown];
    if (with > room) break;
    width = with;
  }
  note(ui, room - width - style.ItemSpacing.x);
  if (shown == 0) return;
  same_line_at_right(width);
  timing_choice(ui, widths[0]);
  if (shown > 1) ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (shown > 1) action_button(ui, "Reset", Action::reset_statistics);
  if (shown > 2) ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (shown > 2) action_button(ui, "Save...", Action::toggle_export_menu);
}

}  // namespace

void kernels_tab(PanelContext& ui) {
  kernels_head(ui);
  shares_bar(ui.state.kernels, ui.scale);
  const WithFont small(Font::small);
  if (!ui.state.kernels.rows.empty())
    kernel_table(ui);
  else if (ui.settings.timing == TimingChoice::off)
    text("timing is off", colour::dim);
  else
    text("nothing timed yet", colour::dim);
}

}  // namespace app::ui
