// VideoEncoder: pictures as the packets of a video, H.264 where FFmpeg has an encoder for it, else MPEG-4 part 2. No packet
// waits for later pictures: what was encoded can be in the file at once. Or of an animation for a page or a message, WebP or
// GIF; the one packet of a WebP comes at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include <opencv2/core.hpp>

#include "app/support/ffmpeg.h"
#include "gpu/image.h"

namespace app {

enum class VideoFormat { mp4, webp, gif };
VideoFormat format_of(const std::filesystem::path& path);  // by its ending; mp4 for all but ".webp" and ".gif"
VideoFormat usual_animation();                             // WebP where FFmpeg has an encoder for it, else GIF

class VideoEncoder {
 public:
  // A picture as encoders take it: YUV 4:2:0 of BT.601, which is what OpenCV makes of every video, whatever its file says; for a
  // GIF the nearest of 256 colours.
  using Frame = ffmpeg::Owned<AVFrame>;
  using Take = std::function<void(AVPacket&)>;

  // `size`: even sides. Throws std::runtime_error: no encoder.
  VideoEncoder(cv::Size size, double fps, VideoFormat format = VideoFormat::mp4);

  // In the video's size: as large as it fits, in the middle, with black beside it where the shapes differ. The last row or
  // column of an odd number is left out where the picture needs no scaling otherwise. Throws std::bad_alloc.
  Frame frame(gpu::ImageView<const gpu::Rgba> picture);
  // Frame `number`, counted from 0; null: no more come. `take` gets the packets. Throws std::runtime_error, and what `take` throws.
  void encode(AVFrame* frame, std::int64_t number, const Take& take);

  const AVCodecContext& codec() const { return *codec_; }  // of which the file's head is made

 private:
  ffmpeg::Owned<AVCodecContext> codec_;
  ffmpeg::Owned<AVPacket> packet_;
  ffmpeg::Owned<SwsContext> scaler_;
  cv::Size from_, to_;  // of the scaler
};

}  // namespace app
