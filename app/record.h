// Recorder: processed pictures to an mp4 file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <opencv2/videoio.hpp>

#include "gpu/context.h"
#include "gpu/image.h"

namespace app {

// H.264 where OpenCV can write it, else MPEG-4 part 2. The film grows beside its target and takes its name when it is
// finished and whole.
class Recorder {
 public:
  // Throws std::runtime_error with one line: the folder cannot be written to, no encoder.
  Recorder(std::filesystem::path target, gpu::Size size, double fps);
  ~Recorder();  // unfinished films are removed
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Waits for the picture where it is on a GPU. A picture of another size than the first is scaled to it.
  void add(const gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture);
  // Throws std::runtime_error with one line where the film is not whole: a full disk says nothing earlier.
  void finish();

  double seconds() const { return static_cast<double>(frames_) / fps_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  std::filesystem::path target_, growing_;
  cv::Size size_;
  double fps_;
  cv::VideoWriter writer_;
  std::uint64_t frames_ = 0;
};

}  // namespace app
