// The tab of the detector: with a cascade, the stages of the window that was clicked and the features of one of them; with the
// effect of single features, their gallery.
#include <imgui_internal.h>

#include "app/session/cascade_words.h"
#include "app/ui/figure_table.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/panel.h"
#include "app/ui/trace_colours.h"

namespace app::ui {

namespace {

using gpu::vision::FeatureKind, gpu::vision::NodeResult, gpu::vision::StageResult;

ImU32 stage_colour(const StageResult& stage) { return stage.passed() ? colour::good : colour::bad; }

constexpr auto unsorted = ImGuiTableColumnFlags_NoSort;  // not a number

std::vector<FigureColumn> stage_columns(const std::vector<StageResult>& all) {
  const auto column = [&](const char* title, const char* help, double (*figure)(const StageResult&), int decimals) {
    const auto width = decimals > 0 ? text_width("-123.456") : 0;
    return FigureColumn{title, help, width, 0, [&all, figure](std::size_t i) { return figure(all[i]); }, decimals};
  };
  std::vector<FigureColumn> columns{
      {"Stage", "Stages follow one another until the window fails at one. Click one to see its features", 0, 0,
       [](std::size_t i) { return static_cast<double>(i + 1); }},
      column(
          "Features", "of the stage", [](const auto& stage) { return static_cast<double>(stage.nodes.size()); }, 0),
      column(
          "Sum", "of the votes of the stage's trees", [](const auto& stage) { return stage.sum; }, 3),
      column(
          "Threshold", "The window passes where the sum is at least as large",
          [](const auto& stage) { return stage.threshold; }, 3),
      {"Sum, threshold", "The sum between the least and the largest that there can be; the line is the threshold", 4 * em(),
       unsorted | ImGuiTableColumnFlags_WidthStretch},
      {"Passed", "", em(), unsorted | ImGuiTableColumnFlags_NoHeaderLabel}};
  for (const auto i : {0, 2, 3, 5}) columns[static_cast<std::size_t>(i)].stays = true;
  return columns;
}

std::vector<FigureColumn> feature_columns(const std::vector<NodeResult>& all, FeatureKind kind) {
  const bool lbp = kind == FeatureKind::lbp;
  const auto column = [&](const char* title, const char* help, const char* widest,
                          std::optional<double> (*figure)(const NodeResult&), int decimals) {
    return FigureColumn{title,   help, text_width(widest), 0, [&all, figure](std::size_t i) { return figure(all[i]); },
                        decimals};
  };
  std::vector<FigureColumn> columns{
      {"Feature", "In the order of the cascade's file. Click one to draw it alone", 0, ImGuiTableColumnFlags_WidthStretch,
       [](std::size_t i) { return static_cast<double>(i + 1); }},
      {"Kind", lbp ? "The size of each of its 3 x 3 blocks" : "How many rectangles; tilted ones are turned by 45 degrees",
       text_width("3 upright"), unsorted | ImGuiTableColumnFlags_DefaultHide},
      lbp ? column(
                "Code", "A bit for each block around the middle one: 1 where its sum is not below the middle's", "-0.12345",
                [](const auto& node) { return std::optional<double>(node.value); }, 0)
          : column(
                "Value", "The rectangles' sums times their weights, divided by the window's contrast", "-0.12345",
                [](const auto& node) { return std::optional<double>(node.value); }, 4),
      lbp ? column(
                "In set", "1: the code is in the feature's set, and a tree goes on to the left", "-0.12345",
                [](const auto& node) { return std::optional<double>(node.left); }, 0)
          : column(
                "Threshold", "Below it a tree goes on to the left", "-0.12345",
                [](const auto& node) { return std::optional<double>(node.threshold); }, 4),
      column(
          "Vote", "What the tree adds to the stage's sum, if it ends here", "not evaluated",
          [](const auto& node) { return node.vote ? std::optional<double>(*node.vote) : std::nullopt; }, 3)};
  for (auto& each : columns) each.stays = true;
  return columns;
}

// A number that chooses the row. True when clicked.
bool choosing_row(std::size_t index, bool chosen) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  return ImGui::Selectable(std::to_string(index + 1).c_str(), chosen, ImGuiSelectableFlags_SpanAllColumns);
}

void figures(std::span<const FigureColumn> columns, std::size_t row) {
  for (const auto& column : columns)
    if (ImGui::TableNextColumn()) figure(column, row);
}

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
  draw.AddRectFilled({at.x, top}, {place(stage.sum), top + height}, reached ? stage_colour(stage) : ImU32(colour::faint));
  const auto line = std::round(place(stage.threshold)), thick = std::max(1.f, std::round(em() / 10));
  draw.AddRectFilled({line - thick, top - thick}, {line + thick, top + height + thick}, colour::text);
  ImGui::Dummy({width, ImGui::GetTextLineHeight()});
}

void stages(PanelContext& ui, const CascadeWindow& window, int shown) {
  const auto& all = window.stages.stages;
  const auto columns = stage_columns(all);
  if (!begin_figures("stages", columns)) return;
  for (const auto i : sorted_rows(columns, all.size(), {})) {
    const int index = static_cast<int>(i);
    const bool reached = index <= window.stages.passed;
    const WithText shade(reached ? colour::text : colour::dim);
    if (choosing_row(i, index == shown)) {
      ui.settings.cascade_stage = index + 1;
      ui.settings.cascade_feature = 0;
    }
    if (index == shown && ui.drafts.cascade_stage >= 0 && ui.drafts.cascade_stage != index)
      ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
    figures(std::span(columns).subspan(1, 3), i);
    if (ImGui::TableNextColumn()) margin_bar(all[i], reached);
    if (ImGui::TableNextColumn() && reached) verdict(all[i].passed());
    if (row_hovered())
      show_tooltip(stage_words(window.stages, index) + "\nSums lie between " + number(all[i].least, 3) + " and " +
                   number(all[i].most, 3) + ".\nClick to see the stage's features\n" + ui.keys(Action::previous_stage) +
                   ", " + ui.keys(Action::next_stage) + ": previous and next stage");
  }
  ui.drafts.cascade_stage = shown;
  ImGui::EndTable();
}

std::string kind_of(const gpu::vision::Cascade& cascade, const gpu::vision::CascadeFeature& feature) {
  const auto& first = feature.rectangles.front();
  if (cascade.kind == FeatureKind::lbp) return text_of(gpu::Size{first.width, first.height});
  return std::to_string(feature.rectangles.size()) + (feature.tilted ? " tilted" : " upright");
}

void feature_row(PanelContext& ui, const CascadeWindow& window, std::span<const FigureColumn> columns,
                 const NodeResult& node, std::size_t i) {
  const auto& feature = window.cascade->features[static_cast<std::size_t>(node.feature)];
  const int index = static_cast<int>(i);
  const bool chosen = index == shown_feature(window.stages, ui.settings);
  const WithText shade(node.reached ? colour::text : colour::dim);
  ImGui::PushID(index);
  if (choosing_row(i, chosen)) ui.settings.cascade_feature = chosen ? 0 : index + 1;
  ImGui::PopID();
  if (ImGui::TableNextColumn()) right_aligned(kind_of(*window.cascade, feature));
  figures(columns.subspan(2), i);
  if (!node.vote && ImGui::TableSetColumnIndex(4)) right_aligned(node.reached ? "\u2013" : "not evaluated");
  if (row_hovered())
    show_tooltip(feature_words(*window.cascade, node, index) + "\n" + drawing_words(*window.cascade, node) + ", of tree " +
                 std::to_string(node.tree + 1) + "\nClick to draw it alone, again to draw all");
}

// In what the stages leave of the dock; the list scrolls within it.
void features(PanelContext& ui, const CascadeWindow& window, int stage) {
  const auto& result = window.stages.stages[static_cast<std::size_t>(stage)];
  heading("Stage " + std::to_string(stage + 1));
  ImGui::SameLine();
  const auto votes = votes_words(result);
  const bool fits = text_width(votes) <= ImGui::GetContentRegionAvail().x;
  wrapped(fits ? votes : "Votes: " + number(result.sum, 3), colour::dim);
  constexpr float least_rows = 8;
  const auto row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const auto rows = std::min(static_cast<float>(result.nodes.size()), least_rows - 1) + 1;
  const auto columns = feature_columns(result.nodes, window.cascade->kind);
  if (!begin_figures("features", columns, 0, std::max(ImGui::GetContentRegionAvail().y, rows * row))) return;
  const auto order = sorted_rows(columns, result.nodes.size(), {});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(order.size()));
  while (clipper.Step())
    for (const auto i : std::span(order)
                            .first(static_cast<std::size_t>(clipper.DisplayEnd))
                            .subspan(static_cast<std::size_t>(clipper.DisplayStart)))
      feature_row(ui, window, columns, result.nodes[i], i);
  ImGui::EndTable();
}

void head(PanelContext& ui, const CascadeWindow& window) {
  const auto clear = width_of_buttons({"Clear"});
  sentence((window.stages.found() ? "Found: " : "Not found: ") + result_words(window),
           clear + ImGui::GetStyle().ItemSpacing.x);
  same_line_at_right(clear);
  if (button("Clear", "Show no window   " + ui.keys(Action::close))) ui.settings.cascade_at.reset();
  wrapped(place_words(window), colour::dim);
}

void legend_of_depths(const CascadeWindow* window) {
  const auto last = window ? counted(window->cascade->stages.size(), "stage") : "all stages";
  if (ImGui::GetContentRegionAvail().x < fractions_width("0", last)) return;
  legend_of_fractions("0", last);
  tooltip("The picture's colours: how many stages the window around a pixel passed. Gray: no window was evaluated there");
}

void cascade(PanelContext& ui) {
  const auto& state = ui.state.cascade;
  const auto* const window = state.window.get();
  if (window)
    head(ui, *window);
  else
    sentence(state.problem.empty() ? "Click a face, or any other place" : state.problem);
  if (state.shows_depths) legend_of_depths(window);
  if (!window) {
    ui.drafts.cascade_stage = -1;  // the next one is seen from its sentence on
    return wrapped(
        "What the cascade does with the window there is shown stage by stage: the features of each stage vote, and where "
        "the sum of votes is below the stage's threshold the window is rejected (Viola and Jones 2001).",
        colour::dim);
  }
  const int stage = shown_stage(window->stages, ui.settings);
  if (stage < 0) return;
  stages(ui, *window, stage);
  features(ui, *window, stage);
}

}  // namespace

void detector_tab(PanelContext& ui) {
  ui.state.cascade.available || ui.state.cascade.window ? cascade(ui) : haar_gallery(ui);
}

// A cascade's window over the picture, with the rectangles of the chosen features, at the screen's resolution.
namespace {

using gpu::vision::CascadeFeature, gpu::vision::WeightedRectangle;

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
        window_(window),
        across_(static_cast<double>(box.width) / window.width),
        down_(static_cast<double>(box.height) / window.height),
        line_(std::max(1.f, std::round(em() / 12))) {}

  ImVec2 at(int x, int y) const {
    const auto point = view_.image_to_screen({box_.x + x * across_, box_.y + y * down_});
    return {static_cast<float>(std::round(point.x)), static_cast<float>(std::round(point.y))};
  }
  Rect outline() const {
    const auto from = at(0, 0), to = at(window_.width, window_.height);
    return {from.x, from.y, to.x - from.x, to.y - from.y};
  }
  // Rectangles of a feature lie one over the other: the last is seen whole.
  void feature(const CascadeFeature& feature, unsigned covering, bool outlined) const {
    for (const auto& rectangle : feature.rectangles)
      fill(corners_of(rectangle, feature.tilted), rectangle.weight > 0, covering, outlined);
  }
  // The blocks around the middle one, by their bits.
  void blocks(const WeightedRectangle& first, unsigned code, unsigned covering, bool outlined) const {
    unsigned bit = 1u << std::size(gpu::vision::blocks_of_code);
    for (const auto& [row, column] : gpu::vision::blocks_of_code) {
      auto block = first;
      block.x += column * block.width;
      block.y += row * block.height;
      bit /= 2;
      fill(corners_of(block, false), (code & bit) != 0, covering, outlined);
    }
  }
  void window() const {
    const auto box = outline();
    const ImVec2 from(box.x, box.y), to(box.x + box.width, box.y + box.height);
    draw_.AddRect({from.x - line_, from.y - line_}, {to.x + line_, to.y + line_}, note_ground, 0, 0, line_ * 3);
    draw_.AddRect(from, to, dark_colours.accent, 0, 0, line_);
  }

 private:
  void fill(const std::vector<ImVec2>& corners, bool white, unsigned covering, bool outlined) const {
    const auto level = white ? 0xffffffu : 0x000000u;
    draw_.AddConvexPolyFilled(corners.data(), 4, colour::rgb(level, covering));
    if (outlined)
      draw_.AddPolyline(corners.data(), 4, colour::rgb(level, std::min(2 * covering, 255u)), ImDrawFlags_Closed, line_);
  }
  std::vector<ImVec2> corners_of(const WeightedRectangle& r, bool tilted) const {
    if (!tilted) return {at(r.x, r.y), at(r.x + r.width, r.y), at(r.x + r.width, r.y + r.height), at(r.x, r.y + r.height)};
    return {at(r.x, r.y), at(r.x + r.width, r.y + r.width), at(r.x + r.width - r.height, r.y + r.width + r.height),
            at(r.x - r.height, r.y + r.height)};
  }

  const View& view_;
  const gpu::vision::Window& box_;
  gpu::Size window_;
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
  lines.push_back(feature_words(*window.cascade, node, feature));
  lines.push_back(drawing_words(*window.cascade, node));
  return lines;
}

Rect draw_words(const View& view, const std::vector<std::string>& all, const Rect& beside, std::span<const Rect> taken) {
  const auto area = as_rect(view.area);
  std::vector<NoteLine> lines;
  for (const auto& words : all) lines.push_back({shortened(words, area.width - em())});
  const Note note(std::move(lines));
  const auto at = place_beside(area, note.width(), note.height(), beside, taken, em() * 0.6f);
  const auto place = note.place({at.x, at.y});
  note.draw(*ImGui::GetBackgroundDrawList(), place);
  return place;
}

}  // namespace

std::vector<Rect> draw_cascade_window(const View& view, const CascadeState& cascade, const Settings& settings,
                                      std::span<const Rect> taken) {
  if (!shows(settings, Dock::detector) || !cascade.window) return {};
  const auto& window = *cascade.window;
  const int stage = shown_stage(window.stages, settings), feature = shown_feature(window.stages, settings);
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0) return {};
  const ClipToPicture clip(view.area);
  const WindowDrawing drawing(view, window.stages.window, window.cascade->window);
  if (stage >= 0) {
    std::span nodes(window.stages.stages[static_cast<std::size_t>(stage)].nodes);
    if (feature >= 0) nodes = nodes.subspan(static_cast<std::size_t>(feature), 1);
    constexpr std::size_t most_outlined = 12;  // more lines hide the picture
    const auto covering = covering_of(nodes.size());
    const bool outlined = nodes.size() <= most_outlined;
    for (const auto& node : nodes) {
      const auto& drawn = window.cascade->features[static_cast<std::size_t>(node.feature)];
      if (window.cascade->kind == gpu::vision::FeatureKind::lbp)
        drawing.blocks(drawn.rectangles.front(), static_cast<unsigned>(node.value), covering, outlined);
      else
        drawing.feature(drawn, covering, outlined);
    }
  }
  drawing.window();
  return {draw_words(view, words_of(window, stage, feature), drawing.outline(), taken)};
}

}  // namespace app::ui
