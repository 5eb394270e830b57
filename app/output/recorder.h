// Videos. Recorder encodes pictures to an mp4 file, on the calling thread. The session uses Recording, which copies pictures
// from the device and has the writer's thread pass them to a Recorder.
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

#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>

#include "app/output/picture_files.h"
#include "app/output/writer_thread.h"
#include "app/pipeline/picture.h"
#include "app/support/files.h"
#include "gpu/annotation.h"
#include "gpu/error.h"
#include "gpu/image.h"

namespace app {

// Why pictures of this size are no video, one line; empty if they can be one.
std::string why_no_video(gpu::Size size);

// H.264 where OpenCV can write it, else MPEG-4 part 2. The video grows beside its target and takes its name when it is
// finished.
//
// OpenCV reports no error while it writes, and a video without its end cannot be played. So the disk always keeps room for
// what comes next and for the end; if it has none, the video is finished while it still can be.
class Recorder {
 public:
  // Has the disk keep room: reserve_space() of files.h.
  using Reserve = std::function<int(int descriptor, std::uint64_t from, std::uint64_t bytes)>;

  // `size`: of the pictures. `squares`: those that are no larger than a matrix become squares with their numbers, as
  // matrix_picture.h draws them. `reserve`: for tests. `is_new`: the video replaces no file, and gets a number where its name is
  // taken. Throws std::runtime_error with one line: the folder cannot be written to, the disk is full, no encoder.
  Recorder(std::filesystem::path target, gpu::Size size, double fps, bool squares = false, Reserve reserve = reserve_space,
           bool is_new = false);
  ~Recorder();  // unfinished videos are removed
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // `picture`: in host memory; its annotations are drawn in it. If its size is not that of the first, it is scaled, with
  // black beside it where its shape differs.
  // `position`: seconds by a clock that the video follows (VideoClock): gaps, however long, are filled with the picture before
  // them, and a picture that comes too early for a frame of its own fills only gaps. If the clock stands still or goes back,
  // the picture is the next frame. Throws std::runtime_error with one line if the disk has no room for it: the video has ended
  // with the picture before, and is there.
  void add(gpu::ImageView<const gpu::Rgba> picture, double position, std::span<const gpu::Annotation> annotations = {});
  // The last picture stays until `position`. Throws the same.
  void hold(double position);
  // Throws std::runtime_error with one line if the video is not whole, what of it can be played is there; or if it cannot take
  // its name, and where it is instead.
  void finish();

  double seconds() const { return static_cast<double>(frames_) / fps_; }
  double fps() const { return fps_; }
  // Pictures that are not in the video, because others came too soon after them.
  std::uint64_t left_out() const { return left_out_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  class Growing;

  std::uint64_t frame_at(double position);
  void write(const cv::Mat& frame);
  std::uint64_t playable() const;

  std::filesystem::path target_;
  std::unique_ptr<Growing> growing_;
  bool squares_;
  cv::Size size_;
  double fps_;
  bool is_new_;
  cv::VideoWriter writer_;
  cv::Mat last_;
  std::uint64_t frames_ = 0, left_out_ = 0;
  std::uint64_t measured_frames_ = 0, measured_bytes_ = 0, encoded_ = 0;  // encoded_: the most bytes that a picture took
  bool last_is_in_ = true;                                                // last_ is in the video
  double start_ = 0, position_ = 0;  // by that clock: of the video's beginning, of the last picture
};

// VideoClock: where each picture stands in a recording. While a source plays, the recording follows the source's clock, at
// the speed at which it plays. While it does not (a still image, a pause, an end, a camera that is lost), and where its clock
// jumps, real time counts, or in runs without one the duration of one picture.
class VideoClock {
 public:
  using Clock = std::chrono::steady_clock;
  // Which picture: those of one source between two seeks follow each other by their positions in seconds.
  struct Place {
    std::uint64_t source = 0, seek = 0;
    double position = 0;
    bool live = false;  // positions are times of arrival: a gap is a pause, and no jump
  };

  VideoClock(bool real_time, double fps) : real_time_(real_time), fps_(fps > 0 ? fps : 30) {}

  // Seconds from the start of the recording to the picture at `place`, which plays at `speed` times the source's own.
  double picture(const Place& place, double speed, Clock::time_point now);
  // Nothing new comes: seconds from the start until now. Without real time the clock stands still.
  double hold(Clock::time_point now);
  double seconds() const { return seconds_; }  // from the start until the last of these

 private:
  bool real_time_;
  double fps_, seconds_ = 0;
  bool begun_ = false, held_ = false;  // held_: since the last picture
  Place last_;
  Clock::time_point then_;
};

// Recording: a video that the writer's thread encodes, with a Recorder (recorder.h), while pictures come. The main thread
// never waits for the encoder, the disk or the GPU: pictures for which the writer has no room are dropped and counted.
class Recording {
 public:
  // The writer's thread makes the file; error() says if it could not. A recording that is never stopped leaves no file.
  // `size`, `squares`, `is_new`: as Recorder's.
  Recording(WriterThread& writer, std::filesystem::path target, gpu::Size size, double fps, bool squares = false,
            bool is_new = false);

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
  std::string error() const;  // why it failed, one line; else empty
  std::uint64_t dropped() const { return dropped_; }
  // Once it has ended: how many pictures came too soon after another for the video's rate, one line; empty if few or none.
  std::string left_out() const;
  // Why the GPU dropped pictures: its first error, one line. Empty where all that were dropped found no room.
  const std::string& drop_error() const { return drop_error_; }
  std::size_t on_the_way() const { return on_the_way_.size(); }  // pictures whose copies have not arrived from the GPU
  std::filesystem::path target() const;                          // once it has ended: its name

 private:
  struct Encoding;
  struct OnTheWay {
    std::shared_ptr<const PictureCopies::Copy> copy;
    double position;
    PictureAnnotations annotations;  // which arrive before the copy
  };

  void encode(const OnTheWay& picture);
  void drop(std::uint64_t count, const gpu::CudaError& error);

  WriterThread& writer_;
  std::shared_ptr<Encoding> encoding_;  // shared with the writer's tasks
  PictureCopies copies_;
  std::deque<OnTheWay> on_the_way_;  // oldest first
  std::uint64_t dropped_ = 0;
  std::string drop_error_;
  bool prepared_ = false, stopped_ = false, finishing_ = false;
};

}  // namespace app
