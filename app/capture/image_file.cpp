#include "app/capture/image_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/convert.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/address.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

// A file's bytes, of which it reads those that are asked for; behind its end there are zeros.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& path) : file_(path, std::ios::binary) {
    std::error_code error;
    if (const auto size = std::filesystem::file_size(path, error); !error) size_ = size;
  }
  unsigned at(std::size_t i) {
    if (i >= size_) return 0;
    if (i < start_ || i >= start_ + part_.size()) read(i);
    return i - start_ < part_.size() ? static_cast<unsigned char>(part_[i - start_]) : 0u;
  }
  // Numbers of `count` bytes; the highest byte is the first, or the last.
  unsigned big(std::size_t at_byte, int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | at(at_byte + static_cast<std::size_t>(i));
    return value;
  }
  unsigned little(std::size_t at_byte, int count) {
    unsigned value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | at(at_byte + static_cast<std::size_t>(i));
    return value;
  }
  bool has(std::size_t at_byte, std::string_view text) {
    return std::ranges::all_of(text, [&](char c) { return at(at_byte++) == static_cast<unsigned char>(c); });
  }
  std::size_t find(std::string_view text, std::size_t from) {
    for (; from + text.size() <= size_; ++from)
      if (has(from, text)) return from;
    return std::string::npos;
  }

 private:
  void read(std::size_t from) {
    constexpr std::size_t most = 4096;
    part_.resize(most);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(from));
    file_.read(part_.data(), most);
    part_.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file_.gcount())));
    start_ = from;
  }

  std::ifstream file_;
  std::size_t size_ = 0, start_ = 0;  // start_: where part_ is
  std::string part_;
};

// JPEG's segments are walked by their lengths, since thumbnails among them have markers of their own (ISO/IEC 10918-1, B.1.1):
// the first from the file's start that `wanted` accepts, or the end.
template <class Wanted>
std::size_t jpeg_segment(Bytes& file, Wanted&& wanted) {
  constexpr unsigned marker = 0xff;
  std::size_t i = 2;
  while (file.at(i) == marker && !wanted(file.at(i + 1))) i += file.at(i + 1) == marker ? 1 : 2 + file.big(i + 2, 2);
  return i;
}

struct Sides {
  std::int64_t width = 0, height = 0;
};

bool is_tiff(Bytes& file) { return file.has(0, "II*") || file.has(0, "MM"); }

Sides jpeg_sides(Bytes& file) {
  const auto i = jpeg_segment(file, [](unsigned code) {  // a frame header, or a scan: there is none then
    return code == 0xda || (code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc);
  });
  return {file.big(i + 7, 2), file.big(i + 5, 2)};
}

// What a TIFF says of its first picture; of fields with several values, the first one.
struct TiffHead {
  Sides sides;
  unsigned bits = 1, format = 1;  // of each number; format: unsigned_number...
};
TiffHead tiff_head(Bytes& file) {
  const bool little = file.at(0) == 'I';
  const auto number = [&](std::size_t at, int count) { return little ? file.little(at, count) : file.big(at, count); };
  constexpr unsigned width = 256, height = 257, bits_per_sample = 258, sample_format = 339, of_two_bytes = 3;
  TiffHead head;
  const std::size_t directory = number(4, 4);
  for (unsigned i = 0; i < number(directory, 2); ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    const bool is_short = number(entry + 2, 2) == of_two_bytes;
    const bool elsewhere = is_short && number(entry + 4, 4) > 2;
    const auto value = number(elsewhere ? number(entry + 8, 4) : entry + 8, is_short ? 2 : 4);
    switch (number(entry, 2)) {
      case width: head.sides.width = value; break;
      case height: head.sides.height = value; break;
      case bits_per_sample: head.bits = value; break;
      case sample_format: head.format = value; break;
      default: break;
    }
  }
  return head;
}

bool is_webp(Bytes& file) { return file.has(0, "RIFF") && file.has(8, "WEBP"); }

// What an intact file has that the decoder does not read, as the rest of a sentence; empty: nothing that is known.
std::string what_is_not_read(const std::filesystem::path& path) {
  Bytes file(path);
  constexpr unsigned animated = 2;
  if (is_webp(file) && file.has(12, "VP8X") && (file.at(20) & animated))
    return " is an animated WebP, which is not read; convert it to GIF or MP4";
  if (!is_tiff(file)) return {};
  const auto head = tiff_head(file);
  constexpr unsigned with_sign = 2, floating = 3;
  if (head.format >= floating || (head.bits <= 16 && head.format != with_sign)) return {};
  return " has " + std::to_string(head.bits) + "-bit integers" + (head.format == with_sign ? " with a sign" : "") +
         ", which are not read; convert it to 8 or 16 bits without a sign, or to floating point";
}

Sides webp_sides(Bytes& file) {
  if (file.has(12, "VP8X")) return {file.little(24, 3) + 1, file.little(27, 3) + 1};
  if (file.has(12, "VP8L")) return {(file.little(21, 4) & 0x3fff) + 1, (file.little(21, 4) >> 14 & 0x3fff) + 1};
  return {file.little(26, 2) & 0x3fff, file.little(28, 2) & 0x3fff};
}

// As the head of the file announces them; zeros for formats that hold no more pixels than bytes, or few more.
Sides announced_sides(Bytes& file) {
  if (file.has(0, "\x89PNG")) return {file.big(16, 4), file.big(20, 4)};
  if (file.has(0, "\xff\xd8")) return jpeg_sides(file);
  if (is_tiff(file)) return tiff_head(file).sides;
  if (is_webp(file)) return webp_sides(file);
  if (file.has(0, "BM")) return {file.little(18, 4), std::abs(static_cast<std::int32_t>(file.little(22, 4)))};
  if (file.has(0, "\xff\x4f\xff\x51")) return {file.big(8, 4), file.big(12, 4)};  // JPEG 2000
  if (file.has(4, "jP  "))
    if (const auto header = file.find("ihdr", 0); header != std::string::npos)
      return {file.big(header + 8, 4), file.big(header + 4, 4)};
  return {};
}

// A small file may announce a picture that takes gigabytes to decode.
void check_announced_size(const std::filesystem::path& path, const std::string& name) {
  Bytes file(path);
  const auto sides = announced_sides(file);
  const auto side = [](std::int64_t value) { return static_cast<int>(std::min<std::int64_t>(value, INT_MAX)); };
  if (sides.width > 0 && sides.height > 0) check_size({side(sides.width), side(sides.height)}, name);
}

// JPEG has neither alpha nor more than 8 bits, but it has EXIF data, which imread obeys only when it converts.
bool is_jpeg(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // to open a pipe would block
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0xff && file.get() == 0xd8;
}

// Whether a JPEG ends before its end marker: the decoder fills what is missing with gray and says nothing. Behind the first
// scan's header FF D9 is the end.
bool is_truncated(const std::filesystem::path& path) {
  Bytes file(path);
  return file.find("\xff\xd9", jpeg_segment(file, [](unsigned code) { return code == 0xda; })) == std::string::npos;
}

std::string what_is_special(const cv::Mat& picture) {
  std::string note;
  const auto add = [&note](const char* text) { note += (note.empty() ? "" : ", ") + std::string(text); };
  switch (picture.depth()) {
    case CV_8U: break;
    case CV_16U: add("16-bit"); break;
    default: add("floating point");
  }
  if (picture.channels() <= 2) add("gray");
  if (picture.channels() % 2 == 0) add("alpha over a checkerboard");
  return note;
}

// What cannot be seen of floating-point values, as to_bgr() shows them: one line that begins with `name`; empty: nothing.
std::string what_is_cut(const cv::Mat& picture, const std::string& name) {
  if (picture.depth() != CV_32F && picture.depth() != CV_64F) return {};
  constexpr double rounding = 0.5 / 255;  // to a level of gray
  std::uint64_t beyond = 0, without_number = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int y = 0; y < picture.rows; ++y) {
    cv::Mat_<double> row;
    picture.row(y).reshape(1).convertTo(row, CV_64F);
    for (const double value : row) {
      without_number += std::isnan(value);
      beyond += value < -rounding || value > 1 + rounding;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  const auto of_all = " of " + counted(picture.total() * static_cast<std::size_t>(picture.channels()), "value");
  std::string line;
  if (beyond > 0) {
    char range[64];
    std::snprintf(range, sizeof range, "from %.4g to %.4g", least, most);
    line = name + ": 0 is black and 1 is white: " + grouped(beyond) + of_all + ", which go " + range +
           ", are cut; scale them to 0 to 1";
  }
  if (without_number > 0)
    line += (line.empty() ? name + ": " : "; ") + grouped(without_number) + of_all +
            " are NaN and become black; replace them";
  return line;
}

// Delivers its picture once; the Feed keeps it.
class ImageSource : public Source {
 public:
  ImageSource(const Request& request, ImageFile file)
      : name_(describe_source(request)), page_locked_(request.page_locked), bgr_(std::move(file.bgr)) {
    info_.kind = SourceKind::image;
    info_.no_seek = "an image is a single picture";
    info_.size = {bgr_.cols, bgr_.rows};
    info_.name = one_line(is_url(request.source) ? shown_address(request.source)
                                                 : local_path(request.source).filename().string());
    info_.description = describe(info_.name, info_.size, 0);
    info_.message = why_other_size(request.size, info_.size, "the file");
    if (!info_.message.empty()) info_.warning = name_ + ": " + info_.message;
    if (!file.warning.empty()) info_.warning += (info_.warning.empty() ? "" : "; ") + file.warning;
    if (!file.note.empty()) info_.description += ", " + file.note;
  }
  Read read(Frame& frame, std::stop_token) override {
    store(bgr_, frame, page_locked_, name_);
    frame.position = 0;
    bgr_.release();
    return Read::still;
  }
  SourceInfo info() const override { return info_; }

 private:
  std::string name_;
  bool page_locked_;
  cv::Mat bgr_;
  SourceInfo info_;
};

// Of what only the decoder of videos reads: AVIF, GIF and TGA among others.
cv::Mat only_picture(const std::filesystem::path& path, const std::string& name) {
  Request request;
  request.source = path.string();
  request.no_camera = true;
  const SilentStderr silent;
  const auto source = open_video(request, {});
  Frame first, second;
  if (source->read(first, {}) == Source::Read::end)
    throw SourceError(name + " holds no picture that can be decoded; convert it to PNG or JPEG");
  if (source->read(second, {}) != Source::Read::end)
    throw SourceError(name + " has more than one picture; save the one that is meant as PNG or JPEG");
  return as_mat(first).clone();
}

}  // namespace

std::filesystem::path image_path(const std::string& name) {
  if (is_url(name)) throw SourceError(in_quotes(name) + " is not on this machine; download the image, and name its file");
  return local_path(name);
}

bool is_image(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  quiet_libraries();
  const SilentStderr silent;
  try {
    return cv::haveImageReader(path.string());
  } catch (const cv::Exception&) {
    return false;
  }
}

cv::Mat decode_unchanged(const std::filesystem::path& path, std::string name) {
  quiet_libraries();
  check_readable(path, Sought::image);
  if (name.empty()) name = in_quotes(path.string());
  if (!is_image(path) && looks_like_text(path))
    throw SourceError(name + " holds text, not an image; convert it to PNG or JPEG");
  if (!is_image(path)) return only_picture(path, name);
  check_announced_size(path, name);
  cv::Mat picture;
  std::string cause;
  const SilentStderr silent;
  try {
    picture = cv::imread(path.string(), is_jpeg(path) ? cv::IMREAD_ANYCOLOR : cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& error) {
    cause = one_line(error.err);
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
  }
  if (const auto what = picture.empty() ? what_is_not_read(path) : ""; !what.empty()) throw SourceError(name + what);
  if (cause.find("CV_IO_MAX_IMAGE") != std::string::npos)  // OpenCV's bound, by the name of a variable
    throw SourceError(name + " has more pixels than are decoded; try a smaller one");
  if (picture.empty())
    throw SourceError(name + " is damaged or too large to be decoded" + (cause.empty() ? "" : " (" + cause + ")") +
                      "; try another copy, or a smaller one");
  if (is_jpeg(path) && is_truncated(path)) throw SourceError(name + " is damaged: it is truncated; try another copy");
  check_size({picture.cols, picture.rows}, name);
  return picture;
}

ImageFile read_image(const std::filesystem::path& path, std::string name) {
  if (name.empty()) name = in_quotes(path.string());
  const auto picture = decode_unchanged(path, name);
  return {to_bgr(picture, name), what_is_special(picture), what_is_cut(picture, name)};
}

bool owns_image(const Request& request) { return !is_url(request.source) && is_image(local_path(request.source)); }

std::unique_ptr<Source> open_image(const Request& request, const Opening&) {
  return std::make_unique<ImageSource>(request, read_image(local_path(request.source)));
}

// The decoders take files: one in memory.
std::unique_ptr<Source> open_image_bytes(const Request& request, std::string_view bytes) {
  struct File {
    int descriptor = ::memfd_create("satscope-picture", MFD_CLOEXEC), error = errno;
    ~File() {
      if (descriptor >= 0) ::close(descriptor);
    }
  } file;
  const auto name = describe_source(request);
  if (file.descriptor < 0 || write_bytes(file.descriptor, bytes, file.error) < bytes.size())
    throw SourceError(name + " cannot be kept in memory: " + std::generic_category().message(file.error) +
                      "; download it, and name its file");
  const auto path = "/proc/self/fd/" + std::to_string(file.descriptor);
  return is_image(path) ? std::make_unique<ImageSource>(request, read_image(path, name)) : nullptr;
}

cv::Mat read_gray(const std::filesystem::path& path) {
  auto picture = decode_unchanged(path);
  const int depth = picture.depth();
  if (depth != CV_8U && depth != CV_16U && depth != CV_32F && depth != CV_64F)
    throw SourceError(
        in_quotes(path.string()) +
        " has signed whole numbers as pixels, of which no table is made; convert them to floating point, as in a TIFF");
  if (picture.channels() == 1) return picture;
  cv::Mat gray;
  if (depth == CV_64F)  // which cvtColor() does not take
    cv::transform(picture, gray, cv::Matx14d(0.114, 0.587, 0.299, 0));
  else
    cv::cvtColor(picture, gray, picture.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  return gray;
}

void quiet_libraries() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!std::getenv("OPENCV_LOG_LEVEL")) cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);            // AV_LOG_QUIET
    setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1", 0);  // seconds that a read waits for a camera; 10 if unset
  });
}

}  // namespace app::capture
