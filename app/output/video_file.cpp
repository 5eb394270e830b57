#include "app/output/video_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include "app/capture/image_file.h"
#include "app/output/video_encoder.h"
#include "app/support/ffmpeg.h"
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

// Packets to a file.
class VideoFile::Muxer {
 public:
  using Options = std::initializer_list<std::pair<const char*, std::string>>;

  // `name`, `layout`: FFmpeg's muxer and its options.
  Muxer(int descriptor, const AVCodecParameters& parameters, AVRational time_base, const char* name, const Options& layout)
      : bytes_(descriptor, true), time_base_(time_base) {
    check(avformat_alloc_output_context2(&format_, nullptr, name, nullptr));
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

namespace {

constexpr const char* name_of(VideoFormat format) {
  return format == VideoFormat::webp ? "webp" : format == VideoFormat::gif ? "gif" : "mp4";
}

}  // namespace

VideoFile::VideoFile(const fs::path& target, const AVCodecContext& codec, std::chrono::milliseconds between_syncs)
    : format_(format_of(target)), between_syncs_(between_syncs) {
  capture::quiet_libraries();
  const ffmpeg::Owned<AVCodecParameters> parameters(ffmpeg::allocated(avcodec_parameters_alloc()));
  check(avcodec_parameters_from_context(parameters.get(), &codec));
  descriptor_ = open_new(
      [this, stem = target.parent_path() / target.stem()](int number) {
        return beside(stem,
                      ".partial" + (number > 1 ? '-' + std::to_string(number) : std::string()) + '.' + name_of(format_));
      },
      path_);
  if (descriptor_ < 0) fail(errno);
  when_killed_.emplace(path_);
  try {
    using Options = Muxer::Options;
    const auto make = [&](const Options& layout) {
      muxer_ = std::make_unique<Muxer>(descriptor_, *parameters, codec.time_base, name_of(format_), layout);
    };
    if (format_ == VideoFormat::mp4)
      make({{"movflags", "empty_moov+default_base_moof"}, {"frag_duration", "250000"}});  // microseconds
    else
      make({{"loop", "0"}});  // for ever
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
  if (format_ != VideoFormat::mp4) return ::fdatasync(descriptor_) == 0 ? std::string() : why_not_written(errno);
  fs::path path;
  const int descriptor = open_new(
      [&](int number) { return beside(path_, '.' + std::to_string(::getpid()) + '-' + std::to_string(number)); }, path);
  if (descriptor < 0) return why_not_written(errno);
  const RemovedWhenKilled unfinished(path);
  try {
    Demuxer from(descriptor_);
    Muxer to(descriptor, from.parameters(), from.time_base(), name_of(format_),
             {{"moov_size", room_of_index(whole_frames_)}});
    const ffmpeg::Owned<AVPacket> packet(ffmpeg::allocated(av_packet_alloc()));
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

}  // namespace app
