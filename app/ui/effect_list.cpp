// The list of effects: each with its picture of the same photograph.
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/ui/parameters.h"

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
constexpr int entries = static_cast<int>(std::size(effect_entries));  // each has a picture
constexpr float picture_width = 84, picture_height = 50;              // at scale 1

// Of entries of one effect the first stands for every value of its parameter that has no entry.
std::size_t chosen_entry(const PanelContext& ui, std::span<const EffectEntry> all) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  auto chosen = all.size();
  for (auto i = all.size(); effect && i-- > 0;) {
    const auto& entry = all[i];
    if (entry.effect != effect->name) continue;
    if (entry.show.empty() || shown_arguments(ui, *effect).text("show") == entry.show) return i;
    chosen = i;
  }
  return chosen;
}

// Two lines beside a picture. True when it is chosen.
bool picture_entry(std::size_t entry, std::string_view title, std::string_view note, bool chosen) {
  const auto pad = ImGui::GetStyle().FramePadding.x, line = ImGui::GetTextLineHeight();
  auto& atlas = *ImGui::GetIO().Fonts;
  const bool has_picture = entry < entries;
  const auto& place = *atlas.GetCustomRectByIndex(has_picture ? static_cast<int>(entry) : 0);  // all have one size
  const ImVec2 size(place.Width, place.Height);                                                // a texel is a pixel
  const auto at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable("##entry", chosen, 0, {em() * 17, size.y + pad});
  auto& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner(at.x + std::round(pad / 2), at.y + std::round(pad / 2));
  if (has_picture) {
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

// An effect of the user's own has no picture; what it does is in its comment, and its state beside its name.
void own_entry(PanelContext& ui, const KernelFile& file, bool chosen) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto word = state_word(file);
  ImGui::PushID(file.path.c_str());
  if (list_entry(title_of(file), chosen)) {
    if (file.version > 0)
      ui.change("effect", file.name);
    else
      show_kernel(ui, file);
  }
  ImGui::PopID();
  const auto* effect = gpu::find_effect(file.name);
  tooltip((effect && !effect->idea.empty() ? std::string(effect->idea) + '\n' : std::string()) +
          without_controls(file.path.string()) + (file.refusal.empty() ? "" : "\n" + file.refusal));
  ImGui::GetWindowDrawList()->AddText({at.x + em() * 17 - text_width(word), at.y}, ink_of_state(file), word.data(),
                                      word.data() + word.size());
}

void own_effects(PanelContext& ui, std::string_view chosen) {
  ImGui::Separator();
  for (const auto& file : ui.state.own_kernels)
    if (file.is_effect) own_entry(ui, file, file.name == chosen);
  ImGui::AlignTextToFramePadding();
  text("Your own", colour::dim);
  same_line_at_right(width_of_buttons({"New...", "Open..."}));
  kernel_buttons(ui, true);
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

// Those without an entry come last; behind them those of the user.
void effect_list(PanelContext& ui) {
  std::vector<EffectEntry> all(std::begin(effect_entries), std::end(effect_entries));
  for (const auto* effect : gpu::all_effects())
    if (!effect->version &&
        std::ranges::find(effect_entries, effect->name, &EffectEntry::effect) == std::end(effect_entries))
      all.push_back({effect->name, {}, effect->title, {}});
  const auto chosen = chosen_entry(ui, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, show, title, note] = all[i];
    const auto* effect = gpu::find_effect(name);
    if (!effect) continue;
    ImGui::PushID(static_cast<int>(i));
    if (picture_entry(i, title, note, i == chosen)) {
      std::vector<Change> changes{{"effect", std::string(name)}};
      if (!show.empty()) changes.push_back({std::string(name) + ".show", std::string(show)});
      ui.change(changes);
    }
    if (i == chosen && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
    ImGui::PopID();
    tooltip(effect->idea);
  }
  own_effects(ui, ui.settings.effect);
}

}  // namespace app::ui
