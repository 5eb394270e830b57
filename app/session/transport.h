// Transport: what plays, and where in it. It follows the source of the settings, takes its frames, seeks and steps, and knows of
// which place the picture shown is.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "app/capture/feed.h"
#include "app/control/settings.h"
#include "app/pipeline/engine.h"
#include "app/session/messages.h"
#include "app/session/outputs.h"

namespace app {

class Transport {
 public:
  using Clock = std::chrono::steady_clock;

  // Opens the source of `settings`. `engine` and `outputs` need not be there yet; `has_gpu`: the engine will have one.
  Transport(const Run& run, Settings& settings, const Engine& engine, bool has_gpu, const Outputs& outputs,
            Messages& messages);

  Feed& feed() { return feed_; }
  const Feed& feed() const { return feed_; }

  // Another source than that of a matrix is named, whose numbers are in the settings still: they would be lost.
  bool leaves_matrix() const;
  void stay();  // instead: the settings name the source that was asked for before
  // Opens the source that the settings name, where that is another one. Not while a frame of the one before is still read.
  void follow();
  // Each frame of the source counts: in a recording, in the log. Then a file waits until its frame is taken, and the frames of a
  // live source wait in a queue.
  bool needs_every_frame() const;
  void reopen() { reopen_ = true; }                         // with the next follow(), also the same
  void start_at(double seconds) { start_ = seconds; }       // the next source, if it can be sought
  const capture::Request& asked() const { return asked_; }  // for last
  capture::Request wanted() const;                          // by the settings
  bool follows_settings() const { return same_request(wanted(), asked_); }
  bool at_start() const { return at_start_; }  // no other source was asked for

  // The next frame; the slot of the one before is used again. Null: none came within `patience`.
  // `of_new`: of the source that is being opened alone.
  const capture::Frame* take(std::chrono::microseconds patience, bool of_new = false);
  void stay_busy() { idle_ = false; }         // no frame was asked for
  bool idle() const { return idle_; }         // one was, and none came
  capture::Drops& drops() { return drops_; }  // of frames that have no picture, since the start
  // The number of the source of the frame taken last.
  std::uint64_t source_number() const { return taken_.source; }
  const std::shared_ptr<const std::string>& source() const { return source_; }  // its description
  Clock::time_point taken() const { return taken_at_; }

  // A picture of the frame taken last is begun, perhaps once more; it is there.
  void picture_begun(const capture::Frame& frame) { next_position_ = frame.position; }
  void picture_made();
  double position() const { return position_; }                 // of the picture shown, seconds into the source
  std::uint64_t shown_source() const { return shown_.source; }  // its source's number
  bool shows_its_source() const;                                // it is of the source that the settings name
  // The frame taken last is of another place that was sought.
  bool awaits_place() const { return shown_.seek != taken_.seek; }

  // Why a source failed, once for each: the one that was asked for last, else the one that is shown. Else empty.
  std::string new_failure();
  bool new_one_failed() const;  // and new_failure() is still to say so
  // Sets the settings back to the source that plays, because the one that they name has failed.
  void give_up(const std::string& why);
  bool has_failed() const { return has_failed_; }                        // a source, at any time
  const std::string& failed_source() const { return failed_source_; }    // as named, until another is asked for; else empty
  const std::string& failed_because() const { return failed_because_; }  // one line
  bool in_squares() const;  // the frame is a matrix, which is drawn as squares where it is saved

  // Where the settings are to go elsewhere for a while, and come back: what plays, and where in it.
  struct Place {
    std::string source;   // the setting
    double position = 0;  // seconds
    bool paused = false;
  };
  Place here() const { return {settings_.source, position_, feed_.paused()}; }
  void go_on_at(const Place& place);  // the settings name its source again

  void pause() { feed_.set_paused(true); }
  void resume();
  void set_paused(bool paused);  // a still picture stays as it is
  void toggle_pause();
  // These throw std::invalid_argument where the source has no other place.
  void seek(double seconds);                                 // a number beyond the end is the end
  void seek_by(double seconds) { seek(place() + seconds); }  // from where it is
  void seek_within(double seconds);                          // beyond the end is refused
  void step(int pictures);

 private:
  capture::Request request(bool has_gpu) const;
  capture::Playback playback(bool every_frame) const;
  void require_places() const;
  bool at_end() const;
  double place() const;
  void follow_frames(const capture::Frame& frame);

  struct FrameOrigin {
    std::uint64_t source = 0, seek = 0;
  };

  const Run& run_;
  Settings& settings_;
  const Engine& engine_;
  const Outputs& outputs_;
  Messages& messages_;
  Feed feed_;
  capture::Request asked_;
  std::string failed_source_, failed_because_;
  FrameOrigin taken_, shown_;   // of the frame taken last; of the picture made last
  std::uint64_t sequence_ = 0;  // of the frame taken last
  capture::Drops drops_;
  std::shared_ptr<const std::string> source_ = std::make_shared<const std::string>();
  Clock::time_point taken_at_;
  double position_ = 0, next_position_ = 0, sought_ = 0;  // sought_: where the last seek leads
  double start_ = 0;                                      // of the next source
  bool reopen_ = false, at_start_ = true, idle_ = false, has_failed_ = false;
};

}  // namespace app
