// What a newcomer sees: what each button of the bar is for, and the sentence about tables.
#include <imgui_internal.h>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/text_check_window.h"
#include "app/ui/layout.h"

namespace app::ui {
namespace {

constexpr const char* hint_texts[] = {"Camera, photo, video",    "ways to the same table", "What is drawn from it",
                                      "Where does the time go?", "Which one is fastest?",  "A summed area table holds"};

void compare(Settings& settings, State& state) {
  settings.compare = {true, "original", "result"};
  state.selection = make_selection(settings, gpu::Device::host);
}

class HintsTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    compare(settings_, state_);
    settings_.hints = true;
    draw(3);
  }
  void draw_under_panels() override {
    const auto area = places().picture;
    const View view{0, {0.5, 0.5}, state_.picture, {area.x, area.y, area.width, area.height}};
    state_.notes = state_.side_names = draw_comparison(view, state_.selection, 0.3);
    state_.wipe_handle = wipe_handle(view, state_.selection, 0.3);
  }
  static int hints_shown() {
    return static_cast<int>(std::ranges::count_if(hint_texts, [](const char* text) { return shown(text, "hints"); }));
  }
  // Whether a line of a hint ends beside it.
  static bool pointed_at(const Rect& target) {
    const auto* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
      if (std::string_view(data->CmdLists[i]->_OwnerName) == "hints")
        for (const auto& v : data->CmdLists[i]->VtxBuffer)
          if (v.col == colour::accent && v.pos.x > target.x - 12 && v.pos.x < target.x + target.width + 12 &&
              v.pos.y > target.y - 12 && v.pos.y < target.y + target.height + 12)
            return true;
    return false;
  }
  static bool pointed_at(const std::string& text, std::string_view window) {
    const auto place = TextCheck::place_of(text, window);
    return place && pointed_at(Rect{place->Min.x, place->Min.y, place->GetWidth(), place->GetHeight()});
  }
};

TEST_F(HintsTest, PointAtTheChoicesTheRaceAndWhatIsMeasured) {
  EXPECT_EQ(hints_shown(), static_cast<int>(std::size(hint_texts)));
  const auto below = [](const char* text) {
    const auto place = TextCheck::place_of(text, "bar");
    if (!place) return false;
    return pointed_at(Rect{place->Min.x - 20, place->Max.y, place->GetWidth() + 40, 0});
  };
  for (const char* button : {"lobby.mp4", "host_parallel", "Box blur", "Race", "Measure"})
    EXPECT_TRUE(below(button)) << button;
  EXPECT_FALSE(below("Save"));
}

TEST_F(HintsTest, CoverNeitherTheToolsNorTheNamesOfAComparison) {
  auto taken = state_.side_names;
  ASSERT_FALSE(taken.empty());
  taken.push_back(places().strip);
  taken.push_back(places().bar);
  for (const char* text : hint_texts) {
    const auto place = TextCheck::place_of(text, "hints");
    ASSERT_TRUE(place) << text;
    EXPECT_FALSE(overlaps(Rect{place->Min.x, place->Min.y, place->GetWidth(), place->GetHeight()}, taken)) << text;
  }
}

TEST_F(HintsTest, TheHandleIsWhereTheComparisonDrawsIt) {
  const View view{0, {0.5, 0.5}, {100, 50}, {0, 0, 200, 100}};
  const auto handle = wipe_handle(view, state_.selection, 0.25);
  ASSERT_TRUE(handle);
  EXPECT_NEAR(handle->x + handle->width / 2, 50, 1);
  EXPECT_NEAR(handle->y + handle->height / 2, 50, 1);
  EXPECT_FALSE(wipe_handle({8, {0.9, 0.5}, {100, 50}, {0, 0, 200, 100}}, state_.selection, 0.25)) << "out of sight";
  auto difference = state_.selection;
  difference.composition.mode = Composition::Mode::difference;
  EXPECT_FALSE(wipe_handle(view, difference, 0.25));
  EXPECT_FALSE(wipe_handle(view, example_state(example_settings()).selection, 0.25)) << "nothing is compared";
}

TEST_F(HintsTest, GoWithTheFirstClickWhichDoesWhatItAlwaysDoes) {
  click_text("Tiles", "dock");
  EXPECT_FALSE(settings_.hints);
  EXPECT_EQ(settings_.dock, Dock::tiles);
  EXPECT_EQ(hints_shown(), 0);
}

TEST_F(HintsTest, GoWithTheFirstKeyButNotWithTheMouseOverThem) {
  ImGui::GetIO().MousePos = middle_of("Which one is fastest?", "hints");
  draw(3);
  EXPECT_TRUE(settings_.hints);
  EXPECT_EQ(type("P"), std::vector{Action::reset_statistics});
  EXPECT_FALSE(settings_.hints);
  settings_.hints = true;
  press(KeyCode::page_down);
  EXPECT_FALSE(settings_.hints);
}

TEST_F(HintsTest, AreWhatEscapeClosesFirst) {
  settings_.graph_pinned = 1180;
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.hints);
  EXPECT_EQ(settings_.graph_pinned, 1180);
}

TEST_F(HintsTest, ComeBackFromThePalette) {
  settings_.hints = settings_.panels = false;
  settings_.palette = true;
  draw(3);
  type("show the hints");
  press(KeyCode::enter);
  draw(3);
  EXPECT_FALSE(settings_.palette);
  EXPECT_TRUE(settings_.hints);
  EXPECT_EQ(hints_shown(), static_cast<int>(std::size(hint_texts))) << "with the panels that they point at";
}

// Neither each other, nor the names of the comparison, nor a message hides one; all at the smallest window, too.
class HintsTextTest : public TextCheckTest {
 protected:
  void check(const std::string& what, bool with_message = true) {
    auto settings = example_settings();
    auto state = example_state(settings);
    compare(settings, state);
    settings.hints = true;
    state.messages = {{Message::Kind::warning, "no GPU here: the CPU computes", 0.1}};
    for (const double wipe : {0.02, 0.3, 0.5, 0.98}) {
      expect_no_faults(state, settings, what, [&](const Settings& now) {
        const auto view = view_of(now, state.picture);
        state.notes = state.side_names = draw_comparison(view, state.selection, wipe);
        state.wipe_handle = wipe_handle(view, state.selection, wipe);
      });
      std::vector<Rect> seen;
      for (const char* text : hint_texts) expect_apart(text, "hints", seen);
      if (with_message) expect_apart("no GPU here", "messages", seen);
    }
  }
  void expect_apart(const char* text, std::string_view window, std::vector<Rect>& seen) const {
    const auto place = TextCheck::place_of(text, window);
    ASSERT_TRUE(place) << where_ << ": no '" << text << "'";
    const Rect rect{place->Min.x, place->Min.y, place->GetWidth(), place->GetHeight()};
    EXPECT_FALSE(overlaps(rect, seen)) << where_ << ": " << text;
    seen.push_back(rect);
  }
};

TEST_F(HintsTextTest, AreAllSeenAtAnySizeAndScale) {
  for (const float scale : {1.f, 1.5f, 2.f, 3.f})
    for (const ImVec2 size : {ImVec2(800 * scale, 600 * scale), ImVec2(1280 * scale, 800 * scale), ImVec2(3840, 2160)}) {
      open(size, scale);
      check("hints");
    }
  open({800, 600}, 1.5);
  check("hints with larger text", false);
  open({800, 600}, 1, Theme::light);
  check("hints in the light theme");
}

}  // namespace
}  // namespace app::ui
