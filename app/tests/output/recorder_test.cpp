// Videos and files: complete under their name, or not there at all.
#include "app/output/recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>

#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <dlfcn.h>

#include "app/support/files.h"
#include "app/support/text.h"
#include "app/tests/support/small_files.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

std::atomic<bool> encoder_fails = false;

}  // namespace
}  // namespace app

// FFmpeg's, until it is to fail.
extern "C" int avcodec_send_frame(AVCodecContext* context, const AVFrame* frame) {
  if (app::encoder_fails) return AVERROR_EXTERNAL;
  static const auto real = reinterpret_cast<decltype(&avcodec_send_frame)>(dlsym(RTLD_NEXT, "avcodec_send_frame"));
  return real(context, frame);
}

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
  static int frames_in(const fs::path& path) {
    cv::VideoCapture video(path.string(), cv::CAP_FFMPEG);
    int frames = 0;
    for (cv::Mat frame; video.read(frame);) ++frames;
    return frames;
  }
  // The names of the parts of an MP4 file, in their order.
  static std::string boxes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string names;
    for (unsigned char head[8]; file.read(reinterpret_cast<char*>(head), sizeof head);) {
      const auto bytes = std::uint32_t{head[0]} << 24 | std::uint32_t{head[1]} << 16 | std::uint32_t{head[2]} << 8 | head[3];
      names += std::string(reinterpret_cast<char*>(head) + 4, 4) + ' ';
      file.seekg(static_cast<std::streamoff>(bytes) - 8, std::ios::cur);
    }
    return names;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}));
  }
  // So many pictures of 64x48, 25 per second, from the `from`-th on.
  void add_many(Recorder& recorder, int count, int from = 0) {
    for (int i = from; i < from + count; ++i) add(recorder, {64, 48}, i / 25.0);
  }
  cv::VideoCapture video() const { return cv::VideoCapture(path_.string(), cv::CAP_FFMPEG); }
  std::vector<cv::Mat> frames() const {
    auto played = video();
    std::vector<cv::Mat> all;
    for (cv::Mat frame; played.read(frame);) all.push_back(frame.clone());
    return all;
  }
  // Why it fails where the encoder does.
  template <class Work>
  static std::string failure_of(const Work& work, bool encoder = true) {
    encoder_fails = encoder;
    auto why = gpu::test::refusal_of<std::runtime_error>(work);
    encoder_fails = false;
    return why;
  }
  TemporaryFolder folder_;
  const fs::path path_ = folder_.path() / "video.mp4";
};

TEST_F(RecorderTest, ContainsThePicturesInTheirColours) {
  Recorder recorder(path_, {64, 48}, 25);
  add_many(recorder, 10);
  EXPECT_DOUBLE_EQ(recorder.seconds(), 0.4);
  EXPECT_FALSE(fs::exists(path_));  // not before it is complete
  recorder.finish();
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(recorder.note(), "");
  EXPECT_EQ(video().get(cv::CAP_PROP_FRAME_COUNT), 10);
  EXPECT_EQ(video().get(cv::CAP_PROP_FPS), 25);
  const auto mean = cv::mean(frames().at(0));
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
  Recorder recorder(path_, {64, 48}, 25);
  const auto image = plain({64, 48}, {200, 100, 50, 255});
  gpu::Annotation all;
  all.x1 = 64, all.y1 = 48;
  all.fill = {0, 0, 250, 255};
  recorder.add(image.view(), 0, std::span(&all, 1));
  EXPECT_EQ(image.view()(30, 20).r, 200) << "the caller's picture is unchanged";
  recorder.finish();
  EXPECT_NEAR(cv::mean(frames().at(0))[0], 250, 8);
}

// The video follows the source's clock, even if pictures were dropped or came too early.
TEST_F(RecorderTest, GapsAreFilledAndPicturesThatComeTooEarlyAreLeftOut) {
  Recorder recorder(path_, {64, 48}, 25);
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
  EXPECT_EQ(video().get(cv::CAP_PROP_FRAME_COUNT), 11);
}

// A camera whose pictures come seldom, and a program that is slow: the video is as long as it took.
TEST_F(RecorderTest, PausesOfALiveSourceAreInTheVideo) {
  for (const bool real_time : {true, false}) {
    Recorder recorder(path_, {64, 48}, 30);
    VideoClock clock(real_time, 30);
    for (const int seconds : {0, 10, 20, 30}) {
      const VideoClock::Clock::time_point now{std::chrono::seconds(seconds)};
      add(recorder, {64, 48}, clock.picture({1, 0, seconds + 3.0, true}, 1, now));
    }
    EXPECT_NEAR(recorder.seconds(), 30, 0.05);
    recorder.finish();
    EXPECT_EQ(video().get(cv::CAP_PROP_FRAME_COUNT), 901);
  }
}

// If the rate is no whole number, positions differ from those of frames by a rounding error.
TEST_F(RecorderTest, APictureIsTheFrameThatIsNearestToItsPosition) {
  constexpr double fps = 30000 / 1001.0;
  Recorder recorder(folder_.path() / "video.mp4", {64, 48}, fps);
  for (int n = 0; n < 60; ++n) {
    add(recorder, {64, 48}, std::floor(n * 1000 / fps) / 1000);  // whole milliseconds, as Matroska's
    EXPECT_NEAR(recorder.seconds() * fps, n + 1, 1e-6);
  }
}

TEST_F(RecorderTest, APictureThatStaysIsRepeated) {
  Recorder recorder(path_, {64, 48}, 25);
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
  std::vector<double> blue;
  for (const auto& frame : frames()) blue.push_back(cv::mean(frame)[2]);
  ASSERT_EQ(blue.size(), 26u);
  EXPECT_NEAR(blue[0], 200, 8);
  EXPECT_NEAR(blue[1], 50, 8);
  EXPECT_NEAR(blue[24], 50, 8);
  EXPECT_NEAR(blue[25], 250, 8);
}

TEST_F(RecorderTest, OddAndChangingSizes) {
  Recorder recorder(path_, {65, 47}, 0);
  add(recorder, {65, 47});
  add(recorder, {31, 200});
  recorder.finish();
  EXPECT_EQ(video().get(cv::CAP_PROP_FRAME_WIDTH), 64);
  EXPECT_EQ(video().get(cv::CAP_PROP_FRAME_HEIGHT), 46);
  EXPECT_EQ(video().get(cv::CAP_PROP_FRAME_COUNT), 2);
}

// A circle stays one.
TEST_F(RecorderTest, APictureOfAnotherShapeIsNotStretched) {
  Recorder recorder(path_, {128, 64}, 25);
  add(recorder, {128, 64}, 0, {200, 200, 200, 255});
  add(recorder, {200, 200}, 0.04, {200, 200, 200, 255});
  recorder.finish();
  const auto all = frames();
  ASSERT_EQ(all.size(), 2u);
  const auto level = [](const cv::Mat& picture, int x, int y) { return cv::mean(picture(cv::Rect(x, y, 8, 8)))[0]; };
  EXPECT_NEAR(level(all[0], 4, 28), 200, 8);
  for (const int x : {4, 16, 104, 116}) EXPECT_NEAR(level(all[1], x, 28), 0, 8) << x;
  for (const int x : {40, 60, 80}) EXPECT_NEAR(level(all[1], x, 4), 200, 8) << x;
}

TEST_F(RecorderTest, AnUnfinishedVideoStaysAsFarAsItCanBePlayed) {
  for (const int frames : {0, 1, 30}) {
    {
      Recorder recorder(folder_.path() / "video.mp4", {64, 48}, 25);
      add_many(recorder, frames);
    }
    const auto partial = folder_.path() / "video.partial.mp4";
    EXPECT_EQ(files(), frames > 0 ? 1u : 0u);
    EXPECT_EQ(frames_in(partial), frames);
    fs::remove(partial);
  }
}

// The program may be killed.
TEST_F(RecorderTest, WhatIsRecordedCanBePlayedAtAnyMoment) {
  const auto partial = folder_.path() / "video.partial.mp4", copy = folder_.path() / "copy.mp4";
  Recorder recorder(folder_.path() / "video.mp4", {64, 48}, 25);
  for (int i = 1; i <= 120; ++i) {
    add(recorder, {64, 48}, i / 25.0);
    if (i % 30 != 0) continue;
    fs::copy_file(partial, copy, fs::copy_options::overwrite_existing);
    EXPECT_GE(frames_in(copy), i - 8) << "all but the last third of a second";
    EXPECT_LE(frames_in(copy), i);
  }
}

TEST_F(RecorderTest, TheIndexOfAFinishedVideoIsBeforeItsPictures) {
  for (const int frames : {1, 100}) {
    Recorder recorder(path_, {64, 48}, 25);
    add_many(recorder, frames);
    double part = 0;
    recorder.finish([&](double now) {
      EXPECT_GE(now, part);
      part = now;
    });
    EXPECT_EQ(part, 1);
    const auto boxes = boxes_of(path_);
    const auto index = boxes.find("moov"), pictures = boxes.find("mdat");
    EXPECT_LT(index, pictures) << boxes;
    EXPECT_EQ(boxes.find("moof"), boxes.npos) << boxes;
    EXPECT_EQ(frames_in(path_), frames);
  }
}

TEST_F(RecorderTest, WithoutRoomForASecondFileItStaysInItsParts) {
  Recorder recorder(path_, {64, 48}, 25);
  add_many(recorder, 10);
  {
    const SmallFiles disk(fs::file_size(folder_.path() / "video.partial.mp4") + 2500);  // of its last part, not of an index
    recorder.finish();
  }
  EXPECT_EQ(recorder.note(),
            "it plays, but its index could not be moved to the start: File too large; raise the limit (ulimit -f), or "
            "write to another disk");
  EXPECT_NE(boxes_of(path_).find("moof"), std::string::npos);
  EXPECT_EQ(frames_in(path_), 10);
  EXPECT_EQ(files(), 1u);
}

// A folder that others may write to: they may guess the name.
TEST_F(RecorderTest, WhatHasTheNameOfTheUnfinishedVideoIsLeftAlone) {
  const auto path = folder_.path() / "video.mp4", others = folder_.path() / "others";
  write_file(others, std::string_view("precious"));
  fs::create_symlink(others, folder_.path() / "video.partial.mp4");
  fs::create_symlink("nowhere", folder_.path() / "video.partial-2.mp4");
  Recorder recorder(path, {64, 48}, 25);
  add(recorder, {64, 48});
  EXPECT_TRUE(fs::exists(folder_.path() / "video.partial-3.mp4"));
  recorder.finish();
  EXPECT_EQ(fs::file_size(others), 8u);
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "video.partial.mp4"));
  EXPECT_FALSE(fs::exists(folder_.path() / "nowhere"));
  EXPECT_EQ(frames_in(path), 1);
  EXPECT_EQ(files(), 4u);
}

TEST_F(RecorderTest, GrayStaysGray) {
  for (const gpu::Size size : {gpu::Size{256, 64}, {512, 128}}) {  // as it is, and scaled
    Recorder recorder(path_, {256, 64}, 25);
    gpu::Image<gpu::Rgba> ramp(size, gpu::Device::host);
    std::minstd_rand random;
    const auto view = ramp.view();
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const auto level = y < size.height / 2 ? static_cast<std::uint8_t>(x * 256 / size.width)
                                               : static_cast<std::uint8_t>(random());
        view(x, y) = {level, level, level, static_cast<std::uint8_t>(random())};
      }
    for (int i = 0; i < 5; ++i) recorder.add(view, i / 25.0);
    recorder.finish();
    const auto all = frames();
    for (const auto& frame : all) {
      std::vector<cv::Mat> planes;
      cv::split(frame, planes);
      EXPECT_EQ(cv::norm(planes[0], planes[1], cv::NORM_INF), 0);
      EXPECT_EQ(cv::norm(planes[1], planes[2], cv::NORM_INF), 0);
      for (const int x : {2, 128, 253}) EXPECT_NEAR(frame.at<cv::Vec3b>(8, x)[0], x, 6) << "its whole range";
    }
    EXPECT_EQ(all.size(), 5u);
  }
}

TEST_F(RecorderTest, PlayersAreToldWhatItsColoursMean) {
  Recorder recorder(path_, {64, 48}, 25);
  add(recorder, {64, 48});
  recorder.finish();
  AVFormatContext* video = nullptr;
  ASSERT_EQ(avformat_open_input(&video, path_.c_str(), nullptr, nullptr), 0);
  const auto& stream = *video->streams[0]->codecpar;
  EXPECT_EQ(stream.color_space, AVCOL_SPC_SMPTE170M) << "which OpenCV assumes of all";
  EXPECT_EQ(stream.color_range, AVCOL_RANGE_MPEG);
  EXPECT_EQ(stream.color_primaries, AVCOL_PRI_BT709);
  EXPECT_EQ(stream.color_trc, AVCOL_TRC_IEC61966_2_1);
  avformat_close_input(&video);
}

TEST(RecorderSizeTest, ALargerPictureIsScaledDownAndASmallerOneNeverUp) {
  const auto size = [](gpu::Size picture, RecordSize most) { return text_of(video_size(picture, {.size = most})); };
  for (const auto most : {RecordSize::source, RecordSize::lines_1080, RecordSize::lines_720}) {
    EXPECT_EQ(size({1280, 720}, most), "1280x720");
    EXPECT_EQ(size({65, 47}, most), "64x46");
    EXPECT_EQ(size({1, 48}, most), "1x48") << "which is no video";
  }
  EXPECT_EQ(size({4032, 3024}, RecordSize::source), "4032x3024");
  EXPECT_EQ(size({4032, 3024}, RecordSize::lines_1080), "1440x1080");
  EXPECT_EQ(size({3024, 4032}, RecordSize::lines_1080), "1080x1440");
  EXPECT_EQ(size({4032, 3024}, RecordSize::lines_720), "960x720");
  EXPECT_EQ(size({1920, 1080}, RecordSize::lines_1080), "1920x1080");
  EXPECT_EQ(size({1080, 1920}, RecordSize::lines_720), "720x1280");
  EXPECT_EQ(size({3840, 1000}, RecordSize::lines_1080), "1920x500");
  EXPECT_EQ(size({8192, 2}, RecordSize::lines_720), "1280x2");
  EXPECT_EQ(size({1000, 3840}, RecordSize::lines_1080), "500x1920");
  EXPECT_EQ(size({2, 8192}, RecordSize::lines_720), "2x1280");
}

TEST_F(RecorderTest, APictureThatIsLargerThanTheChoiceIsScaledWithItsAnnotations) {
  constexpr gpu::Size size{2880, 2160};
  Recorder recorder(path_, size, 25, {.size = RecordSize::lines_720});
  const auto image = plain(size, {200, 200, 200, 255});
  gpu::Annotation half;
  half.x1 = 1440, half.y1 = 2160;
  half.fill = {0, 0, 0, 255};
  recorder.add(image.view(), 0, std::span(&half, 1));
  recorder.finish();
  const auto frame = frames().at(0);
  ASSERT_EQ(frame.size(), cv::Size(960, 720));
  EXPECT_NEAR(cv::mean(frame(cv::Rect(0, 0, 470, 720)))[1], 0, 8);
  EXPECT_NEAR(cv::mean(frame(cv::Rect(490, 0, 470, 720)))[1], 200, 8);
}

TEST_F(RecorderTest, RefusalsNameTheCause) {
  const auto says = [](const fs::path& path, gpu::Size size) {
    return gpu::test::refusal_of<std::runtime_error>([&] { Recorder(path, size, 25); });
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
  const auto says_after = [&](const auto& change) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    Recorder recorder(path, {64, 48}, 25);
    add(recorder, {64, 48});
    change();
    return gpu::test::refusal_of<std::runtime_error>([&] { recorder.finish(); });
  };
  const auto expect_kept = [&](const std::string& said, const std::string& why, const fs::path& in) {
    const auto partial = (in / "video.partial.mp4").string();
    EXPECT_EQ(said, "cannot record " + path.string() + ": " + why + "; the whole video is " + partial);
    EXPECT_EQ(cv::VideoCapture(partial, cv::CAP_FFMPEG).get(cv::CAP_PROP_FRAME_COUNT), 1) << why;
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

TEST_F(RecorderTest, AFullDiskEndsTheVideoWithWhatIsOnIt) {
  constexpr gpu::Size size{256, 256};
  constexpr std::uint64_t bytes = 1 << 20;
  for (int run = 0; run < 2; ++run) {  // the second one takes the place of the first
    auto recorder = std::make_unique<Recorder>(path_, size, 25);
    gpu::Image<gpu::Rgba> noise(size, gpu::Device::host);
    std::minstd_rand random;
    std::string error;
    {
      const SmallFiles disk(bytes);
      error = gpu::test::refusal_of<std::runtime_error>([&] {
        for (int i = 0; i < 10'000; ++i) {
          for (auto& pixel : noise.span()) pixel.r = pixel.g = pixel.b = static_cast<std::uint8_t>(random());
          recorder->add(noise.view(), i / 25.0);
        }
      });
    }
    EXPECT_TRUE(error.starts_with("the recording ends: File too large; raise the limit (ulimit -f)")) << error;
    EXPECT_TRUE(error.ends_with(" s are in " + path_.string())) << error;
    const auto frames = static_cast<int>(std::round(recorder->seconds() * 25));
    recorder.reset();
    EXPECT_EQ(files(), 1u);
    EXPECT_LE(fs::file_size(path_), bytes);
    EXPECT_GT(fs::file_size(path_), bytes / 3);
    EXPECT_GT(frames, 6);
    EXPECT_EQ(frames_in(path_), frames);
  }
}

// Whichever step of it: the video ends as with a full disk.
TEST_F(RecorderTest, WhereEncodingFailsTheVideoEndsWithWhatIsThereAndItsNameIsSaid) {
  const struct {
    const char* why;
    bool encoder;  // is what fails
    std::function<void(Recorder&)> fail;
  } cases[] = {{"the encoder failed (", true, [this](Recorder& recorder) { add_many(recorder, 1, 40); }},
               {"the encoder failed (", true, [](Recorder& recorder) { recorder.hold(2); }},
               {"the encoder failed (", true, [](Recorder& recorder) { recorder.finish(); }},
               {"memory is exhausted; ", false, [](Recorder& recorder) {
                  const gpu::Rgba pixel{};  // of a picture that nothing can hold a copy of
                  const gpu::Annotation any;
                  recorder.add(gpu::ImageView<const gpu::Rgba>{&pixel, 1 << 30, 1 << 30, 1 << 30}, 2, std::span(&any, 1));
                }}};
  for (const auto& [why, encoder, fail] : cases) {
    Recorder recorder(path_, {64, 48}, 25);
    add_many(recorder, 40);
    const auto error = failure_of([&] { fail(recorder); }, encoder);
    EXPECT_TRUE(error.starts_with(std::string("the recording ends: ") + why)) << error;
    EXPECT_TRUE(error.ends_with("; its first 1.6 s are in " + path_.string())) << error;
    EXPECT_EQ(frames_in(path_), 40);
    EXPECT_EQ(files(), 1u);
    fs::remove(path_);
  }
}

TEST_F(RecorderTest, WhereTheFirstPictureFailsTheTargetIsSaidAndNothingIsLeft) {
  std::string error;
  {
    Recorder recorder(path_, {64, 48}, 25);
    error = failure_of([&] { add(recorder, {64, 48}); });
  }
  EXPECT_TRUE(error.starts_with("cannot record " + path_.string() + ": the encoder failed (")) << error;
  EXPECT_EQ(files(), 0u);
}

TEST_F(RecorderTest, WhatWasRecordedBeforeAFailureIsNamedWhereItCannotTakeItsName) {
  const auto path = folder_.path() / "video.mp4", partial = folder_.path() / "video.partial.mp4";
  Recorder recorder(path, {64, 48}, 25);
  add_many(recorder, 10);
  fs::create_directory(path);
  const auto error = failure_of([&] { add(recorder, {64, 48}, 1); });
  EXPECT_TRUE(error.starts_with("cannot record " + path.string() + ": the encoder failed (")) << error;
  EXPECT_TRUE(error.ends_with("; Is a directory; what was recorded is in " + partial.string())) << error;
  EXPECT_EQ(frames_in(partial), 10);
}

TEST_F(RecorderTest, AFullDiskRefusesAVideo) {
  for (const std::uint64_t bytes : {0, 1000}) {  // of its head, and of pictures
    const SmallFiles disk(bytes);
    const auto error = gpu::test::refusal_of<std::runtime_error>([&] {
      Recorder recorder(path_, {64, 48}, 25);
      for (int i = 0; i < 100; ++i) add(recorder, {64, 48}, i / 25.0, {static_cast<std::uint8_t>(i * 2), 100, 50, 255});
    });
    EXPECT_EQ(error.substr(0, error.find(';')), "cannot record " + path_.string() + ": File too large") << bytes;
    EXPECT_EQ(files(), 0u) << bytes;
  }
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
  EXPECT_EQ(gpu::test::refusal_of<std::runtime_error>([] { write_file("/dev/full", std::string_view("x")); }),
            "cannot write /dev/full: No space left on device; free some space, or write to another disk");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));  // it was not replaced
}

}  // namespace
}  // namespace app
