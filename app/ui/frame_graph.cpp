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

// The first line of the frame graph: its title, what it shows, the target, and its options.

namespace {

struct Target {
  const char* text;
  double ms;
};
constexpr Target targets[] = {
    {"24/s", 1000.0 / 24},   {"30/s", 1000.0 / 30},   {"60/s", 1000.0 / 60}, {"120/s", 1000.0 / 120},
    {"144/s", 1000.0 / 144}, {"240/s", 1000.0 / 240}, {"1000/s", 1}};

void choose(PanelContext& ui, std::string_view path) {
  const auto& choice = std::get<Field::Choice>(find_field(path)->value);
  for (std::size_t i = 0; i < choice.names.size(); ++i)
    if (ImGui::MenuItem(title_of_value(path, choice.names[i]).c_str(), nullptr, choice.get(ui.settings) == i))
      ui.change(path, std::string(choice.names[i]));
}

void options(PanelContext& ui) {
  const auto& settings = ui.settings;
  text("Bars", colour::dim);
  choose(ui, "graph_shows");
  if (settings.graph_shows != GraphShows::stages) text("coloured by the interval", colour::dim);
  ImGui::Separator();
  text("Times", colour::dim);
  choose(ui, "graph_scale");
  ImGui::Separator();
  text("Axis", colour::dim);
  choose(ui, "graph_axis");
  ImGui::Separator();
  if (ImGui::MenuItem("Histogram", nullptr, settings.graph_histogram))
    ui.change("graph_histogram", !settings.graph_histogram);
  if (ImGui::MenuItem("Newest frames", nullptr, settings.graph_end == 0)) ui.change("graph_end", "0");
  if (ImGui::MenuItem(window_words("graph_frames").data(), nullptr, settings.graph_frames == 0))
    ui.change("graph_frames", "0");
}

void target_choice(PanelContext& ui, float width) {
  const auto& settings = ui.settings;
  ImGui::SetNextItemWidth(width);
  if (begin_combo("##target", rate_text(1000 / ui.state.graph.target_ms))) {
    if (ImGui::Selectable("The source's rate", settings.target_ms == 0)) ui.change("target_ms", "0");
    for (const auto& target : targets)
      if (ImGui::Selectable(target.text, std::abs(target.ms - settings.target_ms) < 1e-6))
        ui.change("target_ms", number_as_text(target.ms));
    ImGui::EndCombo();
  }
  tooltip("The target that frames are compared with: " + target_origin(settings, ui.state.capture));
}

}  // namespace

std::string rate_text(double per_second) {
  auto text = number(per_second, per_second < 99.995 ? 2 : 0);
  if (text.find('.') == text.npos) return text + "/s";
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "/s";
}

namespace {

// Title, what is shown, target, options.
void graph_head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto em = ImGui::GetFontSize();
  const char* pause = ui.settings.graph_paused ? "Resume" : "Pause";
  const auto target_width = std::round(em * 4.6f);
  const auto width_of = [&](const char* label) { return ImGui::CalcTextSize(label).x + style.FramePadding.x * 2; };
  const auto controls = width_of(pause) + width_of("...") + target_width + style.ItemInnerSpacing.x * 2;
  const auto room = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  {
    const WithFont bold(Font::bold);
    // Where there is no room the graph has no title.
    text(ImGui::CalcTextSize("Frames").x + style.ItemSpacing.x + controls <= room ? "Frames" : "");
  }
  same_line_at_right(controls);
  action_button(ui, pause, Action::toggle_graph);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  target_choice(ui, target_width);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (button("...", "What the graph shows, its scale and its axis")) ImGui::OpenPopup("graph options");
  if (ImGui::BeginPopup("graph options")) {
    options(ui);
    ImGui::EndPopup();
  }
}

// The figures above the frame graph, and which frames they are of.

struct Figure {
  const char* name;
  std::string value;
  int priority;  // where there is no room for all, those with the greatest are left out
};

constexpr auto none = "-";

std::string milliseconds(double value) { return number(value, value < 0.9995 ? 3 : value < 9.995 ? 2 : 1); }
std::string rate(double value) { return value > 0 ? number(value, 1) + "/s" : none; }  // 0: of fewer than two frames

float gap() { return ImGui::GetFontSize() * 0.8f; }
float inner_gap() { return ImGui::GetFontSize() * 0.3f; }
float width_of(const Figure& figure) {
  return ImGui::CalcTextSize(figure.name).x + inner_gap() + ImGui::CalcTextSize(figure.value.c_str()).x + gap();
}

// As many as fit, in their order; at least those without a priority.
void line(std::vector<Figure> figures, float room, std::string_view help) {
  room += gap();
  const auto width = [&] {
    float sum = 0;
    for (const auto& figure : figures) sum += width_of(figure);
    return sum;
  };
  std::string all;
  for (const auto& figure : figures)
    all += std::string(all.empty() ? "" : ", ") + figure.name + (figure.value.empty() ? "" : " ") + figure.value;
  while (width() > room) {
    const auto last = std::ranges::max_element(figures, {}, &Figure::priority);
    if (last->priority == 0) break;
    figures.erase(last);
  }
  ImGui::BeginGroup();
  for (const auto& figure : figures) {
    text(figure.name, colour::dim);
    if (!figure.value.empty()) {
      ImGui::SameLine(0, inner_gap());
      text(figure.value);
    }
    if (&figure != &figures.back()) ImGui::SameLine(0, gap());
  }
  ImGui::EndGroup();
  tooltip(all + '\n' + std::string(help));
}

// What the bars are, and the unit of what follows.
const char* bars_name(GraphShows shows) {
  switch (shows) {
    case GraphShows::work: return "work, ms:";
    case GraphShows::interval: return "interval, ms:";
    case GraphShows::kernels:
    case GraphShows::stages: break;
  }
  return "kernels, ms:";
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

// Which frames the figures are of, from the longest wording to the shortest; only the last one does without the button.
struct FramesWords {
  std::string text;
  bool button = false;  // "All"

  float width() const {
    const auto with = ImGui::CalcTextSize("All").x + ImGui::GetStyle().FramePadding.x * 2 + gap();
    return ImGui::CalcTextSize(text.c_str()).x + (button ? with : 0);
  }
};
// How many of the frames have times of their kernels, unless all have.
std::string untimed_words(const PanelContext& ui) {
  const auto shows = ui.settings.graph_shows;
  const auto timed = ui.state.graph.summary.frames, all = ui.state.graph.summary_of.count;
  if ((shows != GraphShows::kernels && shows != GraphShows::stages) || timed >= all) return {};
  return ", " + (timed > 0 ? grouped(timed) : "none") + " timed";
}
std::vector<FramesWords> frames_words(const PanelContext& ui) {
  const auto& of = ui.state.graph.summary_of;
  const bool paused = ui.settings.graph_paused, ranged = ui.settings.graph_range.has_value();
  std::vector<FramesWords> words;
  for (const auto& which : frames_texts(of)) words.push_back({(of.selected ? "" : "of ") + which, ranged});
  const auto shortest = words.back().text;
  if (const auto untimed = untimed_words(ui); !untimed.empty()) words.front().text += untimed;
  if (paused)
    for (auto& word : words) word.text += ", paused";  // the first button says so, too
  if (paused) words.push_back({shortest, ranged});
  if (ranged) words.push_back({shortest, false});
  return words;
}

// The first text that is not wider than `room`; else the last.
const FramesWords& fitting(const std::vector<FramesWords>& words, float room) {
  const auto fits = [&](const FramesWords& word) { return word.width() <= room; };
  const auto at = std::ranges::find_if(words, fits);
  return at == words.end() ? words.back() : *at;
}

void frames_line(PanelContext& ui, const FramesWords& words, const std::string& all) {
  const auto& of = ui.state.graph.summary_of;
  if (words.button) {
    if (ImGui::SmallButton("All")) ui.act(Action::clear_frames);
    tooltip(std::string(description(Action::clear_frames)) + "   Esc");
    ImGui::SameLine(0, gap());
  }
  text(words.text, of.selected || ui.settings.graph_paused ? colour::accent : colour::dim);
  tooltip(all + '\n' +
          (of.selected
               ? "All statistics, in the table of kernels and in saved files too, are of these frames. Esc, a click "
                 "outside of them, or the button: of all frames again"
               : "Since the work last changed: the source, the size, the selection or one of its parameters. Drag in "
                 "the graph: of a range of frames. A range that is dragged across a mark where the work changed ends "
                 "there"));
}

// Percentiles, lows, and which frames they are of. One, two or three lines: where the panel is low, the bars have priority.
void graph_figures(PanelContext& ui) {
  const WithFont small(Font::small);
  const auto& summary = ui.state.graph.summary;
  const auto room = ImGui::GetContentRegionAvail();
  const bool any = summary.frames > 0;
  const auto help =
      std::string(shown_name(ui.settings.graph_shows)) + ' ' + (any ? "" : "No frame was timed. ") +
      number(summary.late * 100, 1) + "% of the intervals are late: more than a tenth above the target. " +
      (ui.settings.graph_shows == GraphShows::stages
           ? ""
           : "Colours are of the interval, whatever the bars show: green is on time, red takes more than twice "
             "the target.") +
      " A percentile is a value that was measured: the smallest that so many percent of the frames do not "
      "exceed.";
  const auto time = [any](double ms) { return any ? milliseconds(ms) : none; };
  line({{bars_name(ui.settings.graph_shows), {}, 0},
        {"p50", time(summary.p50), 0},
        {"p90", time(summary.p90), 3},
        {"p99", time(summary.p99), 2},
        {"worst", time(summary.max), 1}},
       room.x, help);
  const std::vector<Figure> rates{
      {"average", rate(summary.fps), 0}, {"1% low", rate(summary.low_1), 1}, {"0.1% low", rate(summary.low_01), 2}};
  // The ends of a range are always whole. A low panel has no other line for the rates: a shorter wording leaves room for
  // them, or they give way.
  const auto words = frames_words(ui);
  const bool low = room.y <= ImGui::GetFontSize() * 11;
  const auto beside_rates = room.x - width_of(rates[0]);
  const auto& short_words = low ? fitting(words, beside_rates) : words.front();
  const bool beside = short_words.width() <= beside_rates && short_words.button == words.front().button;
  const auto& shown = beside ? short_words : fitting(words, room.x);
  if (beside || !low)
    line(rates, beside ? room.x - shown.width() - gap() : room.x,
         "New pictures per second: the number of intervals divided by the sum of their lengths. The 1% low is that of the "
         "slowest hundredth of the intervals (their number rounded up), the 0.1% low that of the slowest thousandth.");
  if (beside) ImGui::SameLine(0, gap());
  frames_line(ui, shown, words.front().text);
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

void plot(PanelContext& ui, GraphDraft& draft) {
  const auto& graph = ui.state.graph;
  const WithFont small(Font::small);
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const auto room = ImGui::GetContentRegionAvail();
  if (!graph.history || room.x < em * 6 || room.y < em * 3) return;
  const bool histogram = ui.settings.graph_histogram && room.x > em * 16;
  const ImVec2 from(std::round(at.x + em * 2.9f), std::round(at.y + em * 0.4f));
  const ImVec2 to(std::round(at.x + room.x - (histogram ? em * 3.5f : 0)), std::round(at.y + room.y - em * 1.2f));
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton(
      "plot", {to.x - from.x, to.y - from.y},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
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

void frame_graph_panel(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("frames", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  graph_head(ui);
  graph_figures(ui);
  plot(ui, *ui.drafts.graph);
}

}  // namespace app::ui
