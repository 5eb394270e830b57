// PictureMaker: has the engine make a picture of each frame, numbers the pictures, and takes what becomes known of them later:
// their times into the log, the answers of checks, what tabs look for in the frame that is shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/output/log_file.h"
#include "app/pipeline/engine.h"
#include "app/session/check_light.h"
#include "app/session/frame_log.h"
#include "app/session/frame_search.h"
#include "app/session/messages.h"
#include "app/session/outputs.h"
#include "app/session/transport.h"

namespace app {

class Saver;

class PictureMaker {
 public:
  // `sink`: may throw; that is a message and costs the picture. Throws ExitError where the run's log cannot be begun.
  PictureMaker(const Run& run, Settings& settings, Engine& engine, Transport& transport, Messages& messages,
               PictureSink sink);

  FrameLog& log() { return log_; }
  CheckLight& light() { return light_; }
  CascadeView& cascade_view() { return cascade_view_; }
  ResponseSearch& responses() { return responses_; }

  // Whether the picture made last shows the values that the settings choose, where the source has 16 bits.
  bool shows_values() const;
  // The same frame once more where no other comes, for its times alone.
  void measure_again() { again_ = true; }
  bool measured_again() const { return measured_again_; }  // the picture made last was such a one
  bool moved_wipe() const { return moved_wipe_; }          // it was there, and only its wipe was moved
  // The frame taken last was refused, and may have a picture without what was asked for: it is `fresh` once more, then.
  bool retries() const { return retries_; }
  // Begins a picture of `fresh`, or without one, of the last frame where that has another picture now, or is `wanted` or asked
  // for `again` in any case. True where one is under way. Where only its wipe moves, it is made
  // at once: pictures() counts it.
  bool begin(const capture::Frame* fresh, bool wanted, bool again, Saver& saver);
  // The picture under way, where it is there within `patience`: the sink gets it, and the saver.
  bool show(std::chrono::microseconds patience, Saver& saver);
  // The end of a step: nothing is computed, and nothing comes by itself, unless a picture was `made`.
  void rest(bool made);
  // What has come since: times, answers of checks.
  void update();
  void update_times();
  void take_all_times();  // those that a GPU still has, too: waits for it
  void finish();  // at the end of the run, no picture is under way: waits for all of it, and until the log is written
  void look_at_shown_frame();
  void wait_for_tabs();  // until they have looked at the picture that is shown, where no other is under way
  void reset_statistics();

  std::uint64_t pictures() const { return pictures_; }  // made since the start
  std::uint64_t frames() const { return frames_; }      // that came from the source
  bool has_all_frames(bool script_ended) const;         // that the run asks for
  bool has_picture_of_source() const { return engine_.has_picture() && transport_.shows_its_source(); }
  // A picture of the place that was sought is still to come.
  bool goes_elsewhere() const;
  std::size_t memory_bytes() const { return memory_bytes_; }  // held by the pipeline with the picture made last
  // How the picture reaches the screen: said by the sink, or before the first picture. If that changes, the figures start
  // again at zero, with this picture.
  void presented(bool interop, std::string_view staged_reason);
  bool interop() const { return interop_; }
  // Whether OpenGL draws on the GPU that computes, by whichever path pictures reach it; from the next completed frame on.
  void draws_on_gpu(bool draws) { log_.draws_on_gpu(draws); }
  const std::string& staged_reason() const { return staged_reason_; }  // empty with interop
  static bool by_interop(const Work& work);                            // its frames were presented so

  // Says what holds although there are pictures, and what is wrong with tables and log.
  void say_warnings();
  // Why there is no picture of what was chosen, once for each cause; else null.
  const Engine::Failure* new_failure();
  void drop_failure();  // it need not be reported

 private:
  using Clock = std::chrono::steady_clock;

  const capture::Frame* shown_frame();
  bool take_detections(bool waits);
  void hand_on(const Published& made, Saver& saver);
  bool move_wipe(Saver& saver);
  FrameRecord record_of(const capture::Frame& frame) const;
  void miss();
  void count();
  void tell_of_simulated();
  bool has_no_end() const;
  void note_speed();
  void forget_range();

  const Run& run_;
  Settings& settings_;
  Engine& engine_;
  Transport& transport_;
  Messages& messages_;
  PictureSink sink_;
  std::unique_ptr<LogFile> log_file_;
  FrameLog log_;
  CheckLight light_;
  CascadeView cascade_view_;
  ResponseSearch responses_;
  std::uint64_t frames_ = 0, pictures_ = 0;
  std::uint64_t id_ = 0, making_id_ = 0;                             // of the pictures made last and under way
  std::uint64_t drops_ = 0, making_drops_ = 0;                       // before them
  std::optional<capture::ValueWindow> making_values_, made_values_;  // shown by the pictures under way and made last
  std::size_t memory_bytes_ = 0;
  bool interop_ = false;
  std::string staged_reason_ = "no picture yet";
  bool shows_last_ = false;                      // the sink has a picture of the frame taken last
  bool fresh_ = false, measured_again_ = false;  // the picture under way: of a new frame; for its times alone
  bool moved_wipe_ = false;                      // the picture made last: only its wipe is new
  bool retries_ = false;
  bool changed_ = false;  // the settings ask for another picture of the frame, which was not begun yet
  bool rests_ = false;    // no picture is under way or wanted, and none comes by itself
  bool again_ = false;
};

// The machine, for the head of a log or an export: every device that the engine may compute on.
std::string machine_of(const Engine& engine);
std::string threads_text();  // "16 threads": of the processor
std::string driver_text();   // of the GPU

}  // namespace app
