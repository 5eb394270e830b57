// The files of a run: reported in the order of the requests, even if some of them fail.
#include "app/session/outputs.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <future>
#include <utility>

#include <opencv2/videoio.hpp>

#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/threads.h"
#include "app/tests/support/gate.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/cuda/error.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

using namespace std::chrono_literals;

const std::string full_disk = "No space left on device; free some space, or write to another disk";

class OutputsTest : public testing::Test {
 protected:
  std::vector<std::string> said() {
    std::vector<std::string> texts;
    for (const auto& message : messages_.age(0)) texts.push_back(message.text);
    return texts;
  }
  // But for the notice of a slow disk that the run waits for it.
  std::vector<std::string> said_of_files() {
    auto texts = said();
    std::erase(texts, "finishing files");
    return texts;
  }
  static Outputs::Job text(const std::string& text) {
    return [text](const auto& path) { write_file(path, std::string_view(text)); };
  }
  // A picture of 64x48, of a source that plays on; of another one, where that is named.
  static bool show_synthetic(Feed& feed, const std::string& source = "synthetic:64x48") {
    capture::Request request;
    request.source = source;
    feed.open(request);
    for (int i = 0; i < 1000 && !feed.last(); ++i) feed.take(20ms);
    return feed.last() != nullptr;
  }
  void finish() {
    while (!outputs_.finish(10ms)) continue;
  }
  static Picture picture_of(const gpu::Image<gpu::Rgba>& pixels) {
    Picture picture;
    picture.pixels = gpu::ImageView<const gpu::Rgba>(pixels.view());
    return picture;
  }

  TemporaryFolder folder_;
  app::Run run_;
  Messages messages_;
  Settings settings_;
  gpu::ThreadPool pool_{1};
  gpu::Context context_ = gpu::Context::on_host(pool_, {});
  const gpu::Image<gpu::Rgba> small_{{64, 48}, gpu::Device::host}, large_{{128, 96}, gpu::Device::host};
  Outputs outputs_{run_, settings_, messages_};
};

// Between the choice of the name and the file, as long as a picture takes from the GPU or a video to its end.
TEST_F(OutputsTest, ANewFileDoesNotReplaceThatOfAnotherProgramInTheSameSecond) {
  const auto name = folder_.path() / "picture.txt", own = folder_.path() / "picture-2.txt";
  write_file(name, std::string_view("another's"));
  outputs_.write({name, Destination::new_file}, text("own"));
  finish();
  EXPECT_EQ(std::filesystem::file_size(name), 9u);
  EXPECT_EQ(std::filesystem::file_size(own), 3u);
  EXPECT_EQ(said().back(), "Saved " + own.string());
  outputs_.write(name, text("named by the user"));
  finish();
  EXPECT_EQ(std::filesystem::file_size(name), 17u) << "which is no new file any more";
  EXPECT_EQ(said().back(), "Saved " + name.string());
}

TEST_F(OutputsTest, ADiskThatDoesNotAnswerHangsNobody) {
  const auto folder = folder_.path() / "new";
  Gate answer;
  const auto write = [](const auto& path) { write_file(path, std::string_view("text")); };
  const auto waits = [wait = answer.task(), write](const auto& path) { wait(), write(path); };
  for (const bool hangs : {true, false, true}) {
    const auto why = gpu::test::refusal_of<std::runtime_error>([&] {
      const auto path = hangs ? outputs_.write_in(folder, "matrix", ".csv", 1ms, waits)
                              : outputs_.write_in(folder, "matrix", ".csv", 20s, write);
      EXPECT_EQ(path.parent_path(), folder);
      EXPECT_EQ(std::filesystem::file_size(path), 4u);
    });
    EXPECT_EQ(why, hangs ? "cannot write to " + folder.string() + ": its disk does not answer" : gpu::test::nothing_refused);
  }
  answer.open();
  EXPECT_TRUE(wait_for_detached(20s));
}

TEST_F(OutputsTest, FilesOfOneSecondHaveNamesOfTheirOwn) {
  settings_.output_folder = (folder_.path() / "new").string();
  for (int i = 0; i < 20; ++i) {
    outputs_.save({}, "matrix", ".csv", text("1"));
    if (i % 5 == 4) finish();
    outputs_.write_in(outputs_.folder(), "matrix", ".csv", 20s, text("1"));
  }
  finish();
  const std::filesystem::directory_iterator files(outputs_.folder());
  EXPECT_EQ(std::distance(begin(files), end(files)), 40);
}

// Whether it is written, fails, or does not come to the disk at all.
TEST_F(OutputsTest, ANameIsTheRunsAsLongAsItsFileIsThereOrWillBe) {
  const auto good = folder_.path() / "good", bad = folder_.path() / "bad";
  const auto take = [&](const auto& path) {
    Command command(Action::save_picture);
    command.to = path;
    outputs_.take(command);
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto& path : {good, bad}) take(path);
    outputs_.write(good, text("1"));
    outputs_.write(bad, [](auto&) { throw std::runtime_error("no"); });
    EXPECT_TRUE(outputs_.has_written(good) && outputs_.has_written(bad)) << "soon";
    finish();
    EXPECT_TRUE(outputs_.has_written(good));
    EXPECT_FALSE(outputs_.has_written(bad)) << "there is no file";
  }
  Gate disk;
  for (std::size_t i = 0; i < Outputs::most_waiting; ++i)
    outputs_.write(folder_.path() / std::to_string(i), [wait = disk.task()](auto&) { wait(); });
  for (int i = 0; i < 2; ++i) take(bad);
  outputs_.write(bad, text("too many wait"));
  EXPECT_TRUE(outputs_.has_written(bad)) << "the second command may still write it";
  outputs_.release(bad);
  EXPECT_FALSE(outputs_.has_written(bad));
  disk.open();
  finish();
  outputs_.release(good);  // once too often
  std::filesystem::remove(good);
  for (int i = 0; i < 2; ++i) take(good);
  outputs_.release(good);
  EXPECT_TRUE(outputs_.has_written(good)) << "the second command may still write it";
  outputs_.start_recording(good);
  EXPECT_TRUE(outputs_.will_write(good)) << "before its first picture";
  EXPECT_FALSE(outputs_.will_write(bad));
  EXPECT_THROW(outputs_.record(bad), std::invalid_argument) << "nor is the first one given up for another";
  EXPECT_TRUE(outputs_.will_write(good));
  EXPECT_THROW(outputs_.stop_record(), std::invalid_argument) << "no picture came";
  EXPECT_FALSE(outputs_.will_write(good));
}

TEST_F(OutputsTest, AFileThatCannotBeWrittenIsReportedAndTheOthersAreWritten) {
  const auto first = folder_.path() / "first", last = folder_.path() / "last";
  outputs_.write(first, text("1"));
  outputs_.write("/dev/full", text("2"));
  outputs_.write(last, text("3"));
  finish();
  EXPECT_EQ(said_of_files(), (std::vector<std::string>{"Saved " + first.string(), "cannot write /dev/full: " + full_disk,
                                                       "Saved " + last.string()}));
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
  EXPECT_TRUE(std::filesystem::exists(last));
}

TEST_F(OutputsTest, AnErrorIsLeftToTheLineThatWaitsAndAMessageIfThatTakesItNoMore) {
  const std::string error = "cannot write /dev/full: " + full_disk;
  for (const bool taken : {true, false}) {
    outputs_.leave_errors(true);
    outputs_.write("/dev/full", text("1"));
    finish();
    const auto messages = said_of_files();
    EXPECT_TRUE(messages.empty());
    EXPECT_EQ(taken ? outputs_.take_error() : error, error);
    outputs_.leave_errors(false);
    EXPECT_EQ(said().empty(), taken);
  }
  EXPECT_EQ(said().back(), error);
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
}

TEST_F(OutputsTest, OfTwoErrorsOfALineNoneIsLost) {
  const auto second = folder_.path() / "nowhere" / "second";
  outputs_.leave_errors(true);
  outputs_.write("/dev/full", text("1"));
  outputs_.write(second, text("2"));
  finish();
  EXPECT_EQ(said_of_files(), std::vector<std::string>{"cannot write /dev/full: " + full_disk});
  EXPECT_TRUE(outputs_.take_error().starts_with("cannot write " + second.string()));
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
}

// A card over the picture would be in the screenshot that the next line makes.
TEST_F(OutputsTest, AFileOfALineIsNotAnnouncedInTheWindow) {
  outputs_.leave_errors(true);
  outputs_.write(folder_.path() / "first", text("1"));
  finish();
  outputs_.leave_errors(false);
  outputs_.write(folder_.path() / "second", text("2"));
  finish();
  EXPECT_EQ(said_of_files(), std::vector<std::string>{"Saved " + (folder_.path() / "second").string()});
}

TEST_F(OutputsTest, ASlowFileDelaysNoFrameAndIsReportedWhenItIsComplete) {
  Gate gate;
  const auto path = folder_.path() / "slow";
  const auto start = std::chrono::steady_clock::now();
  outputs_.write(path, [wait = gate.task()](const auto& to) {
    wait();
    write_file(to, std::string_view("x"));
  });
  outputs_.update();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_TRUE(said().empty());
  EXPECT_FALSE(outputs_.finish(1ms));
  gate.open();
  finish();
  EXPECT_EQ(said_of_files(), std::vector<std::string>{"Saved " + path.string()});
  EXPECT_EQ(messages_.exit_code(), ExitCode::ok);
}

// What is on its way to the clipboard is called so in messages, and is no file.
TEST_F(OutputsTest, AFileNamedAsTheClipboardIsASourceWhileAPictureIsCopied) {
  std::string name;
  Gate gate;
  outputs_.copy([&name, wait = gate.task()](const auto& path) -> std::vector<unsigned char> {
    name = path.string();
    wait();
    throw std::runtime_error("no picture");
  });
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  write_file("the clipboard", std::string_view("x"));
  EXPECT_FALSE(outputs_.will_write("the clipboard"));
  std::filesystem::current_path(before);
  gate.open();
  finish();
  EXPECT_EQ(name, "the clipboard");
  EXPECT_EQ(said_of_files(), std::vector<std::string>{"no picture"});
}

// Their pictures would fill the memory while the disk hangs; what a run was started for is written all the same.
TEST_F(OutputsTest, FilesThatWaitForTheDiskAreBoundedAndNoneIsLostSilently) {
  Gate gate;
  outputs_.writer().add(gate.task());
  const auto path = [this](std::size_t i) { return folder_.path() / std::to_string(i); };
  for (std::size_t i = 0; i <= Outputs::most_waiting; ++i) outputs_.write(path(i), text("x"));
  const auto refusal = "cannot write " + path(Outputs::most_waiting).string() +
                       ": 8 files wait for the disk; try again when they are written";
  EXPECT_EQ(said(), std::vector<std::string>{refusal});
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
  run_.screenshot = folder_.path() / "last.png";
  outputs_.final_screenshot(text("x"));
  gate.open();
  finish();
  for (std::size_t i = 0; i < Outputs::most_waiting; ++i) EXPECT_TRUE(std::filesystem::exists(path(i))) << i;
  EXPECT_FALSE(std::filesystem::exists(path(Outputs::most_waiting)));
  EXPECT_TRUE(std::filesystem::exists(*run_.screenshot));
  outputs_.write(path(100), text("x"));
  finish();
  EXPECT_TRUE(std::filesystem::exists(path(100)));
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
}

TEST_F(OutputsTest, ScreenshotsOfOneSecondAreFilesOfTheirOwnAlthoughNoneIsWrittenYet) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  Gate gate;
  outputs_.writer().add(gate.task());
  for (int i = 0; i < 5; ++i) outputs_.save({}, "screenshot", ".png", text(std::to_string(i)));
  gate.open();
  finish();
  std::filesystem::current_path(before);
  const std::filesystem::directory_iterator files(folder_.path() / "satscope-out");
  EXPECT_EQ(std::distance(begin(files), end(files)), 5);
}

// Nothing can be made there: that is the cause, not that a folder that was never made is missing.
TEST_F(OutputsTest, AFolderThatCannotBeMadeIsReportedWithItsCause) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  settings_.output_folder = folder_.path() / "sub";
  {
    const WithoutRoot nobody;
    outputs_.save({}, "screenshot", ".png", text("1"));
    outputs_.record({});
  }
  finish();
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  EXPECT_EQ(said(), std::vector<std::string>{"cannot make the folder " + settings_.output_folder +
                                             ": Permission denied; choose another place"});
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
  EXPECT_FALSE(outputs_.recording());
  outputs_.save({}, "screenshot", ".png", text("1"));
  finish();
  EXPECT_FALSE(std::filesystem::is_empty(settings_.output_folder)) << "once it can";
}

TEST_F(OutputsTest, ARecordingThatLosesPicturesToTheGpuSaysSo) {
  Feed feed;
  ASSERT_TRUE(show_synthetic(feed));
  auto picture = picture_of(small_);
  auto error = cudaErrorIllegalAddress;
  picture.annotations = PictureAnnotations([&error](bool) -> std::optional<PictureAnnotations::List> {
    gpu::check(std::exchange(error, cudaErrorUnknown));  // the first one is the cause of those that follow
    return {};
  });
  outputs_.start_recording(folder_.path() / "video.mp4");
  for (int i = 0; i < 2; ++i) outputs_.add(context_, picture, feed);
  outputs_.update();
  const auto messages = said();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(messages[0].starts_with("recording drops frames: ")) << messages[0];
  EXPECT_NE(messages[0].find("cudaErrorIllegalAddress"), std::string::npos) << messages[0];
}

TEST_F(OutputsTest, ARecordingWhosePicturesChangeTheirSizeSaysOnceThatItKeepsItsOwn) {
  Feed feed;
  ASSERT_TRUE(show_synthetic(feed));
  outputs_.start_recording(folder_.path() / "video.mp4");
  for (const auto* pixels : {&small_, &small_, &large_, &large_}) outputs_.add(context_, picture_of(*pixels), feed);
  EXPECT_EQ(said(),
            std::vector<std::string>{
                "the recording stays 64x48: pictures of 128x96 are scaled to it; start another recording for another size"});
}

TEST_F(OutputsTest, ARecordingAfterAnotherKnowsNothingOfIt) {
  Feed feed;
  ASSERT_TRUE(show_synthetic(feed));
  const auto stays = [](const char* own, const char* other) {
    return "the recording stays " + std::string(own) + ": pictures of " + other +
           " are scaled to it; start another recording for another size";
  };
  const auto from_small = stays("64x48", "128x96"), from_large = stays("128x96", "64x48");
  const struct {
    const gpu::Image<gpu::Rgba>&first, &second;
    const std::string& says;
  } recordings[] = {{small_, large_, from_small},
                    {large_, small_, from_large},
                    {large_, large_, ""},
                    {small_, large_, from_small},
                    {small_, large_, from_small}};
  int number = 0;
  for (const auto& [first, second, says] : recordings) {
    messages_.age(100);  // all are gone
    const auto path = folder_.path() / (std::to_string(++number) + ".mp4");
    outputs_.record(path);
    EXPECT_EQ(outputs_.recorded_seconds(), 0) << number;
    outputs_.add(context_, picture_of(first), feed);
    EXPECT_EQ(outputs_.recorded_seconds(), 0) << number << ": it begins with its own first picture";
    outputs_.add(context_, picture_of(second), feed);
    EXPECT_EQ(said(), says.empty() ? std::vector<std::string>() : std::vector{says}) << number;
    outputs_.stop_record();
    EXPECT_FALSE(outputs_.recording());
    finish();
    cv::VideoCapture video(path.string());
    EXPECT_EQ(video.get(cv::CAP_PROP_FRAME_WIDTH), first.size().width) << number;
  }
}

// What a still source shows is recorded for as long as it is shown, to the moment of the stop; of one that plays, its frames.
TEST_F(OutputsTest, WhileNothingNewComesARecordingGoesOnInRealTime) {
  Feed still, plays;
  ASSERT_TRUE(show_synthetic(still, "matrix:64x48") && show_synthetic(plays));
  ASSERT_TRUE(still.quiet() && !plays.quiet());
  const auto pass = [](auto since, auto time) { std::this_thread::sleep_until(since + time); };
  int number = 0;
  for (const bool holds : {true, false, true, false}) {
    const auto path = folder_.path() / (std::to_string(++number) + ".mp4");
    outputs_.record(path);
    const auto start = std::chrono::steady_clock::now();
    outputs_.add(context_, picture_of(small_), holds ? still : plays);
    if (holds) outputs_.hold(still);
    pass(start, 150ms);
    if (holds && number > 1) {
      outputs_.hold(plays);  // it goes on: what was shown until now counts
      EXPECT_GE(outputs_.recorded_seconds(), 0.14);
    }
    outputs_.stop_record();
    finish();
    cv::VideoCapture video(path.string());
    const auto frames = video.get(cv::CAP_PROP_FRAME_COUNT);
    EXPECT_GE(frames, holds ? 0.14 * video.get(cv::CAP_PROP_FPS) - 1 : 1) << number;
    EXPECT_TRUE(holds || frames == 1) << number << ": " << frames;
  }
}

// As much as the next picture takes, whose size its first picture says: none that was let in is dropped.
TEST_F(OutputsTest, ARecordingHasRoomForTheNextPictureOrMakesItWait) {
  Feed feed;
  ASSERT_TRUE(show_synthetic(feed));
  Gate gate;
  outputs_.writer().add(gate.task());
  outputs_.record(folder_.path() / "video.mp4");
  outputs_.writer().add([] {}, outputs_.writer().room() - small_.span().size_bytes() * 7 / 2);
  int pictures = 0;
  for (; outputs_.wait_for_room(0us) && pictures < 10; ++pictures) outputs_.add(context_, picture_of(small_), feed);
  EXPECT_EQ(pictures, 3);
  outputs_.update();
  EXPECT_TRUE(said().empty()) << said().front();
  gate.open();
  EXPECT_TRUE(outputs_.wait_for_room(20s));
  finish();
}

TEST_F(OutputsTest, ARunIsInVainWhereAVideoWasAllThatItWasFor) {
  const auto in_vain = [&](auto... also) {
    run_ = {};
    run_.offscreen = true;
    run_.record = folder_.path() / "video.mp4";
    (also(), ...);
    return outputs_.in_vain();
  };
  EXPECT_TRUE(in_vain());
  EXPECT_FALSE(in_vain([&] { run_.offscreen = false; }));
  EXPECT_FALSE(in_vain([&] { run_.record.reset(); }));
  EXPECT_FALSE(in_vain([&] { run_.log = folder_.path() / "log.csv"; }));
  EXPECT_FALSE(in_vain([&] { run_.script = "-"; }));
  EXPECT_FALSE(in_vain([&] { run_.race = true; }));
  EXPECT_FALSE(in_vain([&] { outputs_.record(*run_.record); }));
}

TEST_F(OutputsTest, AVideoThatWasStoppedIsBeingSavedUntilItIsThere) {
  Feed feed;
  ASSERT_TRUE(show_synthetic(feed));
  auto picture = picture_of(small_);
  Gate gate;
  outputs_.writer().add(gate.task());
  outputs_.start_recording(folder_.path() / "video.mp4");
  outputs_.add(context_, picture, feed);
  EXPECT_FALSE(outputs_.saving_video()) << "it is recorded";
  outputs_.stop_recording();
  outputs_.update();
  EXPECT_FALSE(outputs_.recording());
  EXPECT_TRUE(outputs_.saving_video());
  gate.open();
  finish();
  EXPECT_FALSE(outputs_.saving_video());
  outputs_.write(folder_.path() / "text", text("1"));
  EXPECT_FALSE(outputs_.saving_video()) << "no video";
  finish();
}

// In a terminal: what is written on it while that exists.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)), before_(::dup(STDERR_FILENO)) {
    ::grantpt(master_);
    ::unlockpt(master_);
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    ::dup2(slave, STDERR_FILENO);
    ::close(slave);
  }
  ~Terminal() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const std::string& text() {
    char bytes[4096];
    for (ssize_t count; (count = ::read(master_, bytes, sizeof bytes)) > 0;)
      text_.append(bytes, static_cast<std::size_t>(count));
    return text_;
  }

 private:
  int master_, before_;
  std::string text_;
};

TEST_F(OutputsTest, AtTheEndATerminalShowsHowMuchOfAVideoIsThereAndWhereWhatWasRecordedIs) {
  Feed feed;
  ASSERT_TRUE(show_synthetic(feed));
  auto picture = picture_of(small_);
  run_.offscreen = run_.progress = true;
  Terminal terminal;
  const auto eventually_says = [&](std::string_view part) {
    const auto there = [&] { return terminal.text().find(part) != std::string::npos; };
    for (int i = 0; i < 400 && !there(); ++i) outputs_.finish(50ms);
    return there();
  };
  outputs_.start_recording(folder_.path() / "video.mp4");
  outputs_.add(context_, picture, feed);
  ASSERT_TRUE(outputs_.writer().wait(20s));
  Gate gate;
  outputs_.writer().add(gate.task());
  EXPECT_TRUE(eventually_says("Ctrl-C ends at once, without those that are not; what was recorded is in " +
                              (folder_.path() / "video.partial.mp4").string()))
      << terminal.text();
  EXPECT_TRUE(eventually_says("]   0%  finishing video.mp4 ")) << terminal.text();
  gate.open();
  finish();
  EXPECT_EQ(std::ranges::count(terminal.text(), '\n'), 1) << terminal.text() << ": the other one is redrawn in place";
  EXPECT_TRUE(terminal.text().ends_with("\r\033[K")) << "and erased";
}

TEST_F(OutputsTest, TheEndOfARunReportsWhichFilesItWaitsFor) {
  Gate gate;
  outputs_.write(folder_.path() / "slow", [wait = gate.task()](const auto&) { wait(); });
  testing::internal::CaptureStderr();
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 500ms) EXPECT_FALSE(outputs_.finish(50ms));
  const auto line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("waiting until all files are written"), std::string::npos) << line;
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
  gate.open();
  finish();
}

}  // namespace
}  // namespace app
