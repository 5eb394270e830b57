// Real key and mouse events in the program's real window: their effects show in its picture, its panels and, at the end, in
// its export. Runs under with_display; skipped without a display.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/support/simulated_gpu.h"
#include "app/tests/live/running_program.h"
#include "gpu/effect.h"

namespace app {
namespace {

using testing::RunningProgram;

// The parts of a 1280x800 window that are compared. Messages appear in the lower part of the picture.
const cv::Rect picture(330, 50, 940, 280), left_column(0, 60, 310, 700);

int differing_pixels(const cv::Mat& a, const cv::Mat& b) {
  cv::Mat distance, worst;
  cv::absdiff(a, b, distance);
  cv::transform(distance, worst, cv::Matx13f(1, 1, 1));
  return cv::countNonZero(worst > 8);
}

template <class Table>
int index_of(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto* entry) { return entry->name == name; });
  return static_cast<int>(found - table.begin());
}

class RealWindowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("SATSCOPE_TEST_DISPLAY")) GTEST_SKIP() << "runs under app/tests/support/with_display";
    if (std::system("command -v xdotool >/dev/null") != 0) GTEST_SKIP() << "xdotool is missing (apt-get install xdotool)";
    program_.emplace(std::vector<std::string>{"--no-config", "--compare", "off", "--device", "host", "--algorithm",
                                              "host_serial", "--effect", "none", "--export", "timings.json",
                                              "synthetic:320x240"});
    ASSERT_TRUE(program_->ready()) << program_->output();
    program_->key("space");  // the scene is paused: every change from now on is the test's
    ASSERT_TRUE(settled());
  }

  // Waits until two screenshots show the same picture: the effect of a key appears some frames later.
  bool settled() {
    for (int i = 0; i < 20; ++i) {
      const auto first = program_->screenshot(), second = program_->screenshot();
      if (!first || !second) return false;
      now_ = *second;
      if (differing_pixels((*first)(picture), (*second)(picture)) == 0) return true;
    }
    return false;
  }
  int changed(const cv::Mat& before, const cv::Rect& part) { return differing_pixels(before(part), now_(part)); }
  nlohmann::json quit() {
    program_->key("q");
    EXPECT_EQ(program_->exit_code(), 0) << program_->output();
    const auto text = testing::read_text(program_->file("timings.json"));
    return nlohmann::json::parse(text, nullptr, false);
  }

  std::optional<RunningProgram> program_;
  cv::Mat now_;
};

TEST_F(RealWindowTest, a_key_switches_the_effect_and_changes_the_picture) {
  const auto before = now_.clone();
  program_->key("e");
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(before, picture), 10000);
  EXPECT_GT(changed(before, left_column), 200);
  program_->key("shift+e");
  ASSERT_TRUE(settled());
  EXPECT_EQ(changed(before, picture), 0) << "the same as before";
  program_->key("e");
  ASSERT_TRUE(settled());
  const auto effects = gpu::all_effects();
  const auto next = (index_of(effects, "none") + 1) % static_cast<int>(effects.size());
  EXPECT_EQ(quit().value("effect", ""), effects[static_cast<std::size_t>(next)]->name);
}

TEST_F(RealWindowTest, a_key_switches_the_algorithm_and_the_picture_stays_the_same) {
  const auto before = now_.clone();
  program_->key("Next");
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(before, left_column), 200);
  EXPECT_EQ(changed(before, picture), 0) << "all algorithms compute the same";
  const auto report = quit();
  const auto name = report.value("algorithm", "");
  ASSERT_NE(gpu::find_sat_algorithm(name), nullptr) << report;
  EXPECT_NE(name, "host_serial");
}

// Sections above are closed first, so that the next section's list is at a known place.
constexpr int first_section = 54, second_section = 86, combo_below = 30, first_entry_below = 59, entry_height = 20;

TEST_F(RealWindowTest, a_key_switches_the_device) {
  if (gpu::probe_gpu().gpu) GTEST_SKIP() << "there is a GPU here";
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  program_->key("d");
  ASSERT_TRUE(settled());
  program_->key("Next");
  ASSERT_TRUE(settled());
  const auto report = quit();
  EXPECT_TRUE(report.value("simulated", false));
  EXPECT_NE(report.value("algorithm", ""), "host_serial");
}

TEST_F(RealWindowTest, the_mouse_chooses_the_effect_in_its_list) {
  const auto before = now_.clone();
  program_->click(100, first_section);
  program_->click(100, second_section);
  constexpr int third_section = second_section + 32;
  program_->click(200, third_section + combo_below);
  program_->click(150, third_section + first_entry_below + entry_height * index_of(gpu::all_effects(), "box_blur"));
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(before, picture), 10000);
  EXPECT_EQ(quit().value("effect", ""), "box_blur");
}

TEST_F(RealWindowTest, the_wheel_zooms_dragging_moves_and_w_fits) {
  const auto before = now_.clone();
  program_->move(800, 250);
  program_->wheel_up();
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(before, picture), 10000);
  const auto zoomed = now_.clone();
  program_->press();
  program_->move(900, 300);
  program_->release();
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(zoomed, picture), 10000);
  program_->key("w");
  ASSERT_TRUE(settled());
  EXPECT_EQ(changed(before, picture), 0);
}

TEST_F(RealWindowTest, tab_hides_the_panels_and_f1_shows_the_keys) {
  const auto before = now_.clone();
  program_->key("Tab");
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(before, left_column), 20000);
  program_->key("Tab");
  program_->key("F1");
  ASSERT_TRUE(settled());
  EXPECT_GT(changed(before, picture), 20000);
  program_->key("Escape");  // closes the help, not the program
  ASSERT_TRUE(settled());
  EXPECT_EQ(changed(before, picture), 0);
  EXPECT_FALSE(quit().is_discarded());
}

TEST_F(RealWindowTest, a_source_that_cannot_be_opened_leaves_the_program_running) {
  program_->click(100, 84);
  program_->key("ctrl+a");
  for (const char* letter : {"s", "q", "period", "m", "p", "4", "Return"}) program_->key(letter);
  EXPECT_TRUE(testing::wait_for([&] { return program_->output().find("sq.mp4") != std::string::npos; }));
  EXPECT_FALSE(program_->ended()) << "the q in sq.mp4 must not quit";
  EXPECT_TRUE(program_->screenshot().has_value()) << "keys start actions again";
  const auto report = quit();
  EXPECT_FALSE(report.is_discarded());
}

}  // namespace
}  // namespace app
