// Recording: a video that the writer's thread encodes, with a Recorder (recorder.h), while pictures come. The main thread
// never waits for the encoder, the disk or the GPU: pictures for which the writer has no room are dropped and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>

#include "app/output/picture_copies.h"
#include "app/output/writer_thread.h"
#include "app/pipeline/picture_annotations.h"
#include "gpu/error.h"

namespace app {

class Recording {
 public:
  // The writer's thread makes the file; error() says if it could not. A recording that is never stopped leaves no file.
  // `size`, `squares`, `is_new`: as Recorder's.
  Recording(WriterThread& writer, std::filesystem::path target, gpu::Size size, double fps, bool squares = false,
            bool is_new = false);

  // `picture`: on the context's device, in stream order. `position`: as Recorder::add(). A GPU that fails costs the
  // picture; throws std::bad_alloc.
  void add(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture, double position,
           const PictureAnnotations& annotations = {});
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
