// The frame graph: the time of every frame as a bar, against the target, with its figures. A click pins a frame, dragging selects
// a range, the wheel zooms, the right or middle button (or Shift and the wheel) pans.
#include "app/ui/frame_graph.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/text.h"
#include "app/ui/parameters.h"
#include "app/ui/theme.h"
#include "app/ui/tool_button.h"
#include "app/ui/widgets.h"

namespace app::ui {

std::string rate_text(double per_second) {
  return (per_second < 99.995 ? number_as_text(std::round(per_second * 100) / 100) : number(per_second, 0)) + "/s";
}

std::string milliseconds(double ms, int digits) {
  int decimals = 3;
  while (decimals > 1 && ms * std::pow(10, decimals) >= std::pow(10, digits) - 0.5) --decimals;
  return number(ms, decimals);
}

// The figures of the graph.
namespace {

using Figure = std::pair<const char*, std::string>;

// The most important first. What was not measured is left out.
std::vector<Figure> figures_of(const FrameSummary& summary) {
  std::vector<Figure> all;
  const auto add = [&](bool known, const char* name, std::string value) {
    if (known) all.emplace_back(name, std::move(value));
  };
  const auto time = [&](const char* name, double ms) { add(summary.frames > 0, name, milliseconds(ms, 3)); };
  const auto rate = [&](const char* name, double value) { add(value > 0, name, number(value, 1) + "/s"); };
  time("p50", summary.p50), time("p90", summary.p90), time("p99", summary.p99), time("worst", summary.max);
  rate("average", summary.fps), rate("1% low", summary.low_1), rate("0.1% low", summary.low_01);
  return all;
}

struct Bars {
  const char *title, *help;
};
const Bars& bars_of(GraphShows shows) {
  static constexpr Bars work{"Work", "Milliseconds of the main thread's work per frame, without waiting."};
  static constexpr Bars frames{"Frames", "Milliseconds from one frame to the next."};
  static constexpr Bars kernels{"Kernels",
                                "Milliseconds that the device computes per frame, without transfers and waiting."};
  return shows == GraphShows::work ? work : shows == GraphShows::interval ? frames : kernels;
}

std::string help_of_figures(const PanelContext& ui) {
  const auto& summary = ui.state.graph.summary;
  std::string all;
  for (const auto& [name, value] : figures_of(summary)) all += (all.empty() ? "" : ", ") + std::string(name) + ' ' + value;
  all += (all.empty() ? "" : "\n") + std::string(bars_of(ui.settings.graph_shows).help) + ' ' +
         (summary.frames > 0 ? "" : "No frame was timed. ") + number(summary.late * 100, 1) +
         "% of the intervals are late: more than a third above the target, " + target_origin(ui.settings, ui.state.capture) +
         ". ";
  if (ui.settings.graph_shows != GraphShows::stages)
    all += "Colours are of the interval, whatever the bars show: green is on time, red takes more than twice the target. ";
  return all +
         "A percentile is a value that was measured: the smallest that so many percent of the frames do not exceed. The "
         "average: new pictures per second, the number of intervals divided by the sum of their lengths. The 1% low is that "
         "of the slowest hundredth of the intervals (their number rounded up), the 0.1% low that of the slowest thousandth.";
}

// What the graph shows.
void graph_menu(PanelContext& ui) {
  auto& settings = ui.settings;
  const MenuStyle style;
  menu_item(ui, "toggle graph_paused", {settings.graph_paused ? "Resume" : "Pause"});
  menu_item(ui, Action::reset_statistics, {"Reset all figures"});
  ImGui::Separator();
  if (ImGui::BeginMenu("Bars")) {
    setting_entries(ui, "graph_shows");
    ImGui::EndMenu();
  }
  menu_item(ui, "toggle graph_histogram",
            {"Histogram", {}, "How often each time occurs, beside the bars", settings.graph_histogram});
  if (ImGui::MenuItem("Newest frames", nullptr, settings.graph_end == 0)) settings.graph_end = 0;
  if (ImGui::MenuItem(window_words("graph_frames").data(), nullptr, settings.graph_frames == 0)) settings.graph_frames = 0;
}

// What the bars are, as many figures as have room, and the menu.
void graph_head(PanelContext& ui) {
  const ToolButton options{"graph options", Icon::none, "\u00b7\u00b7\u00b7", "What the graph shows"};
  const auto spacing = ImGui::GetStyle().ItemSpacing.x, gap = em() * 0.3f;
  PriorityRow room(ImGui::GetContentRegionAvail().x - width_of(options) - spacing);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  heading(bars_of(ui.settings.graph_shows).title);
  room.has_room_for(last_item().width);
  const auto add = [&](const char* name, const std::string& value) {
    if (!room.has_room_for(spacing + text_width(name) + (value.empty() ? 0 : gap + text_width(value)))) return;
    ImGui::SameLine();
    text(name, colour::dim);
    if (value.empty()) return;
    ImGui::SameLine(0, gap);
    text(value);
  };
  add(ui.state.graph.summary.frames > 0 ? "ms" : "nothing timed", {});
  for (const auto& [name, value] : figures_of(ui.state.graph.summary)) add(name, value);
  ImGui::EndGroup();
  tooltip(help_of_figures(ui));
  same_line_at_right(width_of(options));
  if (tool_button(options)) ImGui::OpenPopup("graph options");
  if (!ImGui::BeginPopup("graph options")) return;
  graph_menu(ui);
  ImGui::EndPopup();
}

// How many of the frames have times of their kernels, unless all have.
std::string untimed_words(const PanelContext& ui) {
  const auto shows = ui.settings.graph_shows;
  const auto timed = ui.state.graph.summary.frames, all = ui.state.graph.summary_of.count;
  if ((shows != GraphShows::kernels && shows != GraphShows::stages) || timed >= all) return {};
  return ", " + (timed > 0 ? grouped(timed) : "none") + " timed";
}

// Below the bars: which frames the figures are of, where it is not all; else what the mouse does.
void graph_foot(PanelContext& ui) {
  const auto& of = ui.state.graph.summary_of;
  const bool paused = ui.settings.graph_paused, ranged = ui.settings.graph_range.has_value();
  const auto untimed = untimed_words(ui);
  ImGui::AlignTextToFramePadding();
  if (!paused && !ranged && untimed.empty())
    return wrapped("Click a frame: where its time went. Drag: figures of a range.", colour::dim);
  if (ranged) {
    if (ImGui::Button("All")) ui.act(Action::clear_frames);
    tooltip(std::string(description(Action::clear_frames)) + "   Esc");
    ImGui::SameLine();
  }
  const auto words = (of.selected ? "" : "of ") + frames_text(of) + untimed + (paused ? ", paused" : "");
  wrapped(words, of.selected || paused ? colour::accent : colour::dim);
  tooltip(words + '\n' +
          (of.selected
               ? "All statistics, in the table of kernels and in saved files too, are of these frames. Esc, a click "
                 "outside of them, or the button: of all frames again"
               : "Since the work last changed: the source, the size, the selection or one of its parameters. Drag in "
                 "the graph: of a range of frames. A range that is dragged across a mark where the work changed ends "
                 "there"));
}

// The plot.

// Of the columns that are seen: earlier work may have been much slower. Where nothing was timed, around the target.
double top_of(const GraphPlot& plot) {
  std::vector<float> highest;
  for (auto number = plot.begin(); number < plot.end(); ++number)
    if (const auto* column = plot.column(number); column->timed) highest.push_back(column->highest / 1000);
  if (highest.empty()) highest.push_back(static_cast<float>(plot.target));
  const auto slow = highest.begin() + static_cast<std::ptrdiff_t>((highest.size() - 1) * 97 / 100);
  std::ranges::nth_element(highest, slow);
  return top_of_times(*slow, *std::max_element(slow, highest.end()), plot.target);
}

// A still or paused picture that is computed again has no intervals.
void say_why_empty(const GraphPlot& plot) {
  if (plot.ui.settings.graph_shows != GraphShows::interval || plot.begin() == plot.end()) return;
  for (auto number = plot.begin(); number < plot.end(); ++number)
    if (plot.column(number)->timed) return;
  const std::string why[] = {"no intervals", "nothing plays"};
  const auto words = line_of(why, ": ", plot.to.x - plot.from.x);
  const auto size = ImGui::CalcTextSize(words.c_str());
  const ImVec2 at(std::round((plot.from.x + plot.to.x - size.x) / 2), std::round((plot.from.y + plot.to.y - size.y) / 2));
  plot.draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, colour::background);  // in a small graph a rate would be below
  plot.draw.AddText(at, colour::dim, words.c_str());
}

// The mouse.

constexpr float click_pixels = 4;  // less movement is a click

// The column at `x`, or the nearest one that has frames; nullopt: there is none at all. Left of the frames there may be room.
std::optional<std::uint64_t> nearest(const GraphPlot& plot, float x) {
  const auto& columns = plot.draft.columns;
  if (plot.view.columns() == 0 || columns.begin() == columns.end()) return {};
  return std::clamp(plot.view.column_at(x).value_or(0), columns.begin(), columns.end() - 1);
}

bool is_dragged(const GraphPlot& plot) {
  const auto moved = std::max(ImGui::GetIO().MouseDragMaxDistanceAbs[0].x,  // but for the frame of the release
                              std::abs(ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x));
  return plot.draft.drag_from && moved > click_pixels * plot.ui.scale;
}

// Outside of a selection a click ends it; else it pins the frame, or unpins it.
void click(GraphPlot& plot, std::uint64_t column) {
  const auto* frame = plot.slowest_of(column);
  if (!frame) return;
  auto& settings = plot.ui.settings;
  const auto& range = settings.graph_range;
  if (range && (frame->id < range->first || frame->id > range->last)) return settings.graph_range.reset();
  const auto id = static_cast<int>(frame->id);
  settings.graph_pinned = settings.graph_pinned == id ? 0 : id;
}

// A drag that begins or ends beside the frames begins or ends with the nearest one.
void press_and_drag(GraphPlot& plot) {
  auto& draft = plot.draft;
  const auto x = ImGui::GetMousePos().x;
  const auto at = nearest(plot, x), under = plot.view.column_at(x);
  const bool empty = !under || !plot.column(*under);
  if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    draft.drag_from = at;
    draft.from_empty = empty;
  }
  if (!draft.drag_from || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const bool dragged = is_dragged(plot);
  const auto from = *std::exchange(draft.drag_from, {});
  if (!at) return;
  if (!dragged && !draft.from_empty) return click(plot, from);
  if (dragged && !(draft.from_empty && empty))
    plot.ui.settings.graph_range = draft.from_empty ? range_between(plot.history, plot.view, *at, from)
                                                    : range_between(plot.history, plot.view, from, *at);
  else if (dragged || plot.ui.settings.graph_range)
    plot.ui.settings.graph_range.reset();
  else
    plot.ui.settings.graph_pinned = 0;
}

void pan(GraphPlot& plot, float pixels) {
  auto& rest = plot.draft.panned;
  rest += pixels;
  const auto columns = std::trunc(rest / plot.view.pitch);
  if (columns == 0) return;
  rest -= columns * plot.view.pitch;
  const auto last = static_cast<std::int64_t>((plot.view.last + 1) * plot.view.per_column) -
                    static_cast<std::int64_t>(columns) * static_cast<std::int64_t>(plot.view.per_column);
  const auto least = static_cast<std::int64_t>(plot.history.removed() + plot.view.frames());
  plot.ui.settings.graph_end = end_at(plot.history, std::max(last, least));
}

// The newest frame stays at the right edge; else the frame under the mouse stays where it is.
void zoom(GraphPlot& plot, float steps) {
  const auto frames = zoomed_frames(plot.view, steps);
  const auto share = (plot.view.right - ImGui::GetMousePos().x) / std::max(plot.view.right - plot.view.left, 1.f);
  int end = 0;
  if (plot.ui.settings.graph_end > 0 && plot.hovered) {
    const auto anchor = static_cast<double>(*plot.hovered * plot.view.per_column);
    end = end_at(plot.history, static_cast<std::int64_t>(anchor + static_cast<double>(share) * frames));
  }
  plot.ui.settings.graph_frames = frames;
  plot.ui.settings.graph_end = end;
}

void follow_mouse_in(GraphPlot& plot) {
  const auto& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (over) plot.hovered = plot.view.column_at(ImGui::GetMousePos().x);
  if (plot.hovered && !plot.column(*plot.hovered)) plot.hovered.reset();
  press_and_drag(plot);
  for (const auto button : {ImGuiMouseButton_Right, ImGuiMouseButton_Middle})
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(button)) pan(plot, io.MouseDelta.x);
  if (!over) return;
  if (io.MouseWheelH != 0) pan(plot, io.MouseWheelH * 3 * em());
  if (io.MouseWheel != 0) io.KeyShift ? pan(plot, io.MouseWheel * 3 * em()) : zoom(plot, io.MouseWheel);
}

// Under the mouse bars stand still, so that one can be hit. Not where the end is chosen: there they do anyhow.
void hold(GraphDraft& draft, const FrameHistory& history, bool chosen, GraphView& view) {
  const bool over = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) || ImGui::IsItemActive();
  draft.held = !over || chosen                  ? 0
               : draft.held > history.removed() ? std::min(draft.held, history.added())
                                                : history.added();
  if (draft.held > 0) view.last = view.column_of(draft.held);
}

// What is not selected is shaded.
void draw_selection(const GraphPlot& plot) {
  std::uint64_t first = 0, last = 0;  // columns
  if (is_dragged(plot)) {
    first = *plot.draft.drag_from;
    last = nearest(plot, ImGui::GetMousePos().x).value_or(first);
    if (last < first) std::swap(first, last);
  } else if (const auto& range = plot.ui.settings.graph_range) {
    const auto indices = plot.history.find(*range);
    if (indices.count() == 0) return;
    first = plot.view.column_of(plot.history.removed() + indices.first + 1);
    last = plot.view.column_of(plot.history.removed() + indices.end);
  } else {
    return;
  }
  const auto left = std::clamp(plot.view.x(first), plot.from.x, plot.to.x);
  const auto right = std::clamp(plot.view.x(last) + plot.view.pitch, plot.from.x, plot.to.x);
  const auto shade = colour::translucent(colour::background, 150);
  plot.draw.AddRectFilled(plot.from, {left, plot.to.y}, shade);
  plot.draw.AddRectFilled({right, plot.from.y}, plot.to, shade);
  for (const auto x : {left, right - 1}) plot.draw.AddRectFilled({x, plot.from.y}, {x + 1, plot.to.y}, colour::text);
}

// The cards of the frames under the mouse and pinned: beside the dock, over the picture, so that they hide no bar.

void frame_lines(const GraphPlot& plot, std::uint64_t frame_number) {
  const auto& frame = *frame_numbered(plot.history, frame_number);
  text("frame " + grouped(frame.id) + (frame.again ? ", the previous one computed again" : ""));
  text("work " + number(frame.work_us / 1000, 2) + " ms");
  text(frame.interval_us > 0 ? "interval " + number(frame.interval_us / 1000, 2) + " ms" : "the first after idling");
  if (frame.timed)
    text("kernels " + number(frame.device.computing / 1000, 3) + " ms, transfers " +
         number(frame.device.transferring / 1000, 3) + " ms, waiting " + number(frame.device.waiting / 1000, 3) + " ms");
  else if (frame.complete)
    text("without times of its kernels", colour::dim);
  std::vector<StageTime> stages;
  plot.history.times(frame, stages);
  for (const auto& stage : stages)
    if (stage.depth == 0)
      text("  " + title_of_path(*stage.path) + "  " + microseconds(stage.microseconds) + " µs" +
               (stage.lost > 0 ? ", an outlier by " + microseconds(stage.lost) + " µs, probably OpenGL's drawing" : ""),
           colour::dim);
  if (frame.dropped_before > 0) text(counted(frame.dropped_before, "frame") + " dropped before it", colour::warning);
  if (const auto change = change_at(plot.history, frame_number); !change.empty()) text(change, colour::accent);
}

void column_lines(const GraphPlot& plot, std::uint64_t column) {
  const auto& shown = *plot.column(column);
  if (plot.view.per_column > 1) {
    const auto [first, last] = frames_of(plot.history, plot.view, column);
    text(counted(last - first + 1, "frame") + ", " +
             (shown.timed ? "median " + number(shown.median / 1000, 2) + " ms; the slowest:" : "none timed; the first:"),
         colour::dim);
    for (auto frame = first; frame <= last; ++frame)
      if (frame != shown.slowest)
        if (const auto change = change_at(plot.history, frame); !change.empty()) text(change, colour::accent);
  }
  frame_lines(plot, shown.slowest);
}

// A card lies over the panels, and below all that opens over them: menus, lists, dialogs.
void lay_on_panels(ImGuiWindow* card) {
  for (auto* window : ImGui::GetCurrentContext()->Windows)
    if (window != card && window == window->RootWindow && !(window->Flags & ImGuiWindowFlags_NoBringToFrontOnFocus))
      return ImGui::BringWindowToDisplayBehind(card, window);
}

// Draws a card with its lower right corner at `corner`, which goes to its upper edge.
template <class Lines>
void card(const GraphPlot& plot, const char* name, ImVec2& corner, Lines lines) {
  ImGui::SetNextWindowPos(corner, 0, {1, 1});
  const OverlayWindow window(name, plot.ui.scale,
                             ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav |
                                 ImGuiWindowFlags_NoFocusOnAppearing);
  lay_on_panels(ImGui::GetCurrentWindow());
  if (ImGui::IsWindowAppearing()) ImGui::GetCurrentWindow()->Hidden = true;  // its size is that of another frame's lines
  if (!window.visible()) return;
  lines();
  corner.y = ImGui::GetWindowPos().y - 4 * plot.ui.scale;
}

// Who points at the picture looks at that: it has no card on it then.
bool over_picture(const PanelContext& ui) {
  const auto& io = ImGui::GetIO();
  const auto place = layout(ui.settings, static_cast<int>(io.DisplaySize.x), static_cast<int>(io.DisplaySize.y)).picture;
  const ImVec2 from(place.x, place.y), to(place.x + place.width, place.y + place.height);
  const auto in_dock = ImGuiHoveredFlags_RootAndChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  return ImGui::IsMouseHoveringRect(from, to, false) && !ImGui::IsWindowHovered(in_dock);  // which may lie over it
}

// Left of the dock, or above it where it has the window's whole width.
void draw_cards(const GraphPlot& plot) {
  const auto gap = 4 * plot.ui.scale;
  const auto dock = ImGui::GetCurrentWindow()->RootWindow->Pos;
  auto corner = dock.x > 0 ? ImVec2(dock.x - gap, plot.to.y) : ImVec2(plot.to.x, dock.y - gap);
  const auto pinned_id = static_cast<std::uint64_t>(plot.ui.settings.graph_pinned);
  const auto pinned = pinned_id > 0 ? frame_number_of(plot.history, pinned_id).value_or(0) : 0;
  const auto* frame = frame_numbered(plot.history, pinned);
  if (frame && frame->id != pinned_id) frame = nullptr;
  if (frame) {
    const auto x = plot.view.x(plot.view.column_of(pinned)) + std::floor(plot.view.pitch / 2);
    if (x >= plot.from.x && x <= plot.to.x)
      plot.draw.AddRectFilled({x, plot.from.y}, {x + std::max(1.f, plot.ui.scale), plot.to.y}, colour::text);
    if (!over_picture(plot.ui)) card(plot, "pinned frame", corner, [&] { frame_lines(plot, pinned); });
  }
  if (!plot.hovered || is_dragged(plot) || plot.slowest_of(*plot.hovered) == frame) return;  // it has its card
  card(plot, "hovered frame", corner, [&] { column_lines(plot, *plot.hovered); });
}

void draw_plot(PanelContext& ui, float height) {
  const auto& graph = ui.state.graph;
  auto& draft = ui.drafts.graph;
  const auto at = ImGui::GetCursorScreenPos();
  const ImVec2 room(ImGui::GetContentRegionAvail().x, height);
  if (!graph.history || room.x < em() * 6) return;
  const bool histogram = ui.settings.graph_histogram && room.x > em() * 16;
  const ImVec2 from(std::round(at.x + em() * 2.9f), std::round(at.y + em() * 0.4f));
  const ImVec2 to(std::round(at.x + room.x - (histogram ? em() * 3.5f : 0)), std::round(at.y + room.y - em() * 1.2f));
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton(
      "plot", {to.x - from.x, to.y - from.y},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  take_wheel();
  auto view = graph_view(*graph.history, ui.settings, from.x, to.x, ui.scale);
  hold(draft, *graph.history, ui.settings.graph_end > 0, view);
  auto& draw = *ImGui::GetWindowDrawList();
  GraphPlot plot{ui, *graph.history, draft, draw, from, to, view, 1, graph.target_ms, {}};
  draft.columns.update(*graph.history, ui.settings.graph_shows, view.per_column);
  follow_mouse_in(plot);
  plot.top = top_of(plot);
  draw.AddRectFilled(from, to, colour::background, 2);
  draw.PushClipRect(from, to, true);
  draw_bars(plot);
  draw_marks(plot);
  draw_selection(plot);
  draw.PopClipRect();
  draw_times(plot);
  draw_seconds(plot);
  say_why_empty(plot);
  if (histogram) draw_histogram(plot, at.x + room.x);
  draw_cards(plot);
  ImGui::SetCursorScreenPos({at.x, at.y + room.y});
}

}  // namespace

float GraphPlot::y(double ms) const { return to.y - (to.y - from.y) * static_cast<float>(std::clamp(ms / top, 0.0, 1.0)); }

std::uint64_t GraphPlot::begin() const { return std::max(view.first(), draft.columns.begin()); }
std::uint64_t GraphPlot::end() const { return std::max(begin(), std::min(view.last + 1, draft.columns.end())); }

const GraphColumn* GraphPlot::column(std::uint64_t number) const {
  return number >= draft.columns.begin() && number < draft.columns.end() ? &draft.columns[number] : nullptr;
}

const HistoryFrame* GraphPlot::slowest_of(std::uint64_t number) const {
  const auto* seen = column(number);
  return seen ? frame_numbered(history, seen->slowest) : nullptr;
}

void frame_graph(PanelContext& ui) {
  graph_head(ui);
  const auto foot = ImGui::GetFrameHeightWithSpacing();
  draw_plot(ui, std::clamp(ImGui::GetContentRegionAvail().y - foot, 10 * em(), 20 * em()));
  graph_foot(ui);
}

}  // namespace app::ui
