// A run without a window draws its panels where somebody asks for a picture of them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "app/live/app.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

// Another target, whose frames it counts.
class CountedTarget : public RenderTarget {
 public:
  CountedTarget(std::unique_ptr<RenderTarget> target, int& frames) : target_(std::move(target)), frames_(frames) {
    gl_ = target_->gl();
  }
  void begin_frame() override { target_->begin_frame(); }
  void end_frame() override {
    ++frames_;
    target_->end_frame();
  }
  bool closing() const override { return false; }
  void set_vsync(bool on) override { target_->set_vsync(on); }
  int width() const override { return target_->width(); }
  int height() const override { return target_->height(); }
  void set_title(const std::string& title) override { target_->set_title(title); }
  std::vector<std::uint8_t> read_pixels() const override { return target_->read_pixels(); }

 private:
  std::unique_ptr<RenderTarget> target_;
  int& frames_;
};

class AppOffscreenTest : public ::testing::Test {
 protected:
  // How many frames are drawn for so many pictures of the same settings; -1: this machine cannot draw.
  int drawn_for(std::uint64_t pictures) {
    int frames = 0;
    run_.offscreen = true;
    run_.frames = pictures;
    std::unique_ptr<RenderTarget> target;
    try {
      target = std::make_unique<CountedTarget>(open_offscreen(640, 480), frames);
    } catch (const RenderTargetError&) {
      return -1;
    }
    App app(std::move(target), host_settings("synthetic:64x48"), {{}, "no driver"}, run_);
    EXPECT_EQ(app.run(), ExitCode::ok);
    EXPECT_EQ(app.session().pictures(), pictures);
    EXPECT_EQ(app.session().log().history().frames().size(), pictures) << "each counts as presented";
    return frames;
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

TEST_F(AppOffscreenTest, AScreenshotIsOfTheLastPicture) {
  run_.screenshot = folder_.path() / "last.png";
  const int frames = drawn_for(5);
  if (frames < 0) GTEST_SKIP() << "no OpenGL";
  EXPECT_GE(frames, 3);
  EXPECT_TRUE(std::filesystem::exists(*run_.screenshot));
}

}  // namespace
}  // namespace app
