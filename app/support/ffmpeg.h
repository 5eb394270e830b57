// Owners of FFmpeg's objects, for what reads videos and what writes them.
#pragma once

#include <memory>
#include <new>

struct AVCodecContext;
struct AVCodecParameters;
struct AVFormatContext;
struct AVFrame;
struct AVPacket;
struct SwsContext;

namespace app::ffmpeg {

struct Release {
  void operator()(AVCodecContext* context) const;
  void operator()(AVCodecParameters* parameters) const;
  void operator()(AVFormatContext* context) const;  // of an input
  void operator()(AVFrame* frame) const;
  void operator()(AVPacket* packet) const;
  void operator()(SwsContext* context) const;
};

template <class Object>
using Owned = std::unique_ptr<Object, Release>;

// What FFmpeg allocates is null where memory is exhausted. Throws std::bad_alloc then.
template <class Object>
Object* allocated(Object* object) {
  if (!object) throw std::bad_alloc();
  return object;
}

}  // namespace app::ffmpeg
