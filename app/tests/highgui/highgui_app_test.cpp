// The session in OpenCV's window, with a window that presses keys: no display is needed.
#include "app/highgui/highgui_app.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "app/highgui/module/highgui_window.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

// A key for each frame once there is a picture; after the last one the user closes the window.
class PressedKeys : public HighguiWindow {
 public:
  explicit PressedKeys(std::string_view& keys) : keys_(keys) {}
  bool show(gpu::ImageView<const gpu::Rgba>, std::span<const std::string>) override {
    shown_ = true;
    return !keys_.empty();
  }
  int key() override {
    if (!shown_ || keys_.empty()) return -1;
    const int key = keys_.front();
    keys_.remove_prefix(1);
    return key;
  }

 private:
  std::string_view& keys_;
  bool shown_ = false;
};

// Any other key is a no to the question whether to quit.
TEST(HighguiAppTest, WhileSomethingIsRecordedQuittingIsAskedAgainAfterANo) {
  const TemporaryFolder folder;
  app::Run run;
  run.record = folder.path() / "video.mp4";
  std::string_view keys = "qhqhqqh";
  HighguiApp app(HighguiViewer(std::make_unique<PressedKeys>(keys)), host_settings("synthetic:64x48"), {{}, "no driver"},
                 run);
  EXPECT_EQ(app.run(), ExitCode::ok);
  EXPECT_EQ(keys, "h");
  EXPECT_TRUE(std::filesystem::exists(*run.record));
}

}  // namespace
}  // namespace app
