// Video files and streams, by FFmpeg through OpenCV.
#include <strings.h>

#include <opencv2/videoio.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "app/capture/convert.h"
#include "app/capture/image_file.h"
#include "app/capture/local_file.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/capture/stream_diagnosis.h"
#include "app/capture/video_reader.h"
#include "app/support/text_table.h"

namespace app::capture {
namespace {

constexpr int timeout_ms = 5000;  // of a stream, to answer and to deliver

using Clock = std::chrono::steady_clock;
bool timed_out(Clock::duration waited) { return waited > std::chrono::milliseconds(timeout_ms - 200); }

bool open(cv::VideoCapture& capture, const std::string& address) {
  // A disk that sleeps, and a program that is stopped, may take any time: a file has no end before its end.
  const int limit_ms = is_url(address) ? timeout_ms : std::numeric_limits<int>::max();
  return capture.open(address, cv::CAP_FFMPEG,
                      {cv::CAP_PROP_OPEN_TIMEOUT_MSEC, limit_ms, cv::CAP_PROP_READ_TIMEOUT_MSEC, limit_ms,
                       // Decoding by the GPU would deliver other pixels on other machines, and its drivers print.
                       cv::CAP_PROP_HW_ACCELERATION, cv::VIDEO_ACCELERATION_NONE});
}

// What the library opens: it knows schemes in small letters only.
std::string address_of(const std::string& source) {
  if (!is_url(source)) return local_path(source).string();
  auto address = source;
  const auto end = address.begin() + static_cast<std::ptrdiff_t>(scheme_of(source).size());
  std::transform(address.begin(), end, address.begin(), [](unsigned char c) { return std::tolower(c); });
  return address;
}

// A file that is not there may be an address with a mistyped scheme: "rtsp//camera", "http:/camera", "rtsp:camera". Behind
// one slash it is in a folder: "http/a.mp4".
void check_scheme(const std::string& source) {
  std::error_code error;
  if (std::filesystem::exists(local_path(source), error)) return;
  for (const std::string scheme : {"rtsps", "rtsp", "https", "http", "rtmp", "udp"}) {
    const auto rest = source.substr(std::min(source.size(), scheme.size()));
    const bool mistyped = rest.starts_with(':') || rest.starts_with(';') || rest.starts_with("//");
    if (::strncasecmp(source.c_str(), scheme.c_str(), scheme.size()) != 0 || !mistyped) continue;
    throw SourceError(in_quotes(source) + " is no address; write " + scheme + "://HOST/PATH");
  }
}

[[noreturn]] void refuse_file(const std::filesystem::path& path) {
  const std::string name = in_quotes(path.string());
  if (looks_like_text(path)) throw SourceError(name + " holds text, not a video; name a video, an image, a camera or a URL");
  throw SourceError(name +
                    " is not a video or image that can be decoded, or it is truncated; try another copy, or "
                    "convert it with ffmpeg");
}

[[noreturn]] void refuse_stream(const std::string& name, const std::string& url, Clock::duration waited) {
  if (timed_out(waited))
    throw SourceError(name + " did not answer within " + std::to_string(timeout_ms / 1000) +
                      " s; check the address, and that the camera is on");
  throw SourceError(name + " " + one_line(why_stream_failed(url)));
}

// Its code is MJPG or, where the container has none, begins as the codec's name does.
bool is_motion_jpeg(const cv::VideoCapture& capture) {
  auto code = four_letters(capture.get(cv::CAP_PROP_FOURCC));
  std::ranges::transform(code, code.begin(), [](unsigned char c) { return std::tolower(c); });
  return code.starts_with("mjp");
}

class VideoSource : public Source {
 public:
  VideoSource(const Request& request, cv::VideoCapture capture, Devices::Hold hold)
      : hold_(std::move(hold)),
        address_(address_of(request.source)),
        name_(describe_source(request)),
        page_locked_(request.page_locked),
        stream_(is_url(request.source)),
        motion_jpeg_(is_motion_jpeg(capture)),
        count_(std::max(0.0, capture.get(cv::CAP_PROP_FRAME_COUNT))) {
    const double fps = capture.get(cv::CAP_PROP_FPS);
    info_.kind = SourceKind::video;
    // A single picture in a container (a GIF of one, cover art) reports rates of 90000/s and the like.
    info_.fps = std::isfinite(fps) && fps > 0 && fps <= 1000 ? fps : 0;
    info_.length = info_.fps > 0 && count_ > 0 ? count_ / info_.fps : 0;
    info_.live = stream_ && info_.length == 0;
    // Motion JPEG has no times: the library reports 25/s whatever comes.
    if (info_.live && motion_jpeg_) info_.fps = 0;
    info_.no_seek = info_.live ? "a live stream has no other place to go to" : "";
    if (info_.live)
      info_.device = address_;
    else
      hold_.reset();
    set_size(
        {static_cast<int>(capture.get(cv::CAP_PROP_FRAME_WIDTH)), static_cast<int>(capture.get(cv::CAP_PROP_FRAME_HEIGHT))});
    const auto* const giver = stream_ ? "the stream" : "the file";
    info_.message = why_other_size(request.size, info_.size, giver);
    if (const auto rate = why_other_rate(request.fps, info_.fps, giver); !rate.empty())
      info_.message += (info_.message.empty() ? "" : "; ") + rate;
    if (!info_.message.empty()) info_.warning = name_ + ": " + info_.message;
    reader_.emplace(std::move(capture), info_.fps, count_,
                    [address = address_](cv::VideoCapture& again) { return open(again, address); });
  }

  Read read(Frame& frame, std::stop_token) override {
    if (frame.size != info_.size) frame.resize(info_.size, page_locked_);
    cv::Mat picture = as_mat(frame);
    const auto start = Clock::now();
    if (!reader_->next(picture)) return finish(Clock::now() - start);
    store(picture, frame, page_locked_, name_);
    set_size(frame.size);
    frame.position = reader_->position();
    if (info_.live) stamp(frame);
    ++delivered_;
    return Read::frame;
  }

  void rewind() override {
    delivered_ = 0;
    sought_ = false;
    require(reader_->restart());
  }
  void seek(double seconds, std::stop_token stop) override {
    sought_ = true;
    require(reader_->go_to(seconds, stop));
  }
  void step_back(double position, int count, std::stop_token stop) override {
    sought_ = true;
    require(reader_->go_back(position, count, stop));
  }

  SourceInfo info() const override { return info_; }

 private:
  void require(bool opened) const {
    if (!opened) throw SourceError(name_ + " could not be opened again; check that it is still there");
  }

  // By its arrival: the library counts a stream's positions by the rate that it guesses.
  void stamp(Frame& frame) {
    frame.captured = reader_->grabbed();
    if (!first_) first_ = frame.captured;
    frame.position = std::chrono::duration<double>(frame.captured - *first_).count();
  }

  void set_size(gpu::Size size) {
    if (size == info_.size || size.pixels() == 0) return;
    check_size(size, name_);
    info_.size = size;
    info_.name = one_line(stream_ ? address_ : std::filesystem::path(address_).filename().string());
    info_.description = describe(info_.name, size, info_.fps);
  }

  Read finish(Clock::duration waited) {
    // An image that a web server sends is a stream of one picture. A JPEG is told from a camera that stops by the server alone.
    const bool is_image = address_.starts_with("http") && delivered_ == 1 && !timed_out(waited) &&
                          (!motion_jpeg_ || serves_image(address_));
    if (info_.live && !is_image) throw SourceError(name_ + " stopped sending frames; check the camera or its network");
    if (delivered_ > 0 && !sought_ && is_truncated())
      info_.warning = name_ + " may be truncated: " + grouped(static_cast<std::uint64_t>(delivered_)) + " of the " +
                      grouped(static_cast<std::uint64_t>(count_)) +
                      " frames that it announces could be read; it is damaged or incomplete, or its sound is longer";
    return Read::end;
  }

  // Some containers' count is an estimate, from the length and the rate: a video of varying rate has fewer frames, but its
  // last one stands at the end all the same, or may. It counts as truncated if both the pictures and the time lack more than
  // a second and a twentieth of the length.
  bool is_truncated() const {
    if (info_.length <= 0) return false;
    const double least = std::max(1.0, info_.length / 20), last = info_.length - 1 / info_.fps;
    return !reader_->may_end_at(last - least) && (count_ - delivered_) / info_.fps > least;
  }

  Devices::Hold hold_;  // before reader_: given back once that is closed
  std::string address_, name_;
  bool page_locked_, stream_, motion_jpeg_;
  double count_ = 0, delivered_ = 0;  // delivered_: since the start, if it was not sought_ since
  bool sought_ = false;
  std::optional<Clock::time_point> first_;  // of a live stream: when its first picture came
  SourceInfo info_;
  std::optional<VideoReader> reader_;
};

}  // namespace

// Everything that no other kind owns: opening it reports what is wrong with it.
bool owns_video(const Request&) { return true; }

std::unique_ptr<Source> open_video(const Request& request, const Opening& opening) {
  Devices::Hold hold;
  cv::VideoCapture capture;
  if (const auto host = other_host(request.source); !host.empty())
    throw SourceError(describe_source(request) + " is a file of the host '" + one_line(host) +
                      "', not of this one; write file:///PATH, or the path alone");
  if (is_url(request.source)) {
    opening.say("connecting to " + describe_source(request));
    const auto address = address_of(request.source);
    hold = opening.claim(address);  // many cameras serve one client at a time
    const auto received = [&](std::size_t bytes) {
      opening.say("received " + grouped((bytes + 1023) / 1024) + " KB of " + describe_source(request));
    };
    if (const auto bytes = picture_from(address, opening.stop, received); !bytes.empty())
      if (auto picture = open_image_bytes(request, bytes)) return picture;
    if (opening.stop.stop_requested()) throw SourceError(describe_source(request) + " was not opened: it was interrupted");
    const auto start = Clock::now();
    if (!open(capture, address)) refuse_stream(describe_source(request), address, Clock::now() - start);
  } else {
    const std::filesystem::path path = local_path(request.source);
    check_scheme(request.source);
    check_readable(path, Sought::source);
    // FFmpeg renders text files as pictures of a terminal.
    if (!open(capture, path.string()) || four_letters(capture.get(cv::CAP_PROP_FOURCC)) == "ansi") refuse_file(path);
  }
  return std::make_unique<VideoSource>(request, std::move(capture), std::move(hold));
}

}  // namespace app::capture
