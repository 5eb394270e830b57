// How well text is read, measured from the pixels of the window: its ink against what lies around it, in every state and in both
// themes.
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/tests/live/window_states.h"

namespace app::ui {
namespace {

constexpr double needed = 4.5, needed_of_large = 3, needed_of_few = 3.9;  // the first two by WCAG 2
constexpr float large = 11.2f;  // pixels that a digit is high at scale 1, in 19 px and above

ImU32 colour_at(const cv::Mat& image, int x, int y) {
  const auto& bgr = image.at<cv::Vec3b>(y, x);
  return IM_COL32(bgr[2], bgr[1], bgr[0], 255);
}

struct PixelRange {
  int left, top, right, bottom;  // the last two are outside
};
PixelRange pixels_in(const ImRect& box, float around, const cv::Mat& image) {
  const auto whole = [](float value) { return static_cast<int>(value); };
  return {std::max(0, whole(std::floor(box.Min.x - around))), std::max(0, whole(std::floor(box.Min.y - around))),
          std::min(image.cols, whole(std::ceil(box.Max.x + around))),
          std::min(image.rows, whole(std::ceil(box.Max.y + around)))};
}
template <class Each>
void for_pixels(const cv::Mat& image, const PixelRange& range, const Each& each) {
  for (int y = range.top; y < range.bottom; ++y)
    for (int x = range.left; x < range.right; ++x) each(colour_at(image, x, y));
}

// What most pixels around a letter have.
ImU32 ground_of(const cv::Mat& image, const ImRect& letter) {
  std::map<ImU32, int> counts;
  for_pixels(image, pixels_in(letter, 2, image), [&](ImU32 colour) { ++counts[colour]; });
  return std::ranges::max_element(counts, {}, &std::pair<const ImU32, int>::second)->first;
}

// The pixel of the letter that differs most from the ground: elsewhere ink covers pixels in part.
double contrast_of(const cv::Mat& image, const ImRect& letter, ImU32 ground) {
  double best = 1;
  for_pixels(image, pixels_in(letter, 0, image),
             [&](ImU32 colour) { best = std::max(best, colour::contrast(colour, ground)); });
  return best;
}

// Letters of a word on one ground.
struct Measured {
  std::string text;
  std::vector<double> contrasts;  // of each
  float height = 0;               // of the highest one

  // Of the upper quarter the least: thin letters have no pixel that is all ink, and one may lie half on another ground.
  double contrast() const {
    auto sorted = contrasts;
    std::ranges::sort(sorted);
    return sorted[sorted.size() * 3 / 4];
  }
};
std::map<ImU32, Measured> contrasts_of(const cv::Mat& image, const TextCheck::Words& words) {
  std::map<ImU32, Measured> all;
  for (const auto& [box, text, colour] : words.letters) {
    const auto ground = ground_of(image, box);
    auto& measured = all[ground];
    measured.text += text;
    measured.contrasts.push_back(contrast_of(image, box, ground));
    measured.height = std::max(measured.height, box.GetHeight());
  }
  return all;
}

bool is_disabled(ImU32 colour) {
  constexpr unsigned of_enabled = 200;  // the least alpha
  return (colour | IM_COL32_A_MASK) == ImU32(colour::faint) || colour >> IM_COL32_A_SHIFT < of_enabled;
}

// 0: a dash and its like, thinner than a pixel. Of one or two letters no pixel may be all ink.
double needed_by(const Measured& words) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto letters = std::ranges::count_if(words.text, is_letter);
  const bool is_number = words.text.find_first_not_of("0123456789") == words.text.npos;
  if (is_number && words.height >= large * display_scale()) return needed_of_large;
  return letters == 0 ? 0 : letters < 3 ? needed_of_few : needed;
}

struct Unreadable {
  std::string text;
  double contrast;
};

class ContrastTest : public ::testing::TestWithParam<std::tuple<WindowState, Theme>> {
 protected:
  void open(Theme theme) {
    if (DrawnWindow::on_display()) GTEST_SKIP() << "drawn offscreen";
    if (const auto why = window_.open(1280, 800, {1, theme}); !why.empty()) GTEST_SKIP() << why;
  }
  // Of what is drawn.
  std::vector<Unreadable> unreadable() {
    const auto image = window_.draw();
    std::vector<Unreadable> all;
    measured_ = 0;
    for (const auto& words : TextCheck::in_sight()) {
      if (is_disabled(words.colour)) continue;
      ++measured_;
      for (const auto& [ground, measured] : contrasts_of(image, words))
        if (measured.contrast() < needed_by(measured))
          all.push_back({words.window + ": '" + measured.text + "'", measured.contrast()});
    }
    return all;
  }

  DrawnWindow window_;
  int measured_ = 0;  // words
};

TEST_P(ContrastTest, OfAllText) {
  const auto& [state, theme] = GetParam();
  open(theme);
  if (IsSkipped()) return;
  state.show(window_);
  for (const auto& [text, contrast] : unreadable()) ADD_FAILURE() << text << " has a contrast of " << contrast;
  EXPECT_GT(measured_, 0);
}

INSTANTIATE_TEST_SUITE_P(Window, ContrastTest,
                         ::testing::Combine(::testing::ValuesIn(window_states),
                                            ::testing::Values(Theme::dark, Theme::light)),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param).name) +
                                  (std::get<1>(each.param) == Theme::light ? "_light" : "");
                         });

// The measure itself.
class ContrastMeasureTest : public ContrastTest {};

TEST_F(ContrastMeasureTest, FindsDimTextAndTextOnABar) {
  open(Theme::dark);
  if (IsSkipped()) return;
  const auto found = [this](ImU32 ink, ImU32 bar) {
    window_.over_picture = [=](const View&) {
      auto& draw = *ImGui::GetBackgroundDrawList();
      draw.AddRectFilled({100, 300}, {300, 330}, colour::panel);
      draw.AddRectFilled({140, 300}, {300, 330}, bar);
      draw.AddText({110, 306}, ink, "planted words");
    };
    const auto all = unreadable();
    return std::ranges::any_of(all, [](const auto& each) { return each.text.find("words") != each.text.npos; });
  };
  EXPECT_FALSE(found(colour::text, colour::panel));
  EXPECT_TRUE(found(IM_COL32(0x60, 0x68, 0x74, 255), colour::panel));
  EXPECT_TRUE(found(colour::text, colour::good)) << "half of it lies on a bar";
}

}  // namespace
}  // namespace app::ui
