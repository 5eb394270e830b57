// A run without a window draws its panels where somebody asks for a picture of them.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "app/live/app.h"
#include "app/tests/live/fake_target.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "app/ui/theme.h"

namespace app {
namespace {

class AppOffscreenTest : public ::testing::Test {
 protected:
  // How many frames are drawn for so many pictures of the same settings; -1: this machine cannot draw.
  int drawn_for(std::uint64_t pictures) {
    FakeDisplay display;
    run_.offscreen = true;
    run_.frames = pictures;
    std::unique_ptr<RenderTarget> target;
    try {
      target = std::make_unique<FakeTarget>(display);
    } catch (const RenderTargetError&) {
      return -1;
    }
    App app(std::move(target), host_settings("synthetic:64x48"), {{}, "no driver"}, run_);
    EXPECT_EQ(app.run(), ExitCode::ok);
    EXPECT_EQ(app.session().pictures(), pictures);
    EXPECT_EQ(app.session().log().history().frames().size(), pictures) << "each counts as presented";
    return display.drawn;
  }

  const TemporaryFolder folder_;
  app::Run run_;
};

TEST_F(AppOffscreenTest, PanelsAreDrawnOnceForManyPictures) {
  const int few = drawn_for(5);
  if (few < 0) GTEST_SKIP() << "no OpenGL";
  EXPECT_EQ(few, drawn_for(30));
  EXPECT_LE(few, 2);
}

TEST_F(AppOffscreenTest, AtTheFirstStartAWideWindowShowsTheDockUnlessSomebodyChoseIt) {
  run_.offscreen = true;
  struct Start {
    int width;
    bool hints, chosen, opens;
  };
  for (const auto& [width, hints, chosen, opens] : std::initializer_list<Start>{
           {1599, true, false, false}, {1600, true, false, true}, {1600, true, true, false}, {1600, false, false, false}})
    try {
      auto settings = host_settings("synthetic:64x48");
      settings.hints = hints;
      run_.dock_chosen = chosen;
      FakeDisplay display;
      App app(std::make_unique<FakeTarget>(display, width, 480), settings, {{}, "no driver"}, run_);
      EXPECT_EQ(app.session().settings().dock_open, opens) << width << ' ' << hints << ' ' << chosen;
    } catch (const RenderTargetError& error) {
      GTEST_SKIP() << error.what();
    }
}

TEST_F(AppOffscreenTest, AScreenshotIsOfTheLastPicture) {
  run_.screenshot = folder_.path() / "last.png";
  const int frames = drawn_for(5);
  if (frames < 0) GTEST_SKIP() << "no OpenGL";
  EXPECT_GE(frames, 3);
  EXPECT_TRUE(std::filesystem::exists(*run_.screenshot));
}

// Onto it a file is dropped, twice.
struct DropTarget : FakeTarget {
  DropTarget(FakeDisplay& display, std::string file) : FakeTarget(display), file_(std::move(file)) {}
  bool take_dropped(std::string& path) override {
    if (left_ == 0) return false;
    --left_;
    path = file_;
    return true;
  }

 private:
  std::string file_;
  int left_ = 2;
};

TEST_F(AppOffscreenTest, OfAKernelThatIsDroppedItIsSaidWhoseRightsItHas) {
  const auto file = folder_.path() / "dropped.cu";
  std::ofstream(file) << "int x;\n";
  run_.offscreen = true;
  run_.frames = 3;
  FakeDisplay display;
  try {
    App app(std::make_unique<DropTarget>(display, file.string()), host_settings("synthetic:64x48"), {{}, "no driver"}, run_);
    const auto told = [&] {
      return app.session().messages().knows("dropped kernels",
                                            "kernels are native code, which runs with your rights: open what you trust");
    };
    EXPECT_FALSE(told());
    app.run();
    EXPECT_TRUE(told());
    EXPECT_EQ(app.session().settings().kernels, std::vector{file.string()});
  } catch (const RenderTargetError& error) {
    GTEST_SKIP() << error.what();
  }
}

// Letters of a kernel's text stand in columns; other letters would not.
TEST_F(AppOffscreenTest, APictureWithAUsersKernelHasTheFontOfItsText) {
  const auto file = folder_.path() / "mine.cu";
  std::ofstream(file) << "int x;\n";
  run_.offscreen = true;
  run_.frames = 3;
  run_.screenshot = folder_.path() / "last.png";
  const auto has_font = [] { return ui::font(ui::Font::code) != ui::font(ui::Font::regular); };
  for (const bool at_start : {true, false}) {
    FakeDisplay display;
    int drawn = 0, with_font = 0;
    display.draws = [&] { ++drawn, with_font += has_font(); };
    try {
      auto settings = host_settings("synthetic:64x48");
      if (at_start) settings.kernels = {file.string()};
      App app(std::make_unique<FakeTarget>(display), settings, {{}, "no driver"}, run_);
      EXPECT_EQ(has_font(), at_start);
      if (!at_start) app.session().set(std::array{Change{"kernel", file.string()}});
      app.run();
    } catch (const RenderTargetError& error) {
      GTEST_SKIP() << error.what();
    }
    EXPECT_GE(drawn, 3);
    EXPECT_EQ(with_font, drawn) << at_start;
  }
}

}  // namespace
}  // namespace app
