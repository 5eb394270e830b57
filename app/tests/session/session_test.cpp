// The loop without a window, and its recordings.
#include "app/session/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/gate.h"
#include "app/tests/support/reader_at_last.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class SessionTest : public testing::Test {
 protected:
  static void finish(Session& session) {
    while (!session.outputs().finish(10ms)) continue;
  }
  double frames() const { return cv::VideoCapture(video_.string(), cv::CAP_FFMPEG).get(cv::CAP_PROP_FRAME_COUNT); }

  // A picture file of these pixels; its name.
  std::string image(const char* name, const cv::Mat& pixels) const {
    const auto path = (folder_.path() / name).string();
    cv::imwrite(path, pixels);
    return path;
  }
  std::string plain_image() const { return image("image.png", cv::Mat(48, 64, CV_8UC3, cv::Scalar(10, 20, 30))); }

  TemporaryFolder folder_;
  std::filesystem::path video_ = folder_.path() / "video.mp4";
  PictureSink sink_ = [](auto&, auto&) {};
};

TEST_F(SessionTest, AStillImageIsRecordedToo) {
  ShownSession session(plain_image());
  session.outputs().start_recording(video_);
  EXPECT_TRUE(step_until(session, [&] { return session.outputs().recorded_seconds() > 0; }));
  session.outputs().stop_recording();
  EXPECT_FALSE(session.outputs().recording());
  finish(session);
  EXPECT_GE(frames(), 1);
  EXPECT_TRUE(said(session, "Saved " + video_.string()));
}

// A picture of 16 bits is decoded once, and each window of its values is another picture.
TEST_F(SessionTest, AStillImageIsShownAnewWhereItsWindowOfValuesChanges) {
  cv::Mat deep(8, 16, CV_16UC1);
  for (int i = 0; i < 128; ++i) deep.at<std::uint16_t>(i / 16, i % 16) = static_cast<std::uint16_t>(1000 + 8 * i);
  const auto path = image("deep.png", deep);
  auto settings = host_settings(path);
  settings.effect = "none";
  std::vector<int> levels;
  const auto sink = [&](auto&, const Picture& picture) { levels.push_back(picture.pixels(15, 3).g); };
  Session session(settings, {{}, "no driver"}, app::Run{}, true, sink);
  const auto shows = [&](const capture::ValueWindow& window) {
    std::uint8_t level = 0;
    capture::levels_of(std::array{static_cast<std::uint16_t>(1000 + 8 * 63)}, window, &level);
    return step_until(session, [&] { return !levels.empty() && levels.back() == level && !session.engine().busy(); });
  };
  const capture::ValueWindow automatic{1000, 1000 + 8 * 127};
  EXPECT_TRUE(shows(automatic));
  EXPECT_EQ(session.feed().status().automatic, automatic);
  std::filesystem::remove(path);
  for (const capture::ValueWindow window : {capture::ValueWindow{0, 65535}, {1400, 1600}, {1503, 1505}}) {
    session.change({"values", capture::values_text(window)});
    EXPECT_TRUE(shows(window)) << capture::values_text(window);
  }
  for (const char* window : {"0-2000", "0-3000", "0-4000"}) session.change({"values", window});
  const auto pictures = session.pictures();
  EXPECT_TRUE(shows({0, 4000}));
  EXPECT_EQ(session.pictures(), pictures + 1) << "the windows in between were never shown";
  session.perform(Action::undo);
  const auto before = session.settings().values;
  EXPECT_NE(before, (capture::ValueWindow{0, 4000}));
  EXPECT_TRUE(shows(before.value_or(automatic)));
  session.change({"values", ""});
  EXPECT_TRUE(shows(automatic));
  const auto steps = session.pictures();
  session.change({"values", "4000-500"});
  EXPECT_TRUE(said(session, "values takes FROM-TO"));
  for (int i = 0; i < 5; ++i) session.step(1ms);
  EXPECT_EQ(session.pictures(), steps) << "nothing else has changed";
}

TEST_F(SessionTest, TheMemoryOfThePipelineIsKnownWhileTheNextPictureIsUnderWay) {
  auto settings = host_settings("synthetic:64x48");
  settings.max_speed = true;
  Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0 && session.engine().busy(); }));
  EXPECT_GT(session.maker().memory_bytes(), 64u * 48 * 4) << "its table at least";
}

TEST_F(SessionTest, TheWipeOfAStillImageMovesWithoutComputingTheImageAgain) {
  int edge = 0;
  const auto sink = [&](auto&, const Picture& picture) { edge = picture.pixels.edge; };
  Session session(host_settings(plain_image()), {{}, "no driver"}, app::Run{}, true, sink);
  session.change({"compare", "original,box_blur"});
  session.change({"box_blur.colour", "off"});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  const auto frames = session.log().made_of_work();
  const auto before = session.engine().pipeline().picture().pixels;
  for (const auto& [wipe, first] : {std::pair("0.25", 16), {"0.75", 48}}) {
    session.change({"wipe", wipe});
    EXPECT_TRUE(session.step(0us)) << "it is there at once";
    EXPECT_TRUE(session.maker().moved_wipe());
    ASSERT_EQ(edge, first);
    const auto pixels = session.engine().pipeline().picture().pixels;
    EXPECT_EQ(pixels.left.data, before.left.data) << "another picture was made";
    const auto path = folder_.path() / (std::string(wipe) + ".png");
    session.perform({Action::save_picture, path});
    finish(session);
    const auto saved = cv::imread(path.string());
    for (const int x : {4, 20, 44, 60}) {
      const auto colour = saved.at<cv::Vec3b>(46, x);
      EXPECT_EQ(colour[0] == colour[2], x >= first) << x << ", wipe " << wipe;  // the blurred side is gray
      EXPECT_EQ(pixels(x, 24).r == pixels(x, 24).b, x >= first);
    }
  }
  EXPECT_EQ(session.log().made_of_work(), frames) << "no frame is timed";
  const auto pictures = session.pictures();
  session.change({"box_blur.window", "5x5"});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > pictures; }));
  EXPECT_EQ(session.log().made_of_work(), 1u);
  EXPECT_FALSE(session.maker().moved_wipe());
}

TEST_F(SessionTest, AStillImageIsNotPausedAndTheNextSourcePlays) {
  ShownSession session("matrix:8x8");
  session.perform(Action::toggle_pause);
  EXPECT_TRUE(said(session, "there is nothing to pause"));
  EXPECT_FALSE(session.feed().paused());
  session.change({"source", "synthetic:64x48"});
  const auto pictures = session.pictures();
  EXPECT_TRUE(step_until(session, [&] { return session.pictures() > pictures + 3; }));
}

TEST_F(SessionTest, ARaceThatTheRunAsksForEndsIt) {
  app::Run run;
  run.offscreen = run.race = true;
  run.frames = 2;
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, run, false, sink_);
  EXPECT_TRUE(step_until(session, [&] { return session.done(); }));
  EXPECT_TRUE(session.race().finished());
  EXPECT_EQ(session.pictures(), 2u);
  EXPECT_EQ(session.exit_code(), ExitCode::ok);
  EXPECT_EQ(session.saver().report().race.rows.size(), session.race().figures().rows.size());
}

TEST_F(SessionTest, TheMatrixReplacesAnySourceAndGoesBackToItAsItWasLeft) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() >= 2; }));
  session.perform(Action::pause);
  session.change({"matrix_editor", "off"});
  session.perform(Action::matrix);
  EXPECT_EQ(session.settings().source, "matrix:8x8");
  EXPECT_TRUE(session.settings().matrix_editor);
  ASSERT_TRUE(step_until(session, [&] { return session.feed().status().kind == capture::SourceKind::matrix; }));
  session.perform(Action::resume);
  session.perform(Action::matrix);
  EXPECT_EQ(session.settings().source, "synthetic:64x48");
  EXPECT_TRUE(session.feed().paused());
  ASSERT_TRUE(step_until(session, [&] { return session.feed().status().kind == capture::SourceKind::synthetic; }));
  session.perform(Action::matrix);
  session.change({"source", "synthetic:32x32"});  // another one is chosen meanwhile
  session.perform(Action::matrix);
  EXPECT_EQ(session.settings().source, "matrix:8x8");
  session.perform(Action::matrix);
  EXPECT_EQ(session.settings().source, "synthetic:32x32");
  session.perform(Action::matrix);
  session.change({"source", "matrix:4x4"});
  session.perform(Action::matrix);
  session.change({"source", "matrix:8x8"});
  session.perform(Action::matrix);
  EXPECT_EQ(session.settings().source, "synthetic:32x32") << "another matrix was looked at meanwhile";
}

TEST_F(SessionTest, OfAMatrixThatIsThereItsNumbersOrItsPictureAreShown) {
  Session session(host_settings("matrix:4x4"), {{}, "no driver"}, app::Run{}, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() >= 1; }));
  session.perform(Action::matrix);
  EXPECT_EQ(session.settings().source, "matrix:4x4");
  EXPECT_FALSE(session.settings().matrix_editor);
  session.perform(Action::matrix);
  EXPECT_TRUE(session.settings().matrix_editor);
}

// The video goes on while the race runs, and the race gets its turns although pictures never stop coming.
TEST_F(SessionTest, ARaceAndAVideoLeaveEachOtherRoom) {
  auto settings = host_settings("synthetic:64x48");
  settings.max_speed = true;
  Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
  session.perform(Action::toggle_race);
  EXPECT_EQ(session.settings().dock, Dock::race);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() >= 2; }));
  const auto before = session.pictures();
  EXPECT_TRUE(step_until(session, [&] { return session.race().finished(); }));
  EXPECT_GT(session.pictures(), before + 5);
  session.change({"source", "synthetic:32x32"});
  ASSERT_TRUE(step_until(session, [&] { return session.race().figures().earlier; }));
  EXPECT_TRUE(session.race().finished()) << "it is the user who starts another";
  EXPECT_FALSE(session.race().figures().earlier_device) << "the picture is another one";
  EXPECT_EQ(session.race().figures().size, (gpu::Size{64, 48}));
  session.perform(Action::toggle_race);
  ASSERT_TRUE(step_until(session, [&] {
    return session.race().finished() && session.race().figures().size == gpu::Size{32, 32};
  }));
  session.perform(Action::toggle_race);  // again
  EXPECT_TRUE(session.race().running());
  session.perform(Action::toggle_race);
  EXPECT_FALSE(session.race().on());
}

TEST_F(SessionTest, WhatCannotBeDoneIsAMessageAndChangesNothing) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  const auto before = session.settings();
  session.change({"zoom", "-1"});
  EXPECT_TRUE(said(session, "zoom takes a number from 0 to 10000, not '-1'"));
  session.perform(Action::screenshot);  // the window's
  EXPECT_TRUE(said(session, "'screenshot' cannot be done here"));
  setenv("SATSCOPE_SIMULATED", folder_.path().c_str(), 1);
  session.perform("cycle device");
  EXPECT_TRUE(said(session, "no other device; no simulated GPU: it is not built: start with app/run"));
  setenv("SATSCOPE_BUILDING", std::to_string(getpid()).c_str(), 1);
  session.perform("cycle device");
  EXPECT_TRUE(
      said(session, "no other device; no simulated GPU: it is being built: try again in some minutes; no GPU: no driver"));
  unsetenv("SATSCOPE_BUILDING");
  unsetenv("SATSCOPE_SIMULATED");
  EXPECT_EQ(session.settings(), before);
}

// Also "Save and quit": the window's message ends with the window.
TEST_F(SessionTest, AChangedMatrixIsSavedAtAnEndThatNobodyWasAskedAboutAndItsFileIsToldOnTheTerminal) {
  const struct {
    bool attended, quits, saves, script;
    const char* line;  // and the file; empty: nothing
  } cases[] = {{true, true, false, false, ""},
               {true, false, false, false, "saved the changed matrix: "},
               {false, false, false, false, "saved the changed matrix: "},
               {true, true, true, false, "satscope: saved the matrix: "},
               {true, true, true, true, ""}};
  for (const auto& [attended, quits, saves, script, line] : cases) {
    auto settings = host_settings("matrix:3x2");
    settings.output_folder = (folder_.path() / "saved").string();
    app::Run run;
    if (script) run.script = "/dev/null";
    Session session(settings, {{}, "no driver"}, run, attended, sink_);
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
    session.change({"matrix", "1,2,3;4,5,7"});
    if (saves) {
      session.act(Action::save_matrix);
      ASSERT_TRUE(step_until(session, [&] { return !session.saver().matrix_unsaved(); }));
    }
    if (quits) session.act(Action::quit);
    testing::internal::CaptureStderr();
    session.finish();
    finish(session);
    const auto said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.empty(), !*line) << said;
    const bool saved = saves || !quits;
    EXPECT_EQ(std::filesystem::exists(settings.output_folder), saved);
    if (!saved) continue;
    const auto path = std::filesystem::directory_iterator(settings.output_folder)->path();
    EXPECT_NE(said.find(*line ? line + path.string() : ""), std::string::npos) << said;
    EXPECT_TRUE(!saves || said == (*line ? line + path.string() + "\n" : "")) << said;
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "1,2,3\n4,5,7\n");
    std::filesystem::remove_all(settings.output_folder);
  }
}

TEST_F(SessionTest, AChangedMatrixThatCannotBeSavedStaysOpen) {
  auto settings = host_settings("matrix:3x2");
  settings.output_folder = (folder_.path() / "saved").string();
  std::ofstream(settings.output_folder) << "a file";
  ShownSession session(settings);
  session.change({"matrix", "1,2,3;4,5,7"});
  ASSERT_TRUE(step_until(session, [&] { return session.maker().has_picture_of_source(); }));
  session.act(Action::save_matrix);
  const auto why = "cannot make the folder " + settings.output_folder + ": Not a directory; choose another place";
  EXPECT_EQ(session.saver().matrix_problem(), why);
  session.change({"source", "synthetic:64x48"});
  ASSERT_TRUE(step_until(session, [&] { return session.settings().source == "matrix:3x2"; }));
  EXPECT_EQ(session.settings().matrix, "1,2,3;4,5,7");
  EXPECT_TRUE(said(session, "the matrix stays open: it was changed and cannot be saved: " + why +
                                " (\"Save to\" in the preferences), or quit without saving to open 'synthetic:64x48'"));
  session.act({Action::save_matrix, folder_.path() / "none" / "m.csv"});
  EXPECT_TRUE(step_until(session, [&] { return !session.saver().matrix_problem().empty(); }));
  EXPECT_TRUE(session.saver().matrix_problem().starts_with("cannot write ")) << session.saver().matrix_problem();
  session.change({"output_folder", folder_.path().string()});
  session.change({"source", "synthetic:64x48"});
  EXPECT_TRUE(
      step_until(session, [&] { return session.maker().has_picture_of_source() && !session.saver().matrix_unsaved(); }));
  EXPECT_EQ(session.settings().source, "synthetic:64x48");
  finish(session);
  const std::filesystem::directory_iterator all(folder_.path());
  EXPECT_EQ(std::count_if(begin(all), end(all), [](const auto& file) { return file.path().extension() == ".csv"; }), 1);
}

// The command comes from a key or the palette: a script says what it replaces.
TEST_F(SessionTest, ACommandReplacesNoFileThatThisRunHasNotWritten) {
  const auto file = folder_.path() / "mine.png";
  std::ofstream(file) << "precious";
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 2; }));
  session.perform({Action::save_picture, file});
  EXPECT_TRUE(said(session, "exists: name another file"));
  const auto other = folder_.path() / "new.png";
  for (int i = 0; i < 2; ++i) {
    session.perform({Action::save_picture, other});
    ASSERT_TRUE(step_until(session, [&] { return session.outputs().all_written() && std::filesystem::exists(other); }));
  }
  EXPECT_EQ(std::filesystem::file_size(file), 8u);
  EXPECT_GT(std::filesystem::file_size(other), 8u);
  EXPECT_FALSE(said(session, "new.png exists"));
  finish(session);
}

// A video takes its name at its end, a picture once the disk has time for it.
TEST_F(SessionTest, WhatAnotherProgramWritesMeanwhileIsItsOwn) {
  ShownSession session("synthetic:64x48");
  const struct {
    Action action;
    const char *name, *other;
  } cases[] = {{Action::save_picture, "theirs.png", "theirs-2.png"}, {Action::record, "theirs.mp4", "theirs-2.mp4"}};
  for (const auto& [action, name, other] : cases) {
    const auto theirs = folder_.path() / name, ours = folder_.path() / other;
    const bool records = action == Action::record;
    Gate disk;
    session.outputs().writer().add(disk.task());
    session.perform({action, theirs});
    ASSERT_TRUE(step_until(
        session, [&] { return records ? session.outputs().recorded_seconds() > 0 : !session.outputs().all_written(); }));
    std::ofstream(theirs) << "precious";
    session.outputs().stop_recording();
    disk.open();
    ASSERT_TRUE(step_until(session, [&] { return session.outputs().all_written(); }));
    EXPECT_TRUE(said(session, "Saved " + ours.string()));
    EXPECT_GT(std::filesystem::file_size(ours), 8u);
    session.perform({action, theirs});
    EXPECT_TRUE(said(session, theirs.string() + " exists: name another file"));
    finish(session);
    EXPECT_EQ(std::filesystem::file_size(theirs), 8u);
  }
}

// Nobody else has made its file in between.
TEST_F(SessionTest, ACommandThatIsGivenTwiceAtOnceWritesOneFile) {
  ShownSession session("synthetic:64x48");
  const auto file = folder_.path() / "twice.png";
  Gate disk;
  session.outputs().writer().add(disk.task());
  for (int i = 0; i < 2; ++i) session.perform({Action::save_picture, file});
  disk.open();
  ASSERT_TRUE(step_until(session, [&] { return session.outputs().all_written() && !session.saver().saves_pictures(); }));
  const std::filesystem::directory_iterator all(folder_.path());
  EXPECT_EQ(std::distance(begin(all), end(all)), 1);
  EXPECT_TRUE(std::filesystem::exists(file));
}

// It would take longer than anybody waits.
TEST_F(SessionTest, AnEndDoesNotWaitForWhatASimulatedGpuComputes) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  auto settings = host_settings("synthetic:4096x4096");
  settings.device = DeviceChoice::simulated;
  Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.engine().busy(); }));
  session.act(Action::quit);
  session.finish();
  EXPECT_FALSE(session.engine().busy());
  EXPECT_EQ(session.pictures(), 0u);
  EXPECT_FALSE(said(session, "stopped")) << "who ends it knows why";
  EXPECT_EQ(session.exit_code(), ExitCode::ok);
}

using SessionDeathTest = SessionTest;

// Ctrl-C then ends at once, also the first one.
TEST_F(SessionDeathTest, WhoQuitsLearnsThatAPictureIsBeingFinished) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto on_interrupt = [] {
    struct sigaction action {};
    ::sigaction(SIGINT, nullptr, &action);
    return action.sa_handler;
  };
  const auto quit = [&] {
    std::signal(SIGINT, SIG_DFL);  // whoever started the tests may have it ignored
    const KeptConsole console;     // as in the program: the source silences libraries
    auto settings = host_settings("synthetic:4096x4096");
    settings.effect = "faces";
    settings.effect_values["faces"] = {{"scale_factor", "1.02"}, {"tables", "global"}};  // it takes long
    Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
    step_until(session, [&] { return session.engine().busy(); });
    session.act(Action::quit);
    std::thread([&, before = on_interrupt()] {
      while (on_interrupt() == before) std::this_thread::sleep_for(10ms);
      ::kill(::getpid(), SIGINT);
    }).detach();
    session.finish();
    std::_Exit(0);
  };
  EXPECT_EXIT(quit(), testing::KilledBySignal(SIGINT),
              "satscope: finishing the picture that is being computed; Ctrl-C ends at once\n");
}

TEST_F(SessionTest, AKeyChangesASettingOrTheSession) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  const auto effect = session.settings().effect;
  session.perform("cycle effect");
  EXPECT_NE(session.settings().effect, effect);
  session.perform(Action::toggle_pause);
  EXPECT_TRUE(session.feed().paused());
  session.change(std::array{Change{"zoom", "2"}, Change{"centre_x", "0.25"}});
  EXPECT_EQ(session.settings().zoom, 2);
  EXPECT_EQ(session.settings().centre_x, 0.25);
  EXPECT_FALSE(session.messages().any());
}

TEST_F(SessionTest, AfterAFailureTheSettingsNameTheSourceThatPlays) {
  ShownSession session("synthetic");
  session.settings().size = {maximum_side + 1, 16};
  ASSERT_TRUE(step_until(session, [&] { return said(session, std::to_string(maximum_side)); }));
  EXPECT_EQ(session.settings().size, (gpu::Size{}));
  const auto pictures = session.pictures();
  EXPECT_TRUE(step_until(session, [&] { return session.pictures() > pictures + 2; }));
  EXPECT_EQ(session.settings().size, (gpu::Size{}));
}

// What waited to be taken when a seek was asked for was left out, and not dropped.
TEST_F(SessionTest, ASeekDropsNoFrames) {
  auto settings = host_settings(capture::numbered_video(folder_.path(), 200));
  settings.max_speed = true;
  Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
  const auto show_until = [&](const auto& holds) {
    return step_until(session, [&] {
      session.log().drawn();
      session.log().begin_turn();
      return holds();
    });
  };
  ASSERT_TRUE(show_until([&] { return session.pictures() > 2; }));
  for (const double seconds : {4.0, 1.0}) {
    const auto waits = [&] { return session.feed().status().delivered > session.feed().last()->sequence + 1; };
    while (!waits()) std::this_thread::yield();  // the next one
    session.act(parse_command("seek " + std::to_string(seconds)));
    const auto pictures = session.pictures();
    ASSERT_TRUE(show_until([&] { return !session.feed().seeking() && session.pictures() > pictures + 2; }));
    EXPECT_GE(session.transport().position(), seconds);
  }
  session.finish();
  ASSERT_GT(session.log().latest().size(), 4u);
  for (const auto& frame : session.log().latest()) EXPECT_EQ(frame.dropped_before, 0u) << frame.id;
  EXPECT_EQ(session.feed().status().dropped, 0u);
}

TEST_F(SessionTest, AtTheEndAFilePlaysAgainFromItsStart) {
  auto settings = host_settings(capture::numbered_video(folder_.path(), 8));
  settings.max_speed = true;
  Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
  for (const auto action : {Action::resume, Action::toggle_pause}) {
    ASSERT_TRUE(step_until(session, [&] { return session.feed().ended() && session.transport().position() > 0.27; }));
    const auto pictures = session.pictures();
    session.perform(action);
    EXPECT_TRUE(session.feed().seeking());
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > pictures; }));
    EXPECT_EQ(session.transport().position(), 0);
  }
}

// Nor does a source that is not opened leave its place to the next.
TEST_F(SessionTest, TheNextSourceStartsWhereItIsAskedToAndThoseAfterItAtTheirStart) {
  const auto video = capture::numbered_video(folder_.path(), 100);
  for (const bool opened : {true, false}) {
    ShownSession session("matrix:4x4");
    const auto position_of = [&](const std::string& source) {
      session.change(Change{"source", source});
      EXPECT_TRUE(step_until(session, [&] { return session.maker().has_picture_of_source(); }));
      return session.transport().position();
    };
    session.transport().feed().set_paused(true);
    session.transport().start_at(2.4);
    if (opened) {
      EXPECT_NEAR(position_of(video), 2.4, 1e-6);
      EXPECT_TRUE(session.feed().paused());
      position_of("matrix:4x4");
    } else {  // of a source that the settings do not name any more
      ASSERT_TRUE(step_until(session, [&] { return !session.engine().busy(); }));
      session.step(5ms);
    }
    EXPECT_EQ(position_of(video), 0);
  }
}

TEST_F(SessionTest, TheEndOfAWindowDoesNotWaitForAReaderOfTheLogForLong) {
  const ReaderAtLast reader(folder_.path() / "pipe");
  app::Run run;
  run.log = reader.pipe();
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, run, true, sink_);
  ASSERT_TRUE(step_until(session, [&] {
    session.log().drawn();
    session.log().begin_turn();
    return session.pictures() > 2;
  }));
  session.act(Action::quit);
  session.finish();
  EXPECT_TRUE(said(session, ": cannot write " + reader.pipe().string() + ": nobody reads this pipe"));
  EXPECT_EQ(session.exit_code(), ExitCode::failed);
}

// It was begun before.
TEST_F(SessionTest, APictureUnderWayWhenALineSetsSomethingIsNotThatForWhichTheNextLineWaits) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  app::Run run;
  run.script = "/proc/self/fd/" + std::to_string(ends[0]);
  auto settings = host_settings("synthetic:1920x1080");
  settings.effect = "none";
  settings.max_speed = true;
  Session session(settings, {{}, "no driver"}, run, true, sink_);
  for (const std::string effect : {"box_blur", "none", "box_blur"}) {
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0 && session.engine().busy(); }));
    const bool loops = session.settings().loop;
    const auto lines = "{\"set\": {\"effect\": \"" + effect +
                       "\"}}\n{\"frames\": 1}\n{\"set\": {\"loop\": " + (loops ? "false" : "true") + "}}\n";
    ASSERT_EQ(::write(ends[1], lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
    const auto before = session.pictures();
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (session.settings().loop == loops && std::chrono::steady_clock::now() < end) session.step(0us);
    EXPECT_NE(session.settings().loop, loops);
    EXPECT_GE(session.pictures(), before + 2) << effect << ": the one under way, and the first with what was set";
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(SessionTest, WhoComputesOnTheSimulatedGpuLearnsWhyItsBlurIsGray) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  auto settings = host_settings("matrix:8x6");
  settings.device = DeviceChoice::simulated;
  settings.effect = "none";
  ShownSession session(settings);
  EXPECT_TRUE(said(session, "right results, but not a GPU's times"));
  session.change(Change{"effect", "box_blur"});
  EXPECT_TRUE(step_until(session, [&] { return said(session, "right results, in gray, to be quicker, but not"); }));
}

TEST_F(SessionTest, TheCpuTracesTheTilesOfWhatIsChosenForAGpuAndTheLiveChoiceStays) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  if (!why_no_simulated_gpu().empty()) {
    EXPECT_TRUE(session.trace_runner().why_not().starts_with("host_parallel records no tiles"));
    EXPECT_NE(session.trace_runner().why_not().find("app/run builds it"), std::string::npos);
    return;
  }
  session.change(Change{"algorithm", "host_parallel"});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  session.perform(Action::trace_tiles);
  ASSERT_TRUE(step_until(session, [&] { return session.trace_runner().trace() != nullptr; }));
  EXPECT_EQ(session.trace_runner().trace()->device, gpu::Device::simulated);
  EXPECT_EQ(session.trace_runner().trace()->algorithm, session.settings().cuda_algorithm);
  EXPECT_EQ(session.engine().device(), gpu::Device::host);
  EXPECT_FALSE(session.trace_runner().under_way());
}

TEST_F(SessionTest, AFileThatTheRunWritesIsNoSourceBeforeItIsComplete) {
  const auto file = (folder_.path() / "m.csv").string();
  std::ofstream(file) << "1,2\n3,4\n";
  app::Run run;
  run.export_file = file;
  Session session(host_settings("synthetic"), {{}, "no driver"}, run, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  session.change(Change{"source", "matrix:" + file});
  ASSERT_TRUE(step_until(session, [&] { return said(session, file + " is a result of this run"); }));
  EXPECT_EQ(session.settings().source, "synthetic");
  EXPECT_FALSE(session.outputs().will_write(video_));
  session.outputs().record(video_);
  EXPECT_TRUE(session.outputs().will_write(video_));
}

TEST_F(SessionTest, AFileThatTheRunWritesIsNoCascadeBeforeItIsComplete) {
  const auto file = (folder_.path() / "c.xml").string(), link = (folder_.path() / "link.xml").string();
  std::ofstream(file) << "1";
  std::filesystem::create_symlink("c.xml", link);
  app::Run run;
  run.log = file;
  Session session(host_settings("synthetic"), {{}, "no driver"}, run, true, sink_);
  const auto before = session.settings();
  session.change(Change{"faces.cascade", link});
  EXPECT_TRUE(said(session, link + " is a result of this run, and not complete yet: name another file"));
  EXPECT_EQ(session.settings(), before);
  auto chosen_in_a_panel = before;
  apply(chosen_in_a_panel, Change{"faces.cascade", link});
  EXPECT_THROW(session.use(chosen_in_a_panel), std::invalid_argument);
  EXPECT_EQ(session.settings(), before);
}

TEST_F(SessionTest, AnErrorOfTheGpuThatEveryPictureMeetsIsReportedOnce) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true,
                  [](auto&, auto&) { throw gpu::CudaError(cudaErrorNotMapped, std::source_location::current()); });
  int reports = 0;
  step_until(session, [&] {
    reports += said(session, "GPU error");
    session.messages().age(60);  // it is not on the screen any more
    return session.pictures() >= 4;
  });
  EXPECT_EQ(reports, 1);
}

// Whoever opens the library waits until somebody writes to it: a disk that does not answer.
TEST_F(SessionTest, TheLoopGoesOnWhileTheSimulatedGpuIsLoaded) {
  if (simulated_gpu_is_loaded()) GTEST_SKIP() << "another test has loaded it";
  const auto library = folder_.path() / gpu::simulated::library_name(gpu::simulated::Build::plain);
  ASSERT_EQ(::mkfifo(library.c_str(), 0600), 0);
  setenv("SATSCOPE_SIMULATED", folder_.path().c_str(), 1);
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 2; }));
  session.change({"device", "simulated"});
  const auto pictures = session.pictures();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) session.step(5ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_LE(session.pictures(), pictures + 1);  // the one that was under way
  EXPECT_FALSE(session.done());
  ::close(::open(library.c_str(), O_WRONLY | O_CLOEXEC));  // it is empty
  EXPECT_TRUE(step_until(session, [&] { return session.pictures() > pictures + 2; }));
  unsetenv("SATSCOPE_SIMULATED");
  EXPECT_TRUE(said(session, "no simulated GPU: "));
  EXPECT_TRUE(said(session, "computing on the CPU instead"));
}

// The writer is blocked until its queue is full: 32 pictures of this size.
struct HeldUp : Gate {
  explicit HeldUp(WriterThread& writer) { writer.add(task()); }
};

TEST_F(SessionTest, TheTimeOfARecordingIsThatOfNowAlthoughTheEncoderIsLate) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  HeldUp writer(session.outputs().writer());
  session.outputs().start_recording(video_);
  EXPECT_TRUE(step_until(session, [&] { return session.outputs().recorded_seconds() > 0.1; }));
  writer.open();
  session.outputs().stop_recording();
  finish(session);
  EXPECT_GE(frames(), 1);
}

// With a number of frames, and in a window, where the loop goes on. What cannot wait, a camera, is for OutputsTest.
TEST_F(SessionTest, IfNoFrameMayBeLostTheSourceWaitsForTheRecording) {
  const auto still = image("image.png", cv::Mat(1080, 1920, CV_8UC3, cv::Scalar(10, 20, 30)));
  const std::string scene = "synthetic:1920x1080";
  for (const auto& [source, frames_wanted] : {std::pair(scene, 40), {still, 40}, {scene, 0}}) {
    SCOPED_TRACE(source + ' ' + std::to_string(frames_wanted));
    auto settings = host_settings(source);
    settings.max_speed = frames_wanted > 0;
    app::Run run;
    if (frames_wanted > 0) run.frames = frames_wanted;
    Session session(settings, {{}, "no driver"}, run, true, sink_);
    HeldUp writer(session.outputs().writer());
    session.outputs().start_recording(video_);
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() >= 32; }));
    for (int i = 0; i < 50; ++i) session.step(1ms);
    const auto held_up = session.pictures();
    EXPECT_LE(held_up, 33u);
    writer.open();
    EXPECT_TRUE(step_until(session, [&] { return frames_wanted ? session.done() : session.pictures() > held_up + 3; }));
    finish(session);
    EXPECT_FALSE(said(session, "drop"));
    EXPECT_TRUE(!frames_wanted || source == still || frames() == 40) << frames();
  }
}

// A recording that another command stops, or that fails, is no result that has to be kept.
TEST_F(SessionTest, ANameUnderWhichNothingWasRecordedMayBeRecordedTo) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  const auto folder = folder_.path() / "folder";
  std::filesystem::create_directory(folder);
  const auto record = [&](Action action, const std::filesystem::path& to) {
    Command command(action);
    command.to = to;
    session.perform(command);
  };
  const auto is_recorded = [&] { return session.outputs().recorded_seconds() > 0; };
  for (const auto* name : {"1.mp4", "2.mp4"}) {
    record(Action::toggle_record, folder_.path() / name);
    ASSERT_TRUE(step_until(session, is_recorded));
    record(Action::toggle_record, video_);  // stops it
    EXPECT_FALSE(session.outputs().recording());
    record(Action::record, folder_.path() / name);
    EXPECT_FALSE(session.outputs().recording()) << "that one is a result";
  }
  record(Action::record, folder / "3.mp4");
  std::filesystem::remove(folder);
  ASSERT_TRUE(step_until(session, [&] { return said(session, "cannot record"); }));
  std::filesystem::create_directory(folder);
  for (const auto& path : {video_, folder / "3.mp4"}) {
    record(Action::record, path);
    ASSERT_TRUE(step_until(session, is_recorded)) << path;
    session.outputs().stop_recording();
    ASSERT_TRUE(step_until(session, [&] { return session.outputs().all_written(); }));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
}

// A run on an endless source would last for ever, and leave nothing.
TEST_F(SessionTest, ARunWhoseOnlyResultIsAVideoEndsWithIt) {
  app::Run run;
  run.offscreen = true;
  run.record = folder_.path() / "missing" / "video.mp4";
  for (const bool alone : {true, false}) {
    if (!alone) run.log = folder_.path() / "log.csv", run.frames = 9;
    Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, run, false, sink_);
    EXPECT_FALSE(session.done());
    EXPECT_TRUE(step_until(session, [&] { return session.done(); }));
    EXPECT_EQ(session.pictures() == 9, !alone) << session.pictures();
    session.finish();
    finish(session);
    EXPECT_TRUE(said(session, "cannot record"));
    EXPECT_EQ(session.exit_code(), ExitCode::failed);
  }
}

}  // namespace
}  // namespace app
