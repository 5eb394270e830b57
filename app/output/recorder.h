// Videos. Recorder encodes pictures to an mp4 file, or an animation where the file's name ends in .webp or .gif, on the
// calling thread. The session uses Recording, which copies pictures from the device and has the writer's thread pass them to a
// Recorder. Another thread finishes the file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "app/capture/frame.h"
#include "app/control/settings.h"
#include "app/output/picture_files.h"
#include "app/output/video_encoder.h"
#include "app/output/video_file.h"
#include "app/pipeline/picture.h"
#include "app/support/threads.h"
#include "gpu/cuda/error.h"
#include "gpu/image.h"
#include "gpu/pictures/annotation.h"

namespace app {

// Why pictures of this size cannot become a video, one line; empty if they can.
std::string why_no_video(gpu::Size size);

// An animation is for a page or a message: short, small and with few pictures per second.
constexpr double animation_seconds = 5, animation_fps = 15;
constexpr int longest_side_of_animation = 640;

struct VideoOptions {
  bool squares = false;  // pictures that are no larger than a matrix become squares with their numbers: picture_drawing.h
  bool is_new = false;   // the video replaces no file, and gets a number where its name is taken
  RecordSize size = RecordSize::source;
  int longest_side = 0;  // no longer side than that; 0: as `size` says
};

// The size of a video of such pictures: no larger than `options` say, with even sides, which encoders take alone.
gpu::Size video_size(gpu::Size picture, const VideoOptions& options);

// The video grows beside its target, as a file that can be played whatever ends the program (video_file.h), and takes its name
// when it is finished.
class Recorder {
 public:
  // `size`: of the pictures. Throws std::runtime_error with one line: the folder cannot be written to, the disk is full, no
  // encoder.
  Recorder(std::filesystem::path target, gpu::Size size, double fps, const VideoOptions& options = {});
  ~Recorder();  // of an unfinished video what can be played stays beside its target
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // `picture`: in host memory; its annotations are drawn in it. It is scaled where its size is not the video's, with black beside
  // it where its shape differs.
  // `position`: seconds by a clock that the video follows (VideoClock): gaps, however long, are filled with the picture before
  // them, and a picture that comes too early for a frame of its own fills only gaps. If the clock stands still or goes back,
  // the picture is the next frame. Throws std::runtime_error with one line if it cannot be encoded or written: the video has
  // ended with the last frame that could be, and is there.
  void add(gpu::ImageView<const gpu::Rgba> picture, double position, std::span<const gpu::Annotation> annotations = {});
  // The last picture stays until `position`. Throws the same.
  void hold(double position);
  // Throws std::runtime_error with one line if the video is incomplete: the part that can be played is there; or if it cannot
  // take its name, and where it is instead. `progress`: gets 0 to 1 meanwhile.
  void finish(const std::function<void(double)>& progress = {});

  std::filesystem::path place() const { return file_->place(); }  // where it grows; empty: it was removed
  double seconds() const { return static_cast<double>(frames_) / fps_; }
  double fps() const { return fps_; }
  // Pictures that came faster than the rate of the video, and are not in it.
  std::uint64_t left_out() const { return left_out_; }
  const std::string& note() const { return note_; }  // what the finished video lacks, one line; else empty
  const std::filesystem::path& target() const { return target_; }

 private:
  std::uint64_t frame_at(double position);
  template <class Step>
  void attempt(Step step);
  void encode(AVFrame* frame);
  void write_last();
  void end_with_what_is_there(const std::string& why);
  void take_name_of_target(const std::string& cause = {});

  std::filesystem::path target_;
  VideoOptions options_;
  double fps_;
  std::unique_ptr<VideoEncoder> encoder_;
  std::unique_ptr<VideoFile> file_;
  VideoEncoder::Frame last_;
  std::string note_;
  std::uint64_t frames_ = 0, left_out_ = 0;
  bool last_is_in_ = true;           // last_ is in the video
  double start_ = 0, position_ = 0;  // by that clock: of the video's beginning, of the last picture
};

// VideoClock: where each picture stands in a recording. While a source plays, the recording follows the source's clock, at
// the speed at which it plays. While it does not (a still image, a pause, an end, a camera that is lost), and where its clock
// jumps, real time counts, or in runs without one the duration of one picture.
class VideoClock {
 public:
  using Clock = std::chrono::steady_clock;
  // Which picture: those of one source between two seeks follow each other by their positions in seconds.
  struct PicturePosition {
    std::uint64_t source = 0, seek = 0;
    double position = 0;
    bool live = false;  // positions are times of arrival: a gap is a pause, and no jump
  };

  VideoClock(bool real_time, double fps) : real_time_(real_time), fps_(fps > 0 ? fps : 30) {}

  // Seconds from the start of the recording to the picture at `place`, which plays at `speed` times the source's own.
  double picture(const PicturePosition& place, double speed, Clock::time_point now);
  // Nothing new comes: seconds from the start until now. Without real time the clock stands still.
  double hold(Clock::time_point now);
  double seconds() const { return seconds_; }  // from the start until the last of these

 private:
  bool real_time_;
  double fps_, seconds_ = 0;
  bool begun_ = false, held_ = false;  // held_: since the last picture
  PicturePosition last_;
  Clock::time_point then_;
};

// Recording: a video that the writer's thread encodes, with a Recorder (recorder.h), while pictures come. The main thread
// never waits for the encoder, the disk or the GPU: pictures for which the writer has no room are dropped and counted.
class Recording {
 public:
  // The writer's thread makes the file; error() says if it could not. To finish it takes as long as the disk takes for all of it:
  // meanwhile the writer is there for others. `finisher`: lives longer than the writer.
  // `size`, `options`: as Recorder's.
  Recording(WriterThread& writer, WriterThread& finisher, std::filesystem::path target, gpu::Size size, double fps,
            const VideoOptions& options = {});

  // `picture`: on the context's device, in stream order. `position`: as Recorder::add(). A GPU that fails costs the
  // picture; throws std::bad_alloc.
  void add(gpu::Context& context, const PicturePixels& picture, double position, const PictureAnnotations& annotations = {});
  // The last picture stays until `position`: nothing new comes meanwhile. Does nothing while a picture is on its way.
  void hold(double position);
  // Hands on the pictures that have arrived from the GPU; `wait`: all of them. Between frames.
  void hand_on(bool wait = false);
  // No more pictures come: the video is finished after those that did.
  void stop();

  bool stopped() const { return stopped_; }
  bool ended() const;         // it was stopped, and is there; or it failed
  double finished() const;    // how much of the work behind stop() is done, 0 to 1
  std::string error() const;  // why it failed, one line; else empty
  const capture::Drops& drops() const { return drops_; }
  // Once it has ended: what it lacks although it is there, one line; else empty.
  std::string note() const;
  // Why the GPU dropped pictures: its first error, one line. Empty where all that were dropped found no room.
  const std::string& drop_error() const { return drop_error_; }
  std::size_t on_the_way() const { return on_the_way_.size(); }  // pictures whose copies have not arrived from the GPU
  std::filesystem::path target() const;                          // once it has ended: its name
  std::filesystem::path partial() const;                         // until then: where it grows; empty: it has not begun

 private:
  struct Encoding;
  struct OnTheWay {
    std::shared_ptr<const PictureCopies::Copy> copy;
    double position;
    PictureAnnotations annotations;  // which arrive before the copy
  };

  void encode(const OnTheWay& picture);
  template <class Step>
  void ask(Step step, std::size_t bytes);
  std::size_t behind() const;
  void drop(std::uint64_t count, const gpu::CudaError& error);

  WriterThread &writer_, &finisher_;
  std::shared_ptr<Encoding> encoding_;  // shared with their tasks
  PictureCopies copies_;
  std::deque<OnTheWay> on_the_way_;  // oldest first
  capture::Drops drops_;
  std::size_t asked_ = 0, left_ = 0;  // steps of the encoder: all, and those that were left when it was stopped
  std::string drop_error_;
  bool prepared_ = false, stopped_ = false, finishing_ = false;
};

}  // namespace app
