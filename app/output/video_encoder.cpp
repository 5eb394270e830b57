#include "app/output/video_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

namespace app {

namespace {

constexpr double seconds_between_keys = 2;

constexpr const char *webp_encoder = "libwebp_anim", *gif_encoder = "gif";

// By name: others take their frames from a device's memory.
std::vector<const char*> encoders_of(VideoFormat format) {
  switch (format) {
    case VideoFormat::webp: return {webp_encoder};
    case VideoFormat::gif: return {gif_encoder};
    default: return {"libx264", "libopenh264", "mpeg4"};
  }
}

std::string why_no_encoder(VideoFormat format) {
  switch (format) {
    case VideoFormat::webp: return "FFmpeg has no encoder for WebP; name a file that ends in .gif";
    case VideoFormat::gif: return "FFmpeg has no encoder for GIF";
    default: return "FFmpeg has no encoder for H.264 or MPEG-4";
  }
}

ffmpeg::Owned<AVCodecContext> opened(const AVCodec& codec, cv::Size size, double fps) {
  ffmpeg::Owned<AVCodecContext> context(ffmpeg::allocated(avcodec_alloc_context3(&codec)));
  context->width = size.width;
  context->height = size.height;
  context->framerate = av_d2q(fps, 65535);  // the finest that MPEG-4 part 2 has
  context->time_base = av_inv_q(context->framerate);
  context->gop_size = std::max(1, static_cast<int>(fps * seconds_between_keys));
  context->max_b_frames = 0;
  context->pix_fmt = codec.id == AV_CODEC_ID_GIF ? AV_PIX_FMT_RGB8 : AV_PIX_FMT_YUV420P;
  context->color_range = AVCOL_RANGE_MPEG;
  context->colorspace = AVCOL_SPC_SMPTE170M;
  context->color_primaries = AVCOL_PRI_BT709;
  context->color_trc = AVCOL_TRC_IEC61966_2_1;
  context->sample_aspect_ratio = {1, 1};
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;  // MP4 has them in its head
  context->thread_count = 0;                      // as many as there are processors
  context->thread_type = FF_THREAD_SLICE;         // those by frames are late by a frame each
  context->log_level_offset = 2 * AV_LOG_TRACE;   // errors are returned, nobody reads the rest
  if (codec.id == AV_CODEC_ID_H264) {
    av_opt_set(context->priv_data, "preset", "veryfast", 0);
    av_opt_set(context->priv_data, "tune", "zerolatency", 0);
    av_opt_set(context->priv_data, "crf", "20", 0);
  } else if (codec.id == AV_CODEC_ID_MPEG4) {
    context->flags |= AV_CODEC_FLAG_QSCALE;
    context->global_quality = 3 * FF_QP2LAMBDA;
  }
  if (avcodec_open2(context.get(), &codec, nullptr) < 0) return nullptr;
  return context;
}

cv::Size even(cv::Size size) { return {size.width & ~1, size.height & ~1}; }

// Where the picture is in the video: an even place, so that its colours begin with it.
cv::Rect inner(cv::Size picture, cv::Size video) {
  if (even(picture) == video) return {{}, video};
  const auto scale = std::min(static_cast<double>(video.width) / picture.width,
                              static_cast<double>(video.height) / picture.height);
  const cv::Size size(std::clamp(cvRound(picture.width * scale), 1, video.width),
                      std::clamp(cvRound(picture.height * scale), 1, video.height));
  return {((video.width - size.width) / 2) & ~1, ((video.height - size.height) / 2) & ~1, size.width, size.height};
}

void blacken(AVFrame& frame) {
  const std::array<std::ptrdiff_t, 4> strides{frame.linesize[0], frame.linesize[1], frame.linesize[2], 0};
  av_image_fill_black(frame.data, strides.data(), static_cast<AVPixelFormat>(frame.format), AVCOL_RANGE_MPEG, frame.width,
                      frame.height);
}

}  // namespace

VideoFormat format_of(const std::filesystem::path& path) {
  const auto ending = path.extension();
  return ending == ".webp" ? VideoFormat::webp : ending == ".gif" ? VideoFormat::gif : VideoFormat::mp4;
}

VideoFormat usual_animation() { return avcodec_find_encoder_by_name(webp_encoder) ? VideoFormat::webp : VideoFormat::gif; }

VideoEncoder::VideoEncoder(cv::Size size, double fps, VideoFormat format) : packet_(ffmpeg::allocated(av_packet_alloc())) {
  for (const auto* name : encoders_of(format))
    if (const auto* codec = avcodec_find_encoder_by_name(name); codec && !codec_) codec_ = opened(*codec, size, fps);
  if (!codec_) throw std::runtime_error(why_no_encoder(format));
}

VideoEncoder::Frame VideoEncoder::frame(gpu::ImageView<const gpu::Rgba> picture) {
  const cv::Size video(codec_->width, codec_->height);
  const auto place = inner({picture.width, picture.height}, video);
  const auto from = place.size() == video && even({picture.width, picture.height}) == video
                        ? video
                        : cv::Size(picture.width, picture.height);
  if (!scaler_ || from != from_ || place.size() != to_) {
    scaler_.reset(ffmpeg::allocated(sws_getContext(from.width, from.height, AV_PIX_FMT_RGB0, place.width, place.height,
                                                   codec_->pix_fmt, SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP,
                                                   nullptr, nullptr, nullptr)));
    const auto* matrix = sws_getCoefficients(SWS_CS_SMPTE170M);
    sws_setColorspaceDetails(scaler_.get(), matrix, 1, matrix, 0, 0, 1 << 16, 1 << 16);
    from_ = from, to_ = place.size();
  }
  Frame frame(ffmpeg::allocated(av_frame_alloc()));
  frame->format = codec_->pix_fmt;
  frame->width = video.width;
  frame->height = video.height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  if (place.size() != video) blacken(*frame);
  const std::array<const std::uint8_t*, 1> source{reinterpret_cast<const std::uint8_t*>(picture.data)};
  const std::array<int, 1> source_stride{static_cast<int>(static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba))};
  const auto half = [&](int i) {
    return frame->data[i] ? frame->data[i] + place.y / 2 * frame->linesize[i] + place.x / 2 : nullptr;
  };
  const std::array<std::uint8_t*, 3> planes{frame->data[0] + place.y * frame->linesize[0] + place.x, half(1), half(2)};
  sws_scale(scaler_.get(), source.data(), source_stride.data(), 0, from.height, planes.data(), frame->linesize);
  return frame;
}

void VideoEncoder::encode(AVFrame* frame, std::int64_t number, const Take& take) {
  const auto failed = [](int error) {
    return std::runtime_error("the encoder failed (" + std::to_string(error) + "); record a smaller picture");
  };
  if (frame) {
    frame->pts = number;
    frame->pict_type = AV_PICTURE_TYPE_NONE;
  }
  if (const int error = avcodec_send_frame(codec_.get(), frame); error < 0) throw failed(error);
  while (true) {
    const int error = avcodec_receive_packet(codec_.get(), packet_.get());
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return;
    if (error < 0) throw failed(error);
    packet_->duration = 1;
    take(*packet_);
    av_packet_unref(packet_.get());
  }
}

}  // namespace app
