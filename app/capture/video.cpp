// Video files and streams, by FFmpeg.
#include "app/capture/video.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/mem.h>
#include <libswscale/swscale.h>
}

#include "app/capture/convert.h"
#include "app/capture/image_file.h"
#include "app/capture/image_header.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/capture/stream_diagnosis.h"
#include "app/support/address.h"
#include "app/support/ffmpeg.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

using ffmpeg::Owned, ffmpeg::allocated;
using Clock = std::chrono::steady_clock;

constexpr double tolerance = 5e-4;  // seconds: half of the coarsest time base in use, that of Matroska
constexpr double usual_fps = 25;
constexpr double first_margin = 2;              // pictures before the wanted one, where decoding starts
constexpr std::size_t kept_bytes = 48'000'000;  // of pictures behind, for further steps back
constexpr std::size_t most_kept = 24;

// How many pictures behind are kept, besides the one that is wanted.
std::size_t kept(const cv::Mat& picture) {
  return std::min(most_kept, kept_bytes / std::max<std::size_t>(1, picture.total() * picture.elemSize()));
}

}  // namespace

struct VideoReader::Decoder {
  Owned<AVFormatContext> format;
  Owned<AVCodecContext> codec;
  Owned<AVFrame> frame{allocated(av_frame_alloc())};
  Owned<AVPacket> packet{allocated(av_packet_alloc())};
  Owned<SwsContext> scaler;
  AVStream* stream = nullptr;

  std::int64_t start() const { return stream->start_time == AV_NOPTS_VALUE ? 0 : stream->start_time; }

  // The colours are those of BT.601, as of what the program records, whatever a file says.
  void convert(cv::Mat& picture) {
    const auto format = static_cast<AVPixelFormat>(frame->format);
    scaler.reset(allocated(sws_getCachedContext(scaler.release(), frame->width, frame->height, format, frame->width,
                                                frame->height, AV_PIX_FMT_BGR24, SWS_BICUBIC, nullptr, nullptr, nullptr)));
    const auto* matrix = av_frame_get_side_data(frame.get(), AV_FRAME_DATA_DISPLAYMATRIX);
    const double degrees = matrix ? av_display_rotation_get(reinterpret_cast<const std::int32_t*>(matrix->data)) : 0;
    const int quarters = std::isfinite(degrees) ? (4 - cvRound(degrees / 90)) % 4 : 0;
    cv::Mat turned, &pixels = quarters > 0 ? turned : picture;
    pixels.create(frame->height, frame->width, CV_8UC3);
    std::uint8_t* const planes[]{pixels.data};
    const int strides[]{static_cast<int>(pixels.step)};
    sws_scale(scaler.get(), frame->data, frame->linesize, 0, frame->height, planes, strides);
    if (quarters > 0) cv::rotate(turned, picture, quarters - 1);
  }
};

VideoReader::VideoReader(std::string address, std::chrono::milliseconds patience, std::stop_token stop)
    : address_(std::move(address)), patience_(patience), stop_(std::move(stop)), decoder_(std::make_unique<Decoder>()) {
  quiet_libraries();
}
VideoReader::~VideoReader() = default;

bool VideoReader::give_up(int error) {
  if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
  error_ = error;
  return false;
}

bool VideoReader::open() {
  auto& [format, codec, frame, packet, scaler, stream] = *decoder_;
  codec.reset();
  format.reset();  // first: a camera may serve one client
  decoded_ = position_ = -1;
  late_ = false;
  deadline_ = Clock::now() + patience_;
  auto* context = allocated(avformat_alloc_context());
  context->interrupt_callback.opaque = this;
  context->interrupt_callback.callback = [](void* self) {
    auto& reader = *static_cast<VideoReader*>(self);
    reader.late_ = reader.late_ || (reader.patience_.count() > 0 && Clock::now() > reader.deadline_);
    return reader.late_ || reader.stop_.stop_requested() ? 1 : 0;
  };
  AVDictionary* options = nullptr;
  av_dict_set(&options, "rtsp_flags", "prefer_tcp", 0);
  const int opened = avformat_open_input(&context, address_.c_str(), nullptr, &options);  // releases it where it fails
  av_dict_free(&options);
  if (opened < 0) return give_up(opened);
  format.reset(context);
  if (const int error = avformat_find_stream_info(context, nullptr); error < 0) return give_up(error);
  const AVCodec* kind = nullptr;
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, &kind, 0);
  if (index < 0) return give_up(index);
  for (unsigned i = 0; i < context->nb_streams; ++i)
    if (static_cast<int>(i) != index) context->streams[i]->discard = AVDISCARD_ALL;
  stream = context->streams[index];
  codec.reset(allocated(avcodec_alloc_context3(kind)));
  avcodec_parameters_to_context(codec.get(), stream->codecpar);
  codec->pkt_timebase = stream->time_base;
  codec->thread_count = 0;  // as many as there are processors
  if (const int error = avcodec_open2(codec.get(), kind, nullptr); error < 0) return give_up(error);
  const auto rate = stream->avg_frame_rate.num > 0 ? stream->avg_frame_rate : stream->r_frame_rate;
  const auto seconds = static_cast<double>(std::max<std::int64_t>(0, context->duration)) / AV_TIME_BASE;
  announced_ = {{codec->width, codec->height}, rate.den > 0 ? av_q2d(rate) : 0};
  announced_.count = stream->nb_frames > 0 ? static_cast<double>(stream->nb_frames) : std::round(seconds * announced_.fps);
  announced_.motion_jpeg = codec->codec_id == AV_CODEC_ID_MJPEG;
  announced_.text = codec->codec_id == AV_CODEC_ID_ANSI;
  step_ = 1 / (announced_.fps > 0 && announced_.fps <= 1000 ? announced_.fps : usual_fps);
  return true;
}

bool VideoReader::is_image() const { return decoder_->format && sends_image(decoder_->format->pb); }

bool VideoReader::next(cv::Mat& picture) {
  if (!ahead_.empty()) {
    auto first = std::move(ahead_.front());
    ahead_.pop_front();
    first.pixels.copyTo(picture);
    position_ = first.position;
    if (!behind_.empty()) behind_.push_back(std::move(first));  // for steps back from here
    return true;
  }
  behind_.clear();
  if (!decode(picture)) return false;
  position_ = decoded_;
  return true;
}

bool VideoReader::decode(cv::Mat& picture) {
  deadline_ = Clock::now() + patience_;
  if (!decoder_->codec || !receive()) return false;
  const auto stamp = decoder_->frame->best_effort_timestamp;
  const double seconds = static_cast<double>(stamp - decoder_->start()) * av_q2d(decoder_->stream->time_base);
  const bool usable = stamp != AV_NOPTS_VALUE && (decoded_ < 0 || (seconds > decoded_ && seconds < decoded_ + 60));
  decoded_ = std::max(usable ? seconds : decoded_ < 0 ? 0 : decoded_ + step_, 0.0);
  decoder_->convert(picture);
  av_frame_unref(decoder_->frame.get());
  return true;
}

// A damaged picture is left out.
bool VideoReader::receive() {
  auto& [format, codec, frame, packet, scaler, stream] = *decoder_;
  for (int result; (result = avcodec_receive_frame(codec.get(), frame.get())) != 0;) {
    if (result == AVERROR_EOF || stop_.stop_requested()) return false;
    if (result == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (result != AVERROR(EAGAIN)) continue;
    const int read = av_read_frame(format.get(), packet.get());
    if (read == AVERROR(EAGAIN)) continue;
    received_ = Clock::now();
    if (read < 0) avcodec_send_packet(codec.get(), nullptr);
    if (read >= 0 && packet->stream_index == stream->index) avcodec_send_packet(codec.get(), packet.get());
    av_packet_unref(packet.get());
  }
  return true;
}

bool VideoReader::restart() {
  behind_.clear();
  ahead_.clear();
  return start_before(0);
}

// Decoding goes on at a picture before `seconds`; 0: at the first. Where no jump leads there, the file is opened again. In
// some files, such as MPEG transport streams, a jump to the time of the start leads behind it.
bool VideoReader::start_before(double seconds) {
  if (!decoder_->codec) return open();
  const int kind = decoder_->format->iformat->flags;
  const bool by_bytes = seconds <= 0 && (kind & AVFMT_TS_DISCONT) != 0;
  const auto stamp = decoder_->start() + std::llround(seconds / av_q2d(decoder_->stream->time_base));
  const int flags = by_bytes ? AVSEEK_FLAG_BYTE : AVSEEK_FLAG_BACKWARD;
  deadline_ = Clock::now() + patience_;
  if (av_seek_frame(decoder_->format.get(), decoder_->stream->index, by_bytes ? 0 : stamp, flags) < 0) return open();
  avcodec_flush_buffers(decoder_->codec.get());
  decoded_ = position_ = -1;
  return true;
}

bool VideoReader::go_to(double seconds) { return find(seconds + tolerance, seconds, 1); }

bool VideoReader::go_back(double position, int count) {
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
  return find(limit, position - static_cast<double>(wanted) * step_, wanted);
}

// The last picture up to `limit` but `wanted` - 1 comes next, then those after it. Starts before `about`, and earlier where that
// was too late.
bool VideoReader::find(double limit, double about, std::size_t wanted) {
  const double near = announced_.count > 0 ? std::min(about, (announced_.count - 1) * step_) : about;
  std::deque<double> positions;  // of the last pictures up to `limit`
  for (double margin = first_margin * step_;; margin *= 8) {
    const double start = std::max(0.0, near - margin);
    behind_.clear();
    ahead_.clear();
    if (!start_before(start)) return false;
    positions.clear();
    cv::Mat picture;
    while (!stop_.stop_requested() && decode(picture)) {
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
    if (positions.size() >= wanted || start <= 0 || stop_.stop_requested()) break;
  }
  if (behind_.size() < positions.size()) return find(positions.front() + tolerance, positions.front(), 1);
  const auto from = behind_.end() - static_cast<std::ptrdiff_t>(std::min(wanted, behind_.size()));
  ahead_.insert(ahead_.begin(), std::make_move_iterator(from), std::make_move_iterator(behind_.end()));
  behind_.erase(from, behind_.end());
  return true;
}

namespace {

constexpr std::chrono::seconds patience{5};  // for a stream, to answer and to deliver

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

[[noreturn]] void refuse_stream(const std::string& name, const std::string& url, const VideoReader& reader) {
  if (reader.timed_out())
    throw SourceError(name + " sent no video within " + std::to_string(patience.count()) +
                      " s; check the address, and that the camera is on");
  throw SourceError(name + " " + one_line(why_stream_failed(url, reader.error())));
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

class VideoSource : public Source {
 public:
  VideoSource(const Request& request, std::unique_ptr<VideoReader> reader, Devices::Hold hold)
      : hold_(std::move(hold)),
        request_(request),
        address_(address_of(request.source)),
        name_(describe_source(request)),
        page_locked_(request.page_locked),
        stream_(is_url(request.source)),
        count_(reader->announced().count),
        reader_(std::move(reader)) {
    const auto& [size, fps, count, motion_jpeg, text] = reader_->announced();
    info_.kind = SourceKind::video;
    // A single picture in a container (a GIF of one, cover art) reports rates of 90000/s and the like.
    info_.fps = fps <= 1000 ? fps : 0;
    info_.length = info_.fps > 0 && count_ > 0 ? count_ / info_.fps : 0;
    info_.live = stream_ && info_.length == 0;
    // Motion JPEG has no times: the library reports 25/s whatever comes.
    if (info_.live && motion_jpeg) info_.fps = 0;
    info_.no_seek = info_.live ? "a live stream cannot seek" : "";
    if (info_.live)
      info_.device = address_;
    else
      hold_.reset();
    set_size({size.width, size.height});
    const auto* const giver = stream_ ? "the stream" : "the file";
    info_.message = why_other_size(request.size, info_.size, giver);
    if (const auto rate = why_other_rate(request.fps, info_.fps, giver); !rate.empty())
      info_.message += (info_.message.empty() ? "" : "; ") + rate;
    if (!info_.message.empty()) info_.warning = name_ + ": " + info_.message;
  }

  Read read(Frame& frame, std::stop_token stop) override {
    if (frame.size != info_.size) frame.resize(info_.size, page_locked_);
    cv::Mat picture = as_mat(frame);
    if (!reader_->next(picture)) return finish(stop);
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
  void seek(double seconds, std::stop_token) override {
    sought_ = true;
    require(reader_->go_to(seconds));
  }
  void step_back(double position, int count, std::stop_token) override {
    sought_ = true;
    require(reader_->go_back(position, count));
  }

  SourceInfo info() const override { return info_; }

 private:
  void require(bool opened) const {
    if (!opened) throw SourceError(name_ + " could not be opened again; check that it is still there");
  }

  // By its arrival: the library counts a stream's positions by the rate that it guesses.
  void stamp(Frame& frame) {
    frame.captured = reader_->received();
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

  Read finish(const std::stop_token& stop) {
    if (info_.live && !was_image(reader_->timed_out(), stop))
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
    if (delivered_ == 1 && !late && !reader_->announced().motion_jpeg) return true;
    if (const auto sent = picture_from(request_, address_, stop); sent.file) image_of(request_, sent);
    return delivered_ == 1 && !late && reader_->is_image();
  }

  // Some containers' count is an estimate, from the length and the rate: a video of varying rate has fewer frames, but its
  // last one stands at the end all the same. It counts as truncated if both the pictures and the time lack more than
  // a second and a twentieth of the length.
  bool is_truncated() const {
    if (info_.length <= 0) return false;
    const double least = std::max(1.0, info_.length / 20), last = info_.length - 1 / info_.fps;
    return reader_->position() < last - least && (count_ - delivered_) / info_.fps > least;
  }

  Devices::Hold hold_;  // before reader_: given back once that is closed
  Request request_;
  std::string address_, name_;
  bool page_locked_, stream_;
  double count_ = 0, delivered_ = 0;  // delivered_: since the start, if it was not sought_ since
  std::unique_ptr<VideoReader> reader_;
  bool sought_ = false;
  std::optional<Clock::time_point> first_;  // of a live stream: when its first picture came
  SourceInfo info_;
};

}  // namespace

// Everything that no other kind owns: opening it reports what is wrong with it.
bool owns_video(const Request&) { return true; }

std::unique_ptr<Source> open_video(const Request& request, const Opening& opening) {
  Devices::Hold hold;
  std::unique_ptr<VideoReader> reader;
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
    reader = std::make_unique<VideoReader>(address, patience, opening.stop);
    if (!reader->open()) refuse_stream(describe_source(request), address, *reader);
  } else {
    const std::filesystem::path path = local_path(request.source);
    const auto sought = request.no_camera ? Sought::pictures : Sought::source;
    check_readable(path, sought);
    check_picture(path, request.memory);
    // A disk that sleeps, and a program that is stopped, may take any time.
    reader = std::make_unique<VideoReader>(path.string(), std::chrono::milliseconds(), opening.stop);
    if (!reader->open() || reader->announced().text) refuse_file(path, sought);
  }
  return std::make_unique<VideoSource>(request, std::move(reader), std::move(hold));
}

}  // namespace app::capture
