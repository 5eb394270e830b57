// The tab of the frame: which kernel is the slowest, what all of them take, as a table or one frame to scale; and the graph of
// the latest frames.
#include <imgui_internal.h>

#include "app/control/names.h"
#include "app/ui/figure_table.h"
#include "app/ui/frame_graph.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"

namespace app::ui {

// The table of kernels.
namespace {

std::string times(const StageRow& stage) {
  return "mean " + microseconds(stage.mean) + " µs, p50 " + microseconds(stage.p50) + ", p90 " + microseconds(stage.p90) +
         ", p99 " + microseconds(stage.p99) + ", p99.9 " + microseconds(stage.p999) + ", max " + microseconds(stage.max) +
         ", last " + microseconds(stage.last) + "; of " + counted(stage.frames, "frame");
}

std::string launches_of(const StageRow& stage) {
  return number(stage.launches, stage.launches == std::floor(stage.launches) ? 0 : 1);
}

// The tooltip of a row: what it is, and every figure, also those without a column.
std::string explained(const KernelRow& row) {
  const auto& stage = row.stage;
  auto all = title_of_path(stage.name);
  if (const auto what = explanation(stage.name); !what.empty()) all += "\n" + std::string(what);
  all += "\n\n" + times(stage) + "\n" + launches_of(stage) + (stage.launches == 1 ? " launch" : " launches") + " per frame";
  if (stage.lost_frames > 0)
    all += "\nleft out: " + counted(stage.lost_frames, "outlier") + ", " + microseconds(stage.lost_us) +
           " µs above the usual time (mean), probably OpenGL's drawing";
  if (row.computes()) all += "\n" + number(stage.share * 100, 1) + "% of computing";
  if (stage.kind == gpu::SpanKind::transfer) all += "\nmoves data: no part of computing";
  if (stage.kind == gpu::SpanKind::wait) all += "\nwaits: no part of computing";
  if (row.gb_per_s) all += "\n" + number(*row.gb_per_s, 0) + " GB/s";
  if (row.of_bound) all += (row.gb_per_s ? ", " : "\n") + number(*row.of_bound * 100, 1) + "% of the bound";
  return all;
}

// The latest frames as a line, the latest at the right.
void sparkline(std::span<const float> values, ImU32 colour) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(em() * 0.85f);
  ImGui::Dummy({width, em()});
  const auto latest = values.last(std::min(values.size(), std::size_t{StageStatistics::recent_frames}));
  if (latest.size() < 2) return;
  const auto largest = std::max(*std::ranges::max_element(latest), 1e-6f);
  const auto step = width / static_cast<float>(StageStatistics::recent_frames - 1);
  auto& draw = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < latest.size(); ++i)
    draw.PathLineTo({at.x + width - step * static_cast<float>(latest.size() - 1 - i),
                     at.y + em() - std::round(em() * 0.05f) - height * latest[i] / largest});
  draw.PathStroke(colour, 0, 1);
}

// A bar that ends before the number.
void share_bar(double share, ImU32 colour) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto end = at.x + ImGui::GetContentRegionAvail().x - std::round(em() * 2.6f);
  const auto length = (end - at.x) * static_cast<float>(std::clamp(share, 0.0, 1.0));
  if (end > at.x)
    ImGui::GetWindowDrawList()->AddRectFilled({end - std::max(length, 1.f), at.y + std::round(em() * 0.25f)},
                                              {end, at.y + std::round(em() * 0.75f)}, colour);
}

// A group is a node of the tree, which is open where it counts, as its first frames say: not the very first, in which all is
// slow. True where what is below it is shown.
bool name_of_row(const KernelRow& row) {
  const auto step = std::round(em() * 1.2f), indent = step * static_cast<float>(row.stage.depth);
  if (indent > 0) ImGui::Indent(indent);
  constexpr double counts = 0.1;  // of computing
  constexpr std::size_t settled = 10;
  if (!row.stage.leaf && row.stage.frames >= settled) ImGui::SetNextItemOpen(row.stage.share >= counts, ImGuiCond_Once);
  const auto words = shortened(row.title(), ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing());
  const bool open = ImGui::TreeNodeEx("row",
                                      ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth |
                                          ImGuiTreeNodeFlags_DefaultOpen | (row.stage.leaf ? ImGuiTreeNodeFlags_Leaf : 0),
                                      "%s", words.c_str());
  if (indent > 0) ImGui::Unindent(indent);
  return open;
}

// True where the rows below it are shown.
bool row_of_table(const PanelContext& ui, const KernelRow& row, std::span<const FigureColumn> columns) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const WithText dimmed(row.computes() ? colour::text : colour::dim);
  ImGui::PushID(row.stage.name.c_str());
  const bool open = name_of_row(row);
  ImGui::PopID();
  const auto fill = ui.settings.graph_shows == GraphShows::stages ? row_colour(row) : ImU32(colour::accent);
  for (const auto& column : columns.subspan(1)) {
    if (!ImGui::TableNextColumn()) continue;
    const auto shows = static_cast<KernelFigure>(column.id);
    if (shows == KernelFigure::latest) sparkline(row.stage.recent, fill);
    if (shows == KernelFigure::share && row.computes()) share_bar(row.stage.share, fill);
    if (shows == KernelFigure::launches)
      right_aligned(launches_of(row.stage));
    else
      figure(column, figure_of(row, shows));
  }
  if (row_hovered()) show_tooltip(explained(row));
  return open;
}

constexpr auto help_of_rate =
    "Bytes read and written in memory over the mean time. On a GPU counted exactly, for the algorithm, luma and the "
    "effect's kernels. For CPU algorithms and libraries: the bytes of picture and table, once each. Detection by a "
    "cascade has none: how much memory its kernels read depends on what the frame shows";
constexpr auto help_of_bound =
    "The time of the bound over the algorithm's mean time: 100% is as fast. Of the algorithm's own row. The bound is "
    "convert_copy on a GPU (reads every pixel, writes every entry, sums nothing), memset of the table on the CPU: "
    "the median of some runs, timed as in the race; once a race has run, it is the race's own number";

std::vector<FigureColumn> kernel_columns() {
  constexpr auto hidden = ImGuiTableColumnFlags_DefaultHide;
  const auto column = [](KernelFigure shows, const char* title, const char* help, const char* widest,
                         ImGuiTableColumnFlags flags = 0, int decimals = -1, const char* unit = "") {
    const bool stays = shows == KernelFigure::mean || shows == KernelFigure::share;
    flags |= ImGuiTableColumnFlags_PreferSortDescending;
    return FigureColumn{title, help, 0, flags, {}, decimals, unit, static_cast<ImGuiID>(shows), stays, false, widest};
  };
  const auto time = [&](KernelFigure shows, const char* title, const char* help, ImGuiTableColumnFlags flags = 0) {
    return column(shows, title, help, "123\u2009456", flags);
  };
  FigureColumn names{
      "Kernel",
      "Click a title to sort by it, again to reverse, a third time for the order in which they run. The right "
      "button chooses the columns",
      0, ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoHide};
  names.id = static_cast<ImGuiID>(KernelFigure::name);
  names.stays = true;
  names.widest = "name of a kernel";
  return {names,
          column(KernelFigure::launches, "Launches", "per frame", "24.5", hidden),
          time(KernelFigure::last, "Last", "µs in the latest frame", hidden),
          time(KernelFigure::mean, "Mean", "µs per frame"),
          time(KernelFigure::p50, "p50", "µs, median: half of the frames cost less"),
          time(KernelFigure::p90, "p90", "µs: nine of ten frames cost less", hidden),
          time(KernelFigure::p99, "p99", "µs: 99 of 100 frames cost less"),
          time(KernelFigure::p999, "p99.9", "µs: 999 of 1000 frames cost less", hidden),
          time(KernelFigure::max, "Max", "µs in the slowest frame", hidden),
          column(KernelFigure::latest, "Latest", "The latest frames, from 0 up to the largest of them", "the latest frames",
                 hidden | ImGuiTableColumnFlags_NoSort),
          column(KernelFigure::share, "Share", "of computing, without transfers and waiting", "======= 100%",
                 ImGuiTableColumnFlags_DefaultSort, 0, "%"),
          column(KernelFigure::rate, "GB/s", help_of_rate, "1234", hidden, 0),
          column(KernelFigure::bound, "Bound", help_of_bound, "100%", 0, 0, "%")};
}

// As ImGui's table is sorted: where it is not, as they run.
std::vector<const KernelRow*> sorted_kernels(std::span<const KernelRow> rows) {
  const auto* specs = ImGui::TableGetSortSpecs();
  if (!specs || specs->SpecsCount == 0) return ordered(rows, KernelFigure::run, false);
  return ordered(rows, static_cast<KernelFigure>(specs->Specs->ColumnUserID),
                 specs->Specs->SortDirection == ImGuiSortDirection_Descending);
}

void kernel_table(PanelContext& ui) {
  static const auto columns = kernel_columns();
  if (!begin_figures("kernels", columns, ImGuiTableFlags_SortTristate)) return;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {std::round(em() * 0.1f), 0});
  int closed = -1;  // the depth of a row below which none is shown
  for (const auto* row : sorted_kernels(ui.state.kernels.rows)) {
    if (closed >= 0 && row->stage.depth > closed) continue;
    closed = row_of_table(ui, *row, columns) ? -1 : row->stage.depth;
  }
  ImGui::PopStyleVar();
  ImGui::EndTable();
}

// What the figures are of, and what is to be known of them.

// "outliers in 3 of 100 frames are left out: 300 µs above the usual time (mean), probably OpenGL's drawing"
std::string lost_time(const KernelsState& state) {
  return "outliers in " + grouped(state.lost_frames) + " of " + counted(state.timed_frames, "frame") +
         " are left out: " + microseconds(state.lost_us) + " µs above the usual time (mean), probably OpenGL's drawing";
}

// What is missing of the figures, one line; empty: nothing.
std::string what_is_missing(const KernelsState& state) {
  std::string all;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) all += (all.empty() ? "" : ", ") + grouped(count) + what;
  };
  add(state.untimed_frames, " frames untimed");
  add(state.dropped_spans, " launches not timed");
  add(state.lost_frames, state.lost_frames == 1 ? " outlier" : " outliers");
  return all;
}

std::string how_it_is_timed(const PanelContext& ui) {
  const auto& state = ui.state.kernels;
  std::string all;
  if (state.untimed_frames > 0 || state.dropped_spans > 0)
    all +=
        "Frames are untimed if earlier timings could not be read before they started, and as many as needed so that in the "
        "long run timing costs the CPU at most " +
        number(TimingBudget::largest_share(gpu::Device::cuda) * 100, 1) +
        "% of the time; \"Every launch\" has no such limit.\n";
  if (state.lost_frames > 0)
    all += lost_time(state) +
           ". OpenGL draws on the GPU that computes, and while it draws, kernels wait within their times: no timing event "
           "records this. An outlier is therefore in no figure of its kernel; what it took too long counts as waiting.\n";
  all += ui.state.device == gpu::Device::simulated
             ? "Microseconds of the CPU that simulates the GPU: they say nothing about a real GPU."
             : "Microseconds. Kernels on the GPU are timed by events on its own clock; nothing waits for them.";
  const auto percent = state.timing_share * 100;
  all += "\nThe timing takes " + microseconds(state.timing_us) + " µs of the CPU per timed frame, for " +
         number(state.timing_points, 0) + " points: " + number(percent, percent < 9.95 ? 1 : 0) + "% of its time.";
  if (ui.state.device == gpu::Device::cuda) all += "\nEvents also take GPU time, which is not counted.";
  if (state.bound)
    all += "\nThe bound for this size, " + std::string(state.bound->name) + ", takes " + microseconds(state.bound->us) +
           " µs: the median of " + grouped(static_cast<std::uint64_t>(state.bound->runs)) +
           " runs between two frames, as the race measures it, or its own number.";
  return all;
}

std::string answer(const PanelContext& ui) {
  if (ui.settings.timing == TimingChoice::off) return "Nothing is timed: timing is off";
  const auto* slowest = slowest_kernel(ui.state.kernels.rows);
  if (!slowest) return "Nothing was timed yet";
  return "The slowest kernel is " + slowest->title() + ": " + number(slowest->stage.share * 100, 0) + "%";
}

void answers(const PanelContext& ui) {
  const auto& kernels = ui.state.kernels;
  const auto& graph = ui.state.graph;
  const auto late = why_late(graph.summary, kernels.computing / 1000, graph.target_ms, ui.state.gl.software);
  sentence(late.empty() ? answer(ui) : late);
  if (kernels.computing <= 0) return;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().FramePadding.y);
  const bool simulated = ui.state.device == gpu::Device::simulated, still = capture::is_still(ui.state.capture.kind);
  const auto time = milliseconds(kernels.computing / 1000, 2);
  const auto words = (late.empty() ? "" : answer(ui) + ". ") +
                     (simulated ? "Simulated: computing takes " : "Computing takes ") + time +
                     (still ? " ms." : " of a frame's " + number(graph.target_ms, 1) + " ms.");
  const auto missing = what_is_missing(kernels);
  wrapped(missing.empty() ? words : words + " " + missing + ".",
          kernels.untimed_frames > 0 || kernels.dropped_spans > 0 ? colour::warning : colour::dim);
  tooltip("all kernels\nThe device computing, " + frames_text(ui.state.graph.of) + ".\n\n" + times(kernels.total) +
          "\nBesides, per frame: transfers " + microseconds(kernels.transfers) + " µs, waiting " +
          microseconds(kernels.waiting) + " µs: for OpenGL, or on the CPU until the window takes the picture (means)\n\n" +
          how_it_is_timed(ui));
}

// Which view, and what is timed.
void choices(PanelContext& ui) {
  const auto view = [&](FrameView which, const char* value, const char* words, const char* help) {
    if (tool_button({value, Icon::none, words, help, {}, ui.settings.frame_view == which})) ui.settings.frame_view = which;
    ImGui::SameLine();
  };
  view(FrameView::table, "table", "Table", "The kernels, sorted by any figure");
  view(FrameView::one_frame, "one_frame", "One frame", "The latest frame, or the one chosen below, to scale");
  const auto width = std::round(em() * 7.4f), unit = text_width("µs") + ImGui::GetStyle().ItemSpacing.x;
  if (ImGui::GetContentRegionAvail().x < width + unit)
    ImGui::NewLine();
  else
    same_line_at_right(width + unit);
  ImGui::AlignTextToFramePadding();
  text("µs", colour::dim);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width);
  setting_combo(ui, "timing");
  tooltip(
      "What is timed. Off: nothing, no events at all. Frame: its work on the device as a whole. Each kernel: every launch, "
      "but an algorithm with more than 16 as a whole, because timing a launch takes time itself. Every launch: these too");
}

}  // namespace

void frame_tab(PanelContext& ui) {
  answers(ui);
  ImGui::Spacing();
  choices(ui);
  ImGui::Spacing();
  if (ui.settings.frame_view == FrameView::one_frame)
    frame_timeline(ui);
  else if (!ui.state.kernels.rows.empty())
    kernel_table(ui);
  ImGui::Dummy({0, ImGui::GetStyle().ItemSpacing.y});
  frame_graph(ui);
}

}  // namespace app::ui
