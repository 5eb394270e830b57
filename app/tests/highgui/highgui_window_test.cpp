// Where the lines of OpenCV's window stand.
#include "app/highgui/module/highgui_window.h"

#include <gtest/gtest.h>

#include "app/control/key_table.h"

namespace app {
namespace {

TEST(HighguiWindowColumnsTest, ShowTheWholeHelpOnEveryPicture) {
  const auto lines = highgui_help();
  ASSERT_GT(lines.size(), 30u);
  for (const cv::Size picture : {cv::Size{320, 240}, {768, 576}, {960, 540}, {64, 48}, {1280, 720}}) {
    const auto size = picture * enlargement(picture, lines);
    const TextColumns columns(size, lines);
    EXPECT_LE(columns.width(), size.width) << picture;
    EXPECT_GE(columns.columns.size() * static_cast<std::size_t>(columns.rows), lines.size()) << picture;
    EXPECT_LE(columns.advance * (columns.rows + 1), size.height) << picture;
    EXPECT_LE(std::max(size.width, size.height), 4096) << picture;
  }
}

// OpenCV's letters differ in width: blanks would not line up what stands behind them.
TEST(HighguiWindowColumnsTest, SecondCellsBeginAtOnePlaceAndNumbersEndAtOne) {
  const std::vector<std::string> lines{"iiii\t1.234 ms", "WWWWWWWW\t100.000 ms", "a long line of one cell alone", "F1\thelp",
                                       "Left\t5 back"};
  const TextColumns columns({1280, 720}, lines);
  ASSERT_EQ(columns.columns.size(), 1u);
  const auto& column = columns.columns.front();
  EXPECT_GT(column.start, columns.width_of("WWWWWWWW"));
  EXPECT_EQ(columns.place(column, "help"), column.start);
  EXPECT_EQ(columns.place(column, "5 back"), column.start);
  for (const std::string number : {"1.234 ms", "100.000 ms"})
    EXPECT_EQ(columns.place(column, number) + columns.width_of(number), column.start + column.second) << number;
  EXPECT_GE(column.width, columns.width_of(lines[2]));
  for (const auto& line : highgui_help()) EXPECT_NE(line.find('\t'), std::string::npos) << line;
}

TEST(HighguiWindowColumnsTest, HighPicturesAreNotEnlargedInVain) {
  const auto lines = highgui_help();
  EXPECT_EQ(enlargement({1080, 1920}, lines), 1);
  const std::vector<std::string> long_line{std::string(500, 'x')};
  EXPECT_EQ(enlargement({1280, 720}, long_line), 1);
  EXPECT_EQ(enlargement({1, 1}, {}), 240);
}

}  // namespace
}  // namespace app
