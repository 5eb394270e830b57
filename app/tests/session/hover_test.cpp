// What is said of the pixels under the mouse.
#include "app/session/hover.h"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <utility>
#include <vector>

#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

// The pixel under the mouse has its own value, whatever window of them is shown.
TEST(HoverTest, APixelOf16BitsShowsItsOwnValues) {
  const TemporaryFolder folder;
  for (const auto& [type, values] :
       {std::pair(CV_16UC1, std::vector<std::uint16_t>{3000}), {CV_16UC3, {1000, 2000, 3000}}}) {
    const auto path = (folder.path() / (std::to_string(type) + ".png")).string();
    cv::Mat picture(6, 8, type, cv::Scalar(500, 600, 700));
    picture(cv::Rect(5, 2, 1, 1)).setTo(type == CV_16UC1 ? cv::Scalar(3000) : cv::Scalar(3000, 2000, 1000));  // BGR
    cv::imwrite(path, picture);
    Session session(host_settings(path), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
    const auto figures = [&](PixelPosition at) { return figures_of(at, {}, session.feed().last()); };
    for (const char* window : {"", "0-65535", "2999-3000"}) {
      const auto pictures = session.pictures();
      session.change({"values", window});
      ASSERT_TRUE(!*window || step_until(session, [&] { return session.pictures() > pictures; }));
      EXPECT_EQ(figures({5, 2}).values, values);
      EXPECT_NE(figures({4, 2}).values, values);
      EXPECT_EQ(figures({8, 2}).values.size(), 0u) << "outside";
    }
  }
  Session session(host_settings("matrix:8x8"), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  EXPECT_TRUE(figures_of({5, 2}, {}, session.feed().last()).values.empty()) << "8 bits";
}

}  // namespace
}  // namespace app
