// Session: the frame loop without a window, and its parts: what plays, what makes pictures, what is saved, the race, the tile
// trace, a script. The window, highgui and offscreen runs drive this one loop, a step per frame, and draw what it has made.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "app/control/change.h"
#include "app/control/command.h"
#include "app/pipeline/engine.h"
#include "app/session/lessons.h"
#include "app/session/messages.h"
#include "app/session/outputs.h"
#include "app/session/picture_maker.h"
#include "app/session/race_runner.h"
#include "app/session/saver.h"
#include "app/session/session_kernels.h"
#include "app/session/session_script.h"
#include "app/session/trace_runner.h"
#include "app/session/transport.h"
#include "app/support/exit_code.h"

namespace app {

class Session {
 public:
  // `attended`: a user is there, who can choose another source if one fails. `sink`: may throw; that is a message and costs
  // the picture.
  Session(const Settings& settings, gpu::GpuProbe probe, const Run& run, bool attended, PictureSink sink);

  const Run& run() const { return run_; }
  Settings& settings() { return settings_; }
  Messages& messages() { return messages_; }
  Outputs& outputs() { return outputs_; }
  Engine& engine() { return engine_; }
  Transport& transport() { return transport_; }
  const Feed& feed() const { return transport_.feed(); }
  PictureMaker& maker() { return maker_; }
  FrameLog& log() { return maker_.log(); }
  RaceRunner& race_runner() { return race_; }
  const Race& race() const { return race_.race(); }
  TraceRunner& trace_runner() { return trace_; }
  Saver& saver() { return saver_; }
  const Saver& saver() const { return saver_; }
  SessionScript& script() { return script_; }
  const Lessons& lessons() const { return lessons_; }
  const KernelFiles* kernels() const { return kernels_.files(); }  // null: none was opened

  // Takes a frame, waiting up to `patience` for it or for the picture that is under way; begins its picture; shows what is
  // ready. True where there is a new picture. Throws ExitError where an unattended run can get none at all.
  bool step(std::chrono::microseconds patience);
  // A turn of the loop around step(). Whatever it throws costs that turn, and is told in one line. False where nothing is left but
  // to finish: turn after turn fails, or one of a run without a window, whose results would not be what was asked for. Throws what
  // step() does.
  bool turn(const std::function<void()>& loop);
  bool done();  // what the run was asked for is made, it was interrupted, or nothing will come any more
  void quit() { quit_ = true; }
  // After the last step: waits for what is under way, and until the log is written; saves a changed matrix where that can be
  // done, unless Action::quit ended the session: who quits was asked.
  void finish();
  ExitCode exit_code() const { return messages_.exit_code(); }  // after finish()
  // Whether a run without a window was interrupted before its first picture, although something was asked for. finish() says so.
  bool has_nothing() const;
  std::uint64_t pictures() const { return maker_.pictures(); }  // made since the start

  // As apply() of change.h; a result that is not complete is not to be read either. Throws std::invalid_argument.
  void set(std::span<const Change> changes, bool drags = false);
  // What was made of settings(); throws the same, for such a result. `drags`: see Undo.
  void use(const Settings& changed, bool drags = false);
  // For keys, mouse, panels and what is typed: what cannot be done, for whatever reason, becomes a message.
  void accept(const Settings& changed, bool drags = false);
  void change(std::span<const Change> changes);
  void change(const Change& one) { change(std::span(&one, 1)); }
  // The same for a setting that has no rule but its type and range: a value within that.
  template <class Value>
  void put(Value Settings::*setting, const std::type_identity_t<Value>& value) {
    auto changed = settings_;
    changed.*setting = value;
    accept(changed, true);
  }
  // Does it. False where something was wrong with it, which became a message.
  bool attempt(const std::function<void()>& what);
  bool attended() const { return attended_; }
  void perform(const Command& command);
  bool sets(const Command& command) const;  // it changes settings, or is refused
  // Its file. Where it would replace what it must not, or what this run has not written, that becomes a message.
  bool may_write(const Command& command);
  // The one place where commands are carried out. Throws std::invalid_argument where it cannot be done.
  void act(const Command& command);
  // The job that writes a picture of the window, as it is shown now.
  void set_screenshot(std::function<Outputs::Job()> screenshot) { screenshot_ = std::move(screenshot); }
  ChangeContext context() const;
  // The same, where it is known why there is no simulated GPU: to find that out looks for files.
  ChangeContext context(std::string no_simulated) const;
  const Undo& undo() const { return undo_; }
  void set_zoom(double zoom) { drawn_.zoom = zoom; }  // as drawn
  void set_scales(double of_display, double most) { drawn_.display_scale = of_display, drawn_.most_scale = most; }

 private:
  using Clock = std::chrono::steady_clock;

  void follow_source();
  void leave_processors();
  void follow_lessons();
  bool is_exact() const;
  const capture::Frame* next_frame(std::chrono::microseconds patience);
  bool begin(std::chrono::microseconds patience);
  bool show(std::chrono::microseconds patience);
  bool has_all_frames() const { return maker_.has_all_frames(script_.ended()) || outputs_.in_vain(); }
  bool has_run_out() const;
  void end_simulation();
  void say_failures();
  void say_source_failed(const std::string& why);
  void show_matrix();
  void show_feature(int step);
  void show_stage(int step);

  Run run_;
  Settings settings_;
  Messages messages_;
  Undo undo_;
  SessionKernels kernels_;  // before the engine, whose last picture may fail for one of them
  Transport transport_;     // before the engine, which reads its frames
  Engine engine_;
  PictureMaker maker_;
  TraceRunner trace_;
  Outputs outputs_;
  RaceRunner race_;
  Saver saver_;
  SessionScript script_;
  Lessons lessons_;
  std::optional<Transport::Place> before_matrix_;  // that the matrix of 8 x 8 numbers replaced
  std::function<Outputs::Job()> screenshot_;
  ChangeContext drawn_;  // what the window says of itself
  bool attended_;
  int failed_turns_ = 0;                  // in a row
  bool quit_ = false, answered_ = false;  // answered_: whoever quits was asked what becomes of a changed matrix
};

}  // namespace app
