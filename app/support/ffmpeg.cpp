#include "app/support/ffmpeg.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

namespace app::ffmpeg {

void Release::operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
void Release::operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
void Release::operator()(AVFormatContext* context) const { avformat_close_input(&context); }
void Release::operator()(AVFrame* frame) const { av_frame_free(&frame); }
void Release::operator()(AVPacket* packet) const { av_packet_free(&packet); }
void Release::operator()(SwsContext* context) const { sws_freeContext(context); }

}  // namespace app::ffmpeg
