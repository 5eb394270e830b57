// The bar, the strip and the lists below their buttons; and how many controls and numbers there are at the start.
#include <cctype>
#include <set>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"
#include "app/ui/theme.h"
#include "gpu/effect.h"

namespace app::ui {
namespace {

class BarTest : public ControlsTest {
 protected:
  static bool is_in(const Rect& rect, float x, float y) {
    return x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
  }
  // The controls in a part of the window, of any of ImGui's windows: what the mouse finds there.
  std::set<ImGuiID> controls_in(const Rect& rect) {
    std::set<ImGuiID> found;
    for (float y = rect.y + 3; y < rect.y + rect.height; y += 8)
      for (float x = rect.x + 3; x < rect.x + rect.width; x += 10) {
        ImGui::GetIO().MousePos = {x, y};
        draw();
        if (const auto id = ImGui::GetCurrentContext()->HoveredId) found.insert(id);
      }
    rest();
    return found;
  }
  // Above, below, and at the sides of the picture.
  std::set<ImGuiID> controls_beside_picture() {
    const auto& [width, height] = ImGui::GetIO().DisplaySize;
    const auto& picture = places_now().picture;
    const auto below = picture.y + picture.height, right = picture.x + picture.width;
    std::set<ImGuiID> found;
    for (const Rect& part :
         {Rect{0, 0, width, picture.y}, Rect{0, below, width, height - below}, Rect{0, picture.y, picture.x, picture.height},
          Rect{right, picture.y, width - right, picture.height}})
      found.merge(controls_in(part));
    return found;
  }
  std::size_t numbers_beside_picture() const {
    const auto& picture = places_now().picture;
    const ImRect place(picture.x, picture.y, picture.x + picture.width, picture.y + picture.height);
    std::size_t numbers = 0;
    for (const auto& text : TextCheck::texts_outside(place))
      for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(text[at])) != 0; };
        const auto part = [&](std::size_t at) { return text[at] == '.' || text[at] == ':'; };
        numbers += digit(i) && (i == 0 || !(digit(i - 1) || part(i - 1)));
      }
    return numbers;
  }
  Layout places_now() const {
    const auto& size = ImGui::GetIO().DisplaySize;
    return layout(settings_, static_cast<int>(size.x), static_cast<int>(size.y));
  }
  void start() {
    settings_.dock_open = false;
    settings_.compare.on = true;
    ImGui::GetIO().DisplaySize = {1280, 800};
    rest();
  }
};

TEST_F(BarTest, AtTheStartThereAreAtMostFifteenControlsBesideThePicture) {
  start();
  EXPECT_FALSE(shown("Loop", "playback"));
  EXPECT_FALSE(shown("1x", "playback"));
  constexpr std::size_t while_pointed_at = 5;  // in the row: three steps, the speed, the loop
  ImGui::GetIO().MousePos = {300, 790};
  draw(2);
  EXPECT_TRUE(shown("Loop", "playback"));
  EXPECT_TRUE(shown("1x", "playback"));
  const auto found = controls_beside_picture().size();
  state_.capture.kind = capture::SourceKind::image;  // what is in the row where nothing takes its place
  const auto in_place = controls_in(places_now().playback).size();
  EXPECT_GE(found, 14u + while_pointed_at);
  EXPECT_LE(found + in_place, 15u + while_pointed_at);
}

TEST_F(BarTest, AtTheStartThereAreAtMostFifteenNumbersBesideThePicture) {
  start();
  EXPECT_GE(numbers_beside_picture(), 6u);
  EXPECT_LE(numbers_beside_picture(), 15u);
}

// What counts them sees the dock and a message, too.
TEST_F(BarTest, WhateverIsBesideThePictureIsCounted) {
  start();
  const auto numbers = numbers_beside_picture();
  settings_.dock_open = true;
  draw(3);
  EXPECT_GT(numbers_beside_picture(), numbers + 15);
  const auto dock = places_now().dock;
  EXPECT_GT(controls_in({dock.x, dock.y, dock.width, 80}).size(), 4u) << "its tabs, and the button that closes it";
  EXPECT_GT(controls_beside_picture().size(), 15u + 5u);
}

TEST_F(BarTest, AListOpensBelowItsButtonAndEscapeOrAClickElsewhereClosesIt) {
  for (const auto& [button, entry] : {std::pair("Box blur", "Haar-like feature"), {"Save", "Save window"}}) {
    click_text(button, "bar");
    EXPECT_TRUE(shown(entry, "##Popup")) << button;
    const auto* list = top_window("##Popup");
    ASSERT_TRUE(list);
    EXPECT_GE(list->Pos.y, places().bar.y + places().bar.height - 8);
    press(KeyCode::escape);
    draw(2);
    EXPECT_FALSE(shown(entry, "##Popup")) << button;
    click_text(button, "bar");
    click(640, 900);
    draw(2);
    EXPECT_FALSE(shown(entry, "##Popup")) << button;
  }
}

TEST_F(BarTest, OpeningAListChangesNothing) {
  for (const char* button : {"lobby.mp4", "Box blur"}) {
    const auto before = settings_;
    EXPECT_TRUE(click_text(button, "bar").empty());
    EXPECT_EQ(settings_, before) << button;
    press(KeyCode::escape);
  }
}

TEST_F(BarTest, TheEffectIsChosenFromItsListAndByTheWheel) {
  click_text("Box blur", "bar");
  click_text("Adaptive threshold", "##Popup");
  EXPECT_EQ(settings_.effect, "adaptive_threshold");
  EXPECT_TRUE(shown("Adaptive threshold", "bar"));
  auto& io = ImGui::GetIO();
  io.MousePos = middle_of("Adaptive threshold", "bar");
  draw();
  io.MouseWheel = -1;
  draw();
  io.MouseWheel = 0;
  draw();
  EXPECT_NE(settings_.effect, "adaptive_threshold") << "the next one";
}

TEST_F(BarTest, TheWheelOverTheAlgorithmStepsThroughThem) {
  ASSERT_EQ(settings_.host_algorithm, "host_parallel");
  auto& io = ImGui::GetIO();
  io.MousePos = middle_of("host_parallel", "bar");
  draw();
  io.MouseWheel = 1;
  draw();
  io.MouseWheel = 0;
  draw();
  EXPECT_NE(settings_.host_algorithm, "host_parallel");
}

TEST_F(BarTest, TheListOfAlgorithmsIsThatOfTheirKey) {
  EXPECT_FALSE(settings_.cards);
  click_text("host_parallel", "bar");
  EXPECT_TRUE(settings_.cards);
  EXPECT_TRUE(shown("How the sums move", "##Popup"));
  press(KeyCode::escape);
  draw(2);
  EXPECT_FALSE(settings_.cards);
  settings_.panels = false;
  type("a");
  draw(3);
  EXPECT_TRUE(shown("How the sums move", "##Popup")) << "without its button, too";
}

TEST_F(BarTest, TheAlgorithmsChoiceNamesTheDeviceAndItsTooltipTheRest) {
  EXPECT_TRUE(shown("CPU", "bar"));
  ImGui::GetIO().MousePos = middle_of("host_parallel", "bar");
  draw(4);
  EXPECT_TRUE(shown("No CUDA device", "##Tooltip"));
  EXPECT_TRUE(shown("The pipeline holds", "##Tooltip"));
  state_ = example_gpu_state(settings_);
  rest();
  EXPECT_TRUE(shown("GPU", "bar"));
  EXPECT_TRUE(shown("upload", "dock"));
}

TEST_F(BarTest, RaceAndMeasureAreButtons) {
  settings_.dock_open = false;
  draw(2);
  EXPECT_EQ(click_text("Race", "bar"), std::vector{Action::toggle_race});
  click_text("Measure", "bar");
  EXPECT_TRUE(settings_.dock_open);
  click_text("Measure", "bar");
  EXPECT_FALSE(settings_.dock_open);
}

TEST_F(BarTest, StopIsThereDuringARecordingAndSaysHowMuchIsStillWritten) {
  EXPECT_FALSE(shown("Stop", "bar"));
  state_.recording = true;
  state_.recorded_seconds = 12.3;
  draw(2);
  EXPECT_EQ(click_text("Stop 0:12", "bar"), std::vector{Action::toggle_record});
  settings_.panels = false;
  draw(2);
  EXPECT_EQ(click_text("Stop 0:12", "recording"), std::vector{Action::toggle_record});
  settings_.panels = true;
  state_.recording = false;
  state_.saving_video = true;
  draw(2);
  EXPECT_TRUE(shown("Saving", "bar"));
  EXPECT_FALSE(shown("%", "bar"));
  state_.saved_part = 0.42;
  draw(2);
  EXPECT_TRUE(shown("Saving 42%", "bar"));
}

TEST_F(BarTest, TheMenuOfSavingSavesAndSaysWhatThereIsNotYet) {
  const auto saved = [&](const char* entry) {
    settings_.export_menu = true;
    draw(3);
    return click_text(entry, "##Popup");
  };
  EXPECT_EQ(saved("Save picture"), std::vector{Action::save_picture});
  EXPECT_FALSE(settings_.export_menu) << "it is closed";
  EXPECT_EQ(saved("Copy picture"), std::vector{Action::copy_picture});
  EXPECT_EQ(saved("Save window"), std::vector{Action::screenshot});
  EXPECT_EQ(saved("Record video"), std::vector{Action::toggle_record});
  EXPECT_EQ(saved("Record 5 seconds as WebP or GIF"), std::vector{Action::record_clip});
  EXPECT_EQ(saved("Table"), std::vector{Action::save_table});
  EXPECT_EQ(saved("All frames"), std::vector{Action::export_frames});
  EXPECT_EQ(saved("Timeline for Perfetto"), std::vector{Action::export_timeline});
  EXPECT_EQ(saved("Show folder"), std::vector{Action::open_folder});
  EXPECT_TRUE(saved("Race").empty()) << "nothing has run";
  EXPECT_TRUE(shown("none yet", "##Popup"));
  for (const char* note : {"Ctrl+S", "not a matrix"}) EXPECT_TRUE(shown(note, "##Popup")) << note;
  state_.race = example_race();
  EXPECT_EQ(saved("Race"), std::vector{Action::export_race});
  state_.study = example_study();
  EXPECT_EQ(saved("Study"), std::vector{Action::export_study});
  EXPECT_TRUE(type("x").empty());
  draw(2);
  EXPECT_TRUE(settings_.export_menu) << "its key";
}

TEST_F(BarTest, TheKeysOfAMenuEndAtItsRightEnd) {
  settings_.export_menu = true;
  draw(3);
  const auto* menu = top_window("##Popup");
  ASSERT_TRUE(menu);
  for (const char* note : {"Ctrl+S", "Ctrl+C", ".npy", "not a matrix"}) {
    const auto place = TextCheck::place_of(note, "##Popup");
    ASSERT_TRUE(place) << note;
    EXPECT_NEAR(place->Max.x, menu->Pos.x + menu->Size.x - menu->WindowPadding.x, 2) << note;
  }
}

TEST_F(BarTest, EveryEntryOfTheMenuDoesWhatItSays) {
  const auto chosen = [&](const char* entry) {
    const auto& bar = places().bar;
    click(bar.width - 30, bar.height / 2);
    draw(2);
    return click_text(entry, "##Popup");
  };
  chosen("Find a command");
  EXPECT_TRUE(std::exchange(settings_.palette, false));
  draw(3);
  EXPECT_TRUE(chosen("Undo").empty()) << "there is nothing to undo";
  press(KeyCode::escape);
  state_.undoes = "box_blur.window";
  state_.redoes = "vsync";
  EXPECT_EQ(chosen("Undo: Window"), std::vector{Action::undo});
  EXPECT_EQ(chosen("Redo: Vsync"), std::vector{Action::redo});
  chosen("Larger text");
  EXPECT_EQ(std::exchange(settings_.ui_scale, 0), 1.25);
  chosen("Keys and help");
  EXPECT_TRUE(std::exchange(settings_.help, false));
  draw(3);
  chosen("Preferences");
  EXPECT_TRUE(std::exchange(settings_.preferences, false));
  draw(3);
  chosen("Copy as command");
  EXPECT_TRUE(std::string(ImGui::GetClipboardText()).starts_with("satscope "));
  EXPECT_EQ(chosen("Quit"), std::vector{Action::quit});
  chosen("Full screen");
  EXPECT_TRUE(settings_.fullscreen);
  chosen("Picture alone");
  EXPECT_FALSE(settings_.panels);
}

TEST_F(BarTest, ANarrowWindowHasButtonsWithoutWords) {
  ImGui::GetIO().DisplaySize = {900, 600};
  settings_.dock_open = false;
  draw(3);
  for (const char* word : {"Race", "Measure", "Save"}) EXPECT_FALSE(shown(word, "bar")) << word;
  for (const char* word : {"Compare", "Rectangle", "Check"}) EXPECT_FALSE(shown(word, "strip")) << word;
  EXPECT_TRUE(shown("lobby.mp4", "bar"));
}

TEST_F(BarTest, OfALongNameTheEndIsShown) {
  state_.capture.name = "a rather long name of a video file that somebody recorded.mp4";
  draw(2);
  EXPECT_TRUE(shown("recorded.mp4", "bar"));
  EXPECT_FALSE(shown("a rather", "bar"));
}

using StripTest = BarTest;

TEST_F(StripTest, TheToolsAreButtons) {
  settings_.compare.on = false;
  draw(2);
  click_text("Compare", "strip");
  EXPECT_TRUE(settings_.compare.on);
  click_text("Rectangle", "strip");
  EXPECT_TRUE(settings_.rectangle_tool);
  click_text("Check", "strip");
  EXPECT_TRUE(settings_.check);
}

// Who has clicked it looks at it with the mouse there.
TEST_F(StripTest, AButtonThatIsOnStaysFilledUnderTheMouse) {
  const auto at = middle_of("Check", "strip");
  for (const bool on : {false, true}) {
    settings_.check = on;
    ImGui::GetIO().MousePos = at;
    draw(3);
    const auto& list = *ImGui::FindWindowByName("strip")->DrawList;
    const auto near = [&](ImU32 colour) {
      return std::ranges::any_of(list.VtxBuffer, [&](const ImDrawVert& v) {
        return v.col == colour && std::abs(v.pos.x - at.x) < 60 && std::abs(v.pos.y - at.y) < 30;
      });
    };
    EXPECT_EQ(near(ImU32(colour::chosen)), on);
    EXPECT_EQ(near(ImGui::GetColorU32(ImGuiCol_ButtonHovered)), !on);
  }
}

TEST_F(StripTest, TheCheckStopsOrSavesTheWrongFrame) {
  settings_.check = true;
  state_.check.checked = 5;
  draw(2);
  EXPECT_TRUE(has(*ImGui::FindWindowByName("strip")->DrawList, colour::good));
  EXPECT_TRUE(click_text("Check", "strip").empty());
  EXPECT_FALSE(settings_.check);
  state_.check = {7, 1, "wrong at (3, 2): 120 instead of 110"};
  draw(2);
  EXPECT_EQ(click_text("1 wrong", "strip"), std::vector{Action::save_wrong_frame}) << "it stays red without a check";
}

TEST_F(StripTest, TheNumbersOfAMatrixHaveNoZoom) {
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  state_.context.zoom = 85.5;
  for (const bool numbers : {true, false}) {
    settings_.matrix_editor = numbers;
    draw(2);
    EXPECT_EQ(shown("8550%", "strip"), !numbers);
  }
}

TEST_F(StripTest, TheZoomAndTheValuesOfPixelsAreInAList) {
  state_.context.zoom = 0.93;
  draw(2);
  const auto chosen = [&](const char* entry) {
    click_text("%", "strip");
    click_text(entry, "##Popup");
  };
  chosen("Actual size");
  EXPECT_EQ(settings_.zoom, 1);
  chosen("Fit the picture");
  EXPECT_EQ(settings_.zoom, 0);
  chosen("Zoom in");
  EXPECT_EQ(settings_.zoom, 1);
  state_.context.zoom = 1;
  chosen("Zoom out");
  EXPECT_NEAR(settings_.zoom, 0.71, 0.01);
  chosen("Gray levels");
  EXPECT_EQ(settings_.cells, CellValues::gray);
}

TEST_F(StripTest, TheParameterThatOneChangesFirstIsASlider) {
  settings_.effect_values["box_blur"]["window"] = "15x15";
  draw(2);
  EXPECT_TRUE(shown("15 x 15", "strip"));
  EXPECT_FALSE(shown("Border", "strip"));
  const auto label = TextCheck::place_of("Window", "strip");
  ASSERT_TRUE(label);
  click(label->Max.x + 90, label->GetCenter().y);
  EXPECT_NE(settings_.effect_values["box_blur"]["window"], "15x15");
  settings_.effect = "faces";
  draw(2);
  for (const char* words : {"Cascade", "Face (alt2)", "Min neighbors", "Show"}) EXPECT_TRUE(shown(words, "strip")) << words;
}

TEST_F(StripTest, AFewPixelsOfTheSliderAreAFewOfTheWindowAndLargerOnesAreTyped) {
  const auto window = [this] { return settings_.effect_values["box_blur"]["window"]; };
  const auto label = TextCheck::place_of("Window", "strip");
  ASSERT_TRUE(label);
  const auto y = label->GetCenter().y;
  const auto dragged = [&](float by) {
    drag({label->Max.x + 60, y}, {label->Max.x + 60 + by, y});
    return std::stoi(window());
  };
  const int before = dragged(0), after = dragged(3);
  EXPECT_GE(after, before);
  EXPECT_LE(after, before + 6);
  EXPECT_EQ(after % 2, 1);
  EXPECT_GT(dragged(20), before + 6);
  EXPECT_EQ(dragged(400), 255);
  rest();
  imgui::report_control(true);
  click(label->Max.x + 60, y);
  imgui::report_control(false);
  draw(2);
  type("501");
  press(KeyCode::enter);
  EXPECT_EQ(window(), "501x501");
}

TEST_F(StripTest, AParameterWithoutEffectIsLeftOut) {
  settings_.effect = "adaptive_threshold";
  settings_.effect_values["adaptive_threshold"]["method"] = "bradley";
  ImGui::GetIO().DisplaySize.x = 1600;
  draw(2);
  EXPECT_TRUE(shown("Percent (t)", "strip")) << texts_of("strip");
  EXPECT_TRUE(shown("Percent below the mean (Bradley)", "strip")) << "no choice is shortened where there is room";
  EXPECT_FALSE(shown("Only with", "strip"));
  const auto has_c = [] {
    for (const auto& text : TextCheck::texts_of("strip"))
      if (text == "C") return true;
    return false;
  };
  EXPECT_FALSE(has_c());
}

TEST_F(StripTest, WhatAButtonSaysItsTooltipDoesNotRepeat) {
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  draw(3);
  const auto hover = [this](const char* words, const char* window) {
    ImGui::GetIO().MousePos = middle_of(words, window);
    draw(4);
  };
  hover("Show as picture", "strip");
  EXPECT_FALSE(top_window("##Tooltip"));
  hover("Save", "bar");
  EXPECT_TRUE(shown("Pictures, videos and figures", "##Tooltip"));
}

TEST_F(StripTest, AListStaysInTheWindowWhenItsButtonGoes) {
  for (const char* tool : {"More", "%"}) {
    settings_.panels = true;
    draw(2);
    click_text(tool, "strip");
    settings_.panels = false;
    draw(3);
    const auto* list = top_window("##Popup");
    ASSERT_TRUE(list) << tool;
    EXPECT_TRUE(ImRect({0, 0}, ImGui::GetIO().DisplaySize).Contains(list->Rect())) << tool;
    press(KeyCode::escape);
    EXPECT_FALSE(top_window("##Popup")) << tool;
  }
}

TEST_F(StripTest, AMatrixIsShownAsNumbersOrAsAPicture) {
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  draw(3);
  EXPECT_TRUE(shown("Matrix | Table", "strip"));
  click_text("Show as picture", "strip");
  EXPECT_FALSE(settings_.matrix_editor);
  click_text("Show as numbers", "strip");
  EXPECT_TRUE(settings_.matrix_editor);
}

}  // namespace
}  // namespace app::ui
