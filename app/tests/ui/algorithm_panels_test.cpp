// The race's tab and the algorithms' cards under mouse and keyboard.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

#include "app/control/card_list.h"
#include "app/tests/ui/controls_test.h"
#include "gpu/sat.h"

namespace app::ui {
namespace {

using AlgorithmPanelsTest = PanelsTest;

TEST(AlgorithmPanelsFactsTest, OnlyWhatHasAPaperCountsAsAPaperDoes) {
  for (const auto* algorithm : gpu::sat_algorithms()) {
    const auto& name = algorithm->name;
    const bool none = name == "host_parallel" || name == "decoupled_fallback" || name == "one_wave" || name == "row_waves" ||
                      name == "tensor_tiles" || name == "cub" || name == "cub_segmented" || name == "npp";
    EXPECT_EQ(whose_count(*algorithm) == ", as the paper counts", !none) << name << whose_count(*algorithm);
  }
  EXPECT_EQ(whose_count(*gpu::find_sat_algorithm("host_parallel")), ", counted from its passes: there is no paper");
}

TEST_F(AlgorithmPanelsTest, ArrowsChooseInTheListOfAlgorithmsAndEnterUses) {
  settings_.host_algorithm = "host_parallel";
  settings_.cards = true;
  settings_.card_order = CardOrder::name;
  settings_.card = "host_parallel";
  draw(2);
  EXPECT_TRUE(press(KeyCode::down).empty()) << "nothing is sought";
  EXPECT_EQ(settings_.card, "host_serial");
  EXPECT_EQ(settings_.host_algorithm, "host_parallel") << "it is only read";
  EXPECT_TRUE(press(KeyCode::enter).empty());
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  EXPECT_FALSE(settings_.cards) << "a choice closes its list";
  settings_.cards = true;
  draw(2);
  EXPECT_TRUE(press(KeyCode::up).empty());
  EXPECT_EQ(settings_.card, "host_parallel");
  EXPECT_TRUE(press(KeyCode::left).empty());
  EXPECT_TRUE(press(KeyCode::right).empty());
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(press(KeyCode::page_up).empty());
  const auto first = settings_.card;
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(press(KeyCode::page_down).empty());
  const auto last = settings_.card;
  EXPECT_TRUE(press(KeyCode::down).empty());
  EXPECT_EQ(settings_.card, last) << "the list has an end";
  EXPECT_LT(first, last);
  press(KeyCode::escape);
  ASSERT_FALSE(settings_.cards);
  press(KeyCode::down);
  EXPECT_EQ(commands_, std::vector<Command>{"seek -60"}) << "the transport has its keys again";
}

class AlgorithmPanelsCardsTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.cards = true;
    settings_.card = "npp";
    draw(2);
  }
  static std::string list() { return top_window("##Popup") ? top_window("##Popup")->Name : "none"; }
  static std::string algorithms() { return list() + "/algorithms"; }
  static std::string reading() { return list() + "/reading"; }
  // The lines of the list, from above.
  static float line_of(const char* algorithm) {
    const auto place = TextCheck::place_of(algorithm, algorithms());
    if (!place) ADD_FAILURE() << "no " << algorithm;
    return place ? place->Min.y : 0;
  }
};

// Each move of a card's steps has a diagram.
TEST_F(AlgorithmPanelsCardsTest, EveryCardIsDrawnWithItsSteps) {
  settings_.cards = true;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    settings_.card = algorithm->name;
    EXPECT_NO_THROW(draw(2)) << algorithm->name;
    EXPECT_TRUE(shown("How the sums move", reading())) << algorithm->name;
  }
}

TEST_F(AlgorithmPanelsCardsTest, AreSortedByWhatIsCountedNotByHowItIsWritten) {
  for (const auto order : {CardOrder::reads, CardOrder::writes}) {
    settings_.card_order = order;
    draw(2);
    EXPECT_LT(line_of("1r1w_skss"), line_of("2r2w"));
    EXPECT_LT(line_of("cub"), line_of("prefix_doubling")) << "4 are less than 2 log2 n + 2";
    EXPECT_LT(line_of("prefix_tree"), line_of("prefix_doubling"));
    EXPECT_LT(line_of("prefix_doubling"), line_of("npp")) << "those that say nothing come last";
  }
}

TEST_F(AlgorithmPanelsCardsTest, AreFoundByEveryTextOfTheirs) {
  const auto finds = [&](const char* text, const char* algorithm) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    draw(3);
    const bool found = shown(algorithm, algorithms());
    for (std::size_t i = 0; i < std::string_view(text).size(); ++i) press(KeyCode::backspace);
    return found;
  };
  EXPECT_TRUE(finds("10.1145/800031", "host_serial")) << "its DOI";
  EXPECT_FALSE(finds("10.1145/800031", "2r2w"));
  EXPECT_TRUE(finds("a thread per column adds", "2r2w")) << "a step";
  EXPECT_TRUE(finds("nppiintegral", "npp")) << "a kernel";
  EXPECT_TRUE(finds("that is one row and one column larger", "npp"));
  EXPECT_FALSE(finds("nppiintegral", "cub"));
}

TEST_F(AlgorithmPanelsCardsTest, TheBestMatchIsTheNameThatWasTypedOrOneThatBeginsSo) {
  for (const auto& [typed, best] : {std::pair{"1r1w", "1r1w"}, std::pair{"1R1W_SKSS_", "1r1w_skss_lb"}}) {
    settings_.card = "host_serial";
    apply(Action::search_cards, settings_, {});
    draw(5);
    type(typed);
    draw(2);
    press(KeyCode::enter);
    EXPECT_EQ(settings_.card, best);
  }
}

TEST_F(AlgorithmPanelsCardsTest, WhatIsTypedSearchesFromTheFirstLetterOnAndEscapeCloses) {
  press(KeyCode::escape);
  EXPECT_TRUE(type("/").empty());
  EXPECT_TRUE(type("host_se").empty()) << "before the line has the keyboard";
  EXPECT_TRUE(type("r").empty());
  draw(3);
  EXPECT_TRUE(type("ial").empty());
  draw(2);
  EXPECT_TRUE(settings_.cards);
  EXPECT_TRUE(shown("host_serial", algorithms()));
  EXPECT_FALSE(shown("2r1w", algorithms()));
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.cards);
  settings_.cards = true;
  draw(5);
  EXPECT_TRUE(shown("2r1w", algorithms())) << "nothing is searched";
}

TEST_F(AlgorithmPanelsCardsTest, TheCardFollowsTheFirstMatchWhileOneTypes) {
  draw(5);
  type("nehab");
  draw(2);
  EXPECT_TRUE(shown(settings_.card, algorithms())) << settings_.card << " does not match";
  EXPECT_TRUE(shown(settings_.card, reading()));
  apply(settings_, Change{"card", "host_serial"});  // a click on another one stays
  draw(2);
  EXPECT_EQ(settings_.card, "host_serial");
}

TEST_F(AlgorithmPanelsCardsTest, AClickLeavesTheKeyboardWithTheSearch) {
  draw(5);
  type("serial");
  draw(2);
  click_text("How the sums move", reading());
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  EXPECT_TRUE(shown("serial", list()));
}

TEST_F(AlgorithmPanelsCardsTest, WithoutRoomForTheSearchEscapeClosesTheList) {
  ImGui::GetIO().DisplaySize = {40, 30};
  draw(5);
  press(KeyCode::escape);
  EXPECT_FALSE(settings_.cards);
}

TEST_F(AlgorithmPanelsCardsTest, AClickUsesAnAlgorithmAndASecondOneClosesTheList) {
  settings_.host_algorithm = "host_parallel";
  settings_.card_order = CardOrder::name;  // they are in sight so
  draw(2);
  click_text("host_serial", algorithms());
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  EXPECT_TRUE(shown("host_serial", reading()));
  EXPECT_TRUE(settings_.cards);
  press(KeyCode::escape);
  EXPECT_FALSE(settings_.cards);
  EXPECT_EQ(settings_.host_algorithm, "host_serial") << "the choice stays";
  settings_.cards = true;
  draw(2);
  const auto at = middle_of("host_parallel", algorithms());
  click(at.x, at.y);
  click(at.x, at.y);
  EXPECT_EQ(settings_.host_algorithm, "host_parallel");
  EXPECT_FALSE(settings_.cards);
}

TEST_F(AlgorithmPanelsCardsTest, AClickOnOneThatCannotRunShowsItsCardAlone) {
  const auto before = settings_.cuda_algorithm;
  ASSERT_NE(before, "2r1w");
  state_.context.no_simulated = "it is not built";
  settings_.card_order = CardOrder::name;
  draw(2);
  click_text("2r1w", algorithms());
  EXPECT_TRUE(shown("2r1w", reading()));
  EXPECT_TRUE(shown("Cannot run here", reading()));
  EXPECT_EQ(settings_.cuda_algorithm, before);
}

TEST_F(AlgorithmPanelsCardsTest, TheCardFollowsTheMouseThatRestsUntilTheKeysMove) {
  settings_.host_algorithm = "host_parallel";
  settings_.card_order = CardOrder::name;
  rest();
  ImGui::GetIO().MousePos = middle_of("host_serial", algorithms());
  draw(4);
  EXPECT_EQ(settings_.card, "npp") << "it may be on its way to the card";
  draw(20);
  EXPECT_EQ(settings_.card, "host_serial");
  EXPECT_EQ(settings_.host_algorithm, "host_parallel") << "it is only read";
  press(KeyCode::down);
  draw(20);
  EXPECT_NE(settings_.card, "host_serial") << "the mouse still is there";
}

TEST_F(AlgorithmPanelsCardsTest, TheAlgorithmInUseIsInSightWhenTheListOpens) {
  EXPECT_EQ(settings_.host_algorithm, "host_parallel");
  draw(3);
  EXPECT_TRUE(shown("host_parallel", algorithms()));
  EXPECT_TRUE(shown("npp", reading())) << "another one is read";
  EXPECT_NEAR(top_window("##Popup")->Size.x, 640, 2);
}

TEST_F(AlgorithmPanelsCardsTest, ADeviceIsChosenAndOneThatIsMissingSaysWhy) {
  const auto device = list();
  EXPECT_TRUE(shown("NVIDIA GPU: no NVIDIA driver is loaded", device));
  EXPECT_LT(middle_of("Simulated GPU", device).x, middle_of("NVIDIA GPU", device).x) << "it is the last one";
  state_.context.no_simulated = "it is not built: start with app/run, which builds it";
  draw(3);
  EXPECT_TRUE(shown("Simulated GPU: " + state_.context.no_simulated, device)) << "whole";
  state_.context.no_simulated.clear();
  draw(3);
  click_text("NVIDIA GPU", device);
  EXPECT_EQ(settings_.device, DeviceChoice::automatic);
  click_text("Simulated GPU", device);
  EXPECT_EQ(settings_.device, DeviceChoice::simulated);
  click_text("CPU", device);
  EXPECT_EQ(settings_.device, DeviceChoice::host);
  click_text("Automatic", device);
  EXPECT_EQ(settings_.device, DeviceChoice::automatic);
  EXPECT_TRUE(settings_.cards) << "the list stays";
}

}  // namespace
}  // namespace app::ui
