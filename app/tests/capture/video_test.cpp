#include <gtest/gtest.h>
#include <opencv2/videoio.hpp>

#include <fstream>

extern "C" {
#include <libavutil/mem.h>
}

#include "app/capture/camera_list.h"
#include "app/capture/capture.h"
#include "app/capture/image_file.h"
#include "app/capture/source.h"
#include "app/support/files.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

namespace fs = std::filesystem;
using Phase = Status::Phase;
using namespace std::chrono_literals;

// OpenCV 4.10 asks only once how much its FFmpeg may say: at the first video of whichever test comes first.
[[maybe_unused]] const bool quiet = (quiet_libraries(), true);

constexpr int frames = 40;

// The gray level of picture n; JPEG changes it by at most two.
int level(std::uint64_t n) { return 20 + 5 * static_cast<int>(n % frames); }

class VideoTest : public testing::Test {
 protected:
  // A video at 25/s.
  std::string make(const char* name, gpu::Size size = {64, 48}, int count = frames) {
    const std::string path = (folder_.path() / name).string();
    const int codec = path.ends_with(".mp4")  ? cv::VideoWriter::fourcc('m', 'p', '4', 'v')
                      : path.ends_with(".ts") ? cv::VideoWriter::fourcc('a', 'v', 'c', '1')
                                              : cv::VideoWriter::fourcc('M', 'J', 'P', 'G');
    cv::VideoWriter writer(path, cv::CAP_FFMPEG, codec, 25, {size.width, size.height});
    EXPECT_TRUE(writer.isOpened());
    for (int n = 0; n < count; ++n)
      writer.write(cv::Mat(size.height, size.width, CV_8UC3, cv::Scalar::all(level(static_cast<std::uint64_t>(n)))));
    return path;
  }
  // The first half of a video of 100 pictures.
  std::string make_cut(const char* name) {
    const auto path = make(name, {64, 48}, 100);
    fs::resize_file(path, fs::file_size(path) / 2);
    return path;
  }
  // Until it has ended, and all pictures were taken; how many they are.
  static std::uint64_t play(Capture& capture) {
    std::uint64_t count = 0;
    while (const Frame* frame = capture.take(5s)) {
      EXPECT_EQ(frame->sequence, count++);
      if (capture.status().phase == Phase::ended && count == capture.status().delivered) break;
    }
    EXPECT_EQ(capture.status().phase, Phase::ended);
    return count;
  }
  // The message for a source that cannot be played.
  std::string failure(const std::string& source) {
    testing::internal::CaptureStderr();
    Status status;
    {
      Capture capture({.source = source});
      for (int wait = 0; wait < 2000 && capture.status().phase == Phase::opening; ++wait) capture.take(10ms);
      status = capture.status();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << source;
    EXPECT_EQ(status.phase, Phase::failed) << source;
    EXPECT_EQ(status.message.find('\n'), std::string::npos) << status.message;
    return status.message;
  }
  TemporaryFolder folder_;
};

TEST_F(VideoTest, MaxSpeedDeliversEveryPictureInOrder) {
  Capture capture({.source = make("clip.avi"), .max_speed = true});
  for (std::uint64_t n = 0; n < frames; ++n) {
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->sequence, n);
    EXPECT_EQ(frame->size, (gpu::Size{64, 48}));
    EXPECT_NEAR(frame->pixels.data()[100].g, level(n), 2);
    EXPECT_NEAR(frame->position, static_cast<double>(n) / 25, 1e-6);
  }
  EXPECT_EQ(capture.take(1s), nullptr);
  const Status status = capture.status();
  EXPECT_EQ(status.phase, Phase::ended);
  EXPECT_EQ(status.message, "");
  EXPECT_EQ(status.description, "clip.avi, 64x48, 25/s");
  EXPECT_EQ(status.kind, SourceKind::video);
  EXPECT_DOUBLE_EQ(status.fps, 25);
  EXPECT_DOUBLE_EQ(status.length, frames / 25.0);
  EXPECT_EQ(status.delivered, static_cast<std::uint64_t>(frames));
  EXPECT_EQ(status.dropped, 0u);
}

TEST_F(VideoTest, ALoopStartsAtTheFirstPictureAgain) {
  // A jump to the start of a transport stream whose pictures refer to later ones leads behind it.
  for (const char* name : {"clip.avi", "clip.mp4", "clip.mkv", "clip.ts"}) {
    Capture capture({.source = make(name), .loop = true, .max_speed = true});
    for (std::uint64_t n = 0; n < 2 * frames + 5; ++n) {
      const Frame* frame = next_frame(capture);
      ASSERT_EQ(frame->sequence, n);
      ASSERT_NEAR(frame->pixels.data()[100].g, level(n), 2) << name << " " << n;
      ASSERT_NEAR(frame->position, static_cast<double>(n % frames) / 25, 1e-2) << name;
    }
  }
}

TEST_F(VideoTest, PicturesWhoseSizeChangesAreShownInTheirSize) {
  const auto first = numbered_video(folder_.path(), 30);
  std::ofstream both(folder_.path() / "both.ts", std::ios::binary);
  for (const char* size : {"160:48", "320:96"}) {
    const auto part = encoded(first, "part.ts", std::string("-c:v mpeg2video -q:v 2 -vf scale=") + size);
    both << std::ifstream(part, std::ios::binary).rdbuf();
  }
  both.close();
  Capture capture({.source = (folder_.path() / "both.ts").string(), .max_speed = true});
  int small = 0, large = 0;
  while (capture.status().phase != Phase::ended || capture.waiting())
    if (const Frame* frame = capture.take(1s)) {
      (frame->size == gpu::Size{160, 48} ? small : large) += 1;
      EXPECT_EQ(frame->size, large > 0 ? (gpu::Size{320, 96}) : (gpu::Size{160, 48}));
    }
  EXPECT_GE(small, 28) << "a decoder may lose the pictures that it has when the size changes";
  EXPECT_GE(large, 28);
}

// The limit is that of the process.
TEST_F(VideoTest, TheSmallestBudgetLeavesRoomForAPlaneOfTheLargestRecording) {
  const auto path = make("clip.avi");
  const auto has_room = [](std::size_t bytes) {
    void* block = av_malloc(bytes);
    av_free(block);
    return block != nullptr;
  };
  constexpr std::size_t plane = 8192 * 8192, padding = 1 << 20;
  for (const std::uint64_t budget : {std::uint64_t{1'000'000}, std::uint64_t{4'000'000'000}, std::uint64_t{1'000'000}}) {
    (void)open_source({.source = path, .memory = budget}, {{}, [](const std::string&) {}});
    EXPECT_TRUE(has_room(plane + padding)) << budget;
    EXPECT_EQ(has_room(500'000'000), budget == 4'000'000'000) << budget;
  }
}

TEST_F(VideoTest, ARateThatAFileCannotGiveIsSaid) {
  const auto path = make("clip.avi");
  const auto warning = [&](double fps) {
    return open_source({.source = path, .fps = fps}, {{}, [](const std::string&) {}})->info().warning;
  };
  EXPECT_NE(warning(10).find("requested 10/s, the file gives 25/s"), std::string::npos) << warning(10);
  EXPECT_EQ(warning(25), "");
  EXPECT_EQ(warning(0), "");
}

// Timed only in one direction: on a loaded machine it may be slow, but never fast.
TEST_F(VideoTest, WithoutMaxSpeedItKeepsItsOwnRate) {
  const auto start = std::chrono::steady_clock::now();
  Capture capture({.source = make("clip.avi")});
  while (capture.status().phase != Phase::ended) {
    ASSERT_NE(capture.status().phase, Phase::failed) << capture.status().message;
    capture.take(10ms);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1560ms);  // 39 intervals of 40 ms
}

TEST_F(VideoTest, ATruncatedVideoPlaysAsFarAsPossibleAndIsReported) {
  for (const char* name : {"cut.avi", "cut.mkv"}) {
    const std::string path = make_cut(name);
    testing::internal::CaptureStderr();
    Capture capture({.source = path, .max_speed = true});
    const auto count = play(capture);
    const Status status = capture.status();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_GT(count, 20u);
    EXPECT_LT(count, 75u);
    EXPECT_EQ(status.warning, "'" + path + "' may be truncated: " + std::to_string(count) +
                                  " of the 100 frames that it announces could be read; it is damaged or incomplete, or its "
                                  "sound is longer");
    EXPECT_EQ(status.message, status.warning);
  }
}

// The bundled clip, which plays if no source is given, loops only on request.
TEST_F(VideoTest, TheBundledClipEndsUnlessItIsLooped) {
  if (!list_cameras().empty()) GTEST_SKIP() << "a camera is there, which comes first";
  Capture capture({.source = "", .max_speed = true});
  std::uint64_t frames = 0;
  while (capture.status().phase != Status::Phase::ended && frames < 1000)
    if (capture.take(std::chrono::milliseconds(100))) ++frames;
  EXPECT_EQ(capture.status().phase, Status::Phase::ended);
  EXPECT_GT(frames, 100u);
}

// The first pass after a seek lacks its beginning, the second is whole.
TEST_F(VideoTest, ATruncatedVideoIsReportedInALoopToo) {
  for (const double start : {0.0, 0.2}) {
    Capture capture({.source = make_cut("cut.avi"), .loop = true, .max_speed = true, .start = start});
    double before = 0;
    for (int n = 0, passes = 0; n < 500 && passes < 2; ++n) {
      const auto position = next_frame(capture)->position;
      passes += n > 0 && position < before;
      before = position;
    }
    EXPECT_NE(capture.status().warning.find("may be truncated"), std::string::npos) << start;
    EXPECT_EQ(capture.status().phase, Phase::playing);
  }
}

// How many pictures it lacks is not known then.
TEST_F(VideoTest, ATruncatedVideoIsNotReportedAfterASeekAlone) {
  Capture capture({.source = make_cut("cut.avi"), .max_speed = true, .start = 0.2});
  EXPECT_GT(play(capture), 0u);
  EXPECT_EQ(capture.status().warning, "");
}

TEST_F(VideoTest, ACompleteVideoEndsWithoutAMessage) {
  for (const char* name : {"whole.avi", "whole.mkv", "whole.mp4"}) {
    Capture capture({.source = make(name, {64, 48}, 100), .max_speed = true});
    while (capture.status().phase != Phase::ended) capture.take(10ms);
    EXPECT_EQ(capture.status().warning, "") << name;
    EXPECT_EQ(capture.status().message, "") << name;
  }
}

// Its number of frames is estimated from its length and rate, and the last two come without timestamps.
TEST_F(VideoTest, ACompleteVideoOfVaryingRateEndsWithoutAMessage) {
  const auto path = encoded(numbered_video(folder_.path(), 150), "varying.mkv",
                            "-vf \"select='lt(n,25)+not(mod(n,25))'\" -vsync vfr -c:v libx264 -bf 2 -pix_fmt yuv420p");
  Capture capture({.source = path, .max_speed = true});
  EXPECT_EQ(play(capture), 30u);
  while (capture.take(5s)) {}
  EXPECT_EQ(capture.status().phase, Phase::ended);
  EXPECT_EQ(capture.status().delivered, 30u);
  EXPECT_EQ(capture.status().message, "");
}

TEST_F(VideoTest, WhatCannotBePlayedIsRefusedInOneLineThatSaysWhatItIs) {
  const auto at = [this](const char* name) { return (folder_.path() / name).string(); };
  for (const char* name : {"text.mp4", "notes.txt"})
    for (int line = 0; line < 500; ++line) std::ofstream(at(name), std::ios::app) << "line " << line << "\n";
  std::ofstream(at("noise.mp4"), std::ios::binary) << std::string(5000, '\x01');
  std::ofstream(at("empty.mp4")).close();
  make("holiday.avi");
  fs::create_symlink("gone.mp4", at("link.mp4"));
  const auto cut = make("cut.mp4");
  fs::resize_file(cut, fs::file_size(cut) / 2);  // without its index
  fs::permissions(make("secret.avi"), fs::perms::none);
  const WithoutRoot user;
  for (const auto& [source, says] : {std::pair(at("text.mp4"), "holds text, not a video"),
                                     {at("notes.txt"), "holds text, not a video"},
                                     {at("noise.mp4"), "is not a video or image that can be decoded"},
                                     {at("empty.mp4"), "is empty"},
                                     {at(""), "is a folder"},
                                     {"/dev/zero", "is neither a file nor a camera"},
                                     {at("no/where.mp4"), "there is no file"},
                                     {at("holliday.avi"), "did you mean 'holiday.avi'?"},
                                     {at("link.mp4"), "link.mp4' is a link to a missing file"},
                                     {cut, "or it is truncated"},
                                     {at("secret.avi"), "cannot be read: Permission denied; change its permissions"}}) {
    const auto why = failure(source);
    EXPECT_NE(why.find(says), std::string::npos) << why;
    EXPECT_TRUE(!source.ends_with("link.mp4") || why.find("did you mean") == why.npos) << why;
  }
}

TEST_F(VideoTest, FileNamesThatFfmpegWouldInterpret) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  for (const char* name : {"concat:a|b.avi", "50%d.avi", "new\nline.avi"}) {
    make(name);
    Capture capture({.source = name, .max_speed = true});
    EXPECT_NE(capture.take(20s), nullptr) << name << ": " << capture.status().message;
    EXPECT_EQ(capture.status().description.find('\n'), std::string::npos);
  }
  fs::current_path(before);
}

TEST_F(VideoTest, AFilesUrlNamesAFileOfThisMachine) {
  const auto path = make("a video.avi"), code = path.substr(0, path.rfind(' ')) + "%20video.avi";
  for (const auto& url : {"file://" + path, "FILE://" + code, "file://localhost" + code, "file:" + code}) {
    Capture capture({.source = url, .max_speed = true});
    EXPECT_NE(capture.take(20s), nullptr) << url << ": " << capture.status().message;
    EXPECT_TRUE(capture.status().description.starts_with("a video.avi, ")) << capture.status().description;
  }
  EXPECT_EQ(failure("file://nas" + path), "'file://nas" + path +
                                              "' is a file of the host 'nas', not of this one; write file:///PATH, or the "
                                              "path alone");
}

TEST_F(VideoTest, AnAddressWithAMistypedSchemeIsAMissingFileWithoutItsPassword) {
  for (const char* source :
       {"rtsp//a:secret@camera/1", "RTSP:/a:secret@camera/1", "rtsp;//a:secret@camera/1", "http/a.mp4"}) {
    const auto why = failure(source);
    EXPECT_TRUE(why.starts_with("there is no file '")) << why;
    EXPECT_EQ(why.find("secret"), std::string::npos) << why;
  }
}

TEST_F(VideoTest, TheBundledClipPlaysIfNoSourceIsGiven) {
  ASSERT_TRUE(fs::exists(asset("clip.mp4")));
  Capture capture({.loop = true, .max_speed = true});
  const Frame* frame = next_frame(capture);
  const Status status = capture.status();
  if (status.kind == SourceKind::camera) GTEST_SKIP() << "this machine has a camera: " << status.description;
  EXPECT_EQ(status.description, "clip.mp4, 960x540, 30/s");
  EXPECT_NE(status.message.find("the bundled clip plays"), std::string::npos);
  // In a loop it continues after its end.
  const auto length = static_cast<std::uint64_t>(status.length * status.fps);
  ASSERT_GT(length, 300u);
  while (frame->sequence < length + 3) frame = next_frame(capture);
  EXPECT_LT(frame->position, 1);
}

}  // namespace
}  // namespace app::capture
