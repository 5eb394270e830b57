// The frame graph: the time of every frame as a bar, against the target, with its figures.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/support/text.h"
#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {

namespace {

struct Target {
  const char* text;
  double ms;
};
constexpr Target targets[] = {
    {"24/s", 1000.0 / 24},   {"30/s", 1000.0 / 30},   {"60/s", 1000.0 / 60}, {"120/s", 1000.0 / 120},
    {"144/s", 1000.0 / 144}, {"240/s", 1000.0 / 240}, {"1000/s", 1}};

}  // namespace

std::string rate_text(double per_second) {
  auto text = number(per_second, per_second < 99.995 ? 2 : 0);
  if (text.find('.') == text.npos) return text + "/s";
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "/s";
}

// The figures of the graph.
namespace {

struct Figure {
  const char* name;
  std::string value;
};

constexpr auto none = "-";

std::string milliseconds(double value) { return number(value, value < 0.9995 ? 3 : value < 9.995 ? 2 : 1); }
std::string rate(double value) { return value > 0 ? number(value, 1) + "/s" : none; }  // 0: of fewer than two frames

// In the order in which they have room.
std::vector<Figure> figures_of(const FrameSummary& summary) {
  const auto time = [&](double ms) { return summary.frames > 0 ? milliseconds(ms) : none; };
  return {{"p50", time(summary.p50)},        {"p99", time(summary.p99)},     {"worst", time(summary.max)},
          {"p90", time(summary.p90)},        {"average", rate(summary.fps)}, {"1% low", rate(summary.low_1)},
          {"0.1% low", rate(summary.low_01)}};
}

const char* title_of(GraphShows shows) {
  switch (shows) {
    case GraphShows::interval: return "Frames";
    case GraphShows::work: return "Work";
    case GraphShows::kernels:
    case GraphShows::stages: break;
  }
  return "Kernels";
}
const char* shown_name(GraphShows shows) {
  switch (shows) {
    case GraphShows::work: return "Milliseconds of the main thread's work per frame, without waiting.";
    case GraphShows::interval: return "Milliseconds from one frame to the next.";
    case GraphShows::kernels:
    case GraphShows::stages: break;
  }
  return "Milliseconds that the device computes per frame, without transfers and waiting.";
}

std::string help_of_figures(const PanelContext& ui) {
  const auto& summary = ui.state.graph.summary;
  std::string all;
  for (const auto& [name, value] : figures_of(summary)) all += (all.empty() ? "" : ", ") + std::string(name) + ' ' + value;
  all += '\n' + std::string(shown_name(ui.settings.graph_shows)) + ' ' + (summary.frames > 0 ? "" : "No frame was timed. ") +
         number(summary.late * 100, 1) + "% of the intervals are late: more than a tenth above the target, " +
         target_origin(ui.settings, ui.state.capture) + ". ";
  if (ui.settings.graph_shows != GraphShows::stages)
    all += "Colours are of the interval, whatever the bars show: green is on time, red takes more than twice the target. ";
  return all +
         "A percentile is a value that was measured: the smallest that so many percent of the frames do not exceed. The "
         "average: "
         "new pictures per second, the number of intervals divided by the sum of their lengths. The 1% low is that of the "
         "slowest "
         "hundredth of the intervals (their number rounded up), the 0.1% low that of the slowest thousandth.";
}

// The menu of what the graph shows.

void choose(PanelContext& ui, const char* title, std::string_view path) {
  if (!ImGui::BeginMenu(title)) return;
  const auto& choice = std::get<Field::Choice>(find_field(path)->value);
  for (std::size_t i = 0; i < choice.names.size(); ++i)
    if (ImGui::MenuItem(title_of_value(path, choice.names[i]).c_str(), nullptr, choice.get(ui.settings) == i))
      choice.set(ui.settings, i);
  ImGui::EndMenu();
}

void choose_target(PanelContext& ui) {
  const auto& settings = ui.settings;
  if (!ImGui::BeginMenu(("Target: " + rate_text(1000 / ui.state.graph.target_ms) + "###target").c_str())) return;
  if (ImGui::MenuItem("The source's rate", nullptr, settings.target_ms == 0)) ui.settings.target_ms = 0;
  for (const auto& target : targets)
    if (ImGui::MenuItem(target.text, nullptr, std::abs(target.ms - settings.target_ms) < 1e-6))
      ui.settings.target_ms = target.ms;
  ImGui::EndMenu();
}

void graph_menu(PanelContext& ui) {
  auto& settings = ui.settings;
  const MenuStyle style;
  const auto entry = [&](const char* words, Action action) {
    if (ImGui::MenuItem(words, ui.keys(action).c_str(), false, why_not(action, ui.state, settings).empty())) ui.act(action);
    tooltip(description(action));
  };
  entry(settings.graph_paused ? "Resume" : "Pause", Action::toggle_graph);
  entry("Reset all figures", Action::reset_statistics);
  ImGui::Separator();
  choose(ui, "Bars", "graph_shows");
  choose(ui, "Times", "graph_scale");
  choose(ui, "Axis", "graph_axis");
  choose_target(ui);
  ImGui::MenuItem("Histogram", nullptr, &settings.graph_histogram);
  if (ImGui::MenuItem("Newest frames", nullptr, settings.graph_end == 0)) settings.graph_end = 0;
  if (ImGui::MenuItem(window_words("graph_frames").data(), nullptr, settings.graph_frames == 0)) settings.graph_frames = 0;
}

// What the bars are, as many figures as have room, and the menu.
void graph_head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto menu = text_width("...") + 2 * style.FramePadding.x, gap = em() * 0.3f;
  PriorityRow room(ImGui::GetContentRegionAvail().x - menu - style.ItemSpacing.x);
  ImGui::AlignTextToFramePadding();
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  {
    const WithFont bold(Font::bold);
    text(title_of(ui.settings.graph_shows));
    room.has_room_for(text_width(title_of(ui.settings.graph_shows)));
  }
  ImGui::SameLine();
  text("ms", colour::dim);
  room.has_room_for(text_width("ms") + style.ItemSpacing.x);
  for (const auto& [name, value] : figures_of(ui.state.graph.summary)) {
    if (!room.has_room_for(style.ItemSpacing.x + text_width(name) + gap + text_width(value))) break;
    ImGui::SameLine();
    text(name, colour::dim);
    ImGui::SameLine(0, gap);
    text(value);
  }
  ImGui::EndGroup();
  tooltip(help_of_figures(ui));
  same_line_at_right(menu);
  if (button("...", "What the graph shows, its scale and its axis")) ImGui::OpenPopup("graph options");
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

// The scale of the columns that are seen: earlier work may have been much slower. Where nothing was timed, around the target.
GraphScaleOfTimes scale_of(const GraphPlot& plot, GraphScale kind) {
  std::vector<float> highest;
  for (auto number = plot.begin(); number < plot.end(); ++number)
    if (const auto* column = plot.column(number); column->timed) highest.push_back(column->highest / 1000);
  if (highest.empty()) highest.push_back(static_cast<float>(plot.target));
  const auto rank = [&](std::size_t permille) {
    const auto at = highest.begin() + static_cast<std::ptrdiff_t>((highest.size() - 1) * permille / 1000);
    std::nth_element(highest.begin(), at, highest.end());
    return static_cast<double>(*at);
  };
  const auto slowest = rank(1000);
  return kind == GraphScale::log ? logarithmic_scale(rank(500), slowest, plot.target)
                                 : linear_scale(rank(970), slowest, plot.target);
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

void plot(PanelContext& ui, GraphDraft& draft, float height) {
  const auto& graph = ui.state.graph;
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const ImVec2 room(ImGui::GetContentRegionAvail().x, height);
  if (!graph.history || room.x < em * 6) return;
  const bool histogram = ui.settings.graph_histogram && room.x > em * 16;
  const ImVec2 from(std::round(at.x + em * 2.9f), std::round(at.y + em * 0.4f));
  const ImVec2 to(std::round(at.x + room.x - (histogram ? em * 3.5f : 0)), std::round(at.y + room.y - em * 1.2f));
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton(
      "plot", {to.x - from.x, to.y - from.y},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  take_wheel();
  GraphPlot all{ui,
                *graph.history,
                draft,
                *ImGui::GetWindowDrawList(),
                from,
                to,
                graph_view(*graph.history, ui.settings, from.x, to.x, ui.scale),
                {},
                graph.target_ms,
                {}};
  draft.columns.update(*graph.history, ui.settings.graph_shows, all.view.per_column);
  graph_input(all);
  all.scale = scale_of(all, ui.settings.graph_scale);
  all.draw.AddRectFilled(from, to, colour::background, 2);
  all.draw.PushClipRect(from, to, true);
  draw_bars(all);
  draw_marks(all);
  draw_selection(all);
  all.draw.PopClipRect();
  draw_time_axis(all);
  draw_frame_axis(all);
  say_why_empty(all);
  if (histogram) draw_histogram(all, at.x + room.x);
  draw_cards(all);
  ImGui::SetCursorScreenPos({at.x, at.y + room.y});
}

}  // namespace

float GraphPlot::y(double ms) const { return to.y - (to.y - from.y) * static_cast<float>(scale.height(ms)); }

std::uint64_t GraphPlot::begin() const { return std::max(view.first(), draft.columns.begin()); }
std::uint64_t GraphPlot::end() const { return std::max(begin(), std::min(view.last + 1, draft.columns.end())); }

const GraphColumn* GraphPlot::column(std::uint64_t number) const {
  return number >= draft.columns.begin() && number < draft.columns.end() ? &draft.columns[number] : nullptr;
}

bool GraphPlot::empty_at(float x) const {
  const auto at = view.column_at(x);
  return !at || !column(*at);
}

// Left of the frames there may be room.
std::optional<std::uint64_t> GraphPlot::nearest(float x) const {
  if (view.columns() == 0 || draft.columns.begin() == draft.columns.end()) return {};
  return std::clamp(view.column_at(x).value_or(0), draft.columns.begin(), draft.columns.end() - 1);
}

void frame_graph(PanelContext& ui) {
  graph_head(ui);
  const auto foot = ImGui::GetFrameHeightWithSpacing(), least = 10 * em(), most = 20 * em();
  plot(ui, *ui.drafts.graph, std::clamp(ImGui::GetContentRegionAvail().y - foot, least, most));
  graph_foot(ui);
}

}  // namespace app::ui
