// What is recorded and logged does not depend on the window: whether it is seen, how long it takes to draw, and whether it can
// be drawn. And what is lost when it closes.
#include <gtest/gtest.h>

#include <imgui.h>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/live/app.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/live/fake_target.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class AppPaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      target_ = std::make_unique<FakeTarget>(display_);
    } catch (const RenderTargetError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void start(const Settings& settings) {
    app_ = std::make_unique<App>(std::move(target_), settings, gpu::GpuProbe{{}, "no driver"}, run_);
  }
  Session& session() { return app_->session(); }
  // The whole video, to a log and a video.
  void run_through(const Settings& settings) {
    run_.log = folder_.path() / "log.csv";
    run_.record = folder_.path() / "video.mp4";
    auto plain = settings;
    plain.effect = "none";
    start(plain);
    display_.each_turn = [this, then = display_.each_turn] {
      then();
      if (session().feed().ended() && !session().engine().busy()) session().quit();
    };
    EXPECT_EQ(app_->run(), ExitCode::ok);
  }
  // The numbers in the pictures of the recording, one that is shown longer once.
  std::vector<int> recorded() const {
    cv::VideoCapture video((folder_.path() / "video.mp4").string());
    std::vector<int> numbers;
    for (cv::Mat picture; video.read(picture);) {
      int number = 0;
      for (int bit = 0; bit < capture::number_bits; ++bit)
        if (picture.at<cv::Vec3b>(24, bit * capture::number_square + capture::number_square / 2)[1] > 128)
          number |= 1 << bit;
      if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
    }
    return numbers;
  }
  // The ids of the log's rows, but of frames that were computed again.
  std::vector<int> logged() const {
    std::ifstream log(folder_.path() / "log.csv");
    std::vector<int> ids;
    for (std::string line; std::getline(log, line);) {
      int id = 0, again = 0;
      if (std::sscanf(line.c_str(), "%d,%d", &id, &again) == 2 && again == 0) ids.push_back(id);
    }
    return ids;
  }
  void expect_all() {
    std::vector<int> numbers(count), ids(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::iota(ids.begin(), ids.end(), 1);
    EXPECT_EQ(recorded(), numbers);
    EXPECT_EQ(logged(), ids);
    EXPECT_EQ(session().feed().status().dropped, 0u);
  }

  static constexpr int count = 40;
  const TemporaryFolder folder_;
  app::Run run_;
  FakeDisplay display_;
  std::unique_ptr<RenderTarget> target_;
  std::unique_ptr<App> app_;
};

TEST_F(AppPaceTest, ASlowDisplayCostsNoFrames) {
  display_.shows_frame = [] { std::this_thread::sleep_for(150ms); };  // more than four pictures
  auto settings = host_settings(capture::numbered_video(folder_.path(), count));
  settings.vsync = true;
  run_through(settings);
  expect_all();
  EXPECT_GT(display_.drawn, 2);
  EXPECT_LT(display_.drawn, count);
}

// Nothing is recorded: the source alone decides, which waits for nothing.
TEST_F(AppPaceTest, AtMaximumSpeedPicturesDoNotWaitForASlowDisplay) {
  auto settings = host_settings("synthetic:64x48");
  settings.max_speed = settings.vsync = true;
  settings.effect = "none";
  start(settings);
  std::uint64_t at_swap = 0, between = 0;
  int swaps = 0;
  display_.shows_frame = [&] {
    between = std::max(between, session().pictures() - at_swap);
    std::this_thread::sleep_for(100ms);
    at_swap = session().pictures();
    if (++swaps == 12) session().quit();
  };
  EXPECT_EQ(app_->run(), ExitCode::ok);
  EXPECT_GT(between, 4u);
  EXPECT_EQ(display_.vsync.front(), false);
}

TEST_F(AppPaceTest, AnIconifiedWindowCostsNoFramesAndIsNotDrawn) {
  display_.iconified = true;
  run_through(host_settings(capture::numbered_video(folder_.path(), count)));
  expect_all();
  EXPECT_EQ(display_.drawn, 0);
}

TEST_F(AppPaceTest, AWindowThatIsIconifiedAgainAndAgainCostsNoFrames) {
  display_.each_turn = [this] { display_.iconified = session().pictures() % 20 >= 10; };
  run_through(host_settings(capture::numbered_video(folder_.path(), count)));
  expect_all();
  EXPECT_GT(display_.drawn, 0);
}

// A display that waits for its monitor holds nothing back while something is recorded, and only then does it not wait.
TEST_F(AppPaceTest, SwapsDoNotWaitWhileSomethingIsRecorded) {
  auto settings = host_settings("synthetic:64x48");
  settings.vsync = true;
  start(settings);
  std::vector<bool> expected;
  int step = 0;
  display_.each_turn = [&] {
    if (session().pictures() < 3u * static_cast<unsigned>(step + 1)) return;
    if (step == 4) return session().quit();
    EXPECT_EQ(display_.vsync, expected) << step;
    session().perform(parse_command(step % 2 == 0 ? "record to " + (folder_.path() / std::to_string(step)).string() + ".mp4"
                                                  : "stop_record"));
    expected.push_back(step++ % 2 != 0);
  };
  EXPECT_EQ(app_->run(), ExitCode::ok);
}

TEST_F(AppPaceTest, MessagesOfAnIconifiedWindowGoInTime) {
  display_.iconified = true;
  start(host_settings("synthetic:64x48"));
  session().messages().info("a line");
  const auto end = std::chrono::steady_clock::now() + 60s;
  display_.each_turn = [&] {
    if (!session().messages().any() || std::chrono::steady_clock::now() > end) session().quit();
  };
  app_->run();
  EXPECT_FALSE(session().messages().any());
}

// Wherever it was: before the session's step, amid widgets, after all was drawn.
TEST_F(AppPaceTest, WhatATurnThrowsCostsThatTurn) {
  int thrown = 0;
  const auto fail = [&thrown] {
    ++thrown;
    throw std::runtime_error("planted");
  };
  display_.each_turn = [&, turn = 0]() mutable {
    if (++turn % 7 == 0) fail();
  };
  display_.draws = [&, frame = 0]() mutable {
    if (++frame % 3 != 0) return;
    ImGui::Begin("window");
    ImGui::PushID(7);
    ImGui::PushStyleColor(ImGuiCol_Text, 0xffffffffu);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
    if (frame % 2 == 0) ImGui::BeginChild("child", {50, 50});
    if (frame % 4 == 0 && ImGui::BeginTable("table", 2)) ImGui::TableNextColumn();
    ImGui::BeginGroup();
    fail();
  };
  display_.shows_frame = [&, frame = 0]() mutable {
    if (++frame % 5 == 0) fail();
  };
  run_through(host_settings(capture::numbered_video(folder_.path(), count)));
  expect_all();
  EXPECT_GT(thrown, 10);
  EXPECT_GT(display_.drawn, 3);
  EXPECT_TRUE(said(session(), "planted"));
}

TEST_F(AppPaceTest, WhereEveryTurnFailsTheProgramEndsAndSavesWhatAnEndSaves) {
  for (const bool draws : {false, true}) {
    if (draws) SetUp();
    const auto place = folder_.path() / (draws ? "drawing" : "making");
    std::filesystem::create_directory(place);
    run_.record = place / "video.mp4";
    auto settings = host_settings("matrix:3x2");
    settings.output_folder = place.string();
    start(settings);
    session().change(Change{"matrix", "1,2,3;4,5,7"});
    const auto fail = [&] {
      if (session().outputs().recorded_seconds() > 0) throw std::runtime_error("planted");
    };
    (draws ? display_.draws : display_.each_turn) = fail;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(app_->run(), ExitCode::failed);
    std::signal(SIGTERM, SIG_DFL);
    const auto said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("planted"), said.npos) << said;
    EXPECT_NE(said.find("saved the changed matrix: " + place.string()), said.npos) << said;
    EXPECT_EQ(session().exit_code(), ExitCode::failed);
    EXPECT_GT(cv::VideoCapture(run_.record->string()).get(cv::CAP_PROP_FRAME_COUNT), 0);
    app_.reset();
    display_ = {};
  }
}

// Whoever closes it once more, instead of an answer, loses nothing.
TEST_F(AppPaceTest, ClosingItInThePresentationAsksForTheNumbersThatThatReplaced) {
  auto settings = host_settings("matrix:3x2");
  settings.output_folder = folder_.path().string();
  start(settings);
  session().change(Change{"matrix", "1,2,3;4,5,7"});
  const auto end = std::chrono::steady_clock::now() + 60s;
  bool presented = false, asked = false;
  display_.each_turn = [&] {
    const auto& now = session().settings();
    if (std::chrono::steady_clock::now() > end) return session().quit();
    if (!presented && session().maker().has_picture_of_source()) {
      session().put(&Settings::presentation, presented = true);
    } else if (presented && display_.kept_open == 0) {
      display_.closing = now.source == "matrix:8x8" && session().maker().has_picture_of_source();
    } else if (display_.kept_open == 1 && !asked) {
      EXPECT_FALSE(now.presentation);
      EXPECT_EQ(now.matrix, "1,2,3;4,5,7");
      asked = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
      display_.closing = asked;
    }
  };
  EXPECT_EQ(app_->run(), ExitCode::ok);
  EXPECT_TRUE(asked);
  EXPECT_EQ(display_.kept_open, 2) << "it is saved first";
  std::string saved;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    std::ifstream text(file.path());
    saved.assign(std::istreambuf_iterator<char>(text), {});
  }
  EXPECT_EQ(saved, "1,2,3\n4,5,7\n");
}

TEST_F(AppPaceTest, ALostContextEndsTheProgramAndSavesWhatAnEndSaves) {
  run_.record = folder_.path() / "video.mp4";
  run_.log = folder_.path() / "log.csv";
  start(host_settings("synthetic:64x48"));
  display_.each_turn = [this] { display_.lost = session().pictures() >= 5; };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(app_->run(), ExitCode::failed);
  std::signal(SIGTERM, SIG_DFL);
  const auto said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the GPU was reset"), said.npos) << said;
  EXPECT_FALSE(recorded().empty());
  EXPECT_GE(logged().size(), 4u);
}

}  // namespace
}  // namespace app
