// Controls of the bar, the transport, the source, the dock and the cards under the mouse.
#include "app/tests/ui/controls_test.h"

#include <cmath>

#include "app/control/cards.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

TEST_F(ControlsTest, TheCheckLightStopsTheCheckOrSavesTheWrongFrame) {
  settings_.check = true;
  state_.check.checked = 5;
  draw(2);
  EXPECT_TRUE(click_text("table right", "bar").empty());
  EXPECT_FALSE(settings_.check);
  state_.check = {7, 1, "wrong at (3, 2): 120 instead of 110"};
  draw(2);
  EXPECT_EQ(click_text("table wrong", "bar"), std::vector{Action::save_wrong_frame}) << "it stays red without a check";
}

TEST_F(ControlsTest, AfterARecordingTheBarSaysThatTheVideoIsStillWritten) {
  EXPECT_EQ(click_text("Record", "bar"), std::vector{Action::toggle_record});
  state_.recording = true;
  draw(2);
  EXPECT_EQ(click_text("Stop", "bar"), std::vector{Action::toggle_record});
  state_.recording = false;
  state_.saving_video = true;
  draw(2);
  EXPECT_TRUE(shown("saving video", "bar"));
  EXPECT_FALSE(shown("%", "bar"));
  state_.saved_part = 0.42;
  draw(2);
  EXPECT_TRUE(shown("saving video 42%", "bar"));
  EXPECT_EQ(click_text("Record", "bar"), std::vector{Action::toggle_record}) << "another one";
}

TEST_F(ControlsTest, TheSizeOfAVideoIsChosenFromAList) {
  EXPECT_EQ(settings_.record_size, RecordSize::lines_1080);
  for (const auto& [text, size] : {std::pair("720p", RecordSize::lines_720), {"As the picture", RecordSize::source}}) {
    click_control("Video size");
    choose(text);
    EXPECT_EQ(settings_.record_size, size);
  }
}

TEST_F(ControlsTest, TheSpeedIsChosenFromAListAndLoopByItsBox) {
  state_.capture.no_seek.clear();
  draw(2);
  for (const auto& [text, speed] : {std::pair{"2x", 2.0}, {"0.25x", 0.25}}) {
    click_text(settings_.speed == 1 ? "1x" : "2x", "transport");
    choose(text);
    EXPECT_EQ(settings_.speed, speed);
  }
  const bool loop = settings_.loop;
  click_text("Loop", "transport");
  EXPECT_NE(settings_.loop, loop);
}

TEST_F(ControlsTest, TheSpeedOfASourceThatHasNoneStays) {
  state_.capture.no_seek = "a camera cannot seek";
  state_.capture.kind = capture::SourceKind::camera;
  settings_.loop = false;
  draw(2);
  click_text("1x", "transport");
  EXPECT_FALSE(shown("2x", "##Combo"));
  click_text("Loop", "transport");
  EXPECT_FALSE(settings_.loop);
}

TEST_F(ControlsTest, ACamerasModeSetsSizeAndRate) {
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
  click_control("Mode");
  choose("The camera's own");
  EXPECT_EQ(settings_.size, gpu::Size());
}

TEST_F(ControlsTest, TheWindowOfValuesIsThereWhereTheSourceHas16Bits) {
  EXPECT_FALSE(shown("Automatic", "choices"));
  state_.capture.automatic = capture::ValueWindow{500, 3000};
  draw(2);
  EXPECT_TRUE(shown("500", "choices"));
  EXPECT_TRUE(shown("3000", "choices"));
  click_text("Automatic", "choices");
  EXPECT_EQ(settings_.values, (capture::ValueWindow{500, 3000})) << "it begins with what is shown";
  for (const auto& [typed, window] :
       {std::pair("9", capture::ValueWindow{500, 501}), {"70000", {500, 65535}}, {"2000", {500, 2000}}}) {
    click_text(std::to_string(settings_.values->to).c_str(), "choices");
    for (int i = 0; i < 6; ++i) press(KeyCode::end), press(KeyCode::backspace);
    type(typed);
    press(KeyCode::enter);
    draw(2);
    EXPECT_EQ(settings_.values, window) << typed;
  }
  click_text("Automatic", "choices");
  EXPECT_FALSE(settings_.values);
  state_.capture.automatic.reset();
  draw(2);
  EXPECT_FALSE(shown("Automatic", "choices"));
}

TEST_F(ControlsTest, TheMemoryOfPicturesIsTyped) {
  const auto label = "Memory, MB";
  EXPECT_TRUE(shown("a quarter of all", "choices"));
  for (const int budget : {4000, 500}) {
    click_control(label);
    for (int i = 0; i < 5; ++i) press(KeyCode::end), press(KeyCode::backspace);
    type(std::to_string(budget).c_str());
    EXPECT_NE(settings_.memory_budget, budget) << "while it is typed";
    press(KeyCode::enter);
    draw(2);
    EXPECT_EQ(settings_.memory_budget, budget);
    EXPECT_TRUE(shown(std::to_string(budget), "choices"));
  }
  settings_.memory_budget = 7;  // changed elsewhere
  draw(2);
  EXPECT_TRUE(shown("7", "choices"));
  click_control(label);
  press(KeyCode::end);
  press(KeyCode::backspace);
  press(KeyCode::enter);
  draw(2);
  EXPECT_EQ(settings_.memory_budget, 0);
  EXPECT_TRUE(shown("a quarter of all", "choices"));
}

TEST_F(ControlsTest, TabGoesFromAFieldToTheNextOneAndHidesNoPanels) {
  settings_.effect = "box_blur";
  draw(2);
  click_control("Window", 0.62f);
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
  press(KeyCode::tab);
  EXPECT_FALSE(settings_.panels) << "no field has the keyboard";
  draw(3);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(ControlsTest, TheTimingIsChosenAndKernelsAreResetAndExported) {
  click_text("Each kernel", "dock");
  choose("Every launch");
  EXPECT_EQ(settings_.timing, TimingChoice::every);
  click_text("Every launch", "dock");
  choose("Off");
  EXPECT_EQ(settings_.timing, TimingChoice::off);
  EXPECT_EQ(click_text("Reset", "dock"), std::vector{Action::reset_statistics});
  EXPECT_TRUE(click_text("Save...", "dock").empty());
  EXPECT_TRUE(settings_.export_menu);
}

// In the window's usual size, too.
TEST_F(ControlsTest, WhatTheTimingCostsIsSaidBesideTheTabs) {
  ImGui::GetIO().DisplaySize = {1280, 800};
  state_.kernels.timing_share = 0.0123;
  for (const auto device : {gpu::Device::host, gpu::Device::simulated}) {
    state_.device = device;
    draw(2);
    EXPECT_TRUE(shown("timing 1.2% CPU", "dock"));
    EXPECT_EQ(shown("simulated", "dock"), device == gpu::Device::simulated);
  }
  ImGui::GetIO().DisplaySize = {3000, 1600};
  draw(2);
  EXPECT_TRUE(shown("240 frames, timing costs the CPU 1.2% of the time", "dock"));
}

TEST_F(ControlsTest, WhatEventsCostAGpuIsSaidToBeNotCounted) {
  ImGui::GetIO().DisplaySize = {3000, 1600};
  for (const bool cuda : {false, true}) {
    if (cuda) state_ = example_gpu_state(settings_);
    draw(2);
    ImGui::GetIO().MousePos = middle_of("timing costs the CPU", "dock");
    draw(3);
    EXPECT_TRUE(shown("of the CPU per timed frame", "##Tooltip"));
    EXPECT_EQ(shown("Events also take GPU time", "##Tooltip"), cuda);
  }
}

TEST_F(ControlsTest, TheRaceIsStartedStoppedExtendedAndExported) {
  settings_.dock = Dock::race;
  state_.race = {};
  draw(2);
  EXPECT_EQ(click_text("Start", "dock"), std::vector{Action::start_race});
  EXPECT_TRUE(click_text("Save", "dock").empty()) << "Nothing has run yet";
  state_.race = example_race();
  draw(2);
  EXPECT_EQ(click_text("Save", "dock"), std::vector{Action::export_race});
  EXPECT_EQ(click_text("Again", "dock"), std::vector{Action::start_race});
  state_.race.finished = false;
  draw(2);
  EXPECT_EQ(click_text("Stop", "dock"), std::vector{Action::stop_race});
  click_text("All parameters", "dock");
  EXPECT_TRUE(settings_.race_parameters);
}

TEST_F(ControlsTest, AFileThatHasANameIsChosenFromAList) {
  settings_.effect = "faces";
  draw(2);
  EXPECT_TRUE(shown("Face (alt2)", "choices"));
  EXPECT_TRUE(shown("None", "choices"));
  click_control("Inside");
  choose("Face (alt2)");
  EXPECT_EQ(settings_.effect_values["faces"]["inside"], "frontalface_alt2");
  settings_.effect_values["faces"]["cascade"] = "/a/long/folder/of/cascades/that/does/not/fit/mine.xml";
  draw(2);
  EXPECT_TRUE(shown("mine.xml", "choices"));
}

// The value that is used, and that nobody chose it.
TEST_F(ControlsTest, AnAutomaticNumberIsShownAsItIsUsed) {
  settings_.effect = "adaptive_threshold";
  draw(2);
  EXPECT_TRUE(shown("auto", "choices"));
  EXPECT_TRUE(shown("11", "choices"));
  EXPECT_TRUE(settings_.effect_values["adaptive_threshold"].empty());
  settings_.effect_values["adaptive_threshold"]["method"] = "bradley";
  draw(2);
  EXPECT_TRUE(shown("auto", "choices"));
  EXPECT_TRUE(shown(std::to_string(state_.picture.width / 8), "choices"));
  settings_.effect_values["adaptive_threshold"]["window"] = "31";
  draw(2);
  EXPECT_FALSE(shown("auto", "choices"));
  EXPECT_TRUE(shown("31", "choices"));
}

// What fits as far as anything does: one pixel per rectangle, of which three do not fit. Nobody chose that.
TEST_F(ControlsTest, AnAutomaticFeatureStaysSoInATinyPicture) {
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
  settings_.effect = "box_blur";
  settings_.effect_values.clear();
  state_.picture = {960, 540};
  draw(2);
  EXPECT_TRUE(shown("auto", "choices"));
  EXPECT_TRUE(shown("15", "choices"));
  state_.picture = {8, 10};
  draw(2);
  EXPECT_TRUE(shown("auto", "choices"));
  EXPECT_FALSE(shown("15", "choices"));
  EXPECT_EQ(settings_.effect_values["box_blur"]["window"], "");
  click_control("Window", 0.62f);
  for (int i = 0; i < 3; ++i) press(KeyCode::backspace);
  type("15");
  press(KeyCode::enter);
  draw(3);
  EXPECT_EQ(settings_.effect_values["box_blur"]["window"], "15x5");
  EXPECT_FALSE(shown("auto", "choices"));
  EXPECT_TRUE(shown("15", "choices"));
}

TEST_F(ControlsTest, AnAutomaticSwitchIsShownAsItIsUsed) {
  settings_.effect = "box_blur";
  const auto colour = [this] { return settings_.effect_values["box_blur"]["colour"]; };
  for (const auto& [device, text] : {std::pair(gpu::Device::simulated, "Auto (off)"), {gpu::Device::host, "Auto (on)"}}) {
    settings_.effect_values.clear();
    state_.device = device;
    draw(2);
    EXPECT_TRUE(shown(text, "choices"));
    click_control("Colour");
    ASSERT_TRUE(shown(text, "##Combo"));
    choose("Off");
    EXPECT_EQ(colour(), "off");
    EXPECT_TRUE(shown("Off", "choices"));
    EXPECT_FALSE(shown(text, "choices"));
    click_control("Colour");
    choose(text);
    EXPECT_EQ(colour(), "") << "left to the program again";
  }
}

TEST_F(ControlsTest, AnOpenListHasTheArrows) {
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
  EXPECT_EQ(press(KeyCode::right), std::vector{Action::seek_forward}) << "the list is closed";
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
  state_.picture = {512, 512};
  settings_.effect = "haar";
  settings_.effect_values["haar"] = {{"width", "256"}, {"height", "200"}, {"x", "448"}};
  draw(2);
  EXPECT_FALSE(shown("448", "choices")) << "it is where it fits";
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

TEST_F(ControlsTest, TheTracesTransport) {
  settings_.dock = Dock::trace;
  state_.trace = {std::make_shared<TileHistory>(example_history()), 0.5, {}};
  draw(2);
  click_text("Loop", "dock");
  EXPECT_TRUE(settings_.trace_loop);
  const auto duration = middle_of("6.0 s", "dock");  // in its field; the slider is left of it
  click(duration.x - 36, duration.y);
  EXPECT_GT(settings_.trace_seconds, 10);
  click(duration.x - 95, duration.y);
  EXPECT_LT(settings_.trace_seconds, 4);
  const auto dock = places().dock;
  click(dock.x + dock.width * 0.77f, duration.y);
  EXPECT_GT(settings_.trace_at, 0.7);
  EXPECT_FALSE(settings_.trace_play);
  const auto moment = settings_.trace_at;
  click(dock.x + dock.width * 0.6f, duration.y);
  EXPECT_LT(settings_.trace_at, moment);
}

// The handle of a slider would cover it.
TEST_F(ControlsTest, TheTracesNumbersAreBesideTheirSliders) {
  settings_.dock = Dock::trace;
  state_.trace = {std::make_shared<TileHistory>(example_history()), 0.5, {}};
  draw(2);
  const auto grabs = [](ImVec2 at) {
    const auto& list = *ImGui::FindWindowByName("dock")->DrawList;
    return std::ranges::any_of(list.VtxBuffer, [&](const ImDrawVert& v) {
      return v.col == colour::accent && std::abs(v.pos.y - at.y) < 12 && std::abs(v.pos.x - at.x) < 20;
    });
  };
  const auto moment = middle_of("0.5 µs of 1.0 µs", "dock");
  for (const double seconds : {0.1, 6.0, 600.0})
    for (const double at : {0.0, 0.5, 1.0}) {
      settings_.trace_seconds = seconds;
      state_.trace.position = at;
      draw(2);
      EXPECT_FALSE(grabs(moment)) << at;
      EXPECT_FALSE(grabs(middle_of(seconds == 600 ? "600 s" : seconds == 6 ? "6.0 s" : "0.1 s", "dock"))) << seconds;
    }
}

TEST_F(ControlsTest, CardsAreSearchedUsedAndTheirLinkIsCopied) {
  settings_.cards = true;
  settings_.host_algorithm = "host_parallel";
  draw(3);
  ASSERT_TRUE(shown("2r1w", "cards/algorithms"));
  click_text("Search", "cards/algorithms");
  EXPECT_TRUE(type("host_ser").empty());
  draw(2);
  EXPECT_FALSE(shown("2r1w", "cards/algorithms"));
  click_text("host_serial", "cards/algorithms");
  EXPECT_EQ(settings_.card, "host_serial");
  EXPECT_EQ(settings_.host_algorithm, "host_parallel") << "it is only read";
  click_text("Use this", "cards/reading");
  EXPECT_EQ(settings_.host_algorithm, "host_serial");

  const auto all = gpu::sat_algorithms();
  const auto with_link = std::ranges::find_if(all, [](const auto* algorithm) {
    const auto* card = find_sat_card(algorithm->name);
    return card && !card->doi.empty();
  });
  ASSERT_NE(with_link, all.end());
  settings_.card = (*with_link)->name;
  draw(3);
  click_text("Copy", "cards/reading");
  const char* copied = ImGui::GetClipboardText();
  EXPECT_EQ(copied ? std::string(copied) : "", "https://doi.org/" + find_sat_card((*with_link)->name)->doi);
  click_text("Close", "cards/reading");
  EXPECT_FALSE(settings_.cards);
}

// Their names, and their years beside the scroll bar.
TEST_F(ControlsTest, AlgorithmsThatCannotRunAreReadAsEasilyAsOthers) {
  state_.no_simulated = "it is not built";
  settings_.cards = true;
  settings_.card = "2r2w";
  for (const auto theme : {Theme::dark, Theme::light}) {
    apply_theme({1, theme});
    ImGui::GetIO().DisplaySize.y = 600;
    draw(3);
    const auto list = []() -> const ImGuiWindow* {
      for (const auto* window : ImGui::GetCurrentContext()->Windows)
        if (window->Active && std::string_view(window->Name).find("/list_") != std::string_view::npos) return window;
      return nullptr;
    }();
    ASSERT_TRUE(list && list->ScrollbarY);
    EXPECT_FALSE(has(*list->DrawList, colour::faint));
    EXPECT_GE(colour::contrast(colour::dim, colour::raised), 4.5);
    EXPECT_GE(colour::contrast(colour::text, colour::chosen), 4.5);
    const auto year = TextCheck::place_of("2018", "cards/algorithms");
    ASSERT_TRUE(year);
    EXPECT_LT(year->Max.x, list->InnerRect.Max.x - 3);
  }
}

TEST_F(ControlsTest, WhyAnAlgorithmCannotRunIsAsBrightAsAnyText) {
  state_.no_simulated = "it is not built";
  settings_.cards = true;
  draw(3);
  ImGui::GetIO().MousePos = middle_of("2r2w", "cards/algorithms");
  draw(3);
  ASSERT_TRUE(shown("needs CUDA", "##Tooltip"));
  EXPECT_TRUE(has(*ImGui::FindWindowByName("##Tooltip_00")->DrawList, colour::text));
}

TEST_F(ControlsTest, ButtonsSayWhatTheySave) {
  EXPECT_EQ(click_text("Save picture", "bar"), std::vector{Action::save_picture});
  EXPECT_EQ(click_text("Screenshot", "bar"), std::vector{Action::screenshot});
  EXPECT_EQ(click_text("Open folder", "bar"), std::vector{Action::open_folder});
  click_text("Help", "bar");
  EXPECT_TRUE(settings_.help);
}

TEST_F(ControlsTest, TheViewAndTheWindowAreChosenByButtonsAndABox) {
  state_.zoom = 0.93;
  draw(2);
  for (const auto& [text, zoom] : {std::pair("1:1", 1.0), {"Fit", 0.0}}) {
    click_text(text, "choices");
    EXPECT_EQ(settings_.zoom, zoom) << text;
  }
  const auto fit = middle_of("Fit", "choices");
  click(fit.x - 27, fit.y);  // +
  EXPECT_EQ(settings_.zoom, 1);
  state_.zoom = 1;
  click(fit.x - 52, fit.y);  // -
  EXPECT_NEAR(settings_.zoom, 0.71, 0.01);
  const bool vsync = settings_.vsync;
  click(101, middle_of("Vsync", "choices").y);
  EXPECT_NE(settings_.vsync, vsync);
}

TEST_F(ControlsTest, TheDeviceAParameterAndTheOrderOfTheCardsAreChosenFromLists) {
  settings_.host_algorithm = "host_parallel";
  draw(2);
  click_control("Threads");
  choose("16");
  EXPECT_EQ(settings_.algorithm_values["host_parallel"]["threads"], "16");
  click_control("Device");
  choose("CPU");
  EXPECT_EQ(settings_.device, DeviceChoice::host);
  settings_.cards = true;
  draw(3);
  click_text("Family", "cards/algorithms");
  choose("Year");
  EXPECT_EQ(settings_.card_order, CardOrder::year);
}

TEST_F(ControlsTest, TheRectangleAndTheCheckHaveBoxes) {
  const auto click_box = [this](const char* label) {
    const auto left = places().left;
    const auto y = middle_of(label, "choices").y;
    for (float x = left.x + left.width * 0.2f; x < left.x + left.width * 0.5f; x += 5) {
      const auto before = settings_;
      click(x, y);
      if (!(settings_ == before)) return;
    }
  };
  EXPECT_FALSE(settings_.rectangle_tool);
  click_box("Rectangle");
  EXPECT_TRUE(settings_.rectangle_tool);
  EXPECT_FALSE(settings_.check);
  click_box("Check");
  EXPECT_TRUE(settings_.check);
}

TEST_F(ControlsTest, TheHintStaysWhileTheMouseIsOnThePicture) {
  for (const float width : {800.f, 1280.f, 1920.f})
    for (const bool pixel : {false, true}) {
      ImGui::GetIO().DisplaySize.x = width;
      state_.pixel = pixel ? std::optional(Pixel{412, 233, gpu::Rgba{120, 88, 70, 255}, 97, 12'345'678u}) : std::nullopt;
      draw(2);
      EXPECT_TRUE(shown("Wheel: zoom", "status")) << width << pixel;
      EXPECT_EQ(shown("12345678", "status"), pixel) << width;
    }
  settings_.help = true;
  draw(2);
  EXPECT_TRUE(shown("Shift+drag", "help"));
}

TEST_F(ControlsTest, ATooltipOfTheSourceOrOfATabHidesNothingBelow) {
  const auto tooltip = [](ImVec2 mouse, auto draw) -> ImRect {
    ImGui::GetIO().MousePos = mouse;
    draw(4);
    for (const auto* window : ImGui::GetCurrentContext()->Windows)
      if (window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_Tooltip)) return window->Rect();
    ADD_FAILURE() << "no tooltip";
    return {};
  };
  const auto drawing = [this](int frames) { draw(frames); };
  const auto field = middle_of("lobby.mp4", "choices");
  EXPECT_GE(tooltip(field, drawing).Min.x, places().left.x + places().left.width);
  for (const char* tab : {"Kernels", "Timeline", "Trace", "Race"})
    EXPECT_LE(tooltip(middle_of(tab, "dock"), drawing).Max.y, places().dock.y) << tab;
}

// What a click opens must not lie under the words that explained the button.
TEST_F(ControlsTest, AClickHidesTheTooltipUntilTheMouseComesAgain) {
  const auto tooltip = [] {
    return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const auto* window) {
      return window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_Tooltip);
    });
  };
  const auto at = middle_of("Race", "dock");
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

TEST_F(ControlsTest, BordersBetweenPanelsAreDraggedAndADoubleClickGivesThemBack) {
  const auto before = places();
  drag({before.picture.x, 300}, {before.picture.x + 60, 300});
  EXPECT_EQ(places().left.width, before.left.width + 60);
  EXPECT_EQ(settings_.left_width, before.left.width + 60);
  drag({700, before.dock.y}, {700, before.dock.y - 90});
  EXPECT_EQ(places().dock.height, before.dock.height + 90);
  drag({700, places().dock.y}, {700, 5});
  EXPECT_GT(places().picture.height, 100) << "the picture keeps a part";
  draw(60);  // no double click
  for (int i = 0; i < 2; ++i) click(700, places().dock.y);
  EXPECT_EQ(settings_.dock_height, 0);
  EXPECT_EQ(places().dock.height, before.dock.height);
}

TEST_F(ControlsTest, ABorderStaysUnderTheMouseOnADisplayOfScaleTwo) {
  apply_theme({2, Theme::dark});
  imgui_.build_fonts();
  ImGui::GetIO().DisplaySize = {2560, 2000};
  draw(2);
  const auto border = [this] { return layout(settings_, 2560, 2000).picture.x; };
  const auto wanted = std::round(border() / 2) * 2 + 60;
  drag({border(), 600}, {wanted, 600});
  EXPECT_EQ(border(), wanted);
  EXPECT_EQ(settings_.left_width, wanted / 2) << "in pixels of a display of scale 1";
}

}  // namespace
}  // namespace app::ui
