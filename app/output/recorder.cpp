#include "app/output/recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "app/pipeline/draw_annotations.h"
#include "app/pipeline/matrix_picture.h"
#include "app/support/interrupt.h"
#include "app/support/text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr double usual_fps = 30;  // of sources that have no rate of their own

// Bytes of the pictures that an encoder holds, of the next one, and of the index after `frames`: more than they take. x264 looks
// ahead over 40 pictures and holds some more, of which each takes `encoded` bytes, as those before.
std::uint64_t room_behind(std::uint64_t frames, cv::Size size, std::uint64_t encoded) {
  constexpr std::uint64_t least = 1 << 20, pictures = 4, of_index = 32, held = 96;  // pictures: before they are encoded
  return least + pictures * static_cast<std::uint64_t>(size.area()) * 3 / 2 + held * encoded + of_index * frames;
}

// Why the disk does not keep `room`.
std::string no_room(int error, std::uint64_t room) {
  constexpr std::uint64_t megabyte = 1'000'000;
  return why_not_written(error) + " (" + grouped((room + megabyte - 1) / megabyte) + " MB are kept for its end)";
}

std::runtime_error cannot(const fs::path& path, const std::string& why) {
  return std::runtime_error("cannot record " + path.string() + ": " + why);
}

// Encoders take even sides only; the last odd row or column is left out.
cv::Size even(gpu::Size size) { return {size.width & ~1, size.height & ~1}; }

cv::VideoWriter open_writer(const fs::path& path, double fps, cv::Size size) {
  for (const int codec : {cv::VideoWriter::fourcc('a', 'v', 'c', '1'), cv::VideoWriter::fourcc('m', 'p', '4', 'v')})
    if (cv::VideoWriter writer(path.string(), cv::CAP_FFMPEG, codec, fps, size); writer.isOpened()) return writer;
  return {};
}

// The picture as large as it fits, in the middle; black beside it where the shapes differ.
cv::Mat fitted(const cv::Mat& bgr, cv::Size size) {
  const auto scale = std::min(static_cast<double>(size.width) / bgr.cols, static_cast<double>(size.height) / bgr.rows);
  const cv::Size inner(std::clamp(cvRound(bgr.cols * scale), 1, size.width),
                       std::clamp(cvRound(bgr.rows * scale), 1, size.height));
  cv::Mat whole(size, CV_8UC3, cv::Scalar::all(0));
  cv::resize(bgr, whole({(size.width - inner.width) / 2, (size.height - inner.height) / 2, inner.width, inner.height}),
             inner, 0, 0, cv::INTER_AREA);
  return whole;
}

}  // namespace

std::string why_no_video(gpu::Size size) {
  if (size.width >= 2 && size.height >= 2) return {};
  return "a video needs at least 2x2 pixels, the picture has " + text_of(size);
}

// The file beside the target, and the room behind its end that the disk keeps. Removed unless it was finished.
class Recorder::Growing {
 public:
  Growing(const fs::path& target, Reserve reserve)
      : path_(beside(target.parent_path() / target.stem(), ".partial-" + std::to_string(::getpid()) + ".mp4")),
        unfinished_(path_),
        reserve_(std::move(reserve)),
        descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw cannot(target, why_not_written(errno));  // the encoder would not say why
  }
  ~Growing() {
    ::close(descriptor_);
    std::error_code ignored;
    if (!finished_) fs::remove(path_, ignored);
  }
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  const fs::path& path() const { return path_; }
  fs::path place() const { return place_of(descriptor_, path_); }
  // Keeps `bytes` behind the file's end, or returns the errno of what is in the way. It asks for more where there is more, so
  // that it seldom has to.
  int keep(std::uint64_t bytes) {
    const auto end = size();
    if (end + bytes <= kept_) return 0;
    int error = 0;
    for (const auto wanted : {2 * bytes, bytes}) {
      error = reserve_(descriptor_, end, wanted);
      if (error != 0) continue;
      kept_ = end + wanted;
      break;
    }
    return error;
  }
  void truncated() { kept_ = 0; }  // by the encoder
  std::uint64_t size() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  // The video is whole: where it cannot become the target, it stays what it is. Returns its name.
  fs::path rename(const fs::path& target, bool is_new) {
    if (::ftruncate(descriptor_, static_cast<off_t>(size())) != 0) errno = 0;  // what is kept is free again, if that works
    finished_ = true;
    std::error_code error;
    const auto name = is_new ? take_name(target, error) : target;
    if (!error) fs::rename(path_, name, error);
    if (!error) return name;
    if (std::error_code ignored; is_new && !name.empty()) fs::remove(name, ignored);
    const auto why = error == std::errc::no_such_file_or_directory ? "its folder was moved while it was recorded"
                                                                   : error.message();
    throw cannot(target, why + "; the whole video is " + place().string());
  }

 private:
  fs::path path_;
  RemovedWhenKilled unfinished_;
  Reserve reserve_;
  int descriptor_;
  std::uint64_t kept_ = 0;  // up to this offset
  bool finished_ = false;
};

Recorder::Recorder(fs::path target, gpu::Size size, double fps, bool squares, Reserve reserve, bool is_new)
    : target_(behind_links(std::move(target))),
      squares_(squares),
      size_(even(size_in_file(size, squares))),
      fps_(fps > 0 ? fps : usual_fps),
      is_new_(is_new) {
  if (const auto why = why_no_video(size_in_file(size, squares)); !why.empty()) throw cannot(target_, why);
  std::error_code error;
  const auto there = fs::status(target_, error);
  if (error == std::errc::filename_too_long) throw cannot(target_, why_not_written(error.value()));
  if (fs::is_directory(there)) throw cannot(target_, "it is a folder; give the name of a file");
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw cannot(target_, "a video needs a file on a disk, and this is none; name one");
  growing_ = std::make_unique<Growing>(target_, std::move(reserve));
  const auto room = room_behind(0, size_, 0);
  if (const int full = growing_->keep(room)) throw cannot(target_, no_room(full, room));
  writer_ = open_writer(growing_->path(), fps_, size_);
  growing_->truncated();
  if (!writer_.isOpened()) throw cannot(target_, "OpenCV has no encoder for H.264 or MPEG-4");
}

Recorder::~Recorder() = default;

// The number of the frame that a picture at `position` is.
std::uint64_t Recorder::frame_at(double position) {
  const double step = position - std::exchange(position_, position);
  if (frames_ == 0 || step <= 0) start_ = position - static_cast<double>(frames_) / fps_;
  return static_cast<std::uint64_t>(std::max(0.0, (position - start_) * fps_ + 0.5));
}

void Recorder::add(gpu::ImageView<const gpu::Rgba> picture, double position, std::span<const gpu::Annotation> annotations) {
  const auto number = frame_at(position);
  // OpenCV has no constant images; nothing is written through this one.
  cv::Mat rgba(picture.height, picture.width, CV_8UC4, const_cast<gpu::Rgba*>(picture.data),
               static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba));
  gpu::Image<gpu::Rgba> drawn;
  if (squares_ && fits_squares(picture.size())) {
    drawn = in_squares(picture, annotations);
    const auto view = drawn.view();
    rgba = cv::Mat(view.height, view.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  } else if (!annotations.empty()) {
    rgba = rgba.clone();
    draw_annotations({reinterpret_cast<gpu::Rgba*>(rgba.data), rgba.cols, rgba.rows, rgba.cols}, annotations);
  }
  cv::Mat bgr;
  cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
  if (even({bgr.cols, bgr.rows}) != size_) bgr = fitted(bgr, size_);
  while (frames_ < number) write(last_);
  left_out_ += !std::exchange(last_is_in_, false);
  last_ = bgr(cv::Rect({}, size_)).clone();
  if (number == frames_) write(last_);
}

void Recorder::write(const cv::Mat& frame) {
  constexpr std::uint64_t often = 8;  // so that no single picture decides
  if (frames_ >= measured_frames_ + often) {
    const auto bytes = growing_->size();
    encoded_ = std::max(encoded_, (bytes - std::min(bytes, measured_bytes_)) / (frames_ - measured_frames_));
    measured_frames_ = frames_, measured_bytes_ = bytes;
  }
  const auto room = room_behind(frames_, size_, encoded_);
  if (const int error = growing_->keep(room)) {
    if (frames_ == 0) throw cannot(target_, no_room(error, room));
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", this->seconds());
    finish();
    throw std::runtime_error("the recording ends: " + no_room(error, room) + "; its first " + seconds + " s are in " +
                             target_.string());
  }
  writer_.write(frame);
  last_is_in_ = true;
  ++frames_;
}

void Recorder::hold(double position) {
  if (frames_ == 0 || position <= position_) return;
  for (const auto number = frame_at(position); frames_ < number;) write(last_);
}

// OpenCV reports no error while it writes: a truncated video has no index, or too few frames.
std::uint64_t Recorder::playable() const {
  cv::VideoCapture video(growing_->place().string(), cv::CAP_FFMPEG);
  return video.isOpened() ? static_cast<std::uint64_t>(std::max(0.0, video.get(cv::CAP_PROP_FRAME_COUNT) + 0.5)) : 0;
}

void Recorder::finish() {
  left_out_ += !std::exchange(last_is_in_, true);
  writer_.release();
  if (frames_ == 0) throw cannot(target_, "no picture came");
  if (growing_->place().empty()) throw cannot(target_, "the video was removed while it was recorded; record it again");
  const auto whole = playable();
  if (whole == 0) throw cannot(target_, "the video is not whole; is the disk full?");
  target_ = growing_->rename(target_, is_new_);
  if (whole < frames_)
    throw cannot(target_, "only " + std::to_string(whole) + " of its " + std::to_string(frames_) +
                              " frames could be written; is the disk full?");
}

namespace {

constexpr double longest_gap = 5;  // seconds: beyond, the source's clock has jumped

}  // namespace

double VideoClock::picture(const Place& place, double speed, Clock::time_point now) {
  const double step = place.position - last_.position;
  // What was held of a live source is in its positions, too.
  const bool continues = place.live ? !held_ : step <= longest_gap;
  const bool follows = place.source == last_.source && place.seek == last_.seek && step > 0 && continues;
  if (begun_ && follows)
    seconds_ += step / speed;
  else if (begun_)
    seconds_ += real_time_ ? std::chrono::duration<double>(now - then_).count() : 1 / fps_;
  begun_ = true;
  held_ = false;
  last_ = place;
  then_ = now;
  return seconds_;
}

double VideoClock::hold(Clock::time_point now) {
  if (begun_ && real_time_) seconds_ += std::chrono::duration<double>(now - then_).count();
  then_ = now;
  held_ = true;
  return seconds_;
}

namespace {

constexpr std::size_t most_prepared = 32;  // copies of small pictures: enough for a writer that is late by a second

}  // namespace

// What the writer's tasks do, one after the other.
struct Recording::Encoding {
  std::unique_ptr<Recorder> recorder;  // the tasks' alone
  std::atomic<bool> ended = false;
  mutable std::mutex mutex;
  std::string error, left_out;
  std::filesystem::path target;

  // Does `step`, where nothing failed before.
  template <class Step>
  void attempt(Step&& step) {
    if (ended) return;
    try {
      step();
    } catch (const std::exception& thrown) {
      recorder.reset();
      const std::lock_guard lock(mutex);
      error = thrown.what();
      ended = true;
    }
  }
  void add(const PictureCopies::Copy& copy, double position, std::span<const gpu::Annotation> annotations) {
    attempt([&] { recorder->add(copy.view(), position, annotations); });
  }
  void hold(double position) {
    attempt([&] { recorder->hold(position); });
  }
  void finish() {
    attempt([&] {
      recorder->finish();
      const std::lock_guard lock(mutex);
      target = recorder->target();
      // A camera's pictures do not come evenly: some follow one another too soon, and are not missed.
      const auto frames = recorder->seconds() * recorder->fps();
      if (const auto count = recorder->left_out(); static_cast<double>(count) > 0.02 * frames) {
        char rate[32];
        std::snprintf(rate, sizeof rate, "%.4g/s", recorder->fps());
        left_out = counted(count, "frame") + " came too soon after another for its " + rate + ", and " +
                   (count == 1 ? "is" : "are") + " not in it";
      }
    });
    recorder.reset();
    ended = true;
  }
};

Recording::Recording(WriterThread& writer, std::filesystem::path target, gpu::Size size, double fps, bool squares,
                     bool is_new)
    : writer_(writer), encoding_(std::make_shared<Encoding>()) {
  encoding_->target = target;
  writer_.add([encoding = encoding_, target, size, fps, squares, is_new] {
    encoding->attempt(
        [&] { encoding->recorder = std::make_unique<Recorder>(target, size, fps, squares, reserve_space, is_new); });
  });
}

void Recording::add(gpu::Context& context, const PicturePixels& picture, double position,
                    const PictureAnnotations& annotations) {
  hand_on();
  // Room is asked for here, for the pictures on their way as well: what was accepted is encoded.
  if (!writer_.wait_for_room((on_the_way_.size() + 1) * picture.size().pixels() * sizeof(gpu::Rgba), {})) {
    ++dropped_;
    return;
  }
  try {
    if (!std::exchange(prepared_, true)) {
      const auto fit = writer_.room() / (picture.size().pixels() * sizeof(gpu::Rgba));
      copies_.prepare(context, picture.size(), std::min(fit, most_prepared));
    }
    on_the_way_.push_back({copies_.make(context, picture), position, annotations});
  } catch (const gpu::CudaError& error) {
    drop(1, error);
  }
  hand_on();
}

void Recording::drop(std::uint64_t count, const gpu::CudaError& error) {
  dropped_ += count;
  if (drop_error_.empty()) drop_error_ = error.what();
}

void Recording::hand_on(bool wait) {
  if (ended()) on_the_way_.clear();  // it failed: nobody needs them, and the memory is released below
  try {
    for (; !on_the_way_.empty(); on_the_way_.pop_front()) {
      if (wait) on_the_way_.front().copy->wait();
      if (!on_the_way_.front().copy->ready()) return;
      encode(on_the_way_.front());
    }
  } catch (const gpu::CudaError& error) {
    drop(on_the_way_.size(), error);
    on_the_way_.clear();
  }
  // With the copies' memory, which takes its time to be released.
  if (stopped_ && !std::exchange(finishing_, true))
    writer_.add(
        [encoding = encoding_, copies = std::make_shared<PictureCopies>(std::move(copies_))] { encoding->finish(); });
}

// The annotations are copied: they belong to this thread.
void Recording::encode(const OnTheWay& picture) {
  const auto list = picture.annotations.list();
  writer_.add([encoding = encoding_, copy = picture.copy, position = picture.position,
               annotations = std::vector(list.begin(), list.end())] { encoding->add(*copy, position, annotations); },
              picture.copy->bytes());
}

void Recording::hold(double position) {
  hand_on();
  if (on_the_way_.empty()) writer_.add([encoding = encoding_, position] { encoding->hold(position); });
}

void Recording::stop() {
  stopped_ = true;
  hand_on();
}

bool Recording::ended() const { return encoding_->ended; }

std::filesystem::path Recording::target() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->target;
}

std::string Recording::left_out() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->left_out;
}

std::string Recording::error() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->error;
}

}  // namespace app
