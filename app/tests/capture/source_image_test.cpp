#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <fstream>
#include <limits>

#include "app/capture/convert.h"
#include "app/capture/image_file.h"
#include "app/capture/image_header.h"
#include "app/capture/source.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app::capture {
namespace {

namespace fs = std::filesystem;

cv::Mat gradient(int width, int height, int type) {
  cv::Mat image(height, width, type);
  cv::RNG random(7);
  random.fill(image, cv::RNG::UNIFORM, 0, CV_MAT_DEPTH(type) == CV_8U ? 256 : 65536);
  return image;
}

bool equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

constexpr auto is_read = gpu::test::nothing_refused;

class SourceImageTest : public testing::Test {
 protected:
  std::string write(const char* name, const cv::Mat& image) {
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(cv::imwrite(path, image));
    return path;
  }
  // Why it is not read; is_read where it is.
  static std::string failure(const std::string& path) {
    return gpu::test::refusal_of<SourceError>([&] { read_image(path); });
  }
  TemporaryFolder folder_;
};

TEST_F(SourceImageTest, AnotherSizeThanTheFilesIsSaid) {
  const auto path = write("a.png", gradient(37, 21, CV_8UC3));
  for (const auto& [asked, says] :
       {std::pair(gpu::Size{37, 21}, ""), {gpu::Size{}, ""}, {gpu::Size{21, 37}, "requested 21x37, the file gives 37x21"}}) {
    const auto info = open_image({.source = path, .size = asked}, {})->info();
    EXPECT_EQ(info.message, says);
    EXPECT_EQ(info.warning, *says ? "'" + path + "': " + says : "");
    EXPECT_EQ(info.size, (gpu::Size{37, 21}));
    EXPECT_EQ(info.name, "a.png");
  }
}

TEST_F(SourceImageTest, ColourIsUnchanged) {
  const cv::Mat image = gradient(37, 21, CV_8UC3);
  for (const char* name : {"a.png", "a.bmp", "a.tiff", "a.ppm", "a.webp"}) {
    if (std::string(name) == "a.webp") {
      ASSERT_TRUE(cv::imwrite((folder_.path() / name).string(), image, {cv::IMWRITE_WEBP_QUALITY, 101}));
    } else {
      write(name, image);
    }
    const ImageFile file = read_image(folder_.path() / name);
    EXPECT_TRUE(equal(file.pixels, image)) << name;
    EXPECT_EQ(file.note, "") << name;
  }
}

// A small file may announce a picture that takes gigabytes: its head is enough to refuse it.
TEST_F(SourceImageTest, OneThatNeedsMoreMemoryThanTheBudgetIsRefusedBeforeItIsDecoded) {
  constexpr std::uint64_t budget = 2'000'000'000;
  const auto opened = [](const std::string& path, std::uint64_t memory) {
    std::string size;
    const auto why = gpu::test::refusal_of<SourceError>(
        [&] { size = text_of(open_image({.source = path, .memory = memory}, {})->info().size); });
    return size.empty() ? why : size;
  };
  const auto path = (folder_.path() / "bomb.png").string();
  std::ofstream(path, std::ios::binary) << std::string("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x75\x30\0\0\x75\x30\1\0\0\0\0",
                                                       29);
  EXPECT_EQ(opened(path, budget),
            "'" + path + "' is 30000x30000, gray: reading it takes 5.4 GB of memory, and the budget is " +
                "2.0 GB; make it smaller, or raise the budget: --memory-budget 5400 (setting memory_budget)");
  EXPECT_THROW(read_image(path, {}, budget), SourceError);
  EXPECT_THROW(decode_unchanged(path, {}, 800'000'000), SourceError) << "as `sat` reads it";
  const auto vast = (folder_.path() / "vast.pgm").string();
  std::ofstream(vast, std::ios::binary) << "P5\n100000 100000\n255\n";
  EXPECT_NE(opened(vast, budget).find("is 100000x100000, gray: reading it takes 60 GB"), std::string::npos);
  // Exactly what it takes, and a byte less.
  for (const std::string name : {"a.png", "a.bmp", "a.tiff", "a.webp", "a.jpg", "a.jp2", "a.ppm"}) {
    const auto small = write(name.c_str(), gradient(80, 64, CV_8UC3));
    ImageBytes bytes{fs::path(small)};
    const auto needed = static_cast<std::uint64_t>(image_header(bytes).to_show());
    EXPECT_GE(needed, 80u * 64u * 6u) << name << ": as it is, and as a frame";
    EXPECT_EQ(opened(small, needed), "80x64") << name;
    EXPECT_NE(opened(small, needed - 1).find("is 80x64, colour: reading it takes 1 MB"), std::string::npos) << name;
  }
}

TEST_F(SourceImageTest, OneWhoseSizeIsNotSaidIsNotDecoded) {
  const auto path = (folder_.path() / "a.tiff").string();
  std::ofstream(path, std::ios::binary) << std::string("II*\0\x08\0\0\0\0\0\0\0\0\0", 14);
  EXPECT_NE(failure(path).find(
                ": the size of its picture cannot be read: the file may be damaged. Try another copy, or convert it to PNG"),
            std::string::npos)
      << failure(path);
}

TEST_F(SourceImageTest, TheUsualBudgetIsAQuarterOfTheMemory) {
  EXPECT_EQ(usual_memory(), machine_memory() / 4);
  EXPECT_NO_THROW(check_memory(static_cast<double>(usual_memory()), 0, "a", "b"));
  const auto why = [](double bytes, std::uint64_t budget) {
    return gpu::test::refusal_of<SourceError>([&] { check_memory(bytes, budget, "'a'", "1x1"); });
  };
  const auto usual = why(static_cast<double>(usual_memory()) + 1, 0), small = why(1.2e6, 1'000'000);
  EXPECT_NE(usual.find(", a quarter of what there is; "), std::string::npos) << usual;
  EXPECT_NE(small.find("takes 2 MB of memory, and the budget is 1 MB"), std::string::npos) << small;
  EXPECT_NO_THROW(check_frames({640, 480}, 9 * 640 * 480, "a"));
  EXPECT_THROW(check_frames({640, 480}, 9 * 640 * 480 - 1, "a"), SourceError) << "a mailbox has three frames";
  EXPECT_THROW(open_synthetic({.source = "synthetic:640x480", .memory = 1'000'000}, {}), SourceError);
}

// Only what a texture has to hold is scaled; commands without a window take all of it.
TEST_F(SourceImageTest, AnImageThatNoTextureHoldsIsScaledAndSaysSo) {
  const auto path = write("lean.png", cv::Mat(3, 70'000, CV_8UC1, cv::Scalar(7)));
  Request request{.source = path};
  const auto shown = open_image(request, {});
  EXPECT_EQ(shown->info().size, (gpu::Size{maximum_side, 1}));
  EXPECT_EQ(shown->info().warning, "'" + path +
                                       "' is 70000x3, and is scaled to 8192x1: a texture here has at most 8192 pixels " +
                                       "per side; satscope sat, apply and detect take all of it");
  Frame frame;
  EXPECT_EQ(shown->read(frame, {}), Source::Read::still);
  EXPECT_EQ(frame.view()(8191, 0).g, 7);
  request.largest_side = 0;
  const auto whole = open_image(request, {});
  EXPECT_EQ(whole->info().size, (gpu::Size{70'000, 3}));
  EXPECT_EQ(whole->info().warning, "");
  const auto bright = write("bright.tiff", cv::Mat(1, 70'000, CV_32FC1, cv::Scalar(2)));
  const auto both = open_image({.source = bright}, {})->info().warning;
  EXPECT_NE(both.find("are cut (NaN to black); scale them to 0 to 1, or replace them; '" + bright +
                      "' is 70000x1, and is scaled to"),
            both.npos)
      << both;
  Capture capture({.source = path});
  const Frame* taken = next_frame(capture);
  EXPECT_EQ(taken->size, (gpu::Size{maximum_side, 1}));
}

// A few rows at a time: the parts meet without a seam, also those of one row.
TEST_F(SourceImageTest, PartsOfAConvertedPictureMeet) {
  for (const cv::Size size : {cv::Size(300, 500), cv::Size(70'001, 2), cv::Size(1, 70'000)}) {
    cv::Mat deep(size, CV_16UC4), eight;
    cv::RNG(4).fill(deep, cv::RNG::UNIFORM, 0, 65536);
    deep.convertTo(eight, CV_8U, 1.0 / 257);
    const auto bgr = to_bgr(deep, "a");
    for (const cv::Point at :
         {cv::Point(0, 0), cv::Point(size.width - 1, size.height - 1), cv::Point(size.width / 2, size.height / 2),
          cv::Point(size.width * 65 / 66, size.height * 3 / 4)}) {
      const auto from = eight.at<cv::Vec4b>(at);
      const int board = (at.x / 8 + at.y / 8) % 2 ? 153 : 204;
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(bgr.at<cv::Vec3b>(at)[i], (from[i] * from[3] + board * (255 - from[3]) + 127) / 255) << at;
    }
  }
}

TEST_F(SourceImageTest, GrayBecomesThreeEqualChannels) {
  const cv::Mat image = gradient(5, 4, CV_8UC1);
  cv::Mat expected;
  cv::cvtColor(image, expected, cv::COLOR_GRAY2BGR);
  const ImageFile file = read_image(write("gray.png", image));
  EXPECT_TRUE(equal(file.pixels, expected));
  EXPECT_EQ(file.note, "gray");
}

TEST_F(SourceImageTest, SixteenBitsKeepTheirProportions) {
  cv::Mat image(1, 6, CV_16UC3);
  const int levels[] = {0, 128, 257, 32768, 33000, 65535}, expected[] = {0, 0, 1, 128, 128, 255};
  for (int x = 0; x < 6; ++x) image.at<cv::Vec3w>(0, x) = cv::Vec3w::all(static_cast<std::uint16_t>(levels[x]));
  const ImageFile file = read_image(write("deep.png", image));
  EXPECT_TRUE(equal(file.pixels, image)) << "whoever reads it chooses what is shown";
  const auto all = to_bgr(file.pixels, "deep.png");
  for (int x = 0; x < 6; ++x)
    EXPECT_EQ(all.at<cv::Vec3b>(0, x), cv::Vec3b::all(static_cast<std::uint8_t>(expected[x]))) << x;
  EXPECT_EQ(file.note, "16-bit");
}

TEST_F(SourceImageTest, AlphaIsBlendedOverACheckerboard) {
  cv::Mat image(9, 9, CV_8UC4, cv::Scalar(10, 20, 30, 255));
  image.at<cv::Vec4b>(0, 0) = {1, 2, 3, 0};  // transparent: the light square
  image.at<cv::Vec4b>(0, 8) = {1, 2, 3, 0};  // transparent: the dark square
  image.at<cv::Vec4b>(1, 1) = {0, 100, 200, 128};
  const ImageFile file = read_image(write("alpha.png", image));
  EXPECT_EQ(file.pixels.at<cv::Vec3b>(5, 5), cv::Vec3b(10, 20, 30));
  EXPECT_EQ(file.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(204, 204, 204));
  EXPECT_EQ(file.pixels.at<cv::Vec3b>(0, 8), cv::Vec3b(153, 153, 153));
  EXPECT_EQ(file.pixels.at<cv::Vec3b>(1, 1), cv::Vec3b(102, 152, 202));  // (c * 128 + 204 * 127) / 255, rounded
  EXPECT_EQ(file.note, "alpha over a checkerboard");
  const cv::Mat deep(3, 3, CV_16UC4, cv::Scalar(257 * 10, 257 * 20, 257 * 30, 65535));
  const ImageFile deep_file = read_image(write("deep_alpha.png", deep));
  EXPECT_EQ(to_bgr(deep_file.pixels, "deep_alpha.png").at<cv::Vec3b>(1, 1), cv::Vec3b(10, 20, 30));
  EXPECT_EQ(deep_file.note, "16-bit, alpha over a checkerboard");
  EXPECT_THROW(to_bgr(cv::Mat(2, 2, CV_8UC(5)), "odd"), SourceError) << "of five channels";
}

TEST_F(SourceImageTest, FloatingPointIsClampedTo0And1AndNanIsBlack) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const int depth : {CV_32F, CV_64F}) {
    const cv::Mat values = (cv::Mat_<float>(1, 6) << 0.f, 0.5f, 1.f, 7.f, -inf, inf);
    cv::Mat image;
    values.convertTo(image, depth);
    const cv::Mat bgr = to_bgr(image, "test");
    const int expected[] = {0, 128, 255, 255, 0, 255};
    for (int x = 0; x < 6; ++x) EXPECT_EQ(bgr.at<cv::Vec3b>(0, x)[1], expected[x]) << x;
    EXPECT_EQ(to_bgr(cv::Mat(1, 1, depth, cv::Scalar(nan)), "test").at<cv::Vec3b>(0, 0)[0], 0);
  }
  write("float.tiff", cv::Mat(2, 2, CV_32FC1, cv::Scalar(0.25)));
  EXPECT_EQ(read_image(folder_.path() / "float.tiff").note, "floating point, gray");
}

TEST_F(SourceImageTest, WhatIsCutOfFloatingPointIsSaid) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto says = [&](std::initializer_list<float> values) {
    cv::Mat image(1, static_cast<int>(values.size()), CV_32FC1);
    std::ranges::copy(values, image.ptr<float>());
    return read_image(write("float.tiff", image)).warning;
  };
  const auto name = "'" + (folder_.path() / "float.tiff").string() + "'";
  EXPECT_EQ(says({0, 0.5f, 1, 1.001f, -0.001f}), "") << "as gray levels they are 0 and 255";
  const std::string rule = name + ": 0 is black and 1 is white: ",
                    cut = " lie beyond, or are NaN, and are cut (NaN to black); scale them to 0 to 1, or replace them";
  EXPECT_EQ(says({0.25f, -3.5f, 1, 7}), rule + "2 of 4 values" + cut);
  EXPECT_EQ(says({4, inf}), rule + "2 of 2 values" + cut);
  EXPECT_EQ(says({nan, 0.5f, nan}), rule + "2 of 3 values" + cut);
  EXPECT_EQ(read_image(write("deep.png", gradient(3, 3, CV_16UC3))).warning, "");
}

TEST_F(SourceImageTest, ExifTurnsAPhotographUpright) {
  // A JPEG of 32x16 whose EXIF data says: turn by 90 degrees.
  std::vector<std::uint8_t> jpeg;
  cv::imencode(".jpg", cv::Mat(16, 32, CV_8UC3, cv::Scalar(10, 200, 60)), jpeg);
  const std::uint8_t exif[] = {0xff, 0xe1, 0,    34,   'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
                               0,    1,    0x01, 0x12, 0,   3,   0,   0,   0, 1, 0,   6,   0, 0,  0, 0, 0, 0};
  jpeg.insert(jpeg.begin() + 2, std::begin(exif), std::end(exif));
  const fs::path path = folder_.path() / "turned.jpg";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
  const ImageFile file = read_image(path);
  EXPECT_EQ(file.pixels.cols, 16);
  EXPECT_EQ(file.pixels.rows, 32);
}

TEST_F(SourceImageTest, ImagesOfExtremeShapeAreDeliveredOnce) {
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {maximum_side, 2}}) {
    const cv::Mat image = gradient(size.width, size.height, CV_8UC3);
    Capture capture({.source = write("lean.png", image)});
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->size, size);
    EXPECT_TRUE(equal(cv::Mat(size.height, size.width, CV_8UC3, frame->pixels.data()), image));
    EXPECT_EQ(capture.status().kind, SourceKind::image);
    EXPECT_EQ(capture.status().description, "lean.png, " + std::to_string(size.width) + "x" + std::to_string(size.height));
    EXPECT_EQ(capture.status().phase, Status::Phase::playing);
    EXPECT_EQ(capture.take(std::chrono::milliseconds(20)), nullptr);
  }
}

// Damaged files give one line of the program's own and nothing from the decoders, which print to stderr.
TEST_F(SourceImageTest, DamagedImagesAreRefusedOrShownInPartWithoutOutputOfTheDecoders) {
  const cv::Mat image = gradient(200, 200, CV_8UC3);
  for (const char* name : {"cut.png", "cut.jpg", "cut.tiff", "cut.bmp", "cut.webp"}) {
    const std::string path = write(name, image);
    for (const double part : {0.9, 0.5, 0.05}) {
      fs::resize_file(path, static_cast<std::uintmax_t>(static_cast<double>(fs::file_size(path)) * part));
      testing::internal::CaptureStderr();
      const std::string message = failure(path);
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << name << " " << part;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_TRUE(message == is_read || message.find(name) != std::string::npos) << message;
    }
    write(name, image);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
    file << std::string(64, '\xff');
    file.close();
    testing::internal::CaptureStderr();
    failure(path);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << name << " overwritten";
  }
}

// The decoder would fill the missing part with gray. The end marker of a thumbnail is not that of the picture.
TEST_F(SourceImageTest, ATruncatedJpegIsRefused) {
  const std::string whole = write("whole.jpg", gradient(200, 200, CV_8UC3));
  EXPECT_EQ(failure(whole), is_read);
  std::ifstream file(whole, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  bytes.insert(2, std::string("\xff\xe1\x00\x06\xff\xd9\xff\xd9", 8));
  const auto with_thumbnail = folder_.path() / "thumbnail.jpg";
  std::ofstream(with_thumbnail, std::ios::binary) << bytes;
  EXPECT_EQ(failure(with_thumbnail.string()), is_read);
  for (const double part : {0.9, 0.5}) {
    std::ofstream(with_thumbnail, std::ios::binary)
        << bytes.substr(0, static_cast<std::size_t>(static_cast<double>(bytes.size()) * part));
    EXPECT_NE(failure(with_thumbnail.string()).find("is damaged: it is truncated; try another copy"), std::string::npos);
  }
}

TEST_F(SourceImageTest, AFileThatIsNotAnImageIsIdentified) {
  const fs::path text = folder_.path() / "text.png";
  std::ofstream(text) << "These are words.\n";
  EXPECT_NE(failure(text.string()).find("holds text, not an image"), std::string::npos);
  EXPECT_NE(failure((folder_.path() / "none.png").string()).find("there is no file"), std::string::npos);
  EXPECT_NE(failure(folder_.path().string()).find("is a folder"), std::string::npos);
}

TEST(SourceImageConvertTest, APictureThatIsAlreadyInTheFrameIsNotCopied) {
  Frame frame;
  frame.resize({8, 4}, false);
  const auto* pixels = frame.pixels.data();
  cv::Mat there = as_mat(frame);
  there.setTo(cv::Scalar(1, 2, 3));
  store(there, frame, false, "test");
  EXPECT_EQ(frame.pixels.data(), pixels);
  EXPECT_EQ(frame.pixels.data()[31].r, 3);
}

TEST(SourceImageConvertTest, ChannelsAndSizesMayChangeFromOnePictureToTheNext) {
  Frame frame;
  for (const auto& [width, height, type] :
       {std::tuple{8, 4, CV_8UC3}, {8, 4, CV_8UC1}, {16, 3, CV_8UC4}, {2, 2, CV_16UC1}, {8, 4, CV_8UC3}}) {
    cv::Mat picture(height, width, type);
    picture.setTo(CV_MAT_DEPTH(type) == CV_16U ? cv::Scalar::all(257 * 9) : cv::Scalar(9, 9, 9, 255));
    store(picture, frame, false, "test");
    show_values(frame, {}, false);
    EXPECT_EQ(frame.size, (gpu::Size{width, height}));
    const auto last = frame.pixels.data()[frame.size.pixels() - 1];
    EXPECT_EQ(last.b, 9);
    EXPECT_EQ(last.r, 9);
  }
}

// Part of a larger picture: its rows are not contiguous.
TEST(SourceImageConvertTest, APartOfAPictureIsStoredRowByRow) {
  const cv::Mat whole = gradient(20, 10, CV_8UC3), part = whole(cv::Rect(3, 2, 7, 5));
  Frame frame;
  store(part, frame, false, "test");
  EXPECT_TRUE(equal(as_mat(frame), part.clone()));
}

// One pixel in a TIFF of little endian, with the fields that a decoder needs.
std::string tiff_of(unsigned bits, unsigned format) {
  std::string bytes = "II*";
  const auto add = [&](std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  };
  const unsigned fields[][2] = {{256, 1}, {257, 1}, {258, bits}, {259, 1},        {262, 1},
                                {273, 8}, {277, 1}, {278, 1},    {279, bits / 8}, {339, format}};
  add(0, 1), add(16, 4), add(0, 8);  // the directory follows the pixel
  add(std::size(fields), 2);
  for (const auto& [tag, value] : fields) add(tag, 2), add(3, 2), add(1, 4), add(value, 4);
  add(0, 4);
  return bytes;
}

TEST_F(SourceImageTest, ATiffOfIntegersThatAreNotReadIsCalledThat) {
  const auto path = (folder_.path() / "integers.tiff").string();
  const auto why = [&](unsigned bits, unsigned format) {
    std::ofstream(path, std::ios::binary) << tiff_of(bits, format);
    return failure(path);
  };
  EXPECT_EQ(why(8, 1), is_read);
  for (const auto& [bits, format, what] :
       {std::tuple(32u, 1u, "32-bit integers"), {64u, 1u, "64-bit integers"}, {64u, 2u, "64-bit integers with a sign"}})
    EXPECT_EQ(why(bits, format), "'" + path + "' has " + what +
                                     ", which are not supported; convert it to unsigned 8 or 16 bits, or to floating point");
  // Decoded, but half of the numbers would be black.
  EXPECT_EQ(why(16, 2), "'" + path + "' has pixels of an unsupported type; convert it to 8 or 16 bits, unsigned");
}

TEST_F(SourceImageTest, AnAnimatedWebpIsNoDamagedImage) {
  const auto movie = asset("movie.webp").string();
  EXPECT_EQ(failure(movie), "'" + movie + "' is an animated WebP, which is not read; convert it to GIF or MP4");
}

}  // namespace
}  // namespace app::capture
