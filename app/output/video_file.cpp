#include "app/output/video_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include "app/capture/image_file.h"
#include "app/support/files.h"

namespace app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

// Checks a result of FFmpeg: an errno, or a cause of FFmpeg's own, which is that the file is not what was written to it.
void check(int result) {
  if (result == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (result < 0) fail(-result < 4096 ? -result : EIO);
}

// Bytes of an open file as FFmpeg reads and writes them: at a place of its own, so that others may read the same file.
class Bytes {
 public:
  Bytes(int descriptor, bool writes) : descriptor_(descriptor) {
    constexpr int size = 1 << 18;
    auto* buffer = static_cast<unsigned char*>(av_malloc(size));
    context_ = buffer ? avio_alloc_context(buffer, size, writes, this, read, write, seek) : nullptr;
    if (context_) return;
    av_free(buffer);
    throw std::bad_alloc();
  }
  ~Bytes() {
    av_freep(&context_->buffer);  // what is in it is not written
    avio_context_free(&context_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  AVIOContext* context() { return context_; }
  std::int64_t size() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? status.st_size : 0;
  }
  std::int64_t at() const { return at_; }
  void flush() {
    avio_flush(context_);
    if (error_ != 0) fail(error_);
  }

 private:
  static int read(void* self, std::uint8_t* to, int bytes) {
    auto& file = *static_cast<Bytes*>(self);
    const auto done = ::pread(file.descriptor_, to, static_cast<std::size_t>(bytes), file.at_);
    if (done > 0) file.at_ += done;
    return done > 0 ? static_cast<int>(done) : done == 0 ? AVERROR_EOF : AVERROR(errno);
  }
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  static int write(void* self, const std::uint8_t* from, int bytes) {
#else
  static int write(void* self, std::uint8_t* from, int bytes) {
#endif
    auto& file = *static_cast<Bytes*>(self);
    for (int done = 0; done < bytes && file.error_ == 0;) {
      const auto written = ::pwrite(file.descriptor_, from + done, static_cast<std::size_t>(bytes - done), file.at_);
      if (written > 0)
        done += static_cast<int>(written), file.at_ += written;
      else if (written == 0 || errno != EINTR)
        file.error_ = written == 0 ? EIO : errno;
    }
    return file.error_ == 0 ? bytes : AVERROR(file.error_);  // FFmpeg forgets the first of several
  }
  static std::int64_t seek(void* self, std::int64_t offset, int whence) {
    auto& file = *static_cast<Bytes*>(self);
    switch (whence & ~AVSEEK_FORCE) {
      case AVSEEK_SIZE: return file.size();
      case SEEK_CUR: offset += file.at_; break;
      case SEEK_END: offset += file.size(); break;
      default: break;
    }
    return offset < 0 ? AVERROR(EINVAL) : file.at_ = offset;
  }

  int descriptor_;
  AVIOContext* context_ = nullptr;
  std::int64_t at_ = 0;
  int error_ = 0;  // of writing: the first one
};

}  // namespace

// Packets to an MP4 file.
class VideoFile::Muxer {
 public:
  using Options = std::initializer_list<std::pair<const char*, std::string>>;

  // `layout`: options of FFmpeg's muxer.
  Muxer(int descriptor, const AVCodecParameters& parameters, AVRational time_base, const Options& layout)
      : bytes_(descriptor, true), time_base_(time_base) {
    check(avformat_alloc_output_context2(&format_, nullptr, "mp4", nullptr));
    AVDictionary* options = nullptr;
    try {
      format_->pb = bytes_.context();
      format_->flags |= AVFMT_FLAG_CUSTOM_IO;
      auto* stream = avformat_new_stream(format_, nullptr);
      if (!stream) throw std::bad_alloc();
      check(avcodec_parameters_copy(stream->codecpar, &parameters));
      stream->codecpar->codec_tag = 0;  // the file's
      stream->time_base = time_base;
      for (const auto& [name, value] : layout) av_dict_set(&options, name, value.c_str(), 0);
      check(avformat_write_header(format_, &options));
      bytes_.flush();
    } catch (...) {
      av_dict_free(&options);
      avformat_free_context(format_);
      throw;
    }
    av_dict_free(&options);
  }
  ~Muxer() { avformat_free_context(format_); }
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  // Times in the time base that was given.
  void write(AVPacket& packet) {
    packet.stream_index = 0;
    packet.pos = -1;
    av_packet_rescale_ts(&packet, time_base_, format_->streams[0]->time_base);
    const int result = av_write_frame(format_, &packet);
    bytes_.flush();
    check(result);
  }
  void end() {
    const int result = av_write_trailer(format_);
    bytes_.flush();
    check(result);
  }
  std::int64_t bytes() const { return bytes_.size(); }

 private:
  Bytes bytes_;
  AVRational time_base_;
  AVFormatContext* format_ = nullptr;
};

VideoFile::VideoFile(const fs::path& target, const AVCodecContext& codec, std::chrono::milliseconds between_syncs)
    : between_syncs_(between_syncs) {
  capture::quiet_libraries();
  const std::unique_ptr<AVCodecParameters, VideoRelease> parameters(avcodec_parameters_alloc());
  if (!parameters) throw std::bad_alloc();
  check(avcodec_parameters_from_context(parameters.get(), &codec));
  descriptor_ = open_new(
      [stem = target.parent_path() / target.stem()](int number) {
        return beside(stem, ".partial" + (number > 1 ? '-' + std::to_string(number) : std::string()) + ".mp4");
      },
      path_);
  if (descriptor_ < 0) fail(errno);
  when_killed_.emplace(path_);
  try {
    muxer_ = std::make_unique<Muxer>(
        descriptor_, *parameters, codec.time_base,
        Muxer::Options{{"movflags", "empty_moov+default_base_moof"}, {"frag_duration", "250000"}});  // microseconds
  } catch (...) {
    ::close(descriptor_);
    ::unlink(path_.c_str());
    throw;
  }
  whole_bytes_ = muxer_->bytes();
}

VideoFile::~VideoFile() {
  end_with_what_is_there();
  if (descriptor_ < 0) return;
  if (const auto place = this->place(); whole_frames_ == 0 && !place.empty()) ::unlink(place.c_str());
  ::close(descriptor_);
}

fs::path VideoFile::place() const { return place_of(descriptor_, path_); }

// FFmpeg writes a fragment when the first packet of the next one comes.
void VideoFile::note_whole() {
  if (muxer_->bytes() == std::exchange(whole_bytes_, muxer_->bytes())) return;
  if (whole_frames_ == 0 && frames_ > 0) when_killed_.emplace(path_, RemovedWhenKilled::If::never);
  whole_frames_ = frames_;
  sync();
}

// A disk that is slow delays no packet: whoever encodes does not wait for it. The folder has the file's name.
void VideoFile::sync() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < between_syncs_ || !syncing_.wait(0us)) return;
  synced_ = now;
  syncing_.begin([file = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 3), folder = path_.parent_path()] {
    if (file < 0) return;
    ::fdatasync(file);
    ::close(file);
    const int names = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (names < 0) return;
    ::fsync(names);
    ::close(names);
  });
}

// Where it fails, the file ends with its last whole fragment.
template <class Step>
void VideoFile::attempt(Step step) {
  try {
    step();
  } catch (const std::exception&) {
    muxer_.reset();
    if (::ftruncate(descriptor_, whole_bytes_) != 0) fail(errno);
    throw;
  }
  note_whole();
}

void VideoFile::write(AVPacket& packet) {
  attempt([&] { muxer_->write(packet); });
  ++frames_;
}

void VideoFile::end() {
  attempt([&] { muxer_->end(); });
  muxer_.reset();
}

void VideoFile::end_with_what_is_there() noexcept {
  if (muxer_ && frames_ > 0) try {
      end();
    } catch (const std::exception&) {  // what is whole stays
    }
  muxer_.reset();
}

namespace {

// The packets of an MP4 file.
class Demuxer {
 public:
  explicit Demuxer(int descriptor) : bytes_(descriptor, false), format_(avformat_alloc_context()) {
    if (!format_) throw std::bad_alloc();
    format_->pb = bytes_.context();
    check(avformat_open_input(&format_, nullptr, av_find_input_format("mp4"), nullptr));  // releases it where it fails
    // The size of MPEG-4 part 2 is in its pictures.
    if (format_->nb_streams == 1 && avformat_find_stream_info(format_, nullptr) >= 0) return;
    avformat_close_input(&format_);
    fail(EIO);
  }
  ~Demuxer() { avformat_close_input(&format_); }
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  AVRational time_base() const { return format_->streams[0]->time_base; }
  const AVCodecParameters& parameters() const { return *format_->streams[0]->codecpar; }
  bool read(AVPacket& packet) {
    const int result = av_read_frame(format_, &packet);
    if (result != AVERROR_EOF) check(result);
    return result >= 0;
  }
  double part() const {
    return static_cast<double>(bytes_.at()) / static_cast<double>(std::max<std::int64_t>(1, bytes_.size()));
  }

 private:
  Bytes bytes_;
  AVFormatContext* format_;
};

// The bytes of an index: of its head, and of each frame its size, its place, its group's place and size, its duration and that
// it is a key, in case they are all different.
std::string room_of_index(std::uint64_t frames) { return std::to_string(4096 + frames * 40); }

}  // namespace

std::string VideoFile::put_index_first(const std::function<void(double)>& progress) {
  fs::path path;
  const int descriptor = open_new(
      [&](int number) { return beside(path_, '.' + std::to_string(::getpid()) + '-' + std::to_string(number)); }, path);
  if (descriptor < 0) return why_not_written(errno);
  const RemovedWhenKilled unfinished(path);
  try {
    Demuxer from(descriptor_);
    Muxer to(descriptor, from.parameters(), from.time_base(), {{"moov_size", room_of_index(whole_frames_)}});
    const std::unique_ptr<AVPacket, VideoRelease> packet(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    std::uint64_t frames = 0;
    std::int64_t bytes = 0;
    for (; from.read(*packet); ++frames) {
      bytes += packet->size;
      to.write(*packet);
      av_packet_unref(packet.get());
      if (progress) progress(from.part());
    }
    to.end();
    if (frames != whole_frames_ || to.bytes() < bytes) fail(EIO);
    // The other one goes: this one has to be on the disk.
    if (::fdatasync(descriptor) != 0 || ::rename(path.c_str(), path_.c_str()) != 0) fail(errno);
    ::close(std::exchange(descriptor_, descriptor));
    return {};
  } catch (const std::exception& thrown) {
    ::close(descriptor);
    ::unlink(path.c_str());
    const auto* full = dynamic_cast<const std::system_error*>(&thrown);
    return full ? why_not_written(full->code().value()) : thrown.what();
  }
}

void VideoFile::rename(const fs::path& target) {
  if (::rename(path_.c_str(), target.c_str()) != 0) fail(errno);
  when_killed_.reset();
  ::close(std::exchange(descriptor_, -1));
}

void VideoRelease::operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
void VideoRelease::operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
void VideoRelease::operator()(AVFrame* frame) const { av_frame_free(&frame); }
void VideoRelease::operator()(AVPacket* packet) const { av_packet_free(&packet); }
void VideoRelease::operator()(SwsContext* context) const { sws_freeContext(context); }

namespace {

constexpr double seconds_between_keys = 2;

template <class Object>
Object* there(Object* object) {
  if (!object) throw std::bad_alloc();
  return object;
}

std::unique_ptr<AVCodecContext, VideoRelease> opened(const AVCodec& codec, cv::Size size, double fps) {
  std::unique_ptr<AVCodecContext, VideoRelease> context(there(avcodec_alloc_context3(&codec)));
  context->width = size.width;
  context->height = size.height;
  context->framerate = av_d2q(fps, 65535);  // the finest that MPEG-4 part 2 has
  context->time_base = av_inv_q(context->framerate);
  context->gop_size = std::max(1, static_cast<int>(fps * seconds_between_keys));
  context->max_b_frames = 0;
  context->pix_fmt = AV_PIX_FMT_YUV420P;
  context->color_range = AVCOL_RANGE_MPEG;
  context->colorspace = AVCOL_SPC_SMPTE170M;
  context->color_primaries = AVCOL_PRI_BT709;
  context->color_trc = AVCOL_TRC_IEC61966_2_1;
  context->sample_aspect_ratio = {1, 1};
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;  // MP4 has them in its head
  context->thread_count = 0;                      // as many as there are processors
  context->thread_type = FF_THREAD_SLICE;         // those by frames are late by a frame each
  context->log_level_offset = 2 * AV_LOG_TRACE;   // errors are returned, nobody reads the rest
  if (codec.id == AV_CODEC_ID_H264) {
    av_opt_set(context->priv_data, "preset", "veryfast", 0);
    av_opt_set(context->priv_data, "tune", "zerolatency", 0);
    av_opt_set(context->priv_data, "crf", "20", 0);
  } else {
    context->flags |= AV_CODEC_FLAG_QSCALE;
    context->global_quality = 3 * FF_QP2LAMBDA;
  }
  if (avcodec_open2(context.get(), &codec, nullptr) < 0) return nullptr;
  return context;
}

cv::Size even(cv::Size size) { return {size.width & ~1, size.height & ~1}; }

// Where the picture is in the video: an even place, so that its colours begin with it.
cv::Rect inner(cv::Size picture, cv::Size video) {
  if (even(picture) == video) return {{}, video};
  const auto scale = std::min(static_cast<double>(video.width) / picture.width,
                              static_cast<double>(video.height) / picture.height);
  const cv::Size size(std::clamp(cvRound(picture.width * scale), 1, video.width),
                      std::clamp(cvRound(picture.height * scale), 1, video.height));
  return {((video.width - size.width) / 2) & ~1, ((video.height - size.height) / 2) & ~1, size.width, size.height};
}

void blacken(AVFrame& frame) {
  const std::array<std::ptrdiff_t, 4> strides{frame.linesize[0], frame.linesize[1], frame.linesize[2], 0};
  av_image_fill_black(frame.data, strides.data(), AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG, frame.width, frame.height);
}

}  // namespace

VideoEncoder::VideoEncoder(cv::Size size, double fps) : packet_(there(av_packet_alloc())) {
  // By name: others take their frames from a device's memory.
  for (const auto* name : {"libx264", "libopenh264", "mpeg4"})
    if (const auto* codec = avcodec_find_encoder_by_name(name); codec && !codec_) codec_ = opened(*codec, size, fps);
  if (!codec_) throw std::runtime_error("FFmpeg has no encoder for H.264 or MPEG-4");
}

VideoEncoder::Frame VideoEncoder::frame(gpu::ImageView<const gpu::Rgba> picture) {
  const cv::Size video(codec_->width, codec_->height);
  const auto place = inner({picture.width, picture.height}, video);
  const auto from = place.size() == video && even({picture.width, picture.height}) == video
                        ? video
                        : cv::Size(picture.width, picture.height);
  if (!scaler_ || from != from_ || place.size() != to_) {
    scaler_.reset(
        there(sws_getContext(from.width, from.height, AV_PIX_FMT_RGB0, place.width, place.height, AV_PIX_FMT_YUV420P,
                             SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr, nullptr)));
    const auto* matrix = sws_getCoefficients(SWS_CS_SMPTE170M);
    sws_setColorspaceDetails(scaler_.get(), matrix, 1, matrix, 0, 0, 1 << 16, 1 << 16);
    from_ = from, to_ = place.size();
  }
  Frame frame(there(av_frame_alloc()));
  frame->format = AV_PIX_FMT_YUV420P;
  frame->width = video.width;
  frame->height = video.height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  if (place.size() != video) blacken(*frame);
  const std::array<const std::uint8_t*, 1> source{reinterpret_cast<const std::uint8_t*>(picture.data)};
  const std::array<int, 1> source_stride{static_cast<int>(static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba))};
  const auto half = [&](int i) { return frame->data[i] + place.y / 2 * frame->linesize[i] + place.x / 2; };
  const std::array<std::uint8_t*, 3> planes{frame->data[0] + place.y * frame->linesize[0] + place.x, half(1), half(2)};
  sws_scale(scaler_.get(), source.data(), source_stride.data(), 0, from.height, planes.data(), frame->linesize);
  return frame;
}

void VideoEncoder::encode(AVFrame* frame, std::int64_t number, const Take& take) {
  const auto failed = [](int error) {
    return std::runtime_error("the encoder failed (" + std::to_string(error) + "); record a smaller picture");
  };
  if (frame) {
    frame->pts = number;
    frame->pict_type = AV_PICTURE_TYPE_NONE;
  }
  if (const int error = avcodec_send_frame(codec_.get(), frame); error < 0) throw failed(error);
  while (true) {
    const int error = avcodec_receive_packet(codec_.get(), packet_.get());
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return;
    if (error < 0) throw failed(error);
    packet_->duration = 1;
    take(*packet_);
    av_packet_unref(packet_.get());
  }
}

}  // namespace app
