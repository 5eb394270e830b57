// Video files and streams, by FFmpeg through OpenCV.
#include "app/capture/video.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

extern "C" {
#include <libavutil/mem.h>
}
#include <opencv2/videoio.hpp>

#include "app/capture/convert.h"
#include "app/capture/image_file.h"
#include "app/capture/image_header.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/capture/stream_diagnosis.h"
#include "app/support/address.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

constexpr double tolerance = 5e-4;  // seconds: half of the coarsest time base in use, that of Matroska
constexpr double usual_fps = 25;
constexpr double first_margin = 2;              // pictures before the wanted one, where the library is sent to
constexpr std::size_t kept_bytes = 48'000'000;  // of pictures behind, for further steps back
constexpr std::size_t most_kept = 24;

// How many pictures behind are kept, besides the one that is wanted.
std::size_t kept(const cv::Mat& picture) {
  return std::min(most_kept, kept_bytes / std::max<std::size_t>(1, picture.total() * picture.elemSize()));
}

}  // namespace

VideoReader::VideoReader(cv::VideoCapture capture, double fps, double count, Opener open)
    : capture_(std::move(capture)), fps_(fps > 0 ? fps : usual_fps), count_(count), open_(std::move(open)) {}

bool VideoReader::next(cv::Mat& picture) {
  if (!ahead_.empty()) {
    auto first = std::move(ahead_.front());
    ahead_.pop_front();
    first.pixels.copyTo(picture);
    position_ = first.position;
    if (!behind_.empty()) behind_.push_back(std::move(first));  // for steps back from here
    grabbed_ = std::chrono::steady_clock::now();
    return true;
  }
  behind_.clear();
  if (!decode(picture)) return false;
  position_ = decoded_;
  return true;
}

// From some files, such as MPEG transport streams, a jump to the start leads behind it, or to no picture.
bool VideoReader::decode(cv::Mat& picture) {
  auto next = std::exchange(next_, Next::following);
  bool decoded = decode_next(picture, next);
  if (next == Next::rewound && (!decoded || decoded_ > first_ + tolerance)) {
    starts_by_jump_ = false;
    decoded = open_again();
    next = std::exchange(next_, Next::following);
    decoded = decoded && decode_next(picture, next);
  }
  if (decoded && next == Next::first) first_ = decoded_;
  return decoded;
}

bool VideoReader::decode_next(cv::Mat& picture, Next next) {
  if (!capture_.grab()) return false;
  grabbed_ = std::chrono::steady_clock::now();
  if (!capture_.retrieve(picture) || picture.empty()) return false;
  decoded_ = stamp(next == Next::placed);
  return true;
}

// A decoder that gives its last pictures has no timestamps for them: 0.
double VideoReader::stamp(bool placed) {
  const double stamp = capture_.get(cv::CAP_PROP_POS_MSEC) / 1000, number = capture_.get(cv::CAP_PROP_POS_FRAMES) - 1;
  if (placed) return std::isfinite(stamp) && (stamp > 0 || number <= 0) ? std::max(stamp, 0.0) : number / fps_;
  const bool usable = std::isfinite(stamp) && stamp > decoded_ && stamp < decoded_ + 60;
  if (usable && decoded_ >= 0 && unstamped_ == 0) longest_step_ = std::max(longest_step_, stamp - decoded_);
  unstamped_ = usable || decoded_ < 0 ? 0 : unstamped_ + 1;
  return usable ? stamp : decoded_ < 0 ? 0 : decoded_ + 1 / fps_;
}

bool VideoReader::restart() {
  behind_.clear();
  ahead_.clear();
  return start_before(0);
}

// Decoding goes on at about picture `frame`, or earlier. If a jump does not reach the start, the file is opened again.
bool VideoReader::start_before(double frame) {
  const bool jumps = count_ > 1 && (frame > 0 || (starts_by_jump_ && first_ >= 0));
  if (!jumps || !capture_.set(cv::CAP_PROP_POS_FRAMES, frame)) return open_again();
  decoded_ = position_ = -1;
  next_ = frame > 0 ? Next::placed : Next::rewound;
  return true;
}

bool VideoReader::open_again() {
  decoded_ = position_ = -1;
  next_ = Next::first;
  capture_.release();
  return open_(capture_);
}

bool VideoReader::go_to(double seconds, const std::stop_token& stop) { return find(seconds + tolerance, seconds, 1, stop); }

bool VideoReader::go_back(double position, int count, const std::stop_token& stop) {
  const auto wanted = static_cast<std::size_t>(std::max(count, 1));
  const double limit = position - tolerance;
  // What was decoded for the step before is still there.
  auto last = std::ranges::find_if(behind_, [&](const Picture& picture) { return picture.position > limit; });
  if (static_cast<std::size_t>(last - behind_.begin()) >= wanted) {
    const auto from = last - static_cast<std::ptrdiff_t>(wanted);
    if (from != behind_.begin()) {  // otherwise nothing would be left for the next step
      ahead_.insert(ahead_.begin(), std::make_move_iterator(from), std::make_move_iterator(behind_.end()));
      behind_.erase(from, behind_.end());
      return true;
    }
  }
  return find(limit, position - static_cast<double>(wanted) / fps_, wanted, stop);
}

// The last picture up to `limit` but `wanted` - 1 comes next, then those after it. Starts before `about`, and once more earlier
// where that was too late.
bool VideoReader::find(double limit, double about, std::size_t wanted, const std::stop_token& stop) {
  const double near = count_ > 0 ? std::min(std::floor(about * fps_), count_ - 1) : std::floor(about * fps_);
  std::deque<double> positions;  // of the last pictures up to `limit`
  for (double margin = first_margin;; margin *= 8) {
    const double frame = std::max(0.0, near - margin);
    behind_.clear();
    ahead_.clear();
    if (!start_before(frame)) return false;
    positions.clear();
    cv::Mat picture;
    while (!stop.stop_requested() && decode(picture)) {
      Picture found{std::exchange(picture, {}), decoded_};
      if (found.position > limit) {
        ahead_.push_back(std::move(found));
        break;
      }
      positions.push_back(found.position);
      if (positions.size() > wanted) positions.pop_front();
      behind_.push_back(std::move(found));
      if (behind_.size() > 1 + kept(behind_.back().pixels)) behind_.pop_front();
    }
    if (positions.size() >= wanted || frame <= 0 || stop.stop_requested()) break;
  }
  if (behind_.size() < positions.size()) return find(positions.front() + tolerance, positions.front(), 1, stop);
  const auto from = behind_.end() - static_cast<std::ptrdiff_t>(std::min(wanted, behind_.size()));
  ahead_.insert(ahead_.begin(), std::make_move_iterator(from), std::make_move_iterator(behind_.end()));
  behind_.erase(from, behind_.end());
  return true;
}

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

// The address that the library opens.
std::string address_of(const std::string& source) {
  return is_url(source) ? Address(source).connects() : local_path(source).string();
}

// Whatever a file or stream says of its pictures, the decoder takes no larger block at a time than a part of the budget: what it
// decodes has several. The limit is that of FFmpeg in the whole process, of the encoder of recordings, too, which takes a block per
// plane: at least there is room for one of the largest picture, 8192x8192, and what pads it.
void limit_decoder(std::uint64_t memory) {
  constexpr std::uint64_t least = std::uint64_t{128} << 20, part = 4;
  const auto block = (memory > 0 ? memory : usual_memory()) / part;
  av_max_alloc(std::clamp<std::uint64_t>(block, least, INT_MAX));
}

// A picture that only this decoder reads, before it does.
void check_picture(const std::filesystem::path& path, std::uint64_t memory) {
  ImageBytes file(path);
  const auto name = in_quotes(path.string());
  if (const auto what = what_is_not_read(file); !what.empty()) throw SourceError(name + what);
  const auto header = image_header(file);
  const auto size = std::to_string(header.width) + "x" + std::to_string(header.height);
  if (header.known()) check_memory(header.to_show(), memory, name, size);
}

[[noreturn]] void refuse_file(const std::filesystem::path& path, Sought sought) {
  const std::string name = in_quotes(path.string());
  if (looks_like_text(path))
    throw SourceError(name + " holds text, not a video; name a video, an image" +
                      (sought == Sought::source ? ", a camera or a URL" : " or a URL"));
  throw SourceError(name +
                    " is not a video or image that can be decoded, or it is truncated; try another copy, or "
                    "convert it with ffmpeg");
}

[[noreturn]] void refuse_stream(const std::string& name, const std::string& url, Clock::duration waited) {
  if (timed_out(waited))
    throw SourceError(name + " sent no video within " + std::to_string(timeout_ms / 1000) +
                      " s; check the address, and that the camera is on");
  throw SourceError(name + " " + one_line(why_stream_failed(url)));
}

// Null where it is none that is known. Throws where not all of it came, or it is damaged.
std::unique_ptr<Source> image_of(const Request& request, const SentPicture& sent) {
  const auto came = grouped(sent.file->size()), whole = counted(sent.announced, "byte");
  if (sent.late)
    throw SourceError(describe_source(request) + " comes too slowly: " + came +
                      (sent.announced > 0 ? " of its " + whole : " bytes") + " came; download it, and open the file");
  if (sent.cut())
    throw SourceError(describe_source(request) + " was cut off: " + came + " of its " + whole +
                      " came; try again, or download it and open the file");
  return open_received_image(request, *sent.file);
}

// Its code is MJPG or, where the container has none, begins as the codec's name does.
bool is_motion_jpeg(const cv::VideoCapture& capture) {
  return begins_with(four_letters(capture.get(cv::CAP_PROP_FOURCC)), "mjp");
}

class VideoSource : public Source {
 public:
  VideoSource(const Request& request, cv::VideoCapture capture, Devices::Hold hold)
      : hold_(std::move(hold)),
        request_(request),
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
    info_.no_seek = info_.live ? "a live stream cannot seek" : "";
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

  Read read(Frame& frame, std::stop_token stop) override {
    if (frame.size != info_.size) frame.resize(info_.size, page_locked_);
    cv::Mat picture = as_mat(frame);
    const auto start = Clock::now();
    if (!reader_->next(picture)) return finish(Clock::now() - start, stop);
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
    check_size(size, name_, request_.largest_side);
    check_frames(size, request_.memory, name_);
    info_.size = size;
    info_.name = one_line(stream_ ? shown_address(address_) : std::filesystem::path(address_).filename().string());
    info_.description = describe(info_.name, size, info_.fps);
  }

  Read finish(Clock::duration waited, const std::stop_token& stop) {
    if (info_.live && !was_image(timed_out(waited), stop))
      throw SourceError(name_ + (delivered_ > 0
                                     ? " stopped sending frames; check the camera or its network"
                                     : " sent no frame that can be decoded; check the format that the camera sends"));
    if (delivered_ > 0 && !sought_ && is_truncated())
      info_.warning = name_ + " may be truncated: " + grouped(static_cast<std::uint64_t>(delivered_)) + " of the " +
                      grouped(static_cast<std::uint64_t>(count_)) +
                      " frames that it announces could be read; it is damaged or incomplete, or its sound is longer";
    return Read::end;
  }

  // An image that a web server sends is a stream of one picture. A JPEG, and one of which not all came, is told from a camera
  // that stops by the server alone. Throws where not all came, or it is damaged.
  bool was_image(bool late, const std::stop_token& stop) const {
    if (!address_.starts_with("http") || delivered_ > 1) return false;
    if (delivered_ == 1 && !late && !motion_jpeg_) return true;
    if (const auto sent = picture_from(request_, address_, stop); sent.file) image_of(request_, sent);
    return delivered_ == 1 && !late && serves_image(address_);
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
  Request request_;
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
  limit_decoder(request.memory);
  if (is_url(request.source)) {
    opening.say("connecting to " + describe_source(request));
    const auto address = address_of(request.source);
    hold = opening.claim(address);  // many cameras serve one client at a time
    const auto received = [&](std::size_t bytes) {
      opening.say("received " + grouped((bytes + 1023) / 1024) + " KB of " + describe_source(request));
    };
    if (const auto sent = names_picture(address) ? picture_from(request, address, opening.stop, received) : SentPicture();
        sent.file)
      if (auto picture = image_of(request, sent)) return picture;
    if (opening.stop.stop_requested()) throw SourceError(describe_source(request) + " was not opened: it was interrupted");
    const auto start = Clock::now();
    if (!open(capture, address)) refuse_stream(describe_source(request), address, Clock::now() - start);
  } else {
    const std::filesystem::path path = local_path(request.source);
    const auto sought = request.no_camera ? Sought::pictures : Sought::source;
    check_readable(path, sought);
    check_picture(path, request.memory);
    // FFmpeg renders text files as pictures of a terminal.
    if (!open(capture, path.string()) || four_letters(capture.get(cv::CAP_PROP_FOURCC)) == "ansi") refuse_file(path, sought);
  }
  return std::make_unique<VideoSource>(request, std::move(capture), std::move(hold));
}

}  // namespace app::capture
