// For newcomers: a sentence that says what a summed area table is, and three hints that say where to begin.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/capture/source_text.h"
#include "app/control/selection.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/address.h"
#include "app/ui/layout.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr const char* sentence =
    "A summed area table holds, for every pixel, the sum of all pixels above and to the left; any box's sum is then four "
    "reads.";
constexpr const char* example = "matrix:8x8";  // small enough to be read
constexpr float least_height = 30;             // em; in a lower one the choices need the room of the sentence

float sentence_height(float column_width) {
  const auto width = column_width - 2 * ImGui::GetStyle().WindowPadding.x;
  return ImGui::CalcTextSize(sentence, nullptr, false, std::max(1.f, width)).y + ImGui::GetStyle().ItemSpacing.y;
}

float gap_around() { return std::round(ImGui::GetFontSize() * 0.5f); }

// Returns to the previous source, as it was left.
void go_back(PanelContext& ui, const Drafts::Left& left) {
  open_source(ui, left.source);
  ui.result.start = left.position;
  if (left.paused != ui.state.paused) ui.act(left.paused ? Action::pause : Action::resume);
}

// The example, or the matrix that is there; then back to the source before.
void more_button(PanelContext& ui) {
  auto& before = ui.drafts.before_example;
  if (ui.settings.source != example) before.reset();
  if (before) {
    const auto name = before->source.empty() ? std::string("the source before") : shown_address(before->source);
    if (button("Back", "Returns to " + name + ", where it was left")) go_back(ui, *std::exchange(before, {}));
    return;
  }
  const bool shown = shows_matrix(ui.settings, ui.state.capture.kind);
  if (!button("More", "Shows it on a matrix of 8 x 8 numbers, beside its table",
              shown ? "The matrix and its table are shown" : ""))
    return;
  if (ui.state.capture.kind != capture::SourceKind::matrix) {
    before = {ui.settings.source, ui.state.position, ui.state.paused};
    open_source(ui, example);
  }
  ui.change("matrix_editor", true);
}

Point centre(const Rect& rect) { return {rect.x + rect.width / 2, rect.y + rect.height / 2}; }

ImVec2 nearest(const Rect& rect, Point to) {
  return {std::clamp(static_cast<float>(to.x), rect.x, rect.x + rect.width),
          std::clamp(static_cast<float>(to.y), rect.y, rect.y + rect.height)};
}

// A text in a frame, and what it points at.
struct Hint {
  Hint(std::string words, const Rect& target) : text(std::move(words)), target(target) {
    const auto em = ImGui::GetFontSize();
    pad = std::round(em * 0.6f);
    const auto size = ImGui::CalcTextSize(text.c_str(), nullptr, false, 15 * em);
    place.width = std::ceil(size.x) + 2 * pad;
    place.height = std::ceil(size.y) + 2 * pad;
  }
  void draw(ImDrawList& draw, float scale) const {
    const auto line = line_width(scale);
    const ImVec2 from(place.x, place.y), to(place.x + place.width, place.y + place.height);
    draw.AddRectFilled(from, to, colour::raised, 4 * scale);
    draw.AddRect(from, to, colour::accent, 4 * scale, 0, line);
    draw.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {from.x + pad, from.y + pad}, colour::text, text.c_str(), nullptr,
                 place.width - 2 * pad + 1);
  }
  // A line to the target, and a ring around it.
  void point(ImDrawList& draw, float scale) const {
    if (target.width <= 0) return;
    const auto line = line_width(scale);
    const Rect ring{target.x - 2 * line, target.y - 2 * line, target.width + 4 * line, target.height + 4 * line};
    const auto rounding = std::min(ring.width, ring.height) / (target.width == target.height ? 2 : 4);
    draw.AddRect({ring.x, ring.y}, {ring.x + ring.width, ring.y + ring.height}, colour::accent, rounding, 0, line);
    const auto start = nearest(place, centre(target));
    draw.AddLine(start, nearest(ring, {start.x, start.y}), colour::accent, line);
  }

  static float line_width(float scale) { return std::max(1.f, std::round(2 * scale)); }

  std::string text;
  Rect target, place;
  float pad = 0;
};

// Over the picture, where that has room beside what is taken, else over the panels.
Rect free_place_of(const Hint& hint, const Rect& picture, const Rect& window, std::span<const Rect> taken) {
  const bool fits = hint.place.width <= picture.width && hint.place.height <= picture.height;
  const auto over_picture = free_place(picture, hint.place, taken);
  return fits && !overlaps(over_picture, taken) ? over_picture : free_place(window, hint.place, taken);
}

Rect inset(const Rect& rect, float by) { return {rect.x + by, rect.y + by, rect.width - 2 * by, rect.height - 2 * by}; }

// The hints, each at the place where it would stand were there no others.
std::vector<Hint> wanted_hints(const PanelContext& ui, const Rect& picture) {
  const auto far = std::round(ImGui::GetFontSize() * 2);
  const auto& targets = ui.drafts.hint_targets;
  std::vector<Hint> all;
  const bool hidden = shows_matrix(ui.settings, ui.state.capture.kind);
  if (const auto& handle = ui.state.wipe_handle; handle && !ui.state.selection.sides.empty() && !hidden) {
    const auto& sides = ui.state.selection.sides;
    Hint hint("Drag this line: " + title_of_side(sides.at(0).name) + " on its left, " + title_of_side(sides.at(1).name) +
                  " on its right",
              *handle);
    hint.place.x = handle->x + handle->width + far;
    hint.place.y = static_cast<float>(centre(*handle).y) - hint.place.height / 2;
    all.push_back(std::move(hint));
  } else if (!ui.settings.compare.on && !hidden) {
    Hint hint("Press " + ui.keys(Action::toggle_compare) + " to see the picture before and after", {});
    hint.place.x = static_cast<float>(centre(picture).x) - hint.place.width / 2;
    hint.place.y = static_cast<float>(centre(picture).y) - hint.place.height / 2;
    all.push_back(std::move(hint));
  }
  if (const auto& name = targets.algorithm; name.width > 0) {
    Hint hint("Choose the algorithm that computes the table: click, or press " + ui.keys(Action::toggle_cards), name);
    hint.place.x = picture.x + far;
    hint.place.y = static_cast<float>(centre(name).y) - hint.place.height / 2;
    all.push_back(std::move(hint));
  }
  if (const auto& tab = targets.race; tab.width > 0) {
    Hint hint("Race all algorithms on this picture: press " + ui.keys(Action::toggle_race), tab);
    hint.place.x = tab.x;
    hint.place.y = picture.y + picture.height - hint.place.height;
    all.push_back(std::move(hint));
  }
  return all;
}

}  // namespace

float about_height(const Rect& column) {
  if (column.height <= 0) return 0;
  const bool with_sentence = column.height >= least_height * ImGui::GetFontSize();
  const WithFont small(Font::small);
  return 2 * gap_around() + ImGui::GetFrameHeight() + (with_sentence ? sentence_height(column.width) : 0);
}

void about(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("about", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  hairline({rect.x + rect.width - 1, rect.y}, {rect.x + rect.width, rect.y + rect.height});
  const WithFont small(Font::small);
  ImGui::SetCursorPosY(gap_around());
  if (rect.height > 2 * gap_around() + ImGui::GetFrameHeight() + 1) wrapped(sentence, colour::dim);
  more_button(ui);
  ImGui::SameLine();
  action_button(ui, ui.settings.simple ? "All panels" : "Simple layout", Action::toggle_simple);
}

void hints(PanelContext& ui, const Layout& places) {
  ui.drafts.hints.clear();
  if (!ui.settings.hints) return;
  const auto& display = ImGui::GetIO().DisplaySize;
  const Rect window{0, 0, display.x, display.y};
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  const OverlayWindow overlay("hints", ui.scale,
                              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoScrollbar |
                                  ImGuiWindowFlags_NoFocusOnAppearing);
  if (!overlay.visible()) return;
  const auto gap = std::round(10 * ui.scale);
  const auto picture = inset(places.picture, gap);
  auto all = wanted_hints(ui, picture);
  auto taken = ui.state.notes;
  for (const auto& hint : all)
    if (hint.target.width > 0) taken.push_back(inset(hint.target, -gap));
  auto& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect({0, 0}, display);
  for (auto& hint : all) {
    hint.place = free_place_of(hint, picture, inset(window, gap), taken);
    taken.push_back(hint.place);
    ui.drafts.hints.push_back(hint.place);
    hint.point(draw, ui.scale);
  }
  for (const auto& hint : all) hint.draw(draw, ui.scale);  // over the lines of the others
  draw.PopClipRect();
}

}  // namespace app::ui
