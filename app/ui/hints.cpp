// The hints of the first start: what each button of the bar is for, and what a summed area table is.
#include "app/ui/layout.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

constexpr const char* sentence_of_tables =
    "A summed area table holds, for every pixel, the sum of all pixels above and to its left. Any box is then four reads.";

// A text in a frame, and what it points at; the sentence points at nothing.
struct Hint {
  Hint(std::string words, const Rect& target, float most) : text(std::move(words)), target(target) {
    pad = std::round(em() * 0.6f);
    const auto size = ImGui::CalcTextSize(text.c_str(), nullptr, false, std::max(1.f, most - 2 * pad));
    place.width = std::max(std::ceil(size.x) + 2 * pad, std::min(target.width, most));
    place.height = std::ceil(size.y) + 2 * pad;
  }
  void draw(ImDrawList& draw, float scale) const {
    const auto line = std::max(1.f, std::round(scale));
    const ImVec2 from(place.x, place.y), to(place.x + place.width, place.y + place.height);
    draw.AddRectFilled(from, to, colour::raised, 4 * scale);
    draw.AddRect(from, to, colour::accent, 4 * scale, 0, line);
    draw.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {from.x + pad, from.y + pad}, colour::text, text.c_str(), nullptr,
                 place.width - 2 * pad + 1);
  }
  // A line to the target, and a tip at its lower edge.
  void point(ImDrawList& draw, float scale) const {
    if (target.width <= 0) return;
    const auto tip = std::round(6 * scale), bottom = target.y + target.height;
    const auto x = std::round(target.x + target.width / 2);
    const ImVec2 start(std::clamp(x, place.x + tip, std::max(place.x + tip, place.x + place.width - tip)), place.y);
    draw.AddLine(start, {x, bottom + tip}, colour::accent, std::max(1.f, std::round(scale)));
    draw.AddTriangleFilled({x, bottom}, {x + tip, bottom + tip}, {x - tip, bottom + tip}, colour::accent);
  }

  std::string text;
  Rect target, place;
  float pad = 0;
};

// Each below its button, where it would stand were there no others.
std::vector<Hint> wanted_hints(const PanelContext& ui, const Rect& area, const Rect& picture) {
  const auto& targets = ui.drafts.targets;
  std::vector<Hint> all;
  const auto add = [&](std::string words, const Rect& target, bool to_the_left = false) {
    if (target.width <= 0) return;
    auto& hint = all.emplace_back(std::move(words), target, area.width);
    hint.place.x = to_the_left ? target.x + target.width - hint.place.width : target.x;
    hint.place.y = area.y;
  };
  add("Camera, photo, video", targets.source);
  add(std::to_string(gpu::sat_algorithms().size()) + " ways to the same table", targets.algorithm);
  add("What is drawn from it", targets.effect);
  add("Where does the time go?", targets.measure);
  add("Which one is fastest?", targets.race, true);
  auto& about = all.emplace_back(sentence_of_tables, Rect{}, picture.width);
  about.place.x = picture.x + (picture.width - about.place.width) / 2;
  about.place.y = picture.y + picture.height - about.place.height - std::round(em());
  return all;
}

// The window below the strip, whose tools are not covered, and below the names of a comparison where those are next.
Rect room_for_hints(const PanelContext& ui, const Rect& picture) {
  const auto& display = ImGui::GetIO().DisplaySize;
  auto top = picture.y;
  for (const auto& name : ui.state.side_names)
    if (name.y < picture.y + 2 * ImGui::GetFrameHeight()) top = std::max(top, name.y + name.height);
  return {0, top, display.x, display.y - top};
}

}  // namespace

void hints(PanelContext& ui, const Layout& places) {
  ui.drafts.hints.clear();
  if (!ui.settings.hints) return;
  const auto& display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  const OverlayWindow overlay("hints", ui.scale,
                              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoScrollbar |
                                  ImGuiWindowFlags_NoFocusOnAppearing);
  if (!overlay.visible()) return;
  const auto gap = std::round(8 * ui.scale);
  const auto area = grown(room_for_hints(ui, places.picture), -gap);
  auto all = wanted_hints(ui, area, grown(places.picture, -gap));
  std::vector<Rect> taken;
  auto& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect({0, 0}, display);
  for (auto& hint : all) {
    hint.place = free_place(area, hint.place, taken);
    taken.push_back(grown(hint.place, gap / 2));
    ui.drafts.hints.push_back(hint.place);
    hint.point(draw, ui.scale);
  }
  for (const auto& hint : all) hint.draw(draw, ui.scale);  // over the lines of the others
  draw.PopClipRect();
}

}  // namespace app::ui
