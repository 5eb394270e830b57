// What can be compared under the mouse, and the names of what is compared over the picture.
#include <string>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/text_check_window.h"
#include "app/ui/layout.h"
#include "app/ui/rectangle.h"

namespace app::ui {
namespace {

class CompareTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.compare.on = true;
    draw(2);
    auto& io = ImGui::GetIO();  // the right button on the tool
    io.MousePos = middle_of("Compare", "strip");
    for (const bool down : {false, true, false}) {
      io.MouseDown[1] = down;
      draw(2);
    }
    rest();
  }
  static std::string sides(const Settings& settings) { return settings.compare.a + ',' + settings.compare.b; }
};

TEST_F(CompareTest, SwapExchangesTheSides) {
  click_text("Swap", "##Popup");
  EXPECT_EQ(sides(settings_), "result,original");
  settings_.compare.on = false;
  draw(2);
  click_text("Swap", "##Popup");
  EXPECT_EQ(sides(settings_), "result,original") << "nothing is compared";
}

TEST_F(CompareTest, TheBoxStartsAndEndsIt) {
  for (const bool on : {false, true}) {
    click_text("Compare", "##Popup");
    EXPECT_EQ(settings_.compare.on, on);
  }
}

// Of the chosen effect; another effect has no files.
TEST_F(CompareTest, FacesByAnotherCascadeCanBeASide) {
  press(KeyCode::escape);
  settings_.effect = "faces";
  state_.side_names = {{300, 200, 70, 20}, {380, 200, 70, 20}};
  draw(2);
  click(400, 210);
  rest();
  click_text("Faces: frontalface_alt2", "##Popup");
  EXPECT_EQ(sides(settings_), "original,faces.cascade=frontalface_alt2");
  settings_.effect = "box_blur";
  draw(2);
  click(400, 210);
  rest();
  EXPECT_FALSE(shown("Faces: frontalface_alt2", "##Popup"));
}

// As the picture draws them: each opens what can be on its side, and the difference.
TEST_F(CompareTest, TheNamesOverThePictureOpenTheirSides) {
  press(KeyCode::escape);
  state_.side_names = {{300, 200, 70, 20}, {380, 200, 70, 20}};
  draw(2);
  click(330, 210);
  rest();
  click_text("The table", "##Popup");
  EXPECT_EQ(sides(settings_), "sat_view,result");
  click(400, 210);
  rest();
  click_text("host_serial", "##Popup");
  EXPECT_EQ(sides(settings_), "sat_view,host_serial");
  click(400, 210);
  rest();
  click_text("Wipe or difference", "##Popup");
  EXPECT_EQ(settings_.compare_mode, Composition::Mode::difference);
}

TEST_F(CompareTest, TheListsChooseTheSidesAndStartIt) {
  settings_.compare.on = false;
  draw(2);
  click_control("A");
  choose("The table");
  EXPECT_EQ(sides(settings_), "sat_view,result");
  EXPECT_TRUE(settings_.compare.on);
  click_control("B");
  choose("host_serial");
  EXPECT_EQ(sides(settings_), "sat_view,host_serial");
  click_control("B");
  choose("The table");
  EXPECT_EQ(sides(settings_), "sat_view,host_serial") << "a side is not compared with itself";
}

TEST_F(CompareTest, TheListsHaveAlgorithmsByFamilyAndYear) {
  state_.device = gpu::Device::simulated;
  settings_.device = DeviceChoice::simulated;
  draw(2);
  click_control("A");
  float above = 0;
  for (const char* text :
       {"Rows and columns", "2r2w", "Scan and transpose", "transpose_harris", "Tiles in one kernel", "1r1w_skss"}) {
    const auto place = TextCheck::place_of(text, "##Combo");
    ASSERT_TRUE(place) << text;
    EXPECT_GT(place->Min.y, above) << text;
    above = place->Min.y;
  }
}

TEST_F(CompareTest, TheListsLeaveOutWhatTheDeviceCannotRunAndSaySo) {
  click_control("A");
  EXPECT_FALSE(shown("2r1w", "##Combo"));
  EXPECT_TRUE(shown("more on the GPU or the simulated GPU", "##Combo"));
  EXPECT_TRUE(shown("Box blur", "##Combo"));
  EXPECT_FALSE(shown("box_blur", "##Combo"));
}

TEST_F(CompareTest, EachViewHasItsSlider) {
  const auto click_wipe = [&](float fraction) { click_control("Amplify", fraction, -ImGui::GetFrameHeightWithSpacing()); };
  click_wipe(0.05f);
  const auto wipe = settings_.wipe;
  EXPECT_LT(wipe, 0.45);
  click_wipe(0.4f);
  EXPECT_GT(settings_.wipe, wipe + 0.2);
  click_control("Amplify", 0.5f);
  EXPECT_EQ(settings_.amplification, 8) << "nothing is amplified";

  click_control("View");
  choose("Difference");
  EXPECT_EQ(settings_.compare_mode, Composition::Mode::difference);
  const auto before = settings_.wipe;
  click_wipe(0.1f);
  EXPECT_EQ(settings_.wipe, before) << "a difference has no wipe";
  click_control("Amplify", 0.05f);
  EXPECT_LT(settings_.amplification, 8);
  click_control("Amplify", 0.5f);
  EXPECT_GT(settings_.amplification, 8);
}

// The names of a comparison over the picture: neither the rectangle's notes nor its lines nor an effect's handles hide them.
// And those notes, where the rectangle is in view.
class NamesOverPictureTest : public TextCheckTest {
 protected:
  static constexpr gpu::Size picture{960, 540};

  void SetUp() override {
    TextCheckTest::SetUp();
    settings_ = example_settings();
    settings_.compare = {true, "original", "sat_view"};  // short names: they fit on every side
  }
  // Draws a comparison and what else `draw` draws, with a new list of what is drawn.
  template <class Draw>
  void frame(bool difference, const Draw& draw) {
    settings_.compare_mode = difference ? Composition::Mode::difference : Composition::Mode::wipe;
    ImGui::NewFrame();
    draw(view_of(settings_, picture, zoom_), make_selection(settings_, gpu::Device::host));
    ImGui::Render();
  }
  static void expect_apart(std::vector<Rect> rects, const std::string& what) {
    while (!rects.empty()) {
      const auto last = rects.back();
      rects.pop_back();
      EXPECT_FALSE(overlaps(last, rects)) << what;
    }
  }
  static RectangleSum sum_of(const PixelBox& box) {
    RectangleSum sum{.box = box, .corners = corners_of(box), .known = true, .plain = 1'234'567, .sum = 1'234'567};
    for (auto& corner : sum.corners) corner.entry = 12'345'678;
    return sum;
  }

  Settings settings_;
  double zoom_ = 0;
};

TEST_F(NamesOverPictureTest, NamesNotesAndLinesOfARectangleAreApart) {
  for (const bool difference : {false, true})
    for (const double wipe : {0.2, 0.5, 0.75})
      for (int y = 0; y < 200; y += 20)
        for (int x = 0; x < 900; x += 60) {
          const PixelBox box{x, y, 60, 40};
          const auto what = "wipe " + std::to_string(wipe) + ", box " + std::to_string(x) + ' ' + std::to_string(y);
          frame(difference, [&](const View& view, const Selection& selection) {
            const auto lines = rectangle_lines(view, box, true);
            auto rects = draw_comparison(view, selection, wipe, lines);
            EXPECT_EQ(rects.size(), difference ? 1u : 2u) << what;
            for (const auto& name : rects) EXPECT_FALSE(overlaps(name, lines)) << what;
            for (const auto& note : draw_rectangle(view, sum_of(box), true, rects)) rects.push_back(note);
            expect_apart(rects, what);
          });
          EXPECT_TRUE(TextCheck::place_of("The table", "##Background")) << what;
        }
}

// Enlarged elsewhere, they would lie over the pixels that are looked at.
TEST_F(NamesOverPictureTest, ARectangleOutOfViewHasNoNotesAndOneThatIsCutThoseOfItsCornersInView) {
  const View view{10, {0.5, 0.5}, picture, {320, 40, 600, 400}};  // pixels 450 to 510, 250 to 290
  const auto notes = [&](const PixelBox& box) {
    std::size_t count = 0;
    frame(false, [&](const View&, const Selection&) { count = draw_rectangle(view, sum_of(box), true).size(); });
    return count;
  };
  for (const PixelBox box : {PixelBox{10, 10, 40, 30}, {600, 260, 20, 20}, {460, 400, 20, 20}}) {
    EXPECT_EQ(notes(box), 0u) << box.x << ' ' << box.y;
    EXPECT_FALSE(TextCheck::place_of("12 345 678", "##Background"));
  }
  EXPECT_EQ(notes({460, 260, 20, 20}), 5u);
  EXPECT_EQ(notes({400, 260, 60, 20}), 3u) << "B, D, and the sum";
  EXPECT_TRUE(TextCheck::place_of("D - B - C + A", "##Background"));
  EXPECT_EQ(notes({400, 200, 200, 200}), 1u) << "the view is inside it";
}

TEST_F(NamesOverPictureTest, CornersBesideAFittedPictureAreNamed) {
  const View view{0, {0.5, 0.5}, picture, {320, 40, 960, 540}};
  frame(false, [&](const View&, const Selection&) {
    EXPECT_EQ(draw_rectangle(view, sum_of({0, 0, picture.width, picture.height}), true).size(), 5u);
  });
}

TEST_F(NamesOverPictureTest, NamesAreBesideTheHandlesOfAnEffect) {
  for (const bool difference : {false, true})
    for (int y = 0; y < 60; y += 7)
      for (int x = 0; x < 880; x += 30)
        frame(difference, [&](const View& view, const Selection& selection) {
          const auto handles = draw_handles(view, {x, y, 40, 60, 2, 1}, view.area, scale_);
          ASSERT_EQ(handles.size(), 8u);
          for (const auto& name : draw_comparison(view, selection, 0.5, handles))
            EXPECT_FALSE(overlaps(name, handles)) << x << ' ' << y;
        });
}

// A few large cells leave room above and below their numbers; many small ones do not: names are beside the picture then.
TEST_F(NamesOverPictureTest, NamesHideNoNumbersOfCells) {
  settings_.compare = {true, "original", "none"};
  for (const auto& [side, height] : {std::pair(3, 30.f), {8, 20.f}, {20, 19.f}}) {
    const View view{0, {0.5, 0.5}, {side, side}, {320, 40, 960, 400}};
    std::vector<Rect> numbers;
    const float cell = 400.f / static_cast<float>(side);
    for (int y = 0; y < side; ++y)
      numbers.push_back({600, 40 + (static_cast<float>(y) + 0.5f) * cell - height / 2, 400, height});
    for (const bool difference : {false, true})
      frame(difference, [&, side = side](const View&, const Selection& selection) {
        const auto names = draw_comparison(view, selection, 0.5, {}, numbers);
        EXPECT_EQ(names.size(), difference ? 1u : 2u) << side;
        for (const auto& name : names) {
          EXPECT_FALSE(overlaps(name, numbers)) << side;
          EXPECT_TRUE(name.x >= 320 && name.x + name.width <= 1280 && name.y >= 40 && name.y + name.height <= 440) << side;
        }
      });
  }
}

// Where the picture fills its panel.
TEST_F(NamesOverPictureTest, WithoutAnyOtherPlaceNamesLieOverNumbers) {
  const View view{20, {0.5, 0.5}, picture, {320, 40, 960, 400}};
  std::vector<Rect> numbers;
  for (int y = 0; y < 20; ++y) numbers.push_back({320, 40 + 20.f * static_cast<float>(y), 960, 18});
  for (const bool difference : {false, true})
    frame(difference, [&](const View&, const Selection& selection) {
      const auto usual = draw_comparison(view, selection, 0.5);
      const auto names = draw_comparison(view, selection, 0.5, {}, numbers);
      ASSERT_EQ(names.size(), usual.size());
      for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i].y, usual[i].y);
    });
}

TEST_F(NamesOverPictureTest, ANameStaysOnItsSideAndIsAtItsUsualPlaceWhereNothingIsTaken) {
  for (const double zoom : {0.0, 2.0}) {
    zoom_ = zoom;
    frame(false, [&](const View& view, const Selection& selection) {
      const auto usual = draw_comparison(view, selection, 0.5);
      ASSERT_EQ(usual.size(), 2u);
      const auto line = static_cast<float>(view.image_to_screen({picture.width / 2.0, 0}).x);
      const std::vector<Rect> taken{usual[0], usual[1]};
      const auto moved = draw_comparison(view, selection, 0.5, taken);
      ASSERT_EQ(moved.size(), 2u);
      for (const auto& names : {usual, moved}) {
        EXPECT_LT(names[0].x + names[0].width, line);
        EXPECT_GT(names[1].x, line);
      }
      for (const auto& name : moved) EXPECT_FALSE(overlaps(name, taken));
    });
  }
}

}  // namespace
}  // namespace app::ui
