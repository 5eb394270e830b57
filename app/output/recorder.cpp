#include "app/output/recorder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "app/pipeline/picture_drawing.h"
#include "app/support/files.h"
#include "app/support/text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr double usual_fps = 30;  // of sources that have no rate of their own

std::runtime_error cannot(const fs::path& path, const std::string& why) {
  return std::runtime_error("cannot record " + path.string() + ": " + why);
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

}  // namespace

std::string why_no_video(gpu::Size size) {
  if (size.width >= 2 && size.height >= 2) return {};
  return "a video needs at least 2x2 pixels, the picture has " + text_of(size);
}

gpu::Size video_size(gpu::Size picture, const VideoOptions& options) {
  const auto size = size_in_file(picture, options.squares);
  const double lines = options.size == RecordSize::lines_720 ? 720 : 1080;
  const double longer = std::max(size.width, size.height) / (lines * 16 / 9),
               shorter = std::min(size.width, size.height) / lines;
  double by = options.size == RecordSize::source ? 1 : std::max({1.0, longer, shorter});
  if (options.longest_side > 0)
    by = std::max(by, static_cast<double>(std::max(size.width, size.height)) / options.longest_side);
  // The lowest pictures get at least the rows that a video needs.
  const auto side = [by](int pixels) {
    return std::max(static_cast<int>(std::lround(pixels / by)) & ~1, std::min(pixels, 2));
  };
  return {side(size.width), side(size.height)};
}

Recorder::Recorder(fs::path target, gpu::Size size, double fps, const VideoOptions& options)
    : target_(behind_links(std::move(target))), options_(options), fps_(fps > 0 ? fps : usual_fps) {
  if (const auto why = why_no_video(size_in_file(size, options.squares)); !why.empty()) throw cannot(target_, why);
  std::error_code error;
  const auto there = fs::status(target_, error);
  if (error == std::errc::filename_too_long) throw cannot(target_, why_not_written(error.value()));
  if (fs::is_directory(there)) throw cannot(target_, "it is a folder; give the name of a file");
  if (fs::exists(there) && !fs::is_regular_file(there)) throw cannot(target_, "a video needs a regular file; name one");
  const auto video = video_size(size, options);
  try {
    encoder_ = std::make_unique<VideoEncoder>(cv::Size(video.width, video.height), fps_, format_of(target_));
    file_ = std::make_unique<VideoFile>(target_, encoder_->codec());
  } catch (const std::system_error& full) {
    throw cannot(target_, why_not_written(full.code().value()));
  } catch (const std::runtime_error& none) {
    throw cannot(target_, none.what());
  }
}

Recorder::~Recorder() = default;

// The number of the frame that a picture at `position` is.
std::uint64_t Recorder::frame_at(double position) {
  const double step = position - std::exchange(position_, position);
  if (frames_ == 0 || step <= 0) start_ = position - static_cast<double>(frames_) / fps_;
  return static_cast<std::uint64_t>(std::max(0.0, (position - start_) * fps_ + 0.5));
}

// Whatever fails ends the video with what is in it.
template <class Step>
void Recorder::attempt(Step step) {
  try {
    step();
  } catch (const std::system_error& full) {
    end_with_what_is_there(why_not_written(full.code().value()));
  } catch (const std::bad_alloc&) {
    end_with_what_is_there("memory is exhausted; record a smaller picture");
  } catch (const std::exception& failed) {
    end_with_what_is_there(failed.what());
  }
}

void Recorder::add(gpu::ImageView<const gpu::Rgba> picture, double position, std::span<const gpu::Annotation> annotations) {
  const auto number = frame_at(position);
  attempt([&] {
    const auto drawn = drawn_for_file(picture, annotations, options_.squares);
    auto frame = encoder_->frame(drawn.size().pixels() > 0 ? gpu::ImageView<const gpu::Rgba>(drawn.view()) : picture);
    while (frames_ < number) write_last();
    left_out_ += !std::exchange(last_is_in_, false);
    last_ = std::move(frame);
    if (number == frames_) write_last();
  });
}

void Recorder::encode(AVFrame* frame) {
  encoder_->encode(frame, static_cast<std::int64_t>(frames_), [this](AVPacket& packet) { file_->write(packet); });
}

void Recorder::write_last() {
  encode(last_.get());
  last_is_in_ = true;
  ++frames_;
}

void Recorder::end_with_what_is_there(const std::string& why) {
  file_->end_with_what_is_there();
  frames_ = file_->frames();
  if (frames_ == 0) throw cannot(target_, why);
  take_name_of_target(why);
  throw std::runtime_error("the recording ends: " + why + "; its first " + seconds_text(seconds()) + " are in " +
                           target_.string());
}

void Recorder::hold(double position) {
  if (frames_ == 0 || position <= position_) return;
  const auto number = frame_at(position);
  attempt([&] {
    while (frames_ < number) write_last();
  });
}

void Recorder::finish(const std::function<void(double)>& progress) {
  left_out_ += !std::exchange(last_is_in_, true);
  if (frames_ == 0) throw cannot(target_, "no picture came");
  if (file_->place().empty()) throw cannot(target_, "the video was removed while it was recorded; record it again");
  attempt([&] {
    encode(nullptr);
    file_->end();
  });
  if (const auto why = file_->put_index_first(progress); !why.empty())
    note_ = "it plays, but its index could not be moved to the start: " + why;
  take_name_of_target();
}

// If that fails, the video keeps its own name. `cause`: why it ends before its time.
void Recorder::take_name_of_target(const std::string& cause) {
  std::error_code error;
  const auto name = options_.is_new ? take_name(target_, error) : target_;
  try {
    if (error) throw std::system_error(error);
    file_->rename(name);
    target_ = name;
  } catch (const std::system_error& thrown) {
    if (std::error_code ignored; options_.is_new && !name.empty()) fs::remove(name, ignored);
    const auto why = thrown.code() == std::errc::no_such_file_or_directory ? "its folder was moved while it was recorded"
                                                                           : thrown.code().message();
    throw cannot(target_,
                 (cause.empty() ? why + "; the whole video is " : cause + "; " + why + "; what was recorded is in ") +
                     file_->place().string());
  }
}

namespace {

constexpr double longest_gap = 5;  // seconds: beyond, the source's clock has jumped

}  // namespace

double VideoClock::picture(const PicturePosition& place, double speed, Clock::time_point now) {
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

// The state of the tasks, which run one after the other: the writer's, and in the end one of the finisher's.
struct Recording::Encoding {
  std::unique_ptr<Recorder> recorder;  // the tasks' alone
  std::atomic<bool> ended = false;
  std::atomic<std::size_t> done = 0;  // of its steps
  std::atomic<double> index = 0;      // how much of the file has its index first
  mutable std::mutex mutex;
  std::string error, note;
  std::filesystem::path target, partial;

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
  void begin(const std::filesystem::path& path, gpu::Size size, double fps, const VideoOptions& options) {
    attempt([&] {
      recorder = std::make_unique<Recorder>(path, size, fps, options);
      const std::lock_guard lock(mutex);
      partial = recorder->place();
    });
  }
  void add(const PictureCopies::Copy& copy, double position, std::span<const gpu::Annotation> annotations) {
    attempt([&] { recorder->add(copy.view(), position, annotations); });
  }
  void hold(double position) {
    attempt([&] { recorder->hold(position); });
  }
  void finish() {
    attempt([&] {
      recorder->finish([this](double part) { index = part; });
      const std::lock_guard lock(mutex);
      target = recorder->target();
      note = recorder->note();
      // A camera's pictures do not come evenly: some follow one another too soon, and are not missed.
      const auto frames = recorder->seconds() * recorder->fps();
      const bool animation = format_of(target) != VideoFormat::mp4;  // whose rate is chosen low
      if (const auto count = recorder->left_out(); !animation && static_cast<double>(count) > 0.02 * frames) {
        char rate[32];
        std::snprintf(rate, sizeof rate, "%.4g/s", recorder->fps());
        note += (note.empty() ? "" : "; ") + counted(count, "frame") + " came faster than its " + rate + ", and " +
                (count == 1 ? "is" : "are") + " not in it";
      }
    });
    recorder.reset();
    ended = true;
  }
};

Recording::Recording(WriterThread& writer, WriterThread& finisher, std::filesystem::path target, gpu::Size size, double fps,
                     const VideoOptions& options)
    : writer_(writer), finisher_(finisher), encoding_(std::make_shared<Encoding>()) {
  encoding_->target = target;
  writer_.add([encoding = encoding_, target, size, fps, options] { encoding->begin(target, size, fps, options); });
}

void Recording::add(gpu::Context& context, const PicturePixels& picture, double position,
                    const PictureAnnotations& annotations) {
  hand_on();
  // Room is asked for here, for the pictures on their way as well: what was accepted is encoded.
  if (!writer_.wait_for_room((on_the_way_.size() + 1) * picture.size().pixels() * sizeof(gpu::Rgba), {})) {
    drops_.add(capture::DropReason::no_room);
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
  drops_.add(capture::DropReason::gpu_error, count);
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
    writer_.add([encoding = encoding_, &finisher = finisher_, copies = std::make_shared<PictureCopies>(std::move(copies_))] {
      finisher.add([encoding] { encoding->finish(); });
    });
}

template <class Step>
void Recording::ask(Step step, std::size_t bytes) {
  ++asked_;
  writer_.add(
      [encoding = encoding_, step = std::move(step)] {
        step(*encoding);
        ++encoding->done;
      },
      bytes);
}

// The annotations are copied: they belong to this thread.
void Recording::encode(const OnTheWay& picture) {
  const auto list = picture.annotations.list();
  ask([copy = picture.copy, position = picture.position,
       annotations = std::vector(list.begin(), list.end())](auto& encoding) { encoding.add(*copy, position, annotations); },
      picture.copy->bytes());
}

void Recording::hold(double position) {
  hand_on();
  if (on_the_way_.empty()) ask([position](auto& encoding) { encoding.hold(position); }, 0);
}

void Recording::stop() {
  stopped_ = true;
  hand_on();
  left_ = behind();
}

std::size_t Recording::behind() const { return asked_ - encoding_->done + on_the_way_.size(); }

bool Recording::ended() const { return encoding_->ended; }

// To encode takes much longer than to copy what was encoded.
double Recording::finished() const {
  constexpr double copying = 0.02;
  const double all_copied = copying * static_cast<double>(std::max<std::size_t>(1, asked_));
  const auto encoded = static_cast<double>(left_ - std::min(left_, behind()));
  return (encoded + all_copied * encoding_->index) / (static_cast<double>(left_) + all_copied);
}

std::filesystem::path Recording::target() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->target;
}

std::filesystem::path Recording::partial() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->partial;
}

std::string Recording::note() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->note;
}

std::string Recording::error() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->error;
}

}  // namespace app
