// The list of effects: each with its picture of the same photograph.
#include <imgui.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

// The pictures one below the other, in the order of effect_entries: assets/make_effects.py makes them.
extern "C" {
extern const unsigned char satscope_effects_jpg[], satscope_effects_jpg_end[];
}

namespace app::ui {
namespace {

// `show`: the value of the effect's parameter of that name, where it has one.
struct EffectEntry {
  std::string_view effect, show, title, note;
};
constexpr EffectEntry effect_entries[] = {{"none", "", "None", "the frame as it is"},
                                          {"box_blur", "", "Box blur", "any window, four reads"},
                                          {"adaptive_threshold", "", "Adaptive threshold", "ink from paper"},
                                          {"sat_view", "", "The table", "the sums themselves"},
                                          {"haar", "", "Haar-like feature", "orange minus blue"},
                                          {"faces", "frame", "Faces", "rectangles"},
                                          {"faces", "pixelated", "Faces, pixelated", "nobody is recognised"},
                                          {"faces", "blurred", "Faces, blurred", "the same, softly"}};
constexpr int entries = static_cast<int>(std::size(effect_entries));
constexpr int no_picture = -1;
constexpr float picture_width = 84, picture_height = 50;  // at scale 1

// Of entries of one effect the first stands for every value of its parameter that has no entry.
int chosen_entry(const PanelContext& ui) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  int chosen = no_picture;
  for (int i = entries - 1; effect && i >= 0; --i) {
    const auto& entry = effect_entries[i];
    if (entry.effect != effect->name) continue;
    if (entry.show.empty() || shown_arguments(ui, *effect).text("show") == entry.show) return i;
    chosen = i;
  }
  return chosen;
}

// Two lines beside a picture. True when it is chosen.
bool picture_entry(int picture, std::string_view title, std::string_view note, bool chosen) {
  const auto pad = ImGui::GetStyle().FramePadding.x, line = ImGui::GetTextLineHeight();
  auto& atlas = *ImGui::GetIO().Fonts;
  const auto& place = *atlas.GetCustomRectByIndex(std::max(picture, 0));  // all have one size
  const ImVec2 size(place.Width, place.Height);                           // a texel is a pixel
  const auto at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable("##entry", chosen, 0, {em() * 17, size.y + pad});
  auto& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner(at.x + std::round(pad / 2), at.y + std::round(pad / 2));
  if (picture != no_picture) {
    ImVec2 from, to;
    atlas.CalcCustomRectUV(&place, &from, &to);
    draw.AddImage(atlas.TexID, corner, {corner.x + size.x, corner.y + size.y}, from, to);
  }
  const ImVec2 words(corner.x + size.x + pad, std::round(at.y + (size.y + pad) / 2 - line));
  {
    const WithFont bold(Font::bold);
    draw.AddText(words, colour::text, title.data(), title.data() + title.size());
  }
  draw.AddText({words.x, words.y + line}, chosen ? colour::text : colour::dim, note.data(), note.data() + note.size());
  return clicked;
}

}  // namespace

void add_effect_pictures(ImFontAtlas& fonts, float scale) {
  const cv::Size size(static_cast<int>(picture_width * scale), static_cast<int>(picture_height * scale));
  for (int i = 0; i < entries; ++i) fonts.AddCustomRectRegular(size.width, size.height);  // their numbers begin with 0
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  fonts.GetTexDataAsRGBA32(&pixels, &width, &height);
  const std::vector<unsigned char> file(satscope_effects_jpg, satscope_effects_jpg_end);
  const auto all = cv::imdecode(file, cv::IMREAD_COLOR);
  for (int i = 0; i < entries && !all.empty(); ++i) {
    const auto& place = *fonts.GetCustomRectByIndex(i);
    const auto rows = all.rows / entries;
    cv::Mat small, target(size, CV_8UC4, pixels + 4 * (place.Y * width + place.X), static_cast<std::size_t>(4 * width));
    cv::resize(all.rowRange(i * rows, (i + 1) * rows), small, size, 0, 0, cv::INTER_AREA);
    cv::cvtColor(small, target, cv::COLOR_BGR2RGBA);
  }
}

void effect_list(PanelContext& ui) {
  const auto chosen = chosen_entry(ui);
  for (int i = 0; i < entries; ++i) {
    const auto& [name, show, title, note] = effect_entries[i];
    const auto* effect = gpu::find_effect(name);
    if (!effect) continue;
    ImGui::PushID(i);
    if (picture_entry(i, title, note, i == chosen)) {
      std::vector<Change> changes{{"effect", std::string(name)}};
      if (!show.empty()) changes.push_back({std::string(name) + ".show", std::string(show)});
      ui.change(changes);
    }
    if (i == chosen && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
    ImGui::PopID();
    tooltip(effect->idea);
  }
  for (const auto* effect : gpu::all_effects()) {
    if (std::ranges::find(effect_entries, effect->name, &EffectEntry::effect) != std::end(effect_entries)) continue;
    ImGui::PushID(effect->name.data());
    if (picture_entry(no_picture, effect->title, {}, effect->name == ui.settings.effect)) ui.change("effect", effect->name);
    ImGui::PopID();
    tooltip(effect->idea);
  }
}

}  // namespace app::ui
