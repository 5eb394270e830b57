// Videos and files: complete under their name, or not there at all.
#include "app/output/recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <random>

#include "app/support/files.h"
#include "app/support/text.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;

gpu::Image<gpu::Rgba> plain(gpu::Size size, gpu::Rgba colour) {
  gpu::Image<gpu::Rgba> image(size, gpu::Device::host);
  std::fill(image.span().begin(), image.span().end(), colour);
  return image;
}

class RecorderTest : public testing::Test {
 protected:
  void add(Recorder& recorder, gpu::Size size, double position = 0, gpu::Rgba colour = {200, 100, 50, 255}) {
    const auto image = plain(size, colour);
    recorder.add(image.view(), position);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}));
  }
  TemporaryFolder folder_;
};

TEST_F(RecorderTest, ContainsThePicturesInTheirColours) {
  const auto path = folder_.path() / "video.mp4";
  Recorder recorder(path, {64, 48}, 25);
  for (int i = 0; i < 10; ++i) add(recorder, {64, 48}, i / 25.0);
  EXPECT_DOUBLE_EQ(recorder.seconds(), 0.4);
  EXPECT_FALSE(fs::exists(path));  // not before it is complete
  recorder.finish();
  EXPECT_EQ(files(), 1u);
  cv::VideoCapture video(path.string());
  EXPECT_EQ(video.get(cv::CAP_PROP_FRAME_COUNT), 10);
  EXPECT_EQ(video.get(cv::CAP_PROP_FPS), 25);
  cv::Mat frame;
  ASSERT_TRUE(video.read(frame));
  const auto mean = cv::mean(frame);
  EXPECT_NEAR(mean[0], 50, 8);
  EXPECT_NEAR(mean[1], 100, 8);
  EXPECT_NEAR(mean[2], 200, 8);
}

TEST_F(RecorderTest, ALinkStaysAndItsFileIsReplaced) {
  const auto real = folder_.path() / "real.mp4", link = folder_.path() / "link.mp4";
  fs::create_symlink("real.mp4", link);
  for (int run = 0; run < 2; ++run) {  // of no file yet, then of one
    Recorder recorder(link, {64, 48}, 25);
    add(recorder, {64, 48});
    recorder.finish();
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_GT(fs::file_size(real), 100u);
  }
  const auto device = folder_.path() / "device.mp4";
  fs::create_symlink("/dev/full", device);
  EXPECT_THROW(Recorder(device, {64, 48}, 25), std::runtime_error);
  EXPECT_TRUE(fs::is_symlink(device));
}

TEST_F(RecorderTest, ContainsTheAnnotationsOfThePictures) {
  const auto path = folder_.path() / "video.mp4";
  Recorder recorder(path, {64, 48}, 25);
  const auto image = plain({64, 48}, {200, 100, 50, 255});
  gpu::Annotation all;
  all.x1 = 64, all.y1 = 48;
  all.fill = {0, 0, 250, 255};
  recorder.add(image.view(), 0, std::span(&all, 1));
  EXPECT_EQ(image.view()(30, 20).r, 200) << "the caller's picture is unchanged";
  recorder.finish();
  cv::VideoCapture video(path.string());
  cv::Mat frame;
  ASSERT_TRUE(video.read(frame));
  EXPECT_NEAR(cv::mean(frame)[0], 250, 8);
}

// The video follows the source's clock, even if pictures were dropped or came too early.
TEST_F(RecorderTest, GapsAreFilledAndPicturesThatComeTooEarlyAreLeftOut) {
  const auto path = folder_.path() / "video.mp4";
  Recorder recorder(path, {64, 48}, 25);
  const auto seconds_after = [&](double position) {
    add(recorder, {64, 48}, position);
    return recorder.seconds();
  };
  EXPECT_DOUBLE_EQ(seconds_after(7.00), 0.04);  // a video starts with its first picture, wherever the source is
  EXPECT_DOUBLE_EQ(seconds_after(7.20), 0.24);  // four were dropped
  EXPECT_DOUBLE_EQ(seconds_after(7.21), 0.24);  // too early for a frame of its own
  EXPECT_DOUBLE_EQ(seconds_after(7.24), 0.28);
  EXPECT_DOUBLE_EQ(seconds_after(7.24), 0.32);  // the same frame again, with other settings
  EXPECT_DOUBLE_EQ(seconds_after(0.00), 0.36);  // the source starts again
  EXPECT_DOUBLE_EQ(seconds_after(0.08), 0.44);
  EXPECT_EQ(recorder.left_out(), 1u);
  seconds_after(0.09);
  recorder.finish();
  EXPECT_EQ(recorder.left_out(), 2u);
  cv::VideoCapture video(path.string());
  EXPECT_EQ(video.get(cv::CAP_PROP_FRAME_COUNT), 11);
}

// A camera whose pictures come seldom, and a program that is slow: the video is as long as it took.
TEST_F(RecorderTest, PausesOfALiveSourceAreInTheVideo) {
  for (const bool real_time : {true, false}) {
    const auto path = folder_.path() / "video.mp4";
    Recorder recorder(path, {64, 48}, 30);
    VideoClock clock(real_time, 30);
    for (const int seconds : {0, 10, 20, 30}) {
      const VideoClock::Clock::time_point now{std::chrono::seconds(seconds)};
      add(recorder, {64, 48}, clock.picture({1, 0, seconds + 3.0, true}, 1, now));
    }
    EXPECT_NEAR(recorder.seconds(), 30, 0.05);
    recorder.finish();
    EXPECT_EQ(cv::VideoCapture(path.string()).get(cv::CAP_PROP_FRAME_COUNT), 901);
  }
}

// Of a rate that is no whole number, positions lie beside the frames' by a rounding error.
TEST_F(RecorderTest, APictureIsTheFrameThatIsNearestToItsPosition) {
  constexpr double fps = 30000 / 1001.0;
  Recorder recorder(folder_.path() / "video.mp4", {64, 48}, fps);
  for (int n = 0; n < 60; ++n) {
    add(recorder, {64, 48}, std::floor(n * 1000 / fps) / 1000);  // whole milliseconds, as Matroska's
    EXPECT_NEAR(recorder.seconds() * fps, n + 1, 1e-6);
  }
}

TEST_F(RecorderTest, APictureThatStaysIsRepeated) {
  const auto path = folder_.path() / "video.mp4";
  Recorder recorder(path, {64, 48}, 25);
  recorder.hold(3);
  EXPECT_EQ(recorder.seconds(), 0) << "there is no picture to repeat";
  add(recorder, {64, 48}, 0);
  add(recorder, {64, 48}, 0.01, {50, 50, 50, 255});  // too early for a frame of its own, but it is what stays
  recorder.hold(1);
  recorder.hold(0.5);
  EXPECT_DOUBLE_EQ(recorder.seconds(), 1);
  add(recorder, {64, 48}, 1, {250, 250, 250, 255});
  EXPECT_DOUBLE_EQ(recorder.seconds(), 1.04);
  recorder.finish();
  cv::VideoCapture video(path.string());
  std::vector<double> blue;
  for (cv::Mat frame; video.read(frame);) blue.push_back(cv::mean(frame)[2]);
  ASSERT_EQ(blue.size(), 26u);
  EXPECT_NEAR(blue[0], 200, 8);
  EXPECT_NEAR(blue[1], 50, 8);
  EXPECT_NEAR(blue[24], 50, 8);
  EXPECT_NEAR(blue[25], 250, 8);
}

TEST_F(RecorderTest, OddAndChangingSizes) {
  const auto path = folder_.path() / "video.mp4";
  Recorder recorder(path, {65, 47}, 0);
  add(recorder, {65, 47});
  add(recorder, {31, 200});
  recorder.finish();
  cv::VideoCapture video(path.string());
  EXPECT_EQ(video.get(cv::CAP_PROP_FRAME_WIDTH), 64);
  EXPECT_EQ(video.get(cv::CAP_PROP_FRAME_HEIGHT), 46);
  EXPECT_EQ(video.get(cv::CAP_PROP_FRAME_COUNT), 2);
}

// A circle stays one.
TEST_F(RecorderTest, APictureOfAnotherShapeIsNotStretched) {
  const auto path = folder_.path() / "video.mp4";
  Recorder recorder(path, {128, 64}, 25);
  add(recorder, {128, 64}, 0, {200, 200, 200, 255});
  add(recorder, {200, 200}, 0.04, {200, 200, 200, 255});
  recorder.finish();
  cv::VideoCapture video(path.string());
  cv::Mat first, second;
  ASSERT_TRUE(video.read(first) && video.read(second));
  const auto level = [](const cv::Mat& picture, int x, int y) { return cv::mean(picture(cv::Rect(x, y, 8, 8)))[0]; };
  EXPECT_NEAR(level(first, 4, 28), 200, 8);
  for (const int x : {4, 16, 104, 116}) EXPECT_NEAR(level(second, x, 28), 0, 8) << x;
  for (const int x : {40, 60, 80}) EXPECT_NEAR(level(second, x, 4), 200, 8) << x;
}

TEST_F(RecorderTest, AnUnfinishedVideoLeavesNoFile) {
  {
    Recorder recorder(folder_.path() / "video.mp4", {64, 48}, 25);
    add(recorder, {64, 48});
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(RecorderTest, RefusalsNameTheCause) {
  const auto says = [](const fs::path& path, gpu::Size size) -> std::string {
    try {
      Recorder recorder(path, size, 25);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(says(folder_.path() / "none" / "video.mp4", {64, 48}).find("No such file"), std::string::npos);
  EXPECT_NE(says(folder_.path() / "video.mp4", {1, 48}).find("2x2"), std::string::npos);
  for (const gpu::Size size : {gpu::Size{1, 1}, {8192, 1}}) {
    const auto why = says(folder_.path() / "video.mp4", size);
    EXPECT_TRUE(why.ends_with("at least 2x2 pixels, the picture has " + text_of(size))) << why;
  }
  const auto longer = folder_.path() / (std::string(252, 'n') + ".mp4");
  EXPECT_EQ(says(longer, {64, 48}), "cannot record " + longer.string() + ": File name too long; give a shorter name");
  fs::create_directory(folder_.path() / "d.mp4");
  EXPECT_NE(says(folder_.path() / "d.mp4", {64, 48}).find("folder"), std::string::npos);
  EXPECT_EQ(files(), 1u);
}

TEST_F(RecorderTest, TheLongestNameWorks) {
  const auto path = folder_.path() / (std::string(251, 'n') + ".mp4");
  Recorder recorder(path, {64, 48}, 25);
  add(recorder, {64, 48});
  recorder.finish();
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(files(), 1u);
}

// Whatever became of its folder and its name while it was recorded.
TEST_F(RecorderTest, AFinishedVideoThatCannotTakeItsNameStaysAndIsNamed) {
  const auto folder = folder_.path() / "folder", moved = folder_.path() / "moved", path = folder / "video.mp4";
  const auto says_after = [&](const auto& change) -> std::string {
    fs::remove_all(folder);
    fs::create_directory(folder);
    Recorder recorder(path, {64, 48}, 25);
    add(recorder, {64, 48});
    change();
    try {
      recorder.finish();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto expect_kept = [&](const std::string& said, const std::string& why, const fs::path& in) {
    const auto partial = (in / "video.partial-").string() + std::to_string(::getpid()) + ".mp4";
    EXPECT_EQ(said, "cannot record " + path.string() + ": " + why + "; the whole video is " + partial);
    EXPECT_EQ(cv::VideoCapture(partial).get(cv::CAP_PROP_FRAME_COUNT), 1) << why;
  };
  expect_kept(says_after([&] { fs::create_directory(path); }), "Is a directory", folder);
  expect_kept(says_after([&] { fs::rename(folder, moved); }), "its folder was moved while it was recorded", moved);
  EXPECT_EQ(says_after([&] { fs::remove_all(folder); }),
            "cannot record " + path.string() + ": the video was removed while it was recorded; record it again");
  {
    fs::permissions(folder_.path(), fs::perms(0777));
    const WithoutRoot nobody;
    const auto said = says_after([&] { fs::permissions(folder, fs::perms(0555)); });
    expect_kept(said, "Permission denied", folder);
    fs::permissions(folder, fs::perms(0755));
  }
}

TEST_F(RecorderTest, AFullDiskEndsTheVideoWhileItCanStillBePlayed) {
  const auto path = folder_.path() / "video.mp4";
  constexpr gpu::Size size{256, 256};
  constexpr std::uint64_t disk = 4 << 20;
  auto recorder = std::make_unique<Recorder>(
      path, size, 25, false, [](int, std::uint64_t from, std::uint64_t bytes) { return from + bytes > disk ? ENOSPC : 0; });
  gpu::Image<gpu::Rgba> noise(size, gpu::Device::host);
  std::minstd_rand random;
  std::string error;
  for (int i = 0; i < 10'000 && error.empty(); ++i) try {
      for (auto& pixel : noise.span()) pixel.r = pixel.g = pixel.b = static_cast<std::uint8_t>(random());
      recorder->add(noise.view(), i / 25.0);
    } catch (const std::runtime_error& full) {
      error = full.what();
    }
  EXPECT_TRUE(error.starts_with("the recording ends: No space left on device; free some space")) << error;
  EXPECT_NE(error.find(" (5 MB are kept for its end); its first "), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with(" s are in " + path.string())) << error;
  const auto frames = std::round(recorder->seconds() * 25);
  recorder.reset();
  EXPECT_EQ(files(), 1u);
  EXPECT_LT(fs::file_size(path), disk);
  EXPECT_GT(frames, 10);
  EXPECT_EQ(cv::VideoCapture(path.string()).get(cv::CAP_PROP_FRAME_COUNT), frames);
}

// Noise compresses badly: what the encoder still holds at the end has room on the disk.
TEST_F(RecorderTest, TheRoomThatIsKeptIsEnoughForWhatTheEncoderHolds) {
  const auto path = folder_.path() / "video.mp4";
  constexpr gpu::Size size{640, 360};
  std::uint64_t kept = 0;
  Recorder recorder(path, size, 25, false, [&](int, std::uint64_t from, std::uint64_t bytes) {
    kept = from + bytes;
    return 0;
  });
  gpu::Image<gpu::Rgba> noise(size, gpu::Device::host);
  std::minstd_rand random;
  for (int i = 0; i < 90; ++i) {
    for (auto& pixel : noise.span()) pixel.r = pixel.g = pixel.b = static_cast<std::uint8_t>(random());
    recorder.add(noise.view(), i / 25.0);
  }
  recorder.finish();
  EXPECT_LT(fs::file_size(path), kept);
}

// It asks for more than it needs, so that it seldom has to ask.
TEST_F(RecorderTest, ADiskThatHoldsJustWhatIsNeededIsEnough) {
  const auto path = folder_.path() / "video.mp4";
  constexpr gpu::Size size{64, 48};
  Recorder recorder(path, size, 25, false,
                    [](int, std::uint64_t from, std::uint64_t bytes) { return from + bytes > 1'200'000 ? ENOSPC : 0; });
  for (int i = 0; i < 10; ++i) add(recorder, size, i / 25.0);
  recorder.finish();
  EXPECT_EQ(cv::VideoCapture(path.string()).get(cv::CAP_PROP_FRAME_COUNT), 10);
}

TEST_F(RecorderTest, AFullDiskRefusesAVideoAtOnce) {
  try {
    Recorder(folder_.path() / "video.mp4", {64, 48}, 25, false, [](int, auto, auto) { return EDQUOT; });
    FAIL();
  } catch (const std::runtime_error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("Disk quota exceeded; free some space"), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with(" (2 MB are kept for its end)")) << said;
  }
  EXPECT_EQ(files(), 0u);
}

TEST(RecorderWriteFileTest, ReplacesTheWholeFileKeepsItsModeAndLeavesNothingIfItFails) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path) << "old and longer";
  fs::permissions(path, fs::perms(0640));
  write_file(path, std::string_view("new"));
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  EXPECT_THROW(write_file(folder.path() / "none" / "file", std::string_view("x")), std::runtime_error);
  EXPECT_THROW(write_file(folder.path(), std::string_view("x")), std::runtime_error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
}

TEST(RecorderWriteFileTest, AFullDiskIsAnError) {
  try {
    write_file("/dev/full", std::string_view("x"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device; free some space, or write to another disk");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));  // it was not replaced
}

}  // namespace
}  // namespace app
