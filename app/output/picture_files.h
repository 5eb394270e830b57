// PictureFiles: pictures in the source's resolution on their way to PNG files, with their annotations drawn. Nothing waits
// for the GPU: a file is written once the copy of its picture has arrived.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>

#include "app/output/picture_copies.h"
#include "app/pipeline/picture.h"

namespace app {

class PictureFiles {
 public:
  using Job = std::function<void(const std::filesystem::path&)>;
  // Has a job write a file.
  using Write = std::function<void(const std::filesystem::path&, Job)>;

  // `picture`: on the context's device, in stream order. `squares`: its pixels become squares with their numbers, as
  // matrix_picture.h draws them. Throws gpu::CudaError, std::bad_alloc.
  void add(gpu::Context& context, const Picture& picture, std::filesystem::path path, bool squares = false);
  // Hands on those that have arrived; `wait`: all of them. One whose GPU failed has a job that says so.
  void hand_on(const Write& write, bool wait = false);
  bool empty() const { return on_the_way_.empty(); }

 private:
  struct OnTheWay {
    std::filesystem::path path;
    std::shared_ptr<const PictureCopies::Copy> copy;
    PictureAnnotations annotations;  // which arrive before the copy
    bool squares;
  };
  static Job writing(const OnTheWay& picture);

  PictureCopies copies_;
  std::deque<OnTheWay> on_the_way_;
};

}  // namespace app
