// The list of effects: an entry chooses an effect, and of faces what becomes of them.
#include <imgui_internal.h>

#include <set>
#include <string>
#include <utility>

#include "app/tests/ui/controls_test.h"
#include "gpu/effect.h"

namespace app::ui {
namespace {

class EffectListTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    open_list();
  }
  void open_list() {
    click_text("Effect", "bar");
    draw(2);
  }
  std::string show() const {
    const auto faces = settings_.effect_values.find("faces");
    if (faces == settings_.effect_values.end() || !faces->second.contains("show")) return "frame";
    return faces->second.at("show");
  }
};

TEST_F(EffectListTest, FacesAreMarkedPixelatedAndBlurredByEntriesOfTheirOwn) {
  for (const auto& [entry, value] :
       {std::pair("Faces, pixelated", "pixelated"), {"Faces, blurred", "blurred"}, {"Faces", "frame"}}) {
    click_text(entry, "##Popup");
    EXPECT_EQ(settings_.effect, "faces");
    EXPECT_EQ(show(), value);
    EXPECT_FALSE(top_window("##Popup")) << "a choice closes its list";
    open_list();
  }
  click_text("Adaptive threshold", "##Popup");
  EXPECT_EQ(settings_.effect, "adaptive_threshold");
}

// By the list, by keys and by the palette. Switched on afterwards it stays.
TEST_F(EffectListTest, FacesAndHaarBeginWithoutTheWipe) {
  const auto begin_compared = [&] {
    settings_.effect = "box_blur";
    settings_.compare.on = true;
  };
  begin_compared();
  click_text("Faces", "##Popup");
  EXPECT_EQ(settings_.effect, "faces");
  EXPECT_FALSE(settings_.compare.on);
  type("c");
  EXPECT_TRUE(settings_.compare.on);
  open_list();
  click_text("Faces, pixelated", "##Popup");
  EXPECT_TRUE(settings_.compare.on);
  for (const char* key : {"e", "E"}) {
    begin_compared();
    for (int i = 0; i < 10 && settings_.compare.on; ++i) type(key);
    EXPECT_TRUE(settings_.effect == "faces" || settings_.effect == "haar") << settings_.effect;
  }
  begin_compared();
  settings_.palette = true;
  draw(4);
  type("effect haar");
  draw(2);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.effect, "haar");
  EXPECT_FALSE(settings_.compare.on);
}

TEST_F(EffectListTest, EveryEffectHasAnEntryAndSaysWhatItIs) {
  int entries = 0;
  const auto* list = top_window("##Popup");
  ASSERT_TRUE(list);
  std::set<std::string> ideas;
  for (float y = list->Pos.y; y < list->Pos.y + list->Size.y; y += 20) {
    ImGui::GetIO().MousePos = {list->Pos.x + 100, y};
    draw(3);
    for (const auto* effect : gpu::all_effects())
      if (shown(std::string(effect->idea.substr(0, 20)), "##Tooltip")) ideas.insert(std::string(effect->name));
    ++entries;
  }
  EXPECT_EQ(ideas.size(), gpu::all_effects().size()) << entries;
}

// They are within the texture of the fonts: what is drawn of it besides letters has colours.
TEST_F(EffectListTest, EntriesHavePictures) {
  auto& fonts = *ImGui::GetIO().Fonts;
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  fonts.GetTexDataAsRGBA32(&pixels, &width, &height);
  std::set<unsigned> sums;
  for (int i = 0; i < 8; ++i) {
    const auto& place = *fonts.GetCustomRectByIndex(i);
    ASSERT_EQ(place.Width, 84);
    ASSERT_EQ(place.Height, 50);
    unsigned sum = 0, coloured = 0;
    for (int y = 0; y < place.Height; ++y)
      for (int x = 0; x < place.Width; ++x) {
        const auto* pixel = pixels + 4 * ((place.Y + y) * width + place.X + x);
        EXPECT_EQ(pixel[3], 255);
        sum += pixel[0] + 3u * pixel[1] + 7u * pixel[2];
        coloured += pixel[0] > pixel[2] + 40;
      }
    EXPECT_TRUE(coloured > 100 || (i >= 2 && i <= 4)) << i << ": red comes before blue";  // these have other colours
    sums.insert(sum);
  }
  EXPECT_EQ(sums.size(), 8u) << "no two are the same";
}

}  // namespace
}  // namespace app::ui
