#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include <string>
#include <utility>
#include <vector>

#include "app/capture/image_header.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

using namespace std::string_literals;

ImageHeader header_of(const std::string& bytes) {
  ImageBytes file{std::string_view(bytes)};
  return image_header(file);
}

std::string encoded_as(const std::string& ending, const cv::Mat& picture, const std::vector<int>& parameters = {}) {
  std::vector<std::uint8_t> bytes;
  EXPECT_TRUE(cv::imencode(ending, picture, bytes, parameters)) << ending;
  return {bytes.begin(), bytes.end()};
}

cv::Mat noise(int width, int height, int type) {
  cv::Mat picture(height, width, type);
  cv::RNG(3).fill(picture, cv::RNG::UNIFORM, 0, CV_MAT_DEPTH(type) == CV_8U ? 256 : 1);
  return picture;
}

TEST(ImageHeaderTest, SaysWhatTheDecoderMakes) {
  const std::vector<std::pair<std::string, std::vector<int>>> formats{
      {".png", {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_16UC4}},
      {".jpg", {CV_8UC1, CV_8UC3}},
      {".tiff", {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_32FC1, CV_32FC3, CV_64FC1}},
      {".bmp", {CV_8UC3, CV_8UC4}},
      {".webp", {CV_8UC3, CV_8UC4}},
      {".pgm", {CV_8UC1, CV_16UC1}},
      {".ppm", {CV_8UC3, CV_16UC3}},
      {".pam", {CV_8UC1, CV_8UC3}},
      {".pfm", {CV_32FC1, CV_32FC3}},
      {".jp2", {CV_8UC1, CV_8UC3, CV_16UC1}},
      {".hdr", {CV_32FC3}},
      {".ras", {CV_8UC3}}};
  for (const auto& [ending, types] : formats)
    for (const int type : types)
      for (const cv::Size size : {cv::Size(67, 53), cv::Size(40, 300)}) {
        const auto bytes = encoded_as(ending, noise(size.width, size.height, type));
        const auto header = header_of(bytes);
        const cv::Mat read = cv::imdecode(cv::Mat(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data())),
                                          ending == ".jpg" ? cv::IMREAD_ANYCOLOR : cv::IMREAD_UNCHANGED);
        EXPECT_EQ(header.width, static_cast<std::uint64_t>(size.width)) << ending << type;
        EXPECT_EQ(header.height, static_cast<std::uint64_t>(size.height)) << ending << type;
        const auto decoded = static_cast<double>(read.total() * read.elemSize());
        if (ending == ".bmp")  // alpha depends on OpenCV's version
          EXPECT_GE(header.decoded(), decoded) << type;
        else
          EXPECT_EQ(header.decoded(), decoded) << ending << type;
        EXPECT_GE(header.to_show(), header.decoded());
        EXPECT_GE(header.to_gray(), header.decoded());
      }
}

TEST(ImageHeaderTest, CountsWhatLossyAndLosslessWebpAndProgressiveJpegTake) {
  const auto picture = noise(64, 48, CV_8UC3);
  for (const int quality : {50, 101}) {
    const auto header = header_of(encoded_as(".webp", picture, {cv::IMWRITE_WEBP_QUALITY, quality}));
    EXPECT_EQ(header.width * header.height, 64u * 48u) << quality;
    if (quality > 100) {
      EXPECT_EQ(header.scratch, 4.0 * 64 * 48) << "it is decoded as a whole first";
    }
  }
  EXPECT_EQ(header_of(std::string("GIF89a\x40\0\x30\0", 10)).scratch, 14.0 * 64 * 48) << "by the decoder of videos";
  const auto plain = header_of(encoded_as(".jpg", picture));
  const auto progressive = header_of(encoded_as(".jpg", picture, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}));
  EXPECT_EQ(plain.decoded(), progressive.decoded());
  EXPECT_EQ(progressive.scratch, 2 * plain.scratch) << "all coefficients, of 16 bits";
}

std::string number(std::uint64_t value, int bytes, bool little) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    const auto byte = static_cast<char>(value >> 8 * i & 0xff);
    text = little ? text + byte : byte + text;
  }
  return text;
}

struct TiffField {
  int tag;
  std::int64_t value;
  int type = 4;  // LONG
};

int size_of_tiff_type(int type) { return type == 1 || type == 6 ? 1 : type == 3 || type == 8 ? 2 : type >= 16 ? 8 : 4; }

// The head of a TIFF, classic or big, in either order of bytes. What has no place in its field stands behind them all.
std::string tiff(bool big, bool little, const std::vector<TiffField>& fields) {
  const auto n = [little](std::uint64_t value, int bytes) { return number(value, bytes, little); };
  const int offset = big ? 8 : 4;
  auto text = (little ? "II"s : "MM"s) + n(big ? 43 : 42, 2) + (big ? n(8, 2) + n(0, 2) : ""s) + n(big ? 16 : 8, offset);
  text += n(fields.size(), big ? 8 : 2);
  std::string behind;
  const auto end = text.size() + fields.size() * (big ? 20 : 12) + static_cast<std::size_t>(offset);
  for (const auto& [tag, value, type] : fields) {
    const int size = size_of_tiff_type(type);
    const auto bytes = n(static_cast<std::uint64_t>(value), size);
    text += n(static_cast<std::uint64_t>(tag), 2) + n(static_cast<std::uint64_t>(type), 2) + n(1, offset);
    if (size <= offset)
      text += bytes + std::string(static_cast<std::size_t>(offset - size), '\0');
    else
      text += n(end + behind.size(), offset), behind += bytes;
  }
  return text + n(0, offset) + behind;
}

TEST(ImageHeaderTest, ReadsClassicAndBigTiffInBothOrdersOfBytes) {
  for (const bool big : {false, true})
    for (const bool little : {false, true}) {
      const auto header = header_of(
          tiff(big, little, {{256, 30'000}, {257, 20'000}, {258, 16}, {277, 4}, {262, 2}, {278, 10}}));
      EXPECT_EQ(header.format, "TIFF") << big << little;
      EXPECT_EQ(header.width, 30'000u) << big << little;
      EXPECT_EQ(header.height, 20'000u) << big << little;
      EXPECT_EQ(header.decoded(), 8.0 * 30'000 * 20'000) << big << little;
      EXPECT_EQ(header.scratch, 16.0 * 30'000 * 10) << "a strip, twice";
      // A field that is there twice: which one a decoder takes is its choice.
      EXPECT_EQ(header_of(tiff(big, little, {{256, 8}, {256, 30'000}, {257, 9}, {256, 7}})).width, 30'000u);
      EXPECT_EQ(header_of(tiff(big, little, {{256, 10}, {257, 10}, {322, 50'000}, {323, 40'000}})).scratch,
                5.0 * 50'000 * 40'000)
          << "a tile larger than the picture";
    }
}

// As a decoder takes them: libtiff accepts whole numbers of every type, and of a field that is there twice the first one.
TEST(ImageHeaderTest, ReadsTheSidesOfATiffInEveryTypeAloneAndTwice) {
  const std::vector<std::pair<int, std::int64_t>> largest{{1, 255}, {3, 65'535}, {4, 4'000'000'000}, {16, 5'000'000'000},
                                                          {6, 127}, {8, 32'767}, {9, 2'000'000'000}, {17, 5'000'000'000}};
  for (const bool big : {false, true})
    for (const bool little : {false, true})
      for (const auto& [type, side] : largest) {
        const auto of = [&, type = type](std::vector<TiffField> fields) {
          for (auto& field : fields)
            if (field.type == 0) field.type = type;
          const auto header = header_of(tiff(big, little, fields));
          return std::pair(header.width, header.height);
        };
        const auto about = ::testing::Message() << "type " << type << (big ? ", big" : "") << (little ? ", little" : "");
        const auto n = static_cast<std::uint64_t>(side);
        EXPECT_EQ(of({{256, side, 0}, {257, side - 1, 0}}), std::pair(n, n - 1)) << about;
        for (const int other : {1, 6, 3, 8, 4, 9, 16, 17}) {
          EXPECT_EQ(of({{256, side, 0}, {257, side, 0}, {256, 8, other}, {257, 9, other}}), std::pair(n, n))
              << about << other;
          EXPECT_EQ(of({{256, 8, other}, {257, 9, other}, {256, side, 0}, {257, side, 0}}), std::pair(n, n))
              << about << other;
        }
        const bool is_signed = type == 6 || type == 8 || type == 9 || type == 17;
        if (is_signed) {
          EXPECT_EQ(of({{256, -1, 0}, {257, -side, 0}}), std::pair(std::uint64_t{0}, std::uint64_t{0})) << about;
          EXPECT_EQ(of({{256, -1, 0}, {257, 7}, {256, 6}}), std::pair(std::uint64_t{6}, std::uint64_t{7})) << about;
        }
      }
  for (const int none : {2, 5, 7, 10, 11, 12, 13, 18, 0xffff})  // texts, fractions, offsets
    EXPECT_FALSE(header_of(tiff(true, true, {{256, 5, none}, {257, 5, none}})).known()) << none;
}

std::string box(const std::string& type, const std::string& content) {
  return number(8 + content.size(), 4, false) + type + content;
}

std::string heif(const std::string& brand) {
  const auto size = [](int width, int height) {
    return box("ispe", std::string(4, '\0') + number(static_cast<std::uint64_t>(width), 4, false) +
                           number(static_cast<std::uint64_t>(height), 4, false));
  };
  const auto properties = box("iprp", box("ipco", size(512, 512) + box("colr", "nclx") + size(4032, 3024)));
  return box("ftyp", brand + std::string(4, '\0') + "mif1" + (brand == "avif" ? "avif" : "heic")) +
         box("meta", std::string(4, '\0') + box("hdlr", "....") + properties);
}

TEST(ImageHeaderTest, ReadsTheSizesOfWhatTheVideoDecoderReads) {
  const auto sides = [](const ImageHeader& header) { return std::pair(header.width, header.height); };
  const std::pair<std::uint64_t, std::uint64_t> of_gif{700, 500}, of_heif{4032, 3024};
  EXPECT_EQ(sides(header_of("GIF89a"s + number(700, 2, true) + number(500, 2, true) + std::string(20, '\0'))), of_gif);
  for (const std::string brand : {"avif", "heic"}) {
    const auto header = header_of(heif(brand));
    EXPECT_EQ(header.format, brand == "avif" ? "AVIF" : "HEIC");
    EXPECT_EQ(sides(header), of_heif) << "not those of a tile";
  }
  EXPECT_EQ(header_of(box("ftyp", "isom"s + std::string(8, '\0')) + box("moov", "")).format, "") << "a video";
}

TEST(ImageHeaderTest, WhatIsNotReadIsNamed) {
  const auto why = [](const std::string& bytes) {
    ImageBytes file{std::string_view(bytes)};
    return what_is_not_read(file);
  };
  EXPECT_EQ(why(heif("heic")),
            " is a picture in HEIC, which is not read; convert it to PNG or JPEG, e.g. heif-convert IN.heic OUT.png");
  EXPECT_EQ(why(heif("avif")), "");
  EXPECT_EQ(why("\xff\x0a....."),
            " is a picture in JPEG XL, which is not read; convert it to PNG or JPEG, e.g. djxl IN.jxl OUT.png");
  EXPECT_EQ(why(tiff(true, true, {{256, 1}, {257, 1}, {258, 32}, {339, 1}})),
            " has 32-bit integers, which are not supported; convert it to unsigned 8 or 16 bits, or to floating point");
}

// What follows the header's first bytes may be anything, or not there yet.
TEST(ImageHeaderTest, EveryBeginningOfAFileIsReadWithoutHarm) {
  std::vector<std::string> files{heif("avif"), tiff(true, false, {{256, 5}, {257, 6}}), tiff(false, true, {{256, 5}})};
  for (const auto* ending : {".png", ".jpg", ".tiff", ".webp", ".pam", ".pfm", ".jp2", ".hdr", ".ras", ".bmp"})
    files.push_back(encoded_as(
        ending, noise(40, 36, std::string(ending) == ".pfm" || std::string(ending) == ".hdr" ? CV_32FC3 : CV_8UC3)));
  for (const auto& file : files)
    for (std::size_t size = 0; size <= file.size(); size += size < 1000 ? 1 : 97) {
      const auto header = header_of(file.substr(0, size));
      EXPECT_GE(header.to_show(), 0) << size;
      EXPECT_TRUE(size < 16 || !header.format.empty()) << size;
    }
}

TEST(ImageHeaderTest, OfAFileThatIsNotThereNothingIsKnown) {
  const TemporaryFolder folder;
  ImageBytes none(folder.path() / "none.png");
  EXPECT_FALSE(image_header(none).known());
}

}  // namespace
}  // namespace app::capture
