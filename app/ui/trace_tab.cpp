// The tile trace in the dock: record, play, scrub, colours, figures.
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/support/count_text.h"
#include "app/ui/panel.h"
#include "app/ui/trace_chart.h"
#include "app/ui/trace_colours.h"
#include "app/ui/trace_paper.h"
#include "app/ui/trace_text.h"
#include "app/ui/why_not.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr float short_play = 10;  // seconds: below it tenths count

std::string moment(double nanoseconds) { return microseconds(nanoseconds / 1000) + " µs"; }

void head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto width = ImGui::CalcTextSize("TraceSave").x + style.FramePadding.x * 4 + style.ItemInnerSpacing.x;
  ImGui::SameLine();
  same_line_at_right(width);
  const auto act = [&](const char* text, Action action) {
    if (button(text, description(action), why_not(action, ui.state, ui.settings))) ui.act(action);
  };
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
  if (ImGui::IsItemDeactivatedAfterEdit() && std::isfinite(typed)) set(typed);
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

// What comes next goes on in this line, or, without room for `width`, begins another.
void go_on(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
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

void legend_of_start(const TileHistory& history) {
  legend_text("0");
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetFontSize() * 8, height = std::round(ImGui::GetFontSize() * 0.7f);
  const auto top = at.y + std::round((ImGui::GetFrameHeight() - height) / 2);
  constexpr int steps = 32;
  for (int i = 0; i < steps; ++i)
    ImGui::GetWindowDrawList()->AddRectFilled({at.x + width * static_cast<float>(i) / steps, top},
                                              {at.x + width * static_cast<float>(i + 1) / steps, top + height},
                                              colour_of_fraction((i + 0.5) / steps));
  ImGui::Dummy({width, ImGui::GetFrameHeight()});
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  legend_text(moment(static_cast<double>(history.end)));
}

float entry_width(const char* name) { return ImGui::GetFontSize() * 2 + ImGui::CalcTextSize(name).x; }

void legend_entry(ImU32 colour, const char* name) {
  go_on(entry_width(name));
  swatch(colour);
  legend_text(name);
}

// The directions in which tiles look, all in one line.
void legend_of_look_backs(const char* head, const gpu::LookBackDepths& depths) {
  const int tiles[] = {depths.left, depths.up, depths.diagonal};
  auto width = ImGui::CalcTextSize(head).x;
  for (const auto direction : directions) width += ImGui::GetStyle().ItemSpacing.x + entry_width(name_of(direction));
  go_on(width);
  legend_text(head);
  for (const auto direction : directions)
    if (tiles[static_cast<std::size_t>(direction)] > 0) legend_entry(colour_of(direction), name_of(direction));
}

void legend_of_paper(const PaperFigure& figure) {
  if (!figure.group(0, 0))
    for (const auto state : {PaperTile::now, PaperTile::local, PaperTile::done})
      if (state != PaperTile::local || figure.shows_local_sums()) legend_entry(colour_of(state), name_of(state));
  if (const auto farthest = figure.farthest(); farthest != gpu::LookBackDepths{})
    legend_of_look_backs("needs sums from", farthest);
}

void legend(PanelContext& ui, const TileHistory& history, const PaperFigure* figure) {
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 8);
  auto meaning = static_cast<int>(ui.settings.trace_colour);
  if (combo("##trace_colour", meaning, {{"Start time", {}}, {"State", {}}, {"Multiprocessor", {}}, {"As in the paper", {}}}))
    ui.change("trace_colour", std::string(trace_colour_names[static_cast<std::size_t>(meaning)]));
  tooltip("What the colours of the tiles mean; or the tiles as the algorithm's paper draws them, step by step");
  const auto em = ImGui::GetFontSize();
  if (figure) return legend_of_paper(*figure);
  switch (ui.settings.trace_colour) {
    case TraceColour::start:
      go_on(em * 16);
      legend_of_start(history);
      break;
    case TraceColour::state:
      for (const auto state : tile_states) legend_entry(colour_of(state), name_of(state));
      break;
    case TraceColour::sm:
      ImGui::SameLine();
      legend_text(shortened("a colour each, as in the chart", ImGui::GetContentRegionAvail().x));
      break;
    case TraceColour::paper:  // of an algorithm that has no figure
      break;
  }
  if (history.looks_back()) legend_of_look_backs("looks back", history.farthest);
}

void figures(const TileHistory& history) {
  const WithFont small(Font::small);
  const bool simulated = history.device == gpu::Device::simulated;
  const auto places = history.multiprocessors.size();
  text(history.algorithm + ' ' + history.parameters, colour::text);
  ImGui::SameLine();
  const auto line = moment(static_cast<double>(history.end)) + (simulated ? " of the CPU" : "") + ", " +
                    counted(history.recorded, "tile") + ", " + grouped(history.launches) +
                    (history.launches == 1 ? " launch" : " launches") + ", " +
                    (simulated ? counted(places, "resident block") : counted(places, "SM")) + ", longest wait " +
                    moment(static_cast<double>(history.longest_wait)) +
                    (history.looks_back() ? ", farthest look-backs " + depths_text(history.farthest) : "");
  text(shortened(line, ImGui::GetContentRegionAvail().x), colour::dim);
  tooltip(line + (simulated
                      ? "\nThe simulated GPU runs blocks on the CPU: a few at a time, and at the CPU's speed."
                      : "\nOn the GPU's own clock. The longest wait: from a tile's start until its carries had come."));
}

}  // namespace

void trace_tab(PanelContext& ui) {
  head(ui);
  const auto& trace = ui.state.trace;
  if (!trace.history) return explanation(trace);
  std::optional<PaperFigure> paper;
  if (ui.settings.trace_colour == TraceColour::paper && !trace.history->passes.empty()) paper.emplace(*trace.history);
  const auto* const figure = paper ? &*paper : nullptr;
  transport(ui, *trace.history, figure);
  legend(ui, *trace.history, figure);
  if (figure) return wrapped(figure->says(figure->step_at(trace.position)), colour::dim);
  figures(*trace.history);
  trace_chart(ui, *trace.history);
}

}  // namespace app::ui
