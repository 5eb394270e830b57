// VideoFile: an MP4 file that grows in fragments of a quarter of a second, each with its own index: whatever ends the program, or
// fills the disk, what is in the file can be played. It goes to the disk every few seconds, in case the machine stops. In the end
// it is written once more, as one with its index first.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/output/video_encoder.h"
#include "app/support/interrupt.h"
#include "app/support/threads.h"

struct AVCodecContext;
struct AVPacket;

namespace app {

class VideoFile {
 public:
  // Makes a file beside `target`: clip.partial.mp4, or with the first number that is free; an animation of WebP or GIF, which
  // has no fragments, where the target's ending says so. `codec`: of the packets. Throws std::system_error or std::bad_alloc,
  // as all that write do. `between_syncs`: of the file with its disk, on a thread of its own.
  VideoFile(const std::filesystem::path& target, const AVCodecContext& codec,
            std::chrono::milliseconds between_syncs = std::chrono::seconds(2));
  ~VideoFile();  // removes a file without a frame; what can be played stays
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  // If it throws, the file ends with its last whole fragment: it takes no more packets.
  void write(AVPacket& packet);
  void end();
  // The same, where something has failed; no more packets come.
  void end_with_what_is_there() noexcept;
  std::uint64_t frames() const { return whole_frames_; }  // that are in the file, whatever comes next

  // After end(); of an animation it is on the disk then. `progress`: gets 0 to 1. Where there is no room for a second file
  // meanwhile, it stays as it is; returns why, one line.
  std::string put_index_first(const std::function<void(double)>& progress);
  // The file takes this name; from then on it is no longer this object's. Throws std::system_error, then it stays under its own.
  void rename(const std::filesystem::path& target);
  std::filesystem::path place() const;  // where it is now, whoever moved it; empty: it was removed

 private:
  class Muxer;

  void note_whole();
  void sync();
  template <class Step>
  void attempt(Step step);

  std::filesystem::path path_;
  const VideoFormat format_;
  int descriptor_ = -1;
  std::unique_ptr<Muxer> muxer_;
  std::uint64_t frames_ = 0, whole_frames_ = 0;
  std::int64_t whole_bytes_ = 0;
  std::optional<RemovedWhenKilled> when_killed_;
  const std::chrono::milliseconds between_syncs_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
  TaskThread syncing_;
};

}  // namespace app
