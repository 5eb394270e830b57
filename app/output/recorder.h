// Recorder: encodes pictures to an mp4 file, on the calling thread. The session uses Recording (recording.h), which copies
// pictures from the device and has the writer's thread pass them to a Recorder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <span>
#include <string>

#include "app/support/files.h"
#include "gpu/annotation.h"
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

}  // namespace app
