#include <opencv2/imgcodecs.hpp>

#include <fstream>

#include "app/capture/convert.h"
#include "app/capture/image_file.h"
#include "app/capture/local_file.h"
#include "app/capture/quiet.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/console.h"

namespace app::capture {
namespace {

// JPEG has neither alpha nor more than 8 bits, but it has EXIF data, which imread obeys only when it converts.
bool is_jpeg(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // to open a pipe would block
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0xff && file.get() == 0xd8;
}

// Whether a JPEG ends before its end marker: the decoder fills what is missing with gray and says nothing. Segments are
// walked by their lengths, since thumbnails among them have end markers of their own; behind the first scan's header
// FF D9 is the end (ISO/IEC 10918-1, B.1.1).
bool is_truncated(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  constexpr unsigned marker = 0xff, start_of_scan = 0xda;
  std::size_t i = 2;
  while (at(i) == marker && at(i + 1) != start_of_scan) i += at(i + 1) == marker ? 1 : 2 + (at(i + 2) << 8 | at(i + 3));
  return bytes.find("\xff\xd9", i) == bytes.npos;
}

std::string what_is_special(const cv::Mat& picture) {
  std::string note;
  const auto add = [&note](const char* text) { note += (note.empty() ? "" : ", ") + std::string(text); };
  switch (picture.depth()) {
    case CV_8U: break;
    case CV_16U:
    case CV_16S: add("16-bit"); break;
    case CV_32S: add("32-bit"); break;
    default: add("floating point");
  }
  if (picture.channels() <= 2) add("gray");
  if (picture.channels() % 2 == 0) add("alpha over a checkerboard");
  return note;
}

// Delivers its picture once; the Feed keeps it.
class ImageSource : public Source {
 public:
  ImageSource(const Request& request, ImageFile file)
      : name_(describe_source(request)), page_locked_(request.page_locked), bgr_(std::move(file.bgr)) {
    info_.kind = SourceKind::image;
    info_.no_seek = "an image is a single picture";
    info_.size = {bgr_.cols, bgr_.rows};
    info_.name = one_line(local_path(request.source).filename().string());
    info_.description = describe(info_.name, info_.size, 0);
    info_.message = why_other_size(request.size, info_.size, "the file");
    if (!info_.message.empty()) info_.warning = name_ + ": " + info_.message;
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

}  // namespace

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

cv::Mat decode_unchanged(const std::filesystem::path& path) {
  quiet_libraries();
  check_readable(path, Sought::image);
  const std::string name = "'" + one_line(path.string()) + "'";
  if (!is_image(path))
    throw SourceError(name +
                      (looks_like_text(path) ? " holds text, not an image; " : " is not an image that can be read; ") +
                      "convert it to PNG or JPEG");
  cv::Mat picture;
  std::string cause;
  const SilentStderr silent;
  try {
    picture = cv::imread(path.string(), is_jpeg(path) ? cv::IMREAD_ANYCOLOR : cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& error) {
    cause = one_line(error.err);
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
  }
  if (picture.empty())
    throw SourceError(name + " is damaged or too large to be decoded" + (cause.empty() ? "" : " (" + cause + ")") +
                      "; try another copy, or a smaller one");
  if (is_jpeg(path) && is_truncated(path)) throw SourceError(name + " is damaged: it is truncated; try another copy");
  return picture;
}

ImageFile read_image(const std::filesystem::path& path) {
  const auto picture = decode_unchanged(path);
  return {to_bgr(picture, "'" + one_line(path.string()) + "'"), what_is_special(picture)};
}

bool owns_image(const Request& request) { return !is_url(request.source) && is_image(local_path(request.source)); }

std::unique_ptr<Source> open_image(const Request& request, const Opening&) {
  return std::make_unique<ImageSource>(request, read_image(local_path(request.source)));
}

}  // namespace app::capture
