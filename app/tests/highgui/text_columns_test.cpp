// Where the lines of OpenCV's window stand.
#include "app/highgui/module/text_columns.h"

#include <gtest/gtest.h>

#include "app/control/key_table.h"

namespace app {
namespace {

TEST(TextColumns, show_the_whole_help_on_every_picture) {
  const auto lines = highgui_help();
  ASSERT_GT(lines.size(), 30u);
  for (const cv::Size picture : {cv::Size{320, 240}, {768, 576}, {960, 540}, {64, 48}, {1280, 720}}) {
    const auto size = picture * enlargement(picture, lines);
    const TextColumns columns(size, lines);
    EXPECT_LE(columns.width(), size.width) << picture;
    EXPECT_GE(columns.widths.size() * static_cast<std::size_t>(columns.rows), lines.size()) << picture;
    EXPECT_LE(columns.advance * (columns.rows + 1), size.height) << picture;
    EXPECT_LE(std::max(size.width, size.height), 4096) << picture;
  }
}

TEST(TextColumns, high_pictures_are_not_enlarged_in_vain) {
  const auto lines = highgui_help();
  EXPECT_EQ(enlargement({1080, 1920}, lines), 1);
  const std::vector<std::string> long_line{std::string(500, 'x')};
  EXPECT_EQ(enlargement({1280, 720}, long_line), 1);
  EXPECT_EQ(enlargement({1, 1}, {}), 240);
}

}  // namespace
}  // namespace app
