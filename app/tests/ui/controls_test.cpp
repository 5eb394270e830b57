// Controls of the lists, the dock and the cards under the mouse.
#include "app/tests/ui/controls_test.h"

#include <cmath>

#include "app/control/cards.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

TEST_F(ControlsTest, ACamerasModeSetsSizeAndRate) {
  click_text("lobby.mp4", "bar");
  click_text("Size, rate and memory", "##Popup");
  state_.capture.kind = capture::SourceKind::camera;
  state_.capture.description = "camera 0 (HD Webcam), MJPG 1280x720, 30/s";
  state_.cameras[0].modes = {{"MJPG", {1280, 720}, {30, 15}}, {"YUYV", {640, 480}, {}}};
  draw(2);
  click_control("Mode");
  choose("1280x720, 15/s");
  EXPECT_EQ(settings_.size, (gpu::Size{1280, 720}));
  EXPECT_EQ(settings_.fps, 15);
  click_control("Mode");
  choose("640x480");
  EXPECT_EQ(settings_.size, (gpu::Size{640, 480}));
  EXPECT_EQ(settings_.fps, 0);
  click_control("Mode");  // closes the list of scenes, which opened under the mouse where the list of modes had been
  click_control("Mode");
  choose("The camera's own");
  EXPECT_EQ(settings_.size, gpu::Size());
}

TEST_F(ControlsTest, TheWindowOfValuesIsThereWhereTheSourceHas16Bits) {
  click_text("lobby.mp4", "bar");
  EXPECT_FALSE(shown("Automatic", "##Popup"));
  state_.capture.automatic = capture::ValueWindow{500, 3000};
  draw(2);
  EXPECT_TRUE(shown("500", "##Popup"));
  EXPECT_TRUE(shown("3000", "##Popup"));
  click_text("Automatic", "##Popup");
  EXPECT_EQ(settings_.values, (capture::ValueWindow{500, 3000})) << "it begins with what is shown";
  for (const auto& [typed, window] :
       {std::pair("9", capture::ValueWindow{500, 501}), {"70000", {500, 65535}}, {"2000", {500, 2000}}}) {
    click_text(std::to_string(settings_.values->to).c_str(), "##Popup");
    for (int i = 0; i < 6; ++i) press(KeyCode::end), press(KeyCode::backspace);
    type(typed);
    press(KeyCode::enter);
    draw(2);
    EXPECT_EQ(settings_.values, window) << typed;
  }
  click_text("Automatic", "##Popup");
  EXPECT_FALSE(settings_.values);
  state_.capture.automatic.reset();
  draw(2);
  EXPECT_FALSE(shown("Automatic", "##Popup"));
}

TEST_F(ControlsTest, TheMemoryOfPicturesIsTyped) {
  click_text("lobby.mp4", "bar");
  click_text("Size, rate and memory", "##Popup");
  const auto label = "Memory, MB";
  EXPECT_TRUE(shown("a quarter of all", "##Popup"));
  for (const int budget : {4000, 500}) {
    click_control(label);
    for (int i = 0; i < 5; ++i) press(KeyCode::end), press(KeyCode::backspace);
    type(std::to_string(budget).c_str());
    EXPECT_NE(settings_.memory_budget, budget) << "while it is typed";
    press(KeyCode::enter);
    draw(2);
    EXPECT_EQ(settings_.memory_budget, budget);
    EXPECT_TRUE(shown(std::to_string(budget), "##Popup"));
  }
  settings_.memory_budget = 7;  // changed elsewhere
  draw(2);
  EXPECT_TRUE(shown("7", "##Popup"));
  click_control(label);
  press(KeyCode::end);
  press(KeyCode::backspace);
  press(KeyCode::enter);
  draw(2);
  EXPECT_EQ(settings_.memory_budget, 0);
  EXPECT_TRUE(shown("a quarter of all", "##Popup"));
}

TEST_F(ControlsTest, TabGoesFromAFieldToTheNextOneAndHidesNoPanels) {
  open_parameters();
  settings_.effect = "box_blur";
  draw(2);
  click_control("Window", 0.74f);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  const auto replace = [&](const char* text) {
    for (int i = 0; i < 3; ++i) press(KeyCode::backspace);
    type(text);
    EXPECT_TRUE(press(KeyCode::tab).empty());
    draw(3);
  };
  replace("21");
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  replace("9");
  replace("3");
  EXPECT_EQ(settings_.effect_values["box_blur"]["window"], "21x9");
  EXPECT_EQ(settings_.effect_values["box_blur"]["passes"], "3");
  EXPECT_TRUE(settings_.panels);
  press(KeyCode::escape);
  draw(3);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  press(KeyCode::escape);
  draw(2);
  press(KeyCode::tab);
  EXPECT_FALSE(settings_.panels) << "no field has the keyboard, and no list is open";
  draw(3);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(ControlsTest, AFileThatHasANameIsChosenFromAList) {
  open_parameters();
  settings_.effect = "faces";
  draw(2);
  EXPECT_TRUE(shown("Face (alt2)", "##Popup"));
  EXPECT_TRUE(shown("None", "##Popup"));
  click_control("Inside");
  choose("Face (alt2)");
  EXPECT_EQ(settings_.effect_values["faces"]["inside"], "frontalface_alt2");
  settings_.effect_values["faces"]["cascade"] = "/a/long/folder/of/cascades/that/does/not/fit/mine.xml";
  draw(2);
  EXPECT_TRUE(shown("mine.xml", "##Popup"));
}

// The value that is used, and that nobody chose it.
TEST_F(ControlsTest, AnAutomaticNumberIsShownAsItIsUsed) {
  open_parameters();
  settings_.effect = "adaptive_threshold";
  draw(2);
  EXPECT_TRUE(shown("auto", "##Popup"));
  EXPECT_TRUE(shown("11", "##Popup"));
  EXPECT_TRUE(settings_.effect_values["adaptive_threshold"].empty());
  settings_.effect_values["adaptive_threshold"]["method"] = "bradley";
  draw(2);
  EXPECT_TRUE(shown("auto", "##Popup"));
  EXPECT_TRUE(shown(std::to_string(state_.picture.width / 8), "##Popup"));
  settings_.effect_values["adaptive_threshold"]["window"] = "31";
  draw(2);
  EXPECT_FALSE(shown("auto", "##Popup"));
  EXPECT_TRUE(shown("31", "##Popup"));
}

// What fits as far as anything does: one pixel per rectangle, of which three do not fit. Nobody chose that.
TEST_F(ControlsTest, AnAutomaticFeatureStaysSoInATinyPicture) {
  open_parameters();
  state_.picture = {2, 2};
  settings_.effect = "haar";
  draw(2);
  click_control("Type");
  choose("3 rectangles side by side");
  EXPECT_EQ(settings_.effect_values["haar"]["type"], "type-3-x");
  EXPECT_EQ(settings_.effect_values["haar"].count("width"), 0u);
  settings_.effect_values["haar"] = {{"width", "2"}};
  draw(2);
  click_control("Type");
  choose("3 rectangles side by side");
  EXPECT_EQ(settings_.effect_values["haar"]["width"], "1") << "a chosen one is made smaller";
}

TEST_F(ControlsTest, AnAutomaticSizeIsShownAsItIsUsed) {
  open_parameters();
  settings_.effect = "box_blur";
  settings_.effect_values.clear();
  state_.picture = {960, 540};
  draw(2);
  EXPECT_TRUE(shown("auto", "##Popup"));
  EXPECT_TRUE(shown("15", "##Popup"));
  state_.picture = {8, 10};
  draw(2);
  EXPECT_TRUE(shown("auto", "##Popup"));
  EXPECT_FALSE(shown("15", "##Popup"));
  EXPECT_EQ(settings_.effect_values["box_blur"]["window"], "");
  click_control("Window", 0.74f);
  for (int i = 0; i < 3; ++i) press(KeyCode::backspace);
  type("15");
  press(KeyCode::enter);
  draw(3);
  EXPECT_EQ(settings_.effect_values["box_blur"]["window"], "15x5");
  EXPECT_FALSE(shown("auto", "##Popup"));
  EXPECT_TRUE(shown("15", "##Popup"));
}

TEST_F(ControlsTest, AnAutomaticSwitchIsShownAsItIsUsed) {
  open_parameters();
  settings_.effect = "box_blur";
  const auto colour = [this] { return settings_.effect_values["box_blur"]["colour"]; };
  for (const auto& [device, text] : {std::pair(gpu::Device::simulated, "Auto (off)"), {gpu::Device::host, "Auto (on)"}}) {
    settings_.effect_values.clear();
    state_.device = device;
    draw(2);
    EXPECT_TRUE(shown(text, "##Popup"));
    click_control("Colour");
    ASSERT_TRUE(shown(text, "##Combo"));
    choose("Off");
    EXPECT_EQ(colour(), "off");
    EXPECT_TRUE(shown("Off", "##Popup"));
    EXPECT_FALSE(shown(text, "##Popup"));
    click_control("Colour");
    choose(text);
    EXPECT_EQ(colour(), "") << "left to the program again";
  }
}

TEST_F(ControlsTest, AnOpenListHasTheArrows) {
  open_parameters();
  settings_.effect = "box_blur";
  draw(2);
  const auto border = [this] { return settings_.effect_values["box_blur"]["border"]; };
  click_control("Border");
  ASSERT_TRUE(shown("Black", "##Combo"));
  for (const auto key : {KeyCode::down, KeyCode::up, KeyCode::left, KeyCode::right, KeyCode::page_down})
    EXPECT_TRUE(press(key).empty()) << "nothing is sought";
  EXPECT_TRUE(type("e").empty());
  EXPECT_EQ(settings_.effect, "box_blur");
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "it closes the list";
  EXPECT_FALSE(shown("Black", "##Combo"));
  EXPECT_EQ(border(), "");
  click_control("Border");  // where the keys above have led in the list depends on the version of ImGui
  press(KeyCode::down);
  press(KeyCode::enter);
  draw(2);
  EXPECT_NE(border(), "") << "Enter takes what the arrows have chosen";
  press(KeyCode::escape);
  press(KeyCode::right);
  EXPECT_EQ(commands_, std::vector<Command>{"seek +5"}) << "the parameters are closed, too";
}

TEST_F(ControlsTest, TheMenuOfExportsHasTheArrows) {
  settings_.export_menu = true;
  draw(3);
  EXPECT_TRUE(press(KeyCode::down).empty());
  press(KeyCode::down);
  EXPECT_FALSE(press(KeyCode::enter).empty()) << "an export";
  EXPECT_FALSE(settings_.export_menu);
}

TEST_F(ControlsTest, AFeatureOfMoreRectanglesStaysInThePicture) {
  open_parameters();
  state_.picture = {512, 512};
  settings_.effect = "haar";
  settings_.effect_values["haar"] = {{"width", "256"}, {"height", "200"}, {"x", "448"}};
  draw(2);
  EXPECT_FALSE(shown("448", "##Popup")) << "it is where it fits";
  click_control("Type");
  choose("3 rectangles side by side");
  EXPECT_EQ(settings_.effect_values["haar"]["type"], "type-3-x");
  EXPECT_EQ(settings_.effect_values["haar"]["width"], "170");
  click_control("Type");
  choose("4 rectangles");
  EXPECT_EQ(settings_.effect_values["haar"]["height"], "200") << "it fits";
  click_control("Type");
  choose("3 rectangles stacked");
  EXPECT_EQ(settings_.effect_values["haar"]["height"], "170");
  EXPECT_EQ(settings_.effect_values["haar"]["width"], "170") << "it fits";
}

TEST_F(ControlsTest, CardsAreSearchedUsedAndTheirLinkIsCopied) {
  settings_.cards = true;
  settings_.host_algorithm = "host_parallel";
  draw(3);
  ASSERT_TRUE(shown("2r1w", "##Popup"));
  draw(3);
  EXPECT_TRUE(type("host_ser").empty());
  draw(2);
  EXPECT_FALSE(shown("2r1w", "##Popup"));
  click_text("host_serial", "##Popup");
  EXPECT_EQ(settings_.card, "host_serial");
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  press(KeyCode::escape);
  EXPECT_FALSE(settings_.cards);

  const auto all = gpu::sat_algorithms();
  const auto with_link = std::ranges::find_if(all, [](const auto* algorithm) {
    const auto* card = find_sat_card(algorithm->name);
    return card && !card->doi.empty();
  });
  ASSERT_NE(with_link, all.end());
  settings_.cards = true;
  settings_.card = (*with_link)->name;
  draw(3);
  ImGui::GetIO().MousePos = middle_of("How the sums move", "##Popup");
  ImGui::GetIO().MouseWheel = -50;  // to the paper, at the end of the card
  draw();
  ImGui::GetIO().MouseWheel = 0;
  click_text("Copy", "##Popup");
  const char* copied = ImGui::GetClipboardText();
  EXPECT_EQ(copied ? std::string(copied) : "", "https://doi.org/" + find_sat_card((*with_link)->name)->doi);
}

// Their names, and their years beside the scroll bar.
TEST_F(ControlsTest, AlgorithmsThatCannotRunAreReadAsEasilyAsOthers) {
  state_.context.no_simulated = "it is not built";
  settings_.cards = true;
  settings_.card = "2r2w";
  for (const auto theme : {Theme::dark, Theme::light}) {
    apply_theme({1, theme});
    ImGui::GetIO().DisplaySize.y = 600;
    draw(3);
    const auto list = []() -> const ImGuiWindow* {
      for (const auto* window : ImGui::GetCurrentContext()->Windows)
        if (window->Active && std::string_view(window->Name).find("/algorithms_") != std::string_view::npos) return window;
      return nullptr;
    }();
    ASSERT_TRUE(list && list->ScrollbarY);
    EXPECT_FALSE(has(*list->DrawList, colour::faint));
    EXPECT_GE(colour::contrast(colour::dim, colour::raised), 4.5);
    EXPECT_EQ(ImGui::GetColorU32(ImGuiCol_TextDisabled), ImU32(colour::dim)) << "the hint of the search";
    EXPECT_GE(colour::contrast(colour::dim, colour::control), 4.5);
    EXPECT_GE(colour::contrast(colour::text, colour::chosen), 4.5);
    const auto year = TextCheck::place_of("2018", "##Popup");
    ASSERT_TRUE(year);
    EXPECT_LT(year->Max.x, list->InnerRect.Max.x - 3);
  }
}

TEST_F(ControlsTest, WhyADeviceCannotBeChosenIsAsBrightAsAnyText) {
  settings_.cards = true;
  draw(3);
  ImGui::GetIO().MousePos = middle_of("NVIDIA GPU", "##Popup");
  draw(3);
  ASSERT_TRUE(shown("no NVIDIA driver", "##Tooltip"));
  EXPECT_TRUE(has(*ImGui::FindWindowByName("##Tooltip_00")->DrawList, colour::text));
}

TEST_F(ControlsTest, AParameterAndTheOrderOfTheCardsAreChosenFromLists) {
  settings_.host_algorithm = "host_parallel";
  draw(2);
  open_parameters();
  click_control("Threads");
  choose("16");
  EXPECT_EQ(settings_.algorithm_values["host_parallel"]["threads"], "16");
  press(KeyCode::escape);
  settings_.cards = true;
  draw(3);
  click_text("Family", "##Popup");
  choose("Year");
  EXPECT_EQ(settings_.card_order, CardOrder::year);
}

TEST_F(ControlsTest, ATooltipIsBelowItsItemOrAboveItWhereThereIsNoRoom) {
  const auto tooltip = [this](const char* text, const char* window) {
    ImGui::GetIO().MousePos = middle_of(text, window);
    draw(4);
    return ImGui::FindWindowByName("##Tooltip_00")->Rect();
  };
  EXPECT_GE(tooltip("Compare", "strip").Min.y, middle_of("Compare", "strip").y + 10);
  EXPECT_GE(tooltip("Save", "bar").Min.y, middle_of("Save", "bar").y + 10);
  EXPECT_LE(tooltip("fps", "playback").Max.y, middle_of("fps", "playback").y - 5);
  ImGui::GetIO().MousePos = middle_of("0:07.3", "playback");  // the controls of playing come
  draw(2);
  EXPECT_LE(tooltip("1x", "playback").Max.y, middle_of("Loop", "playback").y - 5);
}

// Its sentence and its buttons are below.
TEST_F(ControlsTest, ATabIsExplainedAboveItUnlessItIsShown) {
  const auto hover = [this](const char* title) {
    ImGui::GetIO().MousePos = middle_of(title, "dock/tabs");
    draw(4);
    return ImGui::GetIO().MousePos;
  };
  hover("Frame");
  EXPECT_FALSE(shown("Where the time", "##Tooltip"));
  const auto tab = hover("Race");
  ASSERT_TRUE(shown("The time of every algorithm", "##Tooltip"));
  EXPECT_LE(ImGui::FindWindowByName("##Tooltip_00")->Rect().Max.y, tab.y - 5);
}

TEST_F(ControlsTest, ATooltipOfAListIsBesideItWhereThereIsRoom) {
  const auto overlaps = [this](const char* text) {
    ImGui::GetIO().MousePos = middle_of(text, "##Popup");
    draw(4);
    return top_window("##Tooltip")->Rect().Overlaps(top_window("##Popup")->Rect());
  };
  click_text("Effect", "bar");
  EXPECT_FALSE(overlaps("Box blur")) << "an entry";
  press(KeyCode::escape);
  click_text("Save", "bar");
  EXPECT_FALSE(overlaps("Copy picture")) << "left of the list";
  press(KeyCode::escape);
  settings_.cards = true;
  draw(2);
  EXPECT_FALSE(overlaps("Scan and transpose")) << "in narrower lines";
  press(KeyCode::escape);
  ImGui::GetIO().DisplaySize.x = 400;
  draw(2);
  settings_.export_menu = true;
  draw(2);
  EXPECT_TRUE(overlaps("Copy picture")) << "nowhere else";
}

// The value beside the slider stays in sight.
TEST_F(ControlsTest, WhatIsDraggedHasNoTooltip) {
  const auto label = TextCheck::place_of("Window", "strip");
  ASSERT_TRUE(label);
  auto& io = ImGui::GetIO();
  const auto dragged_to = [&](float right, bool down) {
    io.MousePos = {label->Max.x + right, label->GetCenter().y};
    io.MouseDown[0] = down;
    draw(30);
    return top_window("##Tooltip") != nullptr;
  };
  EXPECT_TRUE(dragged_to(60, false));
  EXPECT_FALSE(dragged_to(60, true));
  EXPECT_FALSE(dragged_to(65, true));
  EXPECT_FALSE(dragged_to(180, true)) << "where the value is";
  dragged_to(180, false);
}

TEST_F(ControlsTest, AListThatTheMouseHasOpenedShowsNoFocusBeforeTheFirstKey) {
  settings_.effect = "box_blur";
  open_parameters();
  const auto focus = [] { return has(*top_window("##Popup")->DrawList, ImGui::GetColorU32(imgui::focus_mark)); };
  EXPECT_FALSE(focus());
  press(KeyCode::down);
  draw(2);
  EXPECT_TRUE(focus());
}

// What a click opens must not lie under the words that explained the button.
TEST_F(ControlsTest, AClickHidesTheTooltipUntilTheMouseComesAgain) {
  const auto tooltip = [] {
    return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const auto* window) {
      return window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_Tooltip);
    });
  };
  const auto at = middle_of("Compare", "strip");
  ImGui::GetIO().MousePos = at;
  draw(4);
  EXPECT_TRUE(tooltip());
  click(at.x, at.y);
  draw(4);
  EXPECT_FALSE(tooltip());
  ImGui::GetIO().MousePos = {1, 1};
  draw(4);
  ImGui::GetIO().MousePos = at;
  draw(4);
  EXPECT_TRUE(tooltip());
}

TEST_F(ControlsTest, TheEdgeOfTheDockIsDraggedAndADoubleClickGivesItBack) {
  const auto before = places();
  drag({before.dock.x, 300}, {before.dock.x - 60, 300});
  EXPECT_EQ(places().dock.width, before.dock.width + 60);
  EXPECT_EQ(settings_.dock_width, before.dock.width + 60);
  drag({places().dock.x, 300}, {5, 300});
  EXPECT_GT(places().picture.width, 100) << "the picture keeps a part";
  draw(60);  // no double click
  for (int i = 0; i < 2; ++i) click(places().dock.x, 300);
  EXPECT_EQ(settings_.dock_width, 0);
  EXPECT_EQ(places().dock.width, before.dock.width);
}

TEST_F(ControlsTest, TheEdgeStaysUnderTheMouseOnADisplayOfScaleTwo) {
  apply_theme({2, Theme::dark});
  imgui_.build_fonts();
  ImGui::GetIO().DisplaySize = {2560, 2000};
  draw(2);
  const auto edge = [this] { return layout(settings_, 2560, 2000).dock.x; };
  const auto wanted = std::round(edge() / 2) * 2 - 60;
  drag({edge(), 600}, {wanted, 600});
  EXPECT_EQ(edge(), wanted);
  EXPECT_EQ(settings_.dock_width, (2560 - wanted) / 2) << "in pixels of a display of scale 1";
}

TEST_F(ControlsTest, TheDockIsClosedByItsButtonAndItsTabsAreChosen) {
  click_text("Race", "dock/tabs");
  EXPECT_EQ(settings_.dock, Dock::race);
  settings_.dock = Dock::tiles;  // by a key
  draw(3);
  EXPECT_EQ(settings_.dock, Dock::tiles) << "the line of tabs follows";
  click_text("Frame", "dock/tabs");
  EXPECT_EQ(settings_.dock, Dock::frame);
  EXPECT_FALSE(shown("Detector", "dock/tabs")) << "box blur finds nothing";
  state_.cascade.available = true;
  draw(2);
  EXPECT_TRUE(shown("Detector", "dock/tabs"));
  const auto dock = places().dock;
  click(dock.x + dock.width - 24, dock.y + 22);
  EXPECT_FALSE(settings_.dock_open);
}

}  // namespace
}  // namespace app::ui
