// The tile trace in the dock: record, play, scrub, colours, figures.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/support/text.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/trace_paper.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// The chart of a tile trace: time to the right, a line per multiprocessor, a bar per tile.

struct Axes {
  ImVec2 from, to;  // of the bars
  double end;       // nanoseconds at to.x
  std::size_t lines;

  float x(double nanoseconds) const { return from.x + static_cast<float>(nanoseconds / end) * (to.x - from.x); }
  float y(std::size_t line) const { return from.y + (to.y - from.y) * static_cast<float>(line) / static_cast<float>(lines); }
};

// 1, 2 or 5 times a power of ten: about `count` steps in `length`.
double round_step(double length, int count) {
  const auto least = length / count, power = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1, 2, 5})
    if (times * power >= least) return times * power;
  return 10 * power;
}

void time_axis(ImDrawList& draw, const Axes& axes) {
  const WithFont small(Font::small);
  const auto step = round_step(axes.end,
                               std::max(2, static_cast<int>((axes.to.x - axes.from.x) / (ImGui::GetFontSize() * 7))));
  for (double at = 0; at <= axes.end; at += step) {
    const auto x = std::round(axes.x(at));
    draw.AddLine({x, axes.from.y}, {x, axes.to.y}, colour::line);
    const auto label = number(at / 1000, step >= 1000 ? 0 : step >= 100 ? 1 : 2) + (at + step > axes.end ? " µs" : "");
    const auto width = ImGui::CalcTextSize(label.c_str()).x;
    draw.AddText({std::min(x, axes.to.x - width), axes.to.y + 1}, colour::dim, label.c_str());
  }
}

void bars(ImDrawList& draw, const Axes& axes, const TileHistory& history, TraceColour meaning, double now) {
  const auto gap = axes.y(1) - axes.y(0) >= 4 ? 1.0f : 0.0f;
  for (const auto& record : history.records) {
    if (record.launch == 0) continue;
    const auto line = history.place_of(record.multiprocessor);
    const auto left = axes.x(static_cast<double>(record.started));
    const auto right = std::max(axes.x(static_cast<double>(record.finished)), left + 1);
    const TileMoment tile{&record, state_at(record, now), true};
    auto colour = colour_of(meaning, history, tile);
    if (tile.state == TileState::waiting) colour = (colour & ~IM_COL32_A_MASK) | (96u << IM_COL32_A_SHIFT);
    draw.AddRectFilled({left, axes.y(line)}, {right, axes.y(line + 1) - gap}, colour);
    const auto carried = axes.x(static_cast<double>(record.carried));
    if (carried - left >= 2)  // it waited
      draw.AddRectFilled({left, axes.y(line)}, {carried, axes.y(line + 1) - gap}, IM_COL32(0, 0, 0, 110));
  }
}

// The tile under the mouse; null: none.
const gpu::TileRecord* tile_under(const Axes& axes, const TileHistory& history, ImVec2 mouse) {
  const auto found = std::ranges::find_if(history.records, [&](const gpu::TileRecord& record) {
    if (record.launch == 0) return false;
    const auto line = history.place_of(record.multiprocessor);
    return mouse.y >= axes.y(line) && mouse.y < axes.y(line + 1) && mouse.x >= axes.x(static_cast<double>(record.started)) &&
           mouse.x <= axes.x(static_cast<double>(record.finished)) + 1;
  });
  return found == history.records.end() ? nullptr : &*found;
}

// The chart, in the rest of the window. A click moves the moment that is shown.
void trace_chart(PanelContext& ui, const TileHistory& history) {
  const auto at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  float text_height = 0;
  {
    const WithFont small(Font::small);
    text_height = ImGui::GetTextLineHeight();
  }
  if (room.x < 8 || room.y < text_height * 2 || history.end == 0) return;
  const Axes axes{at,
                  {at.x + room.x, at.y + room.y - text_height - 1},
                  static_cast<double>(history.end),
                  std::max<std::size_t>(history.multiprocessors.size(), 1)};
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(axes.from, axes.to, colour::background);
  time_axis(draw, axes);
  const auto now = ui.state.trace.nanoseconds();
  bars(draw, axes, history, ui.settings.trace_colour, now);
  const auto cursor = std::round(axes.x(now));
  draw.AddLine({cursor, axes.from.y}, {cursor, axes.to.y}, colour::text);

  ImGui::InvisibleButton("trace chart", {room.x, axes.to.y - axes.from.y});
  const auto mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActive()) {
    const auto fraction = std::clamp((mouse.x - axes.from.x) / (axes.to.x - axes.from.x), 0.0f, 1.0f);
    ui.change("trace_play", false);
    ui.change("trace_at", number_as_text(static_cast<double>(fraction)));
  } else if (const auto* record = ImGui::IsItemHovered() ? tile_under(axes, history, mouse) : nullptr) {
    const WithFont small(Font::small);
    show_tooltip(tile_text(history, *record));
  }
}

constexpr float short_play = 10;     // seconds: below it tenths count
constexpr float least_chart = 2.5f;  // em: figures, and lines of the legend, are left out before the chart is lower

std::string moment(double nanoseconds) { return microseconds(nanoseconds / 1000) + " µs"; }

void trace_head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const bool drawn = ui.settings.trace_overlay;
  const char* const overlay = drawn ? "Hide" : "Show";
  const auto hiding = ImGui::CalcTextSize(overlay).x + style.FramePadding.x * 2 + style.ItemInnerSpacing.x;
  auto width = ImGui::CalcTextSize("TraceSave").x + style.FramePadding.x * 4 + style.ItemInnerSpacing.x;
  ImGui::SameLine();
  const auto room = ImGui::GetContentRegionAvail().x;
  const bool hides = ui.state.trace.history && room >= width + hiding;  // else the palette does
  if (hides) width += hiding;
  if (room < width)
    ImGui::NewLine();  // below the tabs
  else
    same_line_at_right(width);
  const auto act = [&](const char* text, Action action) {
    if (button(text, description(action), why_not(action, ui.state, ui.settings))) ui.act(action);
  };
  if (hides) {
    if (button(overlay, drawn ? "Hide the tiles that lie over the picture" : "Show the tiles over the picture"))
      ui.change("trace_overlay", !drawn);
    ImGui::SameLine(0, style.ItemInnerSpacing.x);
  }
  act("Trace", Action::trace_tiles);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  act("Save", Action::export_trace);
}

void explanation(const TraceState& trace) {
  wrapped(
      "A trace runs the algorithm once more on the next picture, with kernels that record for each tile when it started, "
      "when "
      "the sums that it needs had come, when it finished, and on which multiprocessor.",
      colour::dim);
  if (!trace.unavailable.empty()) wrapped(trace.unavailable, colour::warning);
}

// Slow motion: so many times longer than it took.
std::string slowness(const TileHistory& history, double seconds) {
  const auto times = seconds * 1e9 / static_cast<double>(std::max<std::uint64_t>(history.end, 1));
  return times >= 1 ? grouped(static_cast<std::uint64_t>(std::llround(times))) + " times slower"
                    : number(1 / times, 1) + " times faster";
}

// How long it plays: a slider, where there is room for it, and a field.
void duration(PanelContext& ui, const TileHistory& history, float slider_width, float field_width) {
  const auto help = "How long it plays: " + slowness(history, ui.settings.trace_seconds);
  const auto& range = std::get<Field::Number>(find_field("trace_seconds")->value);
  const auto set = [&](double seconds) {
    const double steps = seconds < short_play ? 10 : 1;  // per second: as it is shown
    ui.change("trace_seconds", number_as_text(std::clamp(std::round(seconds * steps) / steps, range.least, range.most)));
  };
  auto seconds = ui.settings.trace_seconds;
  if (slider_width > 0) {
    if (slider("##trace_seconds", seconds, {range.least, range.most, true}, slider_width)) set(seconds);
    tooltip(help);
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  }
  auto typed = ui.settings.trace_seconds;
  ImGui::SetNextItemWidth(field_width);
  ImGui::InputDouble("##trace_seconds_field", &typed, 0, 0, typed < short_play ? "%.1f s" : "%.0f s");
  if (is_entered() && std::isfinite(typed)) set(typed);
  tooltip(help);
}

// The moment that is shown, and beside the slider its time; with a figure of a paper, its step.
struct MomentText {
  std::string now, end, widest;
};
MomentText moment_text(const TraceState& trace, const PaperFigure* figure) {
  const auto end = figure ? std::to_string(figure->steps()) : moment(static_cast<double>(trace.history->end));
  if (!figure) return {moment(trace.nanoseconds()), end, end};
  return {"step " + std::to_string(figure->step_at(trace.position) + 1), end, "step " + end};
}

void moment_slider(PanelContext& ui, const std::string& words, float width) {
  auto position = ui.state.trace.position;
  if (slider("##trace_at", position, {0, 1, false}, width)) {
    ui.change("trace_play", false);
    ui.change("trace_at", number_as_text(position));
  }
  tooltip("The moment that is shown: drag to move it");
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::AlignTextToFramePadding();
  text(words);
}

void transport(PanelContext& ui, const TileHistory& history, const PaperFigure* figure) {
  const auto& trace = ui.state.trace;
  auto& settings = ui.settings;
  const bool ended = trace.position >= 1 && !settings.trace_loop, playing = settings.trace_play && !ended;
  const auto em = ImGui::GetFontSize(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  if (ImGui::Button(playing ? "Pause##trace" : "Play##trace", {em * 4, 0})) {
    if (!playing && trace.position >= 1) ui.change("trace_at", std::string("0"));
    ui.change("trace_play", !playing);
  }
  tooltip(playing ? "Stop at this moment" : "Play the trace in slow motion");
  ImGui::SameLine(0, gap);
  auto loop = settings.trace_loop;
  if (checkbox("Loop##trace", loop, "Start again at the end")) ui.change("trace_loop", loop);
  ImGui::SameLine(0, gap);
  const auto [now, end, widest] = moment_text(trace, figure);
  // The widest that they become: nothing moves while the trace plays.
  const auto width_of = [&](const std::string& label) { return ImGui::CalcTextSize(label.c_str()).x + em * 0.4f; };
  const auto field = std::round(em * 3.4f), least = em * 4, room = ImGui::GetContentRegionAvail().x - field - gap;
  const bool with_slider = room >= em * 5 + gap + least + gap + width_of(widest);
  duration(ui, history, with_slider ? em * 5 : 0, field);
  ImGui::SameLine(0, gap);
  const auto left = ImGui::GetContentRegionAvail().x - gap;
  const bool whole = left >= least + width_of(widest + " of " + end);
  moment_slider(ui, whole ? now + " of " + end : now,
                std::max(8.f, left - width_of(whole ? widest + " of " + end : widest)));
}

// The lines of the legend, the first of which was begun.
class LegendLines {
 public:
  explicit LegendLines(int more) : more_(more) {}
  // What comes next goes on in this line, or, without room for `width`, begins another. False where there may be none: that,
  // and what follows, is left out.
  bool go_on(float width) {
    if (full_) return false;
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x >= width) return true;
    ImGui::NewLine();
    full_ = more_-- <= 0;
    return !full_;
  }

 private:
  int more_;
  bool full_ = false;
};

float figures_height() {
  const WithFont small(Font::small);
  return ImGui::GetTextLineHeightWithSpacing();
}

// As many more as leave room for the figures and the chart.
LegendLines lines_above_chart() {
  const auto line = ImGui::GetFrameHeightWithSpacing();
  const auto left = ImGui::GetContentRegionAvail().y - line - figures_height() - least_chart * ImGui::GetFontSize();
  return LegendLines(static_cast<int>(std::max(left, 0.f) / line));
}

void swatch(ImU32 colour) {
  const auto side = std::round(ImGui::GetFontSize() * 0.7f);
  const auto at = ImGui::GetCursorScreenPos();
  const auto top = at.y + std::round((ImGui::GetFrameHeight() - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, colour);
  ImGui::Dummy({side, ImGui::GetFrameHeight()});
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
}

void legend_text(std::string_view words) {
  ImGui::AlignTextToFramePadding();
  text(words, colour::dim);
}

void legend_of_start(LegendLines& lines, const TileHistory& history) {
  const auto end = moment(static_cast<double>(history.end));
  if (lines.go_on(fractions_width("0", end))) legend_of_fractions("0", end);
}

float entry_width(const char* name) { return ImGui::GetFontSize() * 2 + ImGui::CalcTextSize(name).x; }

void legend_entry(LegendLines& lines, ImU32 colour, const char* name) {
  if (!lines.go_on(entry_width(name))) return;
  swatch(colour);
  legend_text(name);
}

// The directions in which tiles look, all in one line.
void legend_of_look_backs(LegendLines& lines, const char* head, const gpu::LookBackDepths& depths) {
  const int tiles[] = {depths.left, depths.up, depths.diagonal};
  auto width = ImGui::CalcTextSize(head).x;
  for (const auto direction : directions) width += ImGui::GetStyle().ItemSpacing.x + entry_width(name_of(direction));
  if (!lines.go_on(width)) return;
  legend_text(head);
  for (const auto direction : directions)
    if (tiles[static_cast<std::size_t>(direction)] > 0) legend_entry(lines, colour_of(direction), name_of(direction));
}

void legend_of_paper(LegendLines& lines, const PaperFigure& figure) {
  if (!figure.group(0, 0))
    for (const auto state : {PaperTile::now, PaperTile::local, PaperTile::done})
      if (state != PaperTile::local || figure.shows_local_sums()) legend_entry(lines, colour_of(state), name_of(state));
  if (const auto farthest = figure.farthest(); farthest != gpu::LookBackDepths{})
    legend_of_look_backs(lines, "needs sums from", farthest);
}

// Steps as in the paper are read from the first one on: what has already ended starts again.
void colour_choice(PanelContext& ui) {
  const bool changed = setting_combo(ui, "trace_colour");
  tooltip("What the colours of the tiles mean; or the tiles as the algorithm's paper draws them, step by step");
  if (!changed || ui.settings.trace_colour != TraceColour::paper || ui.state.trace.position < 1) return;
  ui.change("trace_at", "0");
  ui.change("trace_play", true);
}

void legend(PanelContext& ui, const TileHistory& history, const PaperFigure* figure) {
  const auto above_chart = lines_above_chart();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 8);
  colour_choice(ui);
  auto lines = figure ? LegendLines(std::numeric_limits<int>::max()) : above_chart;  // the words of a figure scroll
  if (figure) return legend_of_paper(lines, *figure);
  switch (ui.settings.trace_colour) {
    case TraceColour::start: legend_of_start(lines, history); break;
    case TraceColour::state:
      for (const auto state : tile_states) legend_entry(lines, colour_of(state), name_of(state));
      break;
    case TraceColour::sm: {
      const char* words = "a colour each, as in the chart";
      if (lines.go_on(ImGui::CalcTextSize(words).x)) legend_text(words);
      break;
    }
    case TraceColour::paper:  // of an algorithm that has no figure
      break;
  }
  if (history.looks_back()) legend_of_look_backs(lines, "looks back", history.farthest);
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

// As many as fit; the tooltip has all.
void figures(const State& state, const TileHistory& history) {
  const WithFont small(Font::small);
  text(shortened(history.algorithm + ' ' + history.parameters, ImGui::GetContentRegionAvail().x), colour::text);
  ImGui::SameLine();
  if (const auto earlier = earlier_words(history, state.picture, state.selection.algorithm); !earlier.empty()) {
    text(shortened(earlier, ImGui::GetContentRegionAvail().x), colour::warning);
    tooltip("The trace is " + earlier + ". Trace records what is shown now.");
    ImGui::SameLine();
  }
  const auto all = figures_of(history);
  text(line_of(all, ", ", ImGui::GetContentRegionAvail().x), colour::dim);
  tooltip(line_of(all, ", ", std::numeric_limits<float>::max()) +
          (history.device == gpu::Device::simulated
               ? "\nThe simulated GPU runs blocks on the CPU: a few at a time, and at the CPU's speed."
               : "\nOn the GPU's own clock. The longest wait: from a tile's start until its carries had come."));
}

}  // namespace

void trace_tab(PanelContext& ui) {
  trace_head(ui);
  const auto& trace = ui.state.trace;
  if (!trace.history) return explanation(trace);
  std::optional<PaperFigure> paper;
  if (ui.settings.trace_colour == TraceColour::paper && !trace.history->passes.empty()) paper.emplace(*trace.history);
  const auto* const figure = paper ? &*paper : nullptr;
  transport(ui, *trace.history, figure);
  legend(ui, *trace.history, figure);
  if (!trace.history->passes.empty() && trace.history->passes.front().tiles() == 1)
    wrapped("The whole picture is one tile: nothing moves. Trace a larger picture, or choose a smaller tile.",
            colour::warning);
  if (figure) return wrapped(figure->says(figure->step_at(trace.position)), colour::dim);
  if (ImGui::GetContentRegionAvail().y >= figures_height() + least_chart * ImGui::GetFontSize())
    figures(ui.state, *trace.history);
  trace_chart(ui, *trace.history);
}

}  // namespace app::ui
