// Outputs: the files that a run leaves: video, screenshot, timings. What fails is said in one line, and the rest is
// still written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/capture/feed.h"
#include "app/output/recorder.h"
#include "app/output/report.h"
#include "app/pipeline/engine.h"
#include "app/session/messages.h"
#include "app/session/meter.h"

namespace app {

// What a run was asked to leave, and when to end.
struct Run {
  bool offscreen = false;
  bool progress = false;                  // a bar on stderr
  bool announce = false;                  // prints the paths of what was written
  std::optional<std::uint64_t> frames;    // end after so many pictures
  std::optional<std::uint64_t> frames_of_endless;  // the same, for sources that never end
  std::optional<std::filesystem::path> screenshot, record, export_file;  // at the end; record: from the start
};

// What the engine, the meter and the source know of a run. `frames`, and how pixels reach the window, are the caller's.
Report report_of(Engine& engine, const Meter& meter, const capture::Status& source);

class Outputs {
 public:
  using Writer = std::function<void(const std::filesystem::path&)>;  // may throw: then the cause is said

  Outputs(const Run& run, Messages& messages) : run_(run), messages_(messages) {}

  // The picture just made of the feed's last frame, to the video where there is one.
  void add(gpu::Context& context, const Picture& picture, const Feed& feed);
  void toggle_recording();  // to a new file in satscope-out
  // A video begins with the next picture, also of a still image.
  bool wants_picture() const { return wanted_recording_ && !recorder_; }
  bool recording() const { return recorder_ || wanted_recording_; }
  double recorded_seconds() const { return recorder_ ? recorder_->seconds() : 0; }

  // Now, to a new file in satscope-out.
  void screenshot_now(const Writer& write);
  void export_now(const Report& report);

  void finish_recording();
  void final_screenshot(const Writer& write);  // where one was asked for
  void final_export(const Report& report);
  bool failed() const { return failed_; }  // something that was asked for could not be written

 private:
  void attempt(const std::filesystem::path& path, const Writer& write);

  const Run& run_;
  Messages& messages_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<std::filesystem::path> wanted_recording_;  // begins with the next picture
  bool recording_asked_ = false, failed_ = false;
};

}  // namespace app
