// A cascade's window over the picture, with the rectangles of the chosen features, at the screen's resolution.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/ui/cascade_words.h"
#include "app/ui/place_beside.h"
#include "app/ui/widgets.h"

namespace app::ui {
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
  if (!shows(settings, Dock::cascade) || !cascade.window) return {};
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
