// Image files, decoded: whatever OpenCV's imread knows, which as a source of one picture is the kind `image` (source.h); and
// files of one picture that the decoder of videos reads.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <opencv2/core.hpp>

#include "app/capture/capture.h"

namespace app::capture {

struct ImageFile {
  cv::Mat pixels;       // 8-bit BGR, to which gray, transparent and floating-point images are converted (convert.h); of an
                        // image of 16 bits its values, of 1 to 4 channels
  std::string note;     // "16-bit gray", "alpha over a checkerboard"; empty for a plain colour image
  std::string warning;  // a line of its own: what of the file's values cannot be seen; empty mostly
  bool gray = false;    // the file has one channel
};

// The file of an image that a user named, as local_path(); throws SourceError where it is elsewhere.
std::filesystem::path image_path(const std::string& name);
bool is_image(const std::filesystem::path& path);  // by its first bytes; false where it cannot be read

// All turn it upright as its EXIF data says, and throw SourceError, one line: missing, unreadable, damaged, not an image, or
// with a header by which reading it takes more than `memory`, in bytes: see check_memory(). std::bad_alloc where it is too large
// for the memory that there is.
// What only the decoder of videos reads (AVIF, GIF, TGA) comes as 8 bits and 3 channels, and is refused if it has more pictures
// than one. `name`: of messages; empty: the path.
cv::Mat decode_unchanged(const std::filesystem::path& path, std::string name = {},
                         std::uint64_t memory = 0);  // with its own depth and channels, 1, 3 or 4
ImageFile read_image(const std::filesystem::path& path, std::string name = {}, std::uint64_t memory = 0);

// A file in memory alone, for decoders, which take files.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void append(std::string_view bytes);
  std::string problem() const;  // why not all of them are kept; empty: they are
  std::size_t size() const { return size_; }
  std::filesystem::path path() const;

 private:
  int descriptor_, error_;
  std::size_t size_ = 0;
};

// Checks an image that came from elsewhere, or a part of it. Throws SourceError as soon as its header, or what has come, needs
// more memory than the request allows. True: the header is there.
bool check_received(const Request& request, const MemoryFile& file);
// The source of such an image, once all has come; null where it is none. Throws the same.
std::unique_ptr<Source> open_received_image(const Request& request, const MemoryFile& file);

// An image file as the input of a table, for `satscope sat`: its own values, one channel. Colours become gray by OpenCV's
// BGR2GRAY; alpha is ignored. 8 or 16 bits, float or double. Throws SourceError, one line.
cv::Mat read_gray(const std::filesystem::path& path, std::uint64_t memory = 0);

// OpenCV decodes no more than a number of pixels that it reads from the environment when it is loaded, before main(). Whether the
// picture of a file has more, and nobody has set that number; and sets it, for the next start.
bool exceeds_opencv(const std::string& name);
void lift_limits_of_opencv();

// Settings of the libraries below (OpenCV, FFmpeg, V4L2) that keep them quiet. What they write to stderr all the same when a
// file is damaged (libjpeg, libpng, imread) is silenced where they are called: support/console.h. Called before the first use
// of OpenCV's video or image functions; later calls do nothing. Values that the user has set in the environment
// (OPENCV_LOG_LEVEL, OPENCV_FFMPEG_LOGLEVEL, OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT) are kept.
void quiet_libraries();

}  // namespace app::capture
