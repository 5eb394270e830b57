// The cascade's tab: the stages of the window that was clicked, and the features of one of them.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/control/fields.h"
#include "app/support/text.h"
#include "app/ui/layout.h"
#include "app/ui/panel.h"
#include "app/ui/trace_paper.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

namespace app::ui {

int shown_feature(const gpu::vision::WindowStages& window, const Settings& settings) {
  const int stage = shown_stage(window, settings);
  if (stage < 0) return -1;
  return std::min(settings.cascade_feature, static_cast<int>(window.stages[static_cast<std::size_t>(stage)].nodes.size())) -
         1;
}

std::string result_words(const CascadeWindow& window) {
  const auto& stages = window.stages;
  if (stages.stages.empty()) return "too little contrast: refused before the first stage";
  const auto all = "passes " + std::to_string(stages.passed) + " of " + std::to_string(stages.stages.size()) + " stages";
  return stages.visited ? all : all + ", but is left out: the window on its left fails at the first stage";
}

namespace {

// "76x76 at (210, 84)"
std::string box_words(const CascadeWindow& window) {
  const auto& box = window.stages.window;
  return text_of(gpu::Size{box.width, box.height}) + " at (" + std::to_string(box.x) + ", " + std::to_string(box.y) + ")";
}

// "size 13 of 24"
std::string size_words(const CascadeWindow& window) {
  return "size " + std::to_string(window.stages.level + 1) + " of " + std::to_string(window.levels);
}

// "stage 4: sum 12.31, threshold 15.28: refused"
std::string stage_words(const gpu::vision::WindowStages& window, int index) {
  const auto& stage = window.stages[static_cast<std::size_t>(index)];
  const auto result = index <= window.passed ? stage.passed() ? "passed" : "refused"
                      : stage.passed()       ? "not reached (would pass)"
                                             : "not reached (would be refused)";
  return "stage " + std::to_string(index + 1) + ": sum " + number(stage.sum, 3) + ", threshold " +
         number(stage.threshold, 3) + ": " + result;
}

std::string feature_words(const gpu::vision::NodeResult& node, int index) {
  const bool below = node.value < node.threshold;
  auto words = "feature " + std::to_string(index + 1) + ": " + number(static_cast<double>(node.value), 4) +
               (below ? " is below " : " is not below ") + number(static_cast<double>(node.threshold), 4);
  if (node.vote) words += ": vote " + number(static_cast<double>(*node.vote), 3);
  return node.reached ? words : words + ", not asked";
}

// "white +2, black -1"
std::string weight_words(const gpu::vision::CascadeFeature& feature) {
  std::set<float> weights;
  for (const auto& rectangle : feature.rectangles) weights.insert(rectangle.weight);
  std::string words;
  for (const auto weight : weights)
    words += (words.empty() ? "" : ", ") + std::string(weight < 0 ? "black " : "white +") +
             number_as_text(static_cast<double>(weight));
  return words;
}

using gpu::vision::NodeResult, gpu::vision::StageResult;

// A column of either table. Where there is no room for all, those with the largest rank are left out.
struct CascadeColumn {
  const char* title;
  const char* help;
  const char* widest;  // of its values
  int rank;
  bool stretches = false;  // over what the others leave
};
constexpr CascadeColumn stage_columns[] = {
    {"Stage", "Stages follow one another until the window fails at one", "255", 0},
    {"Features", "of the stage", "4000", 5},
    {"Sum", "of the votes of the stage's trees", "-123.456", 1},
    {"Threshold", "The window passes where the sum is at least as large", "-123.456", 2},
    {"Margin", "The sum between the least and the largest that there can be; the line is the threshold", "Margin...", 3,
     true},
    {"", "Passed, or refused", "W", 4}};
constexpr CascadeColumn feature_columns[] = {
    {"Feature", "In the order of the cascade's file", "4000", 0},
    {"Kind", "How many rectangles; tilted ones are turned by 45 degrees", "3 upright", 4},
    {"Value", "The rectangles' sums times their weights, divided by the window's contrast", "-0.12345", 1},
    {"Threshold", "Below it a tree goes on to the left", "-0.12345", 2},
    {"Vote", "What the tree adds to the stage's sum, if it ends here", "-12.345", 3}};

float width_of(const CascadeColumn& column) { return std::max(text_width(column.title), text_width(column.widest)); }

// How many ranks fit.
int ranks_within(std::span<const CascadeColumn> columns, float room) {
  const auto padding = 2 * ImGui::GetStyle().CellPadding.x;
  PriorityRow row(room - ImGui::GetStyle().ScrollbarSize - padding);
  int ranks = 0;
  const auto of_rank = [columns](int rank) { return std::ranges::find(columns, rank, &CascadeColumn::rank); };
  for (auto next = of_rank(0); next != columns.end(); next = of_rank(++ranks))
    if (!row.has_room_for(width_of(*next) + padding)) return std::max(ranks, 1);
  return ranks;
}

float full_width(std::span<const CascadeColumn> columns) {
  auto width = ImGui::GetStyle().ScrollbarSize;
  for (const auto& column : columns) width += width_of(column) + 2 * ImGui::GetStyle().CellPadding.x;
  return width + 2 * em();
}

// A table with a title row, while it is open. cell(column) begins a cell and is false for one that is left out.
class CascadeTable {
 public:
  CascadeTable(const char* name, std::span<const CascadeColumn> columns, float width)
      : columns_(columns), ranks_(ranks_within(columns, width)) {
    constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit |
                           ImGuiTableFlags_PadOuterX;
    ImGui::PushID(ranks_);  // ImGui keeps the widths of a table: with other columns it is another one
    const auto count = static_cast<int>(std::ranges::count_if(columns, [&](const CascadeColumn& c) { return has(c); }));
    open_ = ImGui::BeginTable(name, count, flags, {width, ImGui::GetContentRegionAvail().y});
    if (!open_) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const auto& column : columns)
      if (has(column))
        ImGui::TableSetupColumn(column.title, column.stretches ? ImGuiTableColumnFlags_WidthStretch : 0,
                                column.stretches ? 1 : width_of(column));
    ImGui::TableNextRow();
    for (const auto& column : columns) {
      if (!cell(column)) continue;
      const WithText dim(colour::dim);
      &column == columns.data() ? text(column.title) : right_aligned(column.title);
      tooltip(column.help);
    }
  }
  ~CascadeTable() {
    if (open_) ImGui::EndTable();
    ImGui::PopID();
  }
  CascadeTable(const CascadeTable&) = delete;
  CascadeTable& operator=(const CascadeTable&) = delete;
  bool open() const { return open_; }
  bool cell(const CascadeColumn& column) const { return has(column) && (ImGui::TableNextColumn(), true); }
  // A number that chooses the row. True when clicked.
  bool row(int label, bool chosen) const {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    return ImGui::Selectable(std::to_string(label).c_str(), chosen, ImGuiSelectableFlags_SpanAllColumns);
  }

 private:
  bool has(const CascadeColumn& column) const { return column.rank < ranks_; }

  std::span<const CascadeColumn> columns_;
  int ranks_;
  bool open_ = false;
};

ImU32 colour_of(const StageResult& stage) { return stage.passed() ? colour::good : colour::bad; }

void margin_bar(const StageResult& stage, bool reached) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = std::round(em() * 0.7f);
  const auto top = at.y + std::round((ImGui::GetTextLineHeight() - height) / 2);
  const auto place = [&](double sum) {
    const auto range = stage.most - stage.least;
    return at.x + width * static_cast<float>(range > 0 ? std::clamp((sum - stage.least) / range, 0.0, 1.0) : 0);
  };
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.x, top}, {at.x + width, top + height}, colour::control);
  draw.AddRectFilled({at.x, top}, {place(stage.sum), top + height}, reached ? colour_of(stage) : ImU32(colour::faint));
  const auto line = std::round(place(stage.threshold)), thick = std::max(1.f, std::round(em() / 10));
  draw.AddRectFilled({line - thick, top - thick}, {line + thick, top + height + thick}, colour::text);
  ImGui::Dummy({width, ImGui::GetTextLineHeight()});
}

void stages(PanelContext& ui, const CascadeWindow& window, int shown, float width) {
  const CascadeTable table("stages", stage_columns, width);
  if (!table.open()) return;
  const auto& all = window.stages.stages;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const auto& stage = all[static_cast<std::size_t>(i)];
    const bool reached = i <= window.stages.passed;
    const WithText shade(reached ? colour::text : colour::dim);
    if (table.row(i + 1, i == shown)) {
      const Change changes[] = {{"cascade_stage", std::to_string(i + 1)}, {"cascade_feature", "0"}};
      ui.change(changes);
    }
    if (i == shown && ui.drafts.cascade_stage != i) ImGui::SetScrollHereY(0.5f);
    const auto& [first, count, sum, threshold, margin, result] = stage_columns;
    if (table.cell(count)) right_aligned(grouped(stage.nodes.size()));
    if (table.cell(sum)) right_aligned(number(stage.sum, 3));
    if (table.cell(threshold)) right_aligned(number(stage.threshold, 3));
    if (table.cell(margin)) margin_bar(stage, reached);
    if (table.cell(result) && reached) verdict(stage.passed());
    if (row_hovered())
      show_tooltip(stage_words(window.stages, i) + "\nSums lie between " + number(stage.least, 3) + " and " +
                   number(stage.most, 3) + ".\nClick to see the stage's features\n" + ui.keys(Action::previous_stage) +
                   ", " + ui.keys(Action::next_stage) + ": previous and next stage");
  }
  ui.drafts.cascade_stage = shown;
}

std::string kind_of(const gpu::vision::CascadeFeature& feature) {
  return std::to_string(feature.rectangles.size()) + (feature.tilted ? " tilted" : " upright");
}

void feature_row(PanelContext& ui, const CascadeTable& table, const CascadeWindow& window, const NodeResult& node, int index,
                 bool chosen) {
  const auto& feature = window.cascade->features[static_cast<std::size_t>(node.feature)];
  const WithText shade(node.reached ? colour::text : colour::dim);
  ImGui::PushID(index);
  if (table.row(index + 1, chosen)) ui.change("cascade_feature", std::to_string(chosen ? 0 : index + 1));
  ImGui::PopID();
  const auto& [first, kind, value, threshold, vote] = feature_columns;
  if (table.cell(kind)) right_aligned(kind_of(feature));
  if (table.cell(value)) right_aligned(number(static_cast<double>(node.value), 4));
  if (table.cell(threshold)) right_aligned(number(static_cast<double>(node.threshold), 4));
  if (table.cell(vote) && node.vote) right_aligned(number(static_cast<double>(*node.vote), 3));
  if (row_hovered())
    show_tooltip(feature_words(node, index) + "\n" + weight_words(feature) + ", of tree " + std::to_string(node.tree + 1) +
                 "\nClick to draw it alone, again to draw all");
}

void features(PanelContext& ui, const CascadeWindow& window, int stage, float width) {
  const CascadeTable table("features", feature_columns, width);
  if (!table.open()) return;
  const auto& nodes = window.stages.stages[static_cast<std::size_t>(stage)].nodes;
  const int shown = shown_feature(window.stages, ui.settings);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(nodes.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      feature_row(ui, table, window, nodes[static_cast<std::size_t>(i)], i, i == shown);
}

// Right of the tabs.
void head(PanelContext& ui, const CascadeWindow& window) {
  const std::vector<std::string> all{result_words(window), box_words(window), size_words(window), window.name};
  if (tab_head(all, window.stages.found() ? colour::good : colour::dim,
               line_of(all, "\n", std::numeric_limits<float>::max()), "Clear", "Show no window   " + ui.keys(Action::close)))
    ui.change("cascade_at", "");
}

std::string how_to_begin(const CascadeState& cascade) {
  if (cascade.available)
    return "Click a face, or any other place of the picture. What the cascade does with the window there is shown stage by "
           "stage: "
           "the features of each stage vote, and where the sum of votes is below the stage's threshold the window is "
           "refused "
           "(Viola and Jones 2001).";
  std::vector<std::string_view> titles;
  for (const auto* effect : gpu::all_effects())
    if (effect->search) titles.push_back(effect->title);
  return "Choose the effect " + or_list(titles) + ", and click the picture.";
}

void legend_of_depths(const CascadeWindow* window) {
  const auto last = window ? counted(window->cascade->stages.size(), "stage") : "all stages";
  if (ImGui::GetContentRegionAvail().x < fractions_width("0", last)) return;
  legend_of_fractions("0", last);
  tooltip("The picture's colours: how many stages the window around a pixel passed. Gray: no window was evaluated there");
}

}  // namespace

void cascade_tab(PanelContext& ui) {
  const auto& cascade = ui.state.cascade;
  const auto* const window = cascade.window.get();
  if (window) head(ui, *window);
  const WithFont small(Font::small);
  if (cascade.shows_depths) legend_of_depths(window);
  if (!window) {
    if (!cascade.problem.empty()) return wrapped(cascade.problem, colour::warning);
    return wrapped(how_to_begin(cascade), colour::dim);
  }
  const int stage = shown_stage(window->stages, ui.settings);
  if (stage < 0) return wrapped(result_words(*window), colour::dim);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {std::round(em() * 0.3f), 2});
  const auto room = ImGui::GetContentRegionAvail().x, gap = em();
  const auto left = std::min(full_width(stage_columns), std::floor((room - gap) / 2));
  stages(ui, *window, stage, left);
  ImGui::SameLine(0, gap);
  features(ui, *window, stage, std::min(full_width(feature_columns), room - gap - left));
  ImGui::PopStyleVar();
}

// A cascade's window over the picture, with the rectangles of the chosen features, at the screen's resolution.
namespace {

using gpu::vision::CascadeFeature, gpu::vision::WeightedRectangle;

constexpr ImU32 behind_words = IM_COL32(0, 0, 0, 208);
// How much the rectangles of one of so many features cover the picture, of 255: all together not much more than half.
unsigned covering_of(std::size_t features) {
  return features == 1 ? 150 : std::clamp(700u / static_cast<unsigned>(features), 4u, 60u);
}

// Draws in the window's own pixels.
class WindowDrawing {
 public:
  WindowDrawing(const View& view, const gpu::vision::Window& box, gpu::Size window)
      : view_(view),
        box_(box),
        across_(static_cast<double>(box.width) / window.width),
        down_(static_cast<double>(box.height) / window.height),
        line_(std::max(1.f, std::round(em() / 12))) {}

  ImVec2 at(int x, int y) const {
    const auto point = view_.image_to_screen({box_.x + x * across_, box_.y + y * down_});
    return {static_cast<float>(std::round(point.x)), static_cast<float>(std::round(point.y))};
  }
  Rect outline() const {
    const auto from = view_.image_to_screen({static_cast<double>(box_.x), static_cast<double>(box_.y)}),
               to = view_.image_to_screen(
                   {static_cast<double>(box_.x + box_.width), static_cast<double>(box_.y + box_.height)});
    return {static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(to.x - from.x),
            static_cast<float>(to.y - from.y)};
  }
  // Rectangles of a feature lie one over the other: the last is seen whole.
  void feature(const CascadeFeature& feature, unsigned covering, bool outlined) const {
    for (const auto& rectangle : feature.rectangles) {
      const auto corners = corners_of(rectangle, feature.tilted);
      const auto level = rectangle.weight > 0 ? 0xffffffu : 0x000000u;
      draw_.AddConvexPolyFilled(corners.data(), 4, colour::rgb(level, covering));
      if (outlined)
        draw_.AddPolyline(corners.data(), 4, colour::rgb(level, std::min(2 * covering, 255u)), ImDrawFlags_Closed, line_);
    }
  }
  void window() const {
    const auto box = outline();
    const ImVec2 from(box.x, box.y), to(box.x + box.width, box.y + box.height);
    draw_.AddRect({from.x - line_, from.y - line_}, {to.x + line_, to.y + line_}, behind_words, 0, 0, line_ * 3);
    draw_.AddRect(from, to, dark_colours.accent, 0, 0, line_);
  }

 private:
  std::vector<ImVec2> corners_of(const WeightedRectangle& r, bool tilted) const {
    if (!tilted) return {at(r.x, r.y), at(r.x + r.width, r.y), at(r.x + r.width, r.y + r.height), at(r.x, r.y + r.height)};
    return {at(r.x, r.y), at(r.x + r.width, r.y + r.width), at(r.x + r.width - r.height, r.y + r.width + r.height),
            at(r.x - r.height, r.y + r.height)};
  }

  const View& view_;
  const gpu::vision::Window& box_;
  double across_, down_;
  float line_;
  ImDrawList& draw_ = *ImGui::GetBackgroundDrawList();
};

// What the window says, a line each.
std::vector<std::string> words_of(const CascadeWindow& window, int stage, int feature) {
  if (stage < 0) return {result_words(window)};
  const auto& result = window.stages.stages[static_cast<std::size_t>(stage)];
  std::vector<std::string> lines{stage_words(window.stages, stage)};
  if (feature < 0) return lines;
  const auto& node = result.nodes[static_cast<std::size_t>(feature)];
  lines.push_back(feature_words(node, feature));
  lines.push_back(weight_words(window.cascade->features[static_cast<std::size_t>(node.feature)]));
  return lines;
}

Rect draw_words(const View& view, const std::vector<std::string>& all, const Rect& beside, std::span<const Rect> taken) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const auto pad = std::round(em() * 0.4f), line = ImGui::GetTextLineHeightWithSpacing();
  const Rect area{static_cast<float>(view.area.x), static_cast<float>(view.area.y), static_cast<float>(view.area.width),
                  static_cast<float>(view.area.height)};
  std::vector<std::string> lines;
  float width = 0;
  for (const auto& words : all) {
    lines.push_back(shortened(words, area.width - 2 * pad));
    width = std::max(width, text_width(lines.back()));
  }
  const auto height = line * static_cast<float>(lines.size());
  const auto place = place_beside(area, width + 2 * pad, height + 2 * pad, beside, taken, em() * 0.6f);
  draw.AddRectFilled({place.x, place.y}, {place.x + width + 2 * pad, place.y + height + 2 * pad}, behind_words, 3);
  for (std::size_t i = 0; i < lines.size(); ++i)
    draw.AddText({place.x + pad, place.y + pad + line * static_cast<float>(i)}, dark_colours.text, lines[i].c_str());
  return {place.x, place.y, width + 2 * pad, height + 2 * pad};
}

}  // namespace

std::vector<Rect> draw_cascade_window(const View& view, const CascadeState& cascade, const Settings& settings,
                                      std::span<const Rect> taken) {
  if (!shows(settings, Dock::detector) || !cascade.window) return {};
  const auto& window = *cascade.window;
  const int stage = shown_stage(window.stages, settings), feature = shown_feature(window.stages, settings);
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0) return {};
  auto& draw = *ImGui::GetBackgroundDrawList();
  const auto& area = view.area;
  const ImVec2 corner(static_cast<float>(area.x), static_cast<float>(area.y));
  draw.PushClipRect(corner, {corner.x + static_cast<float>(area.width), corner.y + static_cast<float>(area.height)});
  const WindowDrawing drawing(view, window.stages.window, window.cascade->window);
  if (stage >= 0) {
    std::span nodes(window.stages.stages[static_cast<std::size_t>(stage)].nodes);
    if (feature >= 0) nodes = nodes.subspan(static_cast<std::size_t>(feature), 1);
    constexpr std::size_t most_outlined = 12;  // more lines hide the picture
    for (const auto& node : nodes)
      drawing.feature(window.cascade->features[static_cast<std::size_t>(node.feature)], covering_of(nodes.size()),
                      nodes.size() <= most_outlined);
  }
  drawing.window();
  const auto words = draw_words(view, words_of(window, stage, feature), drawing.outline(), taken);
  draw.PopClipRect();
  return {words};
}

}  // namespace app::ui
