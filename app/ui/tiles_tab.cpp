// The tab of the tiles: when each was computed; play and scrub, the chart of multiprocessors, what the colours mean.
#include <imgui_internal.h>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"
#include "app/ui/trace_colours.h"

namespace app::ui {
namespace {

// The chart of a tile trace: time to the right, a line per multiprocessor, a bar per tile.

struct Axes {
  const TileHistory& history;
  ImRect place;  // of the bars

  double end() const { return static_cast<double>(history.end); }
  float x(double nanoseconds) const { return place.Min.x + static_cast<float>(nanoseconds / end()) * place.GetWidth(); }
  float height() const {
    return place.GetHeight() / static_cast<float>(std::max<std::size_t>(history.multiprocessors.size(), 1));
  }
  ImRect bar(const gpu::TileRecord& record) const {
    const auto left = x(static_cast<double>(record.started)), right = x(static_cast<double>(record.finished));
    const auto top = place.Min.y + height() * static_cast<float>(history.place_of(record.multiprocessor));
    return {left, top, std::max(right, left + 1), top + height()};
  }
};

void time_axis(ImDrawList& draw, const Axes& axes) {
  const auto& place = axes.place;
  const auto all = marks({0, axes.end() / 1000, 1, 0}, std::max(2, static_cast<int>(place.GetWidth() / (em() * 7))));
  for (const auto time : all.times) {
    const auto x = std::round(axes.x(time * 1000));
    draw.AddLine({x, place.Min.y}, {x, place.Max.y}, colour::line);
    const auto label = number(time, all.decimals) + (time == all.times.back() ? " µs" : "");
    draw.AddText({std::min(x, place.Max.x - text_width(label)), place.Max.y + 1}, colour::dim, label.c_str());
  }
}

// How opaque, of 255: the bar of a tile that has not begun yet, and what darkens a bar while its tile waits for its carries.
constexpr unsigned not_begun = 96, waits = 110;

void bars(ImDrawList& draw, const Axes& axes, TraceColour meaning, double now) {
  const auto gap = axes.height() >= 4 ? 1.0f : 0.0f;
  for (const auto& record : axes.history.records) {
    if (record.launch == 0) continue;
    auto bar = axes.bar(record);
    bar.Max.y -= gap;
    const TileMoment tile{&record, state_at(record, now), true};
    const auto colour = colour_of(meaning, axes.history, tile);
    draw.AddRectFilled(bar.Min, bar.Max, tile.state == TileState::waiting ? colour::translucent(colour, not_begun) : colour);
    const auto carried = axes.x(static_cast<double>(record.carried));
    if (carried - bar.Min.x >= 2) draw.AddRectFilled(bar.Min, {carried, bar.Max.y}, IM_COL32(0, 0, 0, waits));
  }
}

// The chart, as high as so many pixels with its axis. A click moves the moment that is shown.
void trace_chart(PanelContext& ui, const TileHistory& history, float height) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x;
  if (width < 8 || history.end == 0) return;
  const Axes axes{history, {at, {at.x + width, at.y + height - ImGui::GetTextLineHeight() - 1}}};
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(axes.place.Min, axes.place.Max, colour::background);
  time_axis(draw, axes);
  const auto now = ui.state.trace.nanoseconds();
  bars(draw, axes, ui.settings.trace_colour, now);
  const auto cursor = std::round(axes.x(now));
  draw.AddLine({cursor, axes.place.Min.y}, {cursor, axes.place.Max.y}, colour::text);

  ImGui::InvisibleButton("trace chart", axes.place.GetSize());
  const auto mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActive()) {
    ui.settings.trace_play = false;
    ui.settings.trace_at = static_cast<double>(std::clamp((mouse.x - at.x) / width, 0.0f, 1.0f));
  } else if (ImGui::IsItemHovered()) {
    const auto under = [&](const auto& record) { return record.launch != 0 && axes.bar(record).Contains(mouse); };
    if (const auto found = std::ranges::find_if(history.records, under); found != history.records.end())
      show_tooltip(tile_text(history, *found));
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  ImGui::Dummy({0, 0});
}

constexpr float short_play = 10;  // seconds: below it tenths count

std::string moment(double nanoseconds) { return microseconds(nanoseconds / 1000) + " µs"; }

std::string answer(const TraceState& trace, const PaperFigure* figure) {
  const auto& history = *trace.history;
  if (figure)
    return "Step " + std::to_string(figure->step_at(trace.position) + 1) + " of " + std::to_string(figure->steps());
  const auto now = trace.nanoseconds(), end = static_cast<double>(history.end);
  if (trace.position >= 1) return counted(history.recorded, "tile") + " in " + moment(end);
  return "Tile " + grouped(history.begun_at(now)) + " of " + grouped(history.recorded) + " begins, " +
         number(now / 1000, now < 999'950 ? 1 : 0) + " of " + moment(end);
}

// Slow motion: so many times longer than it took.
std::string slowness(const TileHistory& history, double seconds) {
  const auto times = seconds * 1e9 / static_cast<double>(std::max<std::uint64_t>(history.end, 1));
  return times >= 1 ? grouped(static_cast<std::uint64_t>(std::llround(times))) + " times slower"
                    : number(1 / times, 1) + " times faster";
}

std::string seconds_text(double seconds) { return number(seconds, seconds == std::round(seconds) ? 0 : 1) + " s"; }

// How long it plays, and whether again.
void duration(PanelContext& ui, const TileHistory& history, float width) {
  const auto& range = std::get<Field::Number>(find_field("trace_seconds")->value);
  const auto now = ui.settings.trace_seconds;
  const auto set = [&](double seconds) {
    const double steps = seconds < short_play ? 10 : 1;  // per second: as it is shown
    ui.settings.trace_seconds = std::clamp(std::round(seconds * steps) / steps, range.least, range.most);
  };
  ImGui::SetNextItemWidth(width);
  const bool open = begin_combo("##trace_seconds", "in " + seconds_text(now));
  if (!open) return tooltip("How long it plays: " + slowness(history, now));
  for (const double seconds : {1, 3, 6, 20, 60})
    if (ImGui::Selectable(seconds_text(seconds).c_str(), seconds == now)) set(seconds);
  auto typed = now;
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble("##trace_seconds_field", &typed, 0, 0, typed < short_play ? "%.1f s" : "%.0f s");
  if (is_entered() && std::isfinite(typed)) set(typed);
  checkbox("Loop##trace", ui.settings.trace_loop, "Start again at the end");
  ImGui::EndCombo();
}

// Steps as in the paper are read from the first one on: what has already ended starts again.
void colour_by(PanelContext& ui, TraceColour meaning) {
  ui.settings.trace_colour = meaning;
  if (meaning != TraceColour::paper || ui.state.trace.position < 1) return;
  ui.settings.trace_at = 0;
  ui.settings.trace_play = true;
}

void colour_choice(PanelContext& ui, float width) {
  ImGui::SetNextItemWidth(width);
  if (setting_combo(ui, "trace_colour")) colour_by(ui, ui.settings.trace_colour);
  tooltip("What the colours of the tiles mean; or the tiles as the algorithm's paper draws them, step by step");
}

void moment_slider(PanelContext& ui, float width) {
  auto position = ui.state.trace.position;
  if (slider("##trace_at", position, {0, 1, false}, std::max(width, 8.f))) {
    ui.settings.trace_play = false;
    ui.settings.trace_at = position;
  }
  tooltip("The moment that is shown: drag to move it");
}

void transport(PanelContext& ui, const TileHistory& history) {
  const auto& settings = ui.settings;
  const bool ended = ui.state.trace.position >= 1 && !settings.trace_loop, playing = settings.trace_play && !ended;
  const ToolButton play{.id = "play trace",
                        .icon = playing ? Icon::pause : Icon::play,
                        .help = playing ? "Stop at this moment" : "Play the trace in slow motion",
                        .raised = true};
  if (tool_button(play)) {
    if (!playing && ui.state.trace.position >= 1) ui.settings.trace_at = 0;
    ui.settings.trace_play = !playing;
  }
  ImGui::SameLine();
  const auto lasts = std::round(em() * 5.8f), colours = std::round(em() * 8.5f), gap = ImGui::GetStyle().ItemSpacing.x;
  const auto room = ImGui::GetContentRegionAvail().x;
  const bool one_line = room > lasts + colours + 2 * gap + em() * 6;
  moment_slider(ui, one_line ? room - lasts - colours - 2 * gap : room);
  if (one_line) ImGui::SameLine();
  duration(ui, history, lasts);
  ImGui::SameLine();
  colour_choice(ui, colours);
}

// What comes next goes on in the line, or begins another without room for it.
void go_on(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

// A square, of tiles; or a line, of look-backs.
void swatch(ImU32 colour, bool line) {
  const auto width = std::round(em() * (line ? 1 : 0.7f)), height = std::round(em() * (line ? 0.2f : 0.7f));
  const auto at = ImGui::GetCursorScreenPos();
  const auto top = at.y + std::round((ImGui::GetFrameHeight() - height) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + width, top + height}, colour);
  ImGui::Dummy({width, ImGui::GetFrameHeight()});
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
}

void legend_text(std::string_view words) {
  ImGui::AlignTextToFramePadding();
  text(words, colour::dim);
}

void legend_entry(ImU32 colour, const char* name, bool line = false) {
  go_on(em() * 2 + text_width(name));
  swatch(colour, line);
  legend_text(name);
}

void legend_of_look_backs(const char* head, const gpu::LookBackDepths& depths) {
  const int tiles[] = {depths.left, depths.up, depths.diagonal};
  legend_text(head);
  for (const auto direction : directions)
    if (tiles[static_cast<std::size_t>(direction)] > 0) legend_entry(colour_of(direction), name_of(direction), true);
}

void legend_of_paper(const PaperFigure& figure) {
  if (!figure.group(0, 0)) {
    legend_text("tiles");
    for (const auto state : {PaperTile::now, PaperTile::local, PaperTile::done})
      if (state != PaperTile::local || figure.shows_local_sums()) legend_entry(colour_of(state), name_of(state));
  }
  if (const auto farthest = figure.farthest(); farthest != gpu::LookBackDepths{})
    legend_of_look_backs("needs sums from", farthest);
}

void legend(const PanelContext& ui, const TileHistory& history) {
  switch (ui.settings.trace_colour) {
    case TraceColour::start:
      legend_text("start");
      ImGui::SameLine();
      legend_of_fractions("early", "late");
      break;
    case TraceColour::state:
      legend_text("tiles");
      for (const auto state : tile_states) legend_entry(colour_of(state), name_of(state));
      break;
    case TraceColour::sm: legend_text("a colour each, as in the chart"); break;
    case TraceColour::paper: break;  // of an algorithm that has no figure
  }
  if (history.looks_back()) legend_of_look_backs("looks back", history.farthest);
}

// What counts most comes first.
std::vector<std::string> figures_of(const TileHistory& history) {
  const bool simulated = history.device == gpu::Device::simulated;
  const auto places = history.multiprocessors.size();
  std::vector<std::string> all{moment(static_cast<double>(history.end)) + (simulated ? " of the CPU" : ""),
                               counted(history.recorded, "tile"),
                               "longest wait " + moment(static_cast<double>(history.longest_wait)),
                               simulated ? counted(places, "resident block") : counted(places, "SM"),
                               grouped(history.launches) + (history.launches == 1 ? " launch" : " launches")};
  if (history.looks_back()) all.push_back("farthest look-backs " + depths_text(history.farthest));
  return all;
}

// What was traced; the tooltip has all parameters and figures.
void subject(const State& state, const TileHistory& history) {
  const bool simulated = history.device == gpu::Device::simulated;
  auto words = history.algorithm + (history.version > 0 ? '.' + std::to_string(history.version) : "");
  if (!history.passes.empty()) {
    const auto& pass = history.passes.front();
    words += ", " + std::to_string(pass.W) + " x " + std::to_string(pass.H) + " pixels per tile";
  }
  wrapped(words + (simulated ? ", on the simulated GPU" : ""), colour::dim);
  auto all = history.parameters;
  for (const auto& figure : figures_of(history)) all += (all.empty() ? "" : ", ") + figure;
  tooltip(all + (simulated ? "\nThe simulated GPU runs blocks on the CPU: a few at a time, and at the CPU's speed."
                           : "\nOn the GPU's own clock. The longest wait: from a tile's start until its carries had come."));
  // On the CPU the live algorithm is another one in any case.
  const auto* live = simulated && state.device == gpu::Device::host ? nullptr : state.selection.algorithm;
  if (const auto earlier = earlier_words(history, state.picture, live); !earlier.empty())
    wrapped("The trace is " + earlier + ". Trace again records what is shown now.", colour::warning);
}

// While the simulated GPU traces, that is said in its place.
constexpr auto is_traced = "Tracing on the simulated GPU...";

void trace_button(PanelContext& ui, const char* words) {
  if (!ui.state.trace.simulating) return command_button(ui, words, Action::trace_tiles);
  ImGui::AlignTextToFramePadding();
  text(is_traced, colour::dim);
}

// The answer, and beside it what records anew: however low the window is, it is in sight.
void headline(PanelContext& ui, const std::string& words) {
  constexpr auto again = "Trace again";
  const auto width = ui.state.trace.simulating ? text_width(is_traced) : width_of_buttons({again});
  sentence(words, width + ImGui::GetStyle().ItemSpacing.x);
  same_line_at_right(width);
  trace_button(ui, again);
}

// The other ways to see it, and how many tiles there are at a time.
void foot(PanelContext& ui, const TileHistory& history) {
  const auto& settings = ui.settings;
  const auto left = ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeight();
  if (left > 0) ImGui::SetCursorPosY(ImGui::GetCursorPosY() + left);
  const bool paper = settings.trace_colour == TraceColour::paper;
  const ToolButton as_in_paper{
      .id = "paper", .text = "As in the paper", .help = "The steps that the algorithm's paper draws", .on = paper};
  if (tool_button(as_in_paper)) colour_by(ui, paper ? TraceColour::start : TraceColour::paper);
  const ToolButton over{
      .id = "over", .text = "Over the picture", .help = "Show the tiles over the picture", .on = settings.trace_overlay};
  go_on(width_of(over));
  if (tool_button(over)) ui.settings.trace_overlay = !settings.trace_overlay;
  const auto places = history.multiprocessors.size();
  const auto words = history.device == gpu::Device::simulated ? counted(places, "block") + " at a time"
                                                              : counted(places, "SM");
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < text_width(words)) return ImGui::NewLine();
  ImGui::AlignTextToFramePadding();
  const WithText dim(colour::dim);
  right_aligned(words);
}

void without_trace(PanelContext& ui) {
  const auto& why = ui.state.trace.unavailable;
  sentence("When is each tile computed?");
  wrapped(
      "A trace runs the algorithm once more on the next picture, with kernels that record for each tile when it started, "
      "when the sums that it needs had come, when it finished, and on which multiprocessor.",
      colour::dim);
  if (!why.empty()) wrapped(why, colour::warning);
  trace_button(ui, "Trace");
}

}  // namespace

void tiles_tab(PanelContext& ui) {
  const auto& trace = ui.state.trace;
  if (!trace.history) return without_trace(ui);
  const auto& history = *trace.history;
  std::optional<PaperFigure> paper;
  if (ui.settings.trace_colour == TraceColour::paper && !history.passes.empty()) paper.emplace(history);
  const auto* const figure = paper ? &*paper : nullptr;
  headline(ui, answer(trace, figure));
  subject(ui.state, history);
  transport(ui, history);
  if (!history.passes.empty() && history.passes.front().tiles() == 1)
    wrapped("The whole picture is one tile: nothing moves. Trace a larger picture, or choose a smaller tile.",
            colour::warning);
  if (figure) {
    wrapped(figure->says(figure->step_at(trace.position)), colour::text);
    legend_of_paper(*figure);
  } else {
    const auto lines = static_cast<float>(history.multiprocessors.size()), below = 8 * em();  // the legend, words, buttons
    const auto most = std::max(ImGui::GetContentRegionAvail().y - below, 8 * em());
    trace_chart(ui, history, std::clamp(std::round(lines * 0.7f * em()) + em(), 8 * em(), most));
    legend(ui, history);
    if (const auto* algorithm = gpu::find_sat_algorithm(history.algorithm)) wrapped(algorithm->idea, colour::text);
  }
  foot(ui, history);
}

}  // namespace app::ui
