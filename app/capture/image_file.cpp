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
#include <mutex>
#include <utility>

extern "C" {
#include <libavutil/log.h>
}
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/convert.h"
#include "app/capture/image_header.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/address.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

// A limit of OpenCV's, in pixels, unless the environment has another: `variable`, which its errors name without the first letters.
struct LimitOfOpenCV {
  const char* variable;
  std::uint64_t usual;
  const char* lifted;  // more than there is memory for: what is decoded is bounded by check_memory()
  double (*value)(const ImageHeader&);

  const char* chosen() const { return std::getenv(variable); }
};
constexpr LimitOfOpenCV limits_of_opencv[] = {
    {"OPENCV_IO_MAX_IMAGE_PIXELS", 1 << 30, "70368744177664", [](auto& header) { return header.pixels(); }},
    {"OPENCV_IO_MAX_IMAGE_WIDTH", 1 << 20, "2147483647", [](auto& header) { return static_cast<double>(header.width); }},
    {"OPENCV_IO_MAX_IMAGE_HEIGHT", 1 << 20, "2147483647", [](auto& header) { return static_cast<double>(header.height); }}};

// Which of them OpenCV's error is about, and the next step, as the rest of a sentence; empty: none.
std::string why_beyond_limit(std::string_view cause) {
  const auto* limit = std::ranges::find_if(
      limits_of_opencv, [&](const auto& one) { return cause.find(std::string_view(one.variable).substr(4)) != cause.npos; });
  if (limit == std::end(limits_of_opencv)) return {};
  const std::string variable(limit->variable);
  return ": more than OpenCV decodes: start satscope with " + variable + " set to more, or make the picture smaller";
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
  std::uint64_t beyond = 0;
  for (int y = 0; y < picture.rows; ++y) {
    cv::Mat_<double> row;
    picture.row(y).reshape(1).convertTo(row, CV_64F);
    beyond += static_cast<std::uint64_t>(
        std::ranges::count_if(row, [](double value) { return !(value >= -rounding && value <= 1 + rounding); }));
  }
  if (beyond == 0) return {};
  return name + ": 0 is black and 1 is white: " + grouped(beyond) + " of " +
         counted(picture.total() * static_cast<std::size_t>(picture.channels()), "value") +
         " lie beyond, or are NaN, and are cut (NaN to black); scale them to 0 to 1, or replace them";
}

// Where a texture is too small for it. The line says so; `sat` and `apply` compute with the whole picture.
void scale_to(int largest_side, ImageFile& file, const std::string& name) {
  const gpu::Size whole{file.pixels.cols, file.pixels.rows};
  const int side = std::max(whole.width, whole.height);
  if (largest_side <= 0 || side <= largest_side) return;
  const double scale = static_cast<double>(largest_side) / side;
  const auto scaled = [scale](int of) { return std::max(1, static_cast<int>(std::lround(of * scale))); };
  const gpu::Size size{scaled(whole.width), scaled(whole.height)};
  cv::Mat smaller;
  cv::resize(file.pixels, smaller, {size.width, size.height}, 0, 0, cv::INTER_AREA);
  file.pixels = std::move(smaller);
  file.warning += (file.warning.empty() ? "" : "; ") + name + " is " + text_of(whole) + ", and is scaled to " +
                  text_of(size) + ": a texture here has at most " + std::to_string(largest_side) +
                  " pixels per side; satscope sat, apply and detect take all of it";
}

// Delivers its picture once; the Feed keeps it.
class ImageSource : public Source {
 public:
  ImageSource(const Request& request, ImageFile file)
      : name_(describe_source(request)), page_locked_(request.page_locked), pixels_(std::move(file.pixels)) {
    info_.kind = SourceKind::image;
    info_.gray = file.gray;
    info_.no_seek = "an image is a single picture";
    info_.size = {pixels_.cols, pixels_.rows};
    info_.name = one_line(is_url(request.source) ? shown_address(request.source)
                                                 : local_path(request.source).filename().string());
    info_.description = describe(info_.name, info_.size, 0);
    info_.message = why_other_size(request.size, info_.size, "the file");
    if (!info_.message.empty()) info_.warning = name_ + ": " + info_.message;
    if (!file.warning.empty()) info_.warning += (info_.warning.empty() ? "" : "; ") + file.warning;
    if (!file.note.empty()) info_.description += ", " + file.note;
  }
  Read read(Frame& frame, std::stop_token) override {
    store(pixels_, frame, page_locked_, name_);
    frame.position = 0;
    pixels_.release();
    return Read::still;
  }
  SourceInfo info() const override { return info_; }

 private:
  std::string name_;
  bool page_locked_;
  cv::Mat pixels_;
  SourceInfo info_;
};

// The picture of a file that only the decoder of videos reads: AVIF, GIF and TGA among others.
cv::Mat only_picture(const std::filesystem::path& path, const std::string& name, std::uint64_t memory) {
  Request request;
  request.source = path.string();
  request.no_camera = true;
  request.memory = memory;
  request.largest_side = 0;
  const SilentStderr silent;
  const auto source = open_video(request, {});
  Frame first, second;
  if (source->read(first, {}) == Source::Read::end)
    throw SourceError(name + " holds no picture that can be decoded; convert it to PNG or JPEG");
  // A decoder may give less than the file says that it has: FFmpeg 7 takes pictures of a GIF without times for parts of the first.
  const auto announced = source->info().length * source->info().fps;
  if (source->read(second, {}) != Source::Read::end || announced > 1.5)
    throw SourceError(name + " has more than one picture; save the one that is meant as PNG or JPEG");
  return as_mat(first).clone();
}

std::string what_it_is(const ImageHeader& header) {
  constexpr int bits_per_byte = 8;
  const auto depth = std::to_string(header.bytes * bits_per_byte) + "-bit ";
  const char* const colours = header.channels == 1 ? "gray" : header.channels == 4 ? "colour with alpha" : "colour";
  return std::to_string(header.width) + "x" + std::to_string(header.height) + ", " + (header.bytes > 1 ? depth : "") +
         colours;
}

// A small file may announce a picture that takes gigabytes to decode. One whose size cannot be known may be such a file.
void check_header(const ImageHeader& header, std::uint64_t memory, const std::string& name, bool shown) {
  if (header.known()) return check_memory(shown ? header.to_show() : header.to_gray(), memory, name, what_it_is(header));
  throw SourceError(
      name + (header.format.empty() ? "" : " is a " + std::string(header.format)) +
      ": the size of its picture cannot be read: the file may be damaged. Try another copy, or convert it to PNG");
}

cv::Mat decode(const std::filesystem::path& path, const std::string& name, std::uint64_t memory, bool shown) {
  quiet_libraries();
  check_readable(path, Sought::image);
  if (!is_image(path) && looks_like_text(path))
    throw SourceError(name + " holds text, not an image; convert it to PNG or JPEG");
  if (!is_image(path)) return only_picture(path, name, memory);
  ImageBytes file(path);
  const auto header = image_header(file);
  check_header(header, memory, name, shown);
  cv::Mat picture;
  std::string cause;
  const SilentStderr silent;
  try {
    picture = cv::imread(path.string(), is_jpeg(file) ? cv::IMREAD_ANYCOLOR : cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& error) {
    cause = one_line(error.err);
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
  }
  if (const auto what = picture.empty() ? what_is_not_read(file) : ""; !what.empty()) throw SourceError(name + what);
  if (const auto why = why_beyond_limit(cause); !why.empty()) throw SourceError(name + " is " + what_it_is(header) + why);
  if (picture.empty())
    throw SourceError(name + " is damaged or too large to be decoded" + (cause.empty() ? "" : " (" + cause + ")") +
                      "; try another copy, or a smaller one");
  if (is_jpeg(file) && is_truncated_jpeg(file)) throw SourceError(name + " is damaged: it is truncated; try another copy");
  check_size({picture.cols, picture.rows}, name, 0);
  return picture;
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

cv::Mat decode_unchanged(const std::filesystem::path& path, std::string name, std::uint64_t memory) {
  return decode(path, name.empty() ? in_quotes(path.string()) : name, memory, false);
}

ImageFile read_image(const std::filesystem::path& path, std::string name, std::uint64_t memory) {
  if (name.empty()) name = in_quotes(path.string());
  const auto picture = decode(path, name, memory, true);
  return {picture.depth() == CV_16U ? picture : to_bgr(picture, name), what_is_special(picture), what_is_cut(picture, name),
          picture.channels() == 1};
}

bool owns_image(const Request& request) { return !is_url(request.source) && is_image(local_path(request.source)); }

namespace {

std::unique_ptr<Source> image_source(const Request& request, const std::filesystem::path& path, const std::string& name) {
  auto file = read_image(path, name, request.memory);
  scale_to(request.largest_side, file, name.empty() ? in_quotes(path.string()) : name);
  return std::make_unique<ImageSource>(request, std::move(file));
}

}  // namespace

std::unique_ptr<Source> open_image(const Request& request, const Opening&) {
  return image_source(request, local_path(request.source), {});
}

MemoryFile::MemoryFile()
    : descriptor_(::memfd_create("satscope-picture", MFD_CLOEXEC)), error_(descriptor_ < 0 ? errno : 0) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MemoryFile::append(std::string_view bytes) {
  if (error_ != 0) return;
  int error = 0;
  const auto written = write_bytes(descriptor_, bytes, error);
  size_ += written;
  if (written < bytes.size()) error_ = error;
}

std::string MemoryFile::problem() const { return error_ == 0 ? "" : std::generic_category().message(error_); }

std::filesystem::path MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

bool check_received(const Request& request, const MemoryFile& file) {
  const auto name = describe_source(request);
  if (const auto why = file.problem(); !why.empty())
    throw SourceError(name + " cannot be kept in memory: " + why + "; download it, and name its file");
  ImageBytes bytes(file.path());
  const auto header = image_header(bytes);
  const auto kept = static_cast<double>(file.size());
  check_memory(kept + (header.known() ? header.to_show() : 0), request.memory, name,
               header.known() ? what_it_is(header) : counted(file.size(), "byte"));
  return header.known();
}

std::unique_ptr<Source> open_received_image(const Request& request, const MemoryFile& file) {
  check_received(request, file);
  return is_image(file.path()) ? image_source(request, file.path(), describe_source(request)) : nullptr;
}

cv::Mat read_gray(const std::filesystem::path& path, std::uint64_t memory) {
  auto picture = decode_unchanged(path, {}, memory);
  const int depth = picture.depth();
  if (depth != CV_8U && depth != CV_16U && depth != CV_32F && depth != CV_64F)
    throw SourceError(in_quotes(path.string()) +
                      " has signed integer pixels, which are not supported; convert them to floating point, as in a TIFF");
  if (picture.channels() == 1) return picture;
  cv::Mat gray;
  if (depth == CV_64F)  // which cvtColor() does not take
    cv::transform(picture, gray, cv::Matx14d(0.114, 0.587, 0.299, 0));
  else
    cv::cvtColor(picture, gray, picture.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  return gray;
}

bool exceeds_opencv(const std::string& name) {
  std::error_code error;
  if (name.empty() || is_url(name)) return false;
  const auto path = local_path(name);
  if (!std::filesystem::is_regular_file(path, error)) return false;
  ImageBytes file(path);
  const auto header = image_header(file);
  return std::ranges::any_of(limits_of_opencv, [&](const LimitOfOpenCV& limit) {
    return !limit.chosen() && limit.value(header) > static_cast<double>(limit.usual);
  });
}

void lift_limits_of_opencv() {
  for (const auto& limit : limits_of_opencv) setenv(limit.variable, limit.lifted, 0);
}

void quiet_libraries() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!std::getenv("OPENCV_LOG_LEVEL")) cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);  // AV_LOG_QUIET
    av_log_set_level(std::atoi(std::getenv("OPENCV_FFMPEG_LOGLEVEL")));
    setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1", 0);  // seconds that a read waits for a camera; 10 if unset
  });
}

}  // namespace app::capture
