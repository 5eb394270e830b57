// The study's tab: what it answers, its curves and its table under the mouse, and its buttons.
#include "app/control/measured.h"
#include "app/tests/ui/controls_test.h"

namespace app::ui {
namespace {

class StudyTabTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.dock = Dock::study;
    settings_.dock_open = true;
    state_.study = example_study();
    draw(3);
  }
  // Over the curves, at that fraction of the width between the first size and the last.
  ImVec2 on_curves(float fraction) const {
    const auto left = middle_of("256\u00b2", "dock"), right = middle_of("2048\u00b2", "dock");
    return {left.x + (right.x - left.x) * fraction, left.y - 60};
  }
  void hover(ImVec2 at) {
    ImGui::GetIO().MousePos = at;
    draw(3);
  }
};

TEST_F(StudyTabTest, ItBeginsWithTheAnswer) {
  EXPECT_TRUE(shown("host_parallel is nearest to the bound at every size", "dock"));
  EXPECT_FALSE(shown("8.00", "dock")) << "at an axis it is 8";
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(StudyTabTest, NothingWasStudiedYetAndStartStartsIt) {
  state_.study = {};
  draw(3);
  EXPECT_FALSE(shown("At", "dock/tab/study"));
  EXPECT_EQ(click_text("Start", "dock"), std::vector{Action::start_study});
  EXPECT_EQ(click_text("Start", "dock"), std::vector{Action::start_study});
}

TEST_F(StudyTabTest, HowItMeasuresIsSaidOnceAndHidesNoButton) {
  state_.study = {};
  draw(3);
  hover(middle_of("One algorithm after another", "dock"));
  EXPECT_FALSE(shown("One algorithm after another", "##Tooltip"));
  state_.study = example_study();
  draw(3);
  const auto line = middle_of("sizes of random pixels", "dock");
  hover(line);
  ASSERT_TRUE(shown("One algorithm after another", "##Tooltip"));
  EXPECT_LT(ImGui::FindWindowByName("##Tooltip_00")->Rect().Max.y, line.y);
}

TEST_F(StudyTabTest, WhileItRunsStopStopsIt) {
  state_.study.finished = false;
  state_.study.under_way = {4096, 4096};
  draw(2);
  EXPECT_TRUE(shown("Measures 4096x4096, after 4 of 10 sizes", "dock"));
  EXPECT_EQ(click_text("Stop", "dock"), std::vector{Action::stop_study});
  state_.study.on = false;
  draw(2);
  EXPECT_EQ(click_text("Again", "dock"), std::vector{Action::start_study});
}

// The picture of 960 x 540 is between 512 and 1024.
TEST_F(StudyTabTest, TheTableIsOfTheSizeUnderTheMouseAndAClickKeepsIt) {
  const auto first = on_curves(0.02f), last = on_curves(0.98f);
  hover({2, 800});
  EXPECT_TRUE(shown("At 512x512", "dock") || shown("At 1024x1024", "dock"));
  hover(last);
  EXPECT_TRUE(shown("At 2048x2048", "dock"));
  hover(first);
  EXPECT_TRUE(shown("At 256x256", "dock"));
  click(last.x, last.y);
  click(first.x, first.y);
  EXPECT_EQ(settings_.study_size, (gpu::Size{256, 256}));
  click(last.x, last.y);
  hover({2, 800});
  EXPECT_EQ(settings_.study_size, (gpu::Size{2048, 2048}));
  EXPECT_TRUE(shown("At 2048x2048", "dock"));
}

TEST_F(StudyTabTest, HalfOfTheRunsIsDrawnAtEachPointAndSaid) {
  const auto vertices = [] {
    int all = 0;
    for (const auto* list : draw_lists())
      if (std::string_view(list->_OwnerName).starts_with("dock/tab_")) all += list->VtxBuffer.Size;
    return all;
  };
  const auto without = vertices();
  for (auto& race : state_.study.sizes)
    for (auto& row : race.rows) row.lower_us = row.us * 0.95, row.upper_us = row.us * 1.1;
  draw(3);
  EXPECT_GE(vertices(), without + 4 * 2 * 3 * 4) << "three lines at each point of each curve";
  settings_.study_size = {256, 256};
  draw(3);
  hover(middle_of("host_parallel", "dock/tab_"));
  EXPECT_TRUE(shown("half of the runs: 142.5 to 165.0 µs", "##Tooltip"));
}

TEST_F(StudyTabTest, AClickOnATitleSortsTheRows) {
  const auto is_first = [](const char* name, const char* other) {
    return middle_of(name, "dock/tab_").y < middle_of(other, "dock/tab_").y;
  };
  EXPECT_TRUE(is_first("host_parallel", "host_serial"));
  click_text("Algorithm", "dock/tab_");
  click_text("Algorithm", "dock/tab_");
  EXPECT_TRUE(is_first("host_serial", "host_parallel"));
  click_text("× bound", "dock/tab_");
  EXPECT_TRUE(is_first("host_parallel", "host_serial"));
}

TEST_F(StudyTabTest, AClickOnARowChoosesTheAlgorithm) {
  settings_.device = DeviceChoice::host;
  click_text("host_serial", "dock");
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  click_text("host_parallel", "dock");
  EXPECT_EQ(settings_.host_algorithm, "host_parallel");
}

TEST_F(StudyTabTest, BesideAStudyOfTheCpuACardHasItsOwnAlgorithms) {
  EXPECT_FALSE(shown("row_waves", "dock"));
  settings_.study_beside = "h200";
  settings_.study_size = {4096, 4096};
  draw(3);
  EXPECT_TRUE(shown("row_waves", "dock")) << texts_of("dock");
  EXPECT_TRUE(shown("26.1", "dock"));
  settings_.study_size = {256, 256};
  draw(3);
  EXPECT_TRUE(shown("host_parallel", "dock"));
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(StudyTabTest, ACardThatTheProgramWasMeasuredOnIsBesideIt) {
  EXPECT_FALSE(shown("H200, \u00b5s", "dock"));
  settings_.study_beside = "h200";
  state_.study = {};  // without a study, too
  settings_.study_size = {4096, 4096};
  draw(3);
  for (const char* side : {"256\u00b2", "4096\u00b2", "32768\u00b2"}) EXPECT_TRUE(shown(side, "dock")) << side;
  EXPECT_TRUE(TextCheck::faults().empty());
  EXPECT_TRUE(shown("row_waves", "dock"));
  EXPECT_TRUE(shown("26.1", "dock"));
  EXPECT_TRUE(shown("1.23", "dock"));
  state_.study = example_study();
  draw(3);
  EXPECT_TRUE(shown("dashed: H200", "dock"));
}

TEST_F(StudyTabTest, TheAlgorithmsAreTicked) {
  click_text("All algorithms", "dock");
  click_text("host_serial", "##Combo");
  EXPECT_EQ(settings_.study_algorithms, "host_serial");
  click_text("host_parallel", "##Combo");
  EXPECT_EQ(settings_.study_algorithms, "host_serial,host_parallel");
  click_text("host_serial", "##Combo");
  EXPECT_EQ(settings_.study_algorithms, "host_parallel");
  EXPECT_TRUE(shown("1 algorithm", "dock"));
}

// The shipped figures are those of the documents: the first and the last of a row.
TEST(MeasuredTest, EveryCardHasABoundAndTimesOfAlgorithmsThatThereAre) {
  ASSERT_FALSE(measured_cards().empty());
  for (const auto& card : measured_cards()) {
    EXPECT_EQ(card.bound.size(), card.sizes.size());
    EXPECT_FALSE(card.source.empty());
    for (const auto& row : card.rows) {
      EXPECT_TRUE(gpu::find_sat_algorithm(row.algorithm)) << row.algorithm;
      EXPECT_EQ(row.us.size(), card.sizes.size()) << row.algorithm;
    }
  }
  const auto* h200 = find_measured_card("h200");
  ASSERT_TRUE(h200);
  EXPECT_EQ(h200->us("row_waves", {256, 256}), 6.23);
  EXPECT_EQ(h200->us("row_waves", {32768, 32768}), 1528);
  EXPECT_EQ(h200->bound_at({4096, 4096}), 21.2);
  EXPECT_FALSE(h200->us("host_serial", {256, 256}));
  EXPECT_FALSE(find_measured_card("none"));
}

}  // namespace
}  // namespace app::ui
