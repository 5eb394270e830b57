// The figures above the frame graph, and which frames they are of.
#include <algorithm>
#include <string>
#include <vector>

#include "app/support/text_table.h"
#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

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
// Of frames that may have no times of their kernels.
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

// The first that is no wider than `room`; else the last.
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

}  // namespace

// One, two or three lines: where the panel is low, the bars have priority.
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
        {"p90", time(summary.p90), 4},
        {"p99", time(summary.p99), 2},
        {"p99.9", time(summary.p999), 3},
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

}  // namespace app::ui
