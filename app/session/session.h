// Session: the frame loop without a window: source, engine, statistics, files. The window, highgui and offscreen runs drive
// this one loop, a step per frame, and draw what it has made.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/capture/capture.h"
#include "app/capture/feed.h"
#include "app/control/command.h"
#include "app/control/undo.h"
#include "app/output/log_file.h"
#include "app/output/report.h"
#include "app/pipeline/engine.h"
#include "app/session/check_light.h"
#include "app/session/frame_log.h"
#include "app/session/frame_search.h"
#include "app/session/messages.h"
#include "app/session/outputs.h"
#include "app/session/race.h"
#include "app/session/session_script.h"
#include "app/support/exit_code.h"

namespace app {

class Session {
 public:
  // `attended`: a user is there, who can choose another source if one fails. `sink`: may throw; that is a message and costs
  // the picture. `race_by`: computes the tables of the race, for tests.
  Session(const Settings& settings, gpu::GpuProbe probe, const Run& run, bool attended, PictureSink sink,
          RaceBench::Compute race_by = {});

  Settings& settings() { return settings_; }
  Settings settings_to_save() const;  // without parameters that were refused
  Messages& messages() { return messages_; }
  Feed& feed() { return feed_; }
  const Feed& feed() const { return feed_; }
  Engine& engine() { return engine_; }
  FrameLog& log() { return log_; }
  Outputs& outputs() { return outputs_; }
  Race& race() { return race_; }
  const Race& race() const { return race_; }
  TableBound& table_bound() { return bound_; }
  const Run& run() const { return run_; }

  // Takes a frame, waiting up to `patience` for it or for the picture that is under way; begins its picture; shows what is
  // ready. True where there is a new picture. Throws ExitError where an unattended run can get none at all.
  bool step(std::chrono::microseconds patience);
  // The same frame once more in the next step where no other comes, for its times alone.
  void measure_again() { again_ = true; }
  bool measured_again() const { return measured_again_; }  // the picture made last was such a one

  // As apply() of change.h; a result that is not complete is not to be read either. Throws std::invalid_argument.
  void set(std::span<const Change> changes, bool drags = false);
  // What panels made of settings(); throws the same, for such a result. `drags`: see Undo.
  void use(const Settings& changed, bool drags = false);
  // For keys and mouse: what cannot be done becomes a message.
  void change(std::span<const Change> changes);
  void change(const Change& one) { change(std::span(&one, 1)); }
  void perform(const Command& command);
  bool sets(const Command& command) const;  // it changes settings, or is refused
  // Its file. Where it would replace what it must not, or what this run has not written, that becomes a message.
  bool may_write(const Command& command);
  // One that needs no window. Throws std::invalid_argument where it cannot be done.
  void act(const Command& command);
  void seek(double seconds);  // throws the same
  void seek_within(double seconds);
  void go_to(double seconds);  // the same; what cannot be done becomes a message
  // Where the source that the settings name from now on starts, if it can be sought.
  void start_at(double seconds) { start_ = seconds; }
  ChangeContext context() const;
  bool saves_pictures() const { return !pictures_to_save_.empty(); }  // that were asked for, and are not copied yet
  // Numbers of a matrix source were changed since the start, and are in no file.
  bool matrix_unsaved() const;
  std::string matrix_problem() const;  // why these could not be saved when that was asked for last, one line; else empty
  void quit() { quit_ = true; }
  void set_zoom(double zoom) { zoom_ = zoom; }                                                          // as drawn
  void set_scales(double of_display, double most) { display_scale_ = of_display, most_scale_ = most; }  // see ChangeContext
  SessionScript& script() { return script_; }
  CheckLight& check_light() { return light_; }
  CascadeView& cascade_view() { return cascade_view_; }
  ResponseSearch& responses() { return responses_; }
  // Until both have looked at the picture that is shown, where no other is under way.
  void wait_for_tabs();

  bool done();  // what the run was asked for is made, it was interrupted, or nothing will come any more
  ExitCode exit_code() const { return messages_.exit_code(); }  // after finish()
  // After the last step: waits for what is under way, and until the log is written; saves a changed matrix where that can be
  // done, unless Action::quit ended the session: who quits was asked.
  void finish();

  std::uint64_t pictures() const { return pictures_; }  // made since the start
  bool shows_its_source() const;                        // the picture is of the source that the settings name
  // A picture of the place that was sought is still to come.
  bool goes_elsewhere() const;
  const std::string& failed_source() const { return failed_source_; }  // as named, until another is asked for; else empty
  const std::shared_ptr<const TileHistory>& trace() const { return trace_; }  // recorded last; null before the first
  // Why tiles cannot be traced with the settings, one line; empty if they can.
  std::string why_no_trace() const;
  double position() const { return position_; }                          // of the picture shown, seconds into the source
  std::size_t memory_bytes() const { return memory_bytes_; }             // held by the pipeline with the picture made last
  const std::string& failed_because() const { return failed_because_; }  // one line
  // How the picture that the sink was given reaches the screen: said by the sink itself, or before the first picture. If
  // that changes, the figures start again at zero, with this picture.
  void presented(bool interop, std::string_view staged_reason);
  bool interop() const { return interop_; }
  const std::string& staged_reason() const { return staged_reason_; }  // empty with interop
  void take_all_times();                                               // those that a GPU still has, too: waits for it
  // Of the frames whose times are there; after take_all_times() or finish(), of all. Waits for nothing.
  Report report();
  // What scripts ask for (script::Get), one line of JSON: {"fps": 59.8, "source.position": 1.2}. Throws std::invalid_argument.
  std::string answer(std::span<const std::string> paths);
  // Of a run without a window: interrupted before its first picture, although something was asked for. finish() says so.
  bool has_nothing() const;
  std::string why_not_exported(const Report& report) const;  // at the end, where graph_range has no frames; else empty

 private:
  using Clock = std::chrono::steady_clock;

  bool act_on_session(Action action, const std::filesystem::path& to);
  bool act_on_transport(const Command& command);
  void open(const std::string& source);
  void undo(bool again);
  bool at_end() const;
  void resume();
  void toggle_pause();
  double place() const;
  void require_transport() const;
  void step_pictures(int count);
  void save_picture(const std::filesystem::path& to);
  void save_pictures();
  bool in_squares() const;
  Picture for_files(const Picture& picture) const;
  std::string matrix_text() const;
  void save_matrix(const std::filesystem::path& to);
  std::string keep_matrix(std::span<const std::filesystem::path> folders);
  void keep_matrix_at_end();
  bool leaves_matrix();
  void end_simulation();
  void save_wrong_frame(const std::filesystem::path& to);
  capture::Request request() const;
  void follow_source();
  const capture::Frame* next_frame(std::chrono::microseconds patience);
  void begin(std::chrono::microseconds patience);
  void hand_on(gpu::Context& context, const Picture& picture);
  bool show(std::chrono::microseconds patience);
  void show_race();
  void step_race();
  bool race_is_due() const;
  bool has_run_out() const;
  bool has_no_end() const;
  bool has_all_frames() const;  // that the run asks for
  void note_drops(const capture::Frame& frame);
  FrameRecord record_of(const capture::Frame& frame) const;
  void note_speed();
  void miss();
  void count();
  void forget_range();
  // These throw std::invalid_argument where there is nothing to export.
  void export_timings(const std::filesystem::path& to, const std::string& ending = ".json");
  void export_race(const std::filesystem::path& to);
  void export_frames(const std::filesystem::path& to);
  void export_timeline(const std::filesystem::path& to);
  void say_warnings();
  void say_failures();
  const Engine::Failure* new_engine_failure();
  std::string new_source_failure();
  bool new_one_failed() const;
  void take_times();
  void trace_next();
  void export_trace(const std::filesystem::path& to);
  void take_trace();
  const capture::Frame* shown_frame();
  void look_at_shown_frame();
  void show_feature(int step);
  void show_stage(int step);

  Run run_;
  Settings settings_;
  const Settings started_;  // at the start
  bool attended_;
  PictureSink sink_;
  Messages messages_;
  Feed feed_;
  capture::Request requested_;
  std::string failed_source_, failed_because_;
  Engine engine_;
  std::unique_ptr<LogFile> log_file_;
  FrameLog log_;
  CheckLight light_;
  CascadeView cascade_view_;
  ResponseSearch responses_;
  Undo undo_;
  Outputs outputs_;
  SessionScript script_;
  Race race_;
  TableBound bound_;
  double zoom_ = 1, display_scale_ = 1, most_scale_ = 4;
  bool interop_ = false;
  std::string staged_reason_ = "no picture yet";
  std::size_t memory_bytes_ = 0;
  std::shared_ptr<const TileHistory> trace_;

  std::uint64_t frames_ = 0, pictures_ = 0;      // frames: taken from the source
  std::uint64_t id_ = 0, dropped_ = 0;           // of the picture made last; frames since then that have none
  std::uint64_t making_id_ = 0;                  // of the picture under way
  std::uint64_t taken_from_ = 0, sequence_ = 0;  // of the frame taken last: the source's number, the place in it
  std::uint64_t shown_from_ = 0;                 // the source's number of the picture made last
  std::shared_ptr<const std::string> source_ = std::make_shared<const std::string>();
  Clock::time_point taken_;
  double position_ = 0, next_position_ = 0, sought_ = 0;  // sought_: where the last seek leads
  double start_ = 0;                                      // of the next source
  std::uint64_t seek_ = 0, shown_seek_ = 0;               // of the frame taken last; of the picture made last
  std::vector<std::filesystem::path> pictures_to_save_;
  struct Saving {
    enum State { under_way, there, failed };
    std::atomic<State> state = under_way;
    std::string problem;  // why it failed, one line; set before that is
  };
  struct {
    std::string matrix;                    // as in the settings
    std::shared_ptr<const Saving> saving;  // null: nothing was saved
  } saved_matrix_;
  bool shows_last_ = false;                      // the sink has a picture of the frame taken last
  bool fresh_ = false, measured_again_ = false;  // the picture under way: of a new frame; for its times alone
  bool retries_ = false;   // a new frame was refused, and may have a picture without what was asked for
  bool changed_ = false;   // the settings ask for another picture of the frame, which was not begun yet
  bool at_start_ = true;   // no other source was asked for
  bool answered_ = false;  // whoever quits was asked what becomes of a changed matrix
  bool rests_ = false;     // no picture is under way or wanted, and none comes by itself
  bool again_ = false, reopen_ = false, idle_ = false, quit_ = false, source_failed_ = false, race_failed_ = false;
};

// The machine, for the head of a log or an export: every device that the engine may compute on.
std::string machine_of(const Engine& engine);

}  // namespace app
