// The window in all its states against golden images: what only a picture shows. Texts, places and what a click does are checked
// without one, in ui/.
#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "app/tests/live/window_states.h"

namespace app::ui {
namespace {

// Other CPUs round a few pixels of a letter's edge differently; a changed digit is dozens of pixels.
constexpr int level_tolerance = 24;
constexpr double allowed_share = 0.00002;

struct Difference {
  int pixels = 0;    // that differ by more than level_tolerance in some channel
  double share = 1;  // of all pixels
  cv::Mat image;     // white where they differ, over the darkened actual image
  bool same() const { return share <= allowed_share; }
};

// An image of another size differs everywhere.
Difference difference_of(const cv::Mat& actual, const cv::Mat& expected) {
  if (expected.empty() || actual.size() != expected.size()) return {static_cast<int>(actual.total()), 1, actual};
  cv::Mat distance, worst, mask;
  cv::absdiff(actual, expected, distance);
  std::vector<cv::Mat> channels;
  cv::split(distance, channels);
  worst = cv::max(cv::max(channels[0], channels[1]), channels[2]);
  mask = worst > level_tolerance;
  Difference difference{cv::countNonZero(mask), 0, actual * 0.25};
  difference.share = difference.pixels / static_cast<double>(actual.total());
  difference.image.setTo(cv::Scalar(255, 255, 255), mask);
  return difference;
}

// Of windows larger than the usual one half the size is compared: there it is places that count.
cv::Mat as_compared(const cv::Mat& image) {
  constexpr int usual_width = 1280;
  if (image.cols <= usual_width) return image;
  cv::Mat half;
  cv::resize(image, half, {}, 0.5, 0.5, cv::INTER_AREA);
  return half;
}

// In steps of 16 levels, which stay below level_tolerance: the files have two thirds of the bytes.
cv::Mat coarse(const cv::Mat& image) {
  cv::Mat table(1, 256, CV_8U);
  for (int level = 0; level < 256; ++level) table.at<unsigned char>(level) = static_cast<unsigned char>(level / 16 * 16 + 8);
  cv::Mat result;
  cv::LUT(image, table, result);
  return result;
}

std::filesystem::path path_of(const std::string& name) { return std::filesystem::path(SATSCOPE_GOLDEN) / (name + ".webp"); }
cv::Mat load(const std::string& name) { return cv::imread(path_of(name).string()); }

// Fails if `actual` is not the golden image `name`, and writes what was drawn and the difference, for inspection. With
// SATSCOPE_UPDATE_GOLDEN=1 `actual` in coarse levels becomes the golden image instead.
void expect_golden(const cv::Mat& drawn, const std::string& name) {
  const auto actual = as_compared(drawn);
  const auto path = path_of(name).string();
  if (const char* update = std::getenv("SATSCOPE_UPDATE_GOLDEN"); update && std::string(update) == "1") {
    std::filesystem::create_directories(SATSCOPE_GOLDEN);
    constexpr int without_loss = 101;
    ASSERT_TRUE(cv::imwrite(path, coarse(actual), {cv::IMWRITE_WEBP_QUALITY, without_loss})) << path;
    return;
  }
  const auto difference = difference_of(actual, load(name));
  if (difference.same()) return;
  const std::filesystem::path out = SATSCOPE_GOLDEN_OUT;
  std::filesystem::create_directories(out);
  cv::imwrite((out / (name + ".actual.png")).string(), actual);
  cv::imwrite((out / (name + ".difference.png")).string(), difference.image);
  ADD_FAILURE() << name << ": " << difference.pixels << " pixels differ from " << path << "; see " << out.string() << "/"
                << name << ".*.png. If the change is intended: SATSCOPE_UPDATE_GOLDEN=1";
}

// A state at a size and in a theme.
struct GoldenPicture {
  const WindowState* state;
  std::string size;  // of the window, and its scale; empty: the usual one
  int width, height;
  Look look;

  std::string name() const {
    return state->name + (size.empty() ? "" : '_' + size) + (look.theme == Theme::light ? "_light" : "");
  }
};
void PrintTo(const GoldenPicture& picture, std::ostream* out) { *out << picture.name(); }

// Every state in both themes in the usual window; tabs, lists and dialogs in one at each of the other sizes. A wide window begins
// with larger text.
std::vector<GoldenPicture> golden_pictures() {
  std::vector<GoldenPicture> all;
  for (const auto& state : window_states) {
    for (const auto theme : {Theme::dark, Theme::light}) all.push_back({&state, "", 1280, 800, {1, theme}});
    if (!state.at_every_size) continue;
    all.push_back({&state, "800x600", 800, 600, {1, Theme::dark}});
    all.push_back({&state, "1920x1080", 1920, 1080, {1.15f, Theme::dark}});
    all.push_back({&state, "2x", 2560, 1600, {2, Theme::light}});
  }
  return all;
}

// Drawn offscreen, where ImGui's time goes on by the same step each frame.
class GoldenStatesTest : public ::testing::TestWithParam<GoldenPicture> {};

TEST_P(GoldenStatesTest, IsAsItWas) {
  if (DrawnWindow::on_display()) GTEST_SKIP() << "drawn offscreen";
  const auto& picture = GetParam();
  DrawnWindow window;
  if (const auto why = window.open(picture.width, picture.height, picture.look); !why.empty()) GTEST_SKIP() << why;
  picture.state->show(window);
  expect_golden(window.draw(), picture.name());
}

INSTANTIATE_TEST_SUITE_P(Window, GoldenStatesTest, ::testing::ValuesIn(golden_pictures()),
                         [](const auto& each) { return each.param.name(); });

TEST(GoldenFilesTest, EachIsOfAState) {
  const auto pictures = golden_pictures();
  for (const auto& file : std::filesystem::directory_iterator(SATSCOPE_GOLDEN))
    EXPECT_TRUE(std::ranges::any_of(pictures, [&](const auto& each) { return path_of(each.name()) == file.path(); }))
        << file.path() << " is of no state";
}

// One of them in a window.
class GoldenTest : public ::testing::Test {
 protected:
  void open(int width) {
    if (const auto why = window_.open(width, 800); !why.empty()) GTEST_SKIP() << why;
    find_state("measure").show(window_);
  }
  static const WindowState& find_state(std::string_view name) {
    return *std::ranges::find_if(window_states, [&](const auto& state) { return state.name == name; });
  }
  DrawnWindow window_;
};

TEST_F(GoldenTest, TheWindow) {
  open(1280);
  if (IsSkipped()) return;
  expect_golden(window_.draw(), "measure");
}

// The comparison itself: small differences must not pass.
class GoldenComparisonTest : public GoldenTest {
 protected:
  bool passes_as_the_window() { return difference_of(window_.draw(), load("measure")).same(); }
};

TEST_F(GoldenComparisonTest, FindsOneChangedNumber) {
  open(1280);
  if (IsSkipped()) return;
  window_.state.kernels.rows[1].stage.mean += 100;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, FindsAChangedChoice) {
  open(1280);
  if (IsSkipped()) return;
  window_.settings.check = true;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, FindsAPictureOfAnotherSize) {
  open(1279);
  if (IsSkipped()) return;
  EXPECT_FALSE(passes_as_the_window());
}

}  // namespace
}  // namespace app::ui
