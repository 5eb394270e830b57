// PictureFiles: pictures in the source's resolution on their way to PNG files, with their annotations drawn. Nothing waits
// for the GPU: a file is written once the copy of its picture has arrived. And images as the bytes of NumPy's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/pipeline/picture.h"
#include "app/support/files.h"
#include "gpu/context.h"
#include "gpu/cuda/event.h"
#include "gpu/cuda/memory.h"
#include "gpu/image.h"

namespace app {

// PictureCopies: copies of pictures in host memory, to be used later and on other threads. A copy from a GPU is
// asynchronous: it is ready about a frame later.
class PictureCopies {
 public:
  class Copy;

  PictureCopies();
  ~PictureCopies();  // releases page-locked memory, which takes time: not on the main thread
  PictureCopies(PictureCopies&&) = default;
  PictureCopies& operator=(PictureCopies&&) = default;

  // Allocates the memory of `count` copies, those of make() included, on a thread of its own: to page-lock memory takes
  // longer than to copy. Call it once.
  void prepare(gpu::Context& context, gpu::Size size, std::size_t count);
  std::size_t unused() const;  // copies whose memory make() can use now
  // Copies at once, or queues the copy on the context's GPU, timed with the frame. Memory whose copy nobody holds any more
  // is used again. Throws gpu::CudaError, std::bad_alloc.
  std::shared_ptr<const Copy> make(gpu::Context& context, const PicturePixels& picture);

 private:
  struct Unused;
  std::shared_ptr<Unused> unused_;  // shared with the copies, which come back to it
  std::jthread preparing_;
};

// Made on one thread; view() may be used on any, once it is ready.
class PictureCopies::Copy {
 public:
  explicit Copy(bool from_gpu);
  ~Copy();
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  bool ready() const;  // throws gpu::CudaError where the GPU failed
  void wait() const;   // until it is; throws the same
  gpu::ImageView<const gpu::Rgba> view() const { return {pixels_.data(), size_.width, size_.height, size_.width}; }
  std::size_t bytes() const { return size_.pixels() * sizeof(gpu::Rgba); }

 private:
  friend class PictureCopies;

  void reserve(gpu::Size size);
  void fill(gpu::Context& context, const PicturePixels& picture);

  gpu::PinnedBuffer<gpu::Rgba> pixels_;  // may be larger than the picture
  gpu::Size size_;
  std::optional<gpu::Event> arrived_;  // of copies from a GPU
};

// Throws std::runtime_error with one line where a picture of this size cannot become a PNG file.
void check_png(const std::filesystem::path& path, gpu::Size size);
// PNG files, or their bytes, from pixels in host memory. Three channels, or one where `gray` and no pixel has a colour; the
// alpha is dropped. All throw std::runtime_error with one line, and then keep an older file.
std::vector<unsigned char> png_of(const std::filesystem::path& path, gpu::ImageView<const gpu::Rgba> picture,
                                  bool gray = false);
void write_png(const std::filesystem::path& path, gpu::ImageView<const gpu::Rgba> picture, bool gray = false);
// One channel.
void write_png(const std::filesystem::path& path, gpu::ImageView<const std::uint8_t> gray);

// NumPy's .npy format, version 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

// The file's bytes for an image of zeros: shape (height, width), C order, little endian, the image's own type ("<u4", "<f8", ...;
// "|u1"). `exclusive`: with a first row and a first column more, (height + 1, width + 1). What computes the image writes into them:
// its first pixel is at byte `first`, its rows are `stride` elements apart.
struct NpyBytes {
  std::string bytes;
  std::size_t first = 0;
  std::ptrdiff_t stride = 0;

  NpyBytes(gpu::ElementType type, gpu::Size size, bool exclusive = false);
  template <class T>
  gpu::ImageView<T> view(gpu::Size size) {
    return {reinterpret_cast<T*>(bytes.data() + first), size.width, size.height, stride};
  }
};

class PictureFiles {
 public:
  using Job = std::function<void(const std::filesystem::path&)>;
  // Has a job write a file.
  using Write = std::function<void(const ResultName&, Job)>;
  // Takes the bytes of a PNG file, on the thread of such a job.
  using Put = std::function<void(std::vector<unsigned char>)>;

  // `picture`: on the context's device, in stream order. `squares`: its pixels become squares with their numbers, as
  // picture_drawing.h draws them. `gray`: as of write_png(). `put`: what the job does instead of writing a file. Throws
  // gpu::CudaError, std::bad_alloc.
  void add(gpu::Context& context, const Picture& picture, ResultName name, bool squares = false, bool gray = false,
           Put put = {});
  // Hands on those that have arrived; `wait`: all of them. One whose GPU failed has a job that says so.
  void hand_on(const Write& write, bool wait = false);
  bool empty() const { return on_the_way_.empty(); }

 private:
  struct OnTheWay {
    ResultName name;
    std::shared_ptr<const PictureCopies::Copy> copy;
    PictureAnnotations annotations;  // which arrive before the copy
    bool squares, gray;
    Put put;
  };
  static Job writing(const OnTheWay& picture);

  PictureCopies copies_;
  std::deque<OnTheWay> on_the_way_;
};

}  // namespace app
