// Saver: what a session leaves: pictures, recordings, the matrix, the frame whose table was wrong, and exports of its report, the
// race, the trace and the frames. What is empty is refused.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/control/settings.h"
#include "app/output/report.h"
#include "app/pipeline/engine.h"
#include "app/session/messages.h"
#include "app/session/outputs.h"
#include "app/session/picture_maker.h"
#include "app/session/race_runner.h"
#include "app/session/trace_runner.h"
#include "app/session/transport.h"

namespace app {

class Saver {
 public:
  Saver(const Run& run, Settings& settings, Engine& engine, Transport& transport, PictureMaker& maker,
        const RaceRunner& race, const TraceRunner& trace, Outputs& outputs, Messages& messages);

  using Path = std::filesystem::path;
  // Of the picture that is shown, or the next one.
  struct Wanted {
    Path to = {};          // empty: a new file
    bool to_copy = false;  // to the clipboard, and no file
    bool table = false;    // of the picture, instead of its pixels
  };

  // These throw std::invalid_argument where there is nothing to save. `to`: empty: a new file.
  void save(Wanted picture);
  void save_matrix(const Path& to);
  void save_wrong_frame(const Path& to);
  void export_timings(const Path& to, const std::string& ending);
  void export_race(const Path& to);
  void export_study(const Path& to);
  void export_trace(const Path& to);
  void export_frames(const Path& to);
  void export_timeline(const Path& to);

  bool needs_pixels() const;                                // of the picture that is begun next
  void add(gpu::Context& context, const Picture& picture);  // the picture just made, to a recording
  // Pictures that were asked for while another was under way.
  void save_pictures();
  bool saves_pictures() const { return !pictures_.empty(); }

  // Numbers of a matrix source were changed since the start, and are in no file.
  bool matrix_unsaved() const;
  std::string matrix_problem() const;  // why these could not be saved when that was asked for last, one line; else empty
  // Where nobody is asked, for another source: saves it at once; else why it stays, one line.
  std::string leave_matrix();
  void keep_matrix_at_end();    // the same, at the end of the run
  void tell_of_matrix() const;  // where the user was asked, and saved it: the file, on the terminal

  Settings settings_to_save() const;  // without parameters that were refused
  // The report of the frames whose times are there; after PictureMaker::take_all_times() or finish(), of all. Waits for nothing.
  Report report();
  // At the end: what the run was asked for. `screenshot`: makes the one of the last picture; null: it cannot.
  void write_results(const std::function<Outputs::Job()>& screenshot);
  // What scripts ask for (script::Get), one line of JSON: {"fps": 59.8, "source.position": 1.2}. Throws std::invalid_argument.
  std::string answer(std::span<const std::string> paths, const ChangeContext& context);

 private:
  struct Saving {
    enum State { under_way, there, failed };
    std::atomic<State> state = under_way;
    std::string problem;         // why it failed, one line; set before that is
    std::filesystem::path path;  // where it is; likewise
  };

  bool is_gray() const;
  void save_shown(const Wanted& wanted);  // throws CudaError
  void save_matrix_and_table(const Wanted& wanted);
  void save_table(const Path& to);  // throws CudaError
  Picture for_files(const Picture& picture) const;
  bool owns_matrix() const;  // the numbers of the settings are those of a source
  std::string matrix_text() const;
  std::string keep_matrix(std::span<const Path> folders);

  const Run& run_;
  Settings& settings_;
  const Settings started_;  // at the start
  Engine& engine_;
  Transport& transport_;
  PictureMaker& maker_;
  const RaceRunner& race_;
  const TraceRunner& trace_;
  Outputs& outputs_;
  Messages& messages_;
  std::vector<Wanted> pictures_;  // not copied yet
  struct {
    std::string matrix;                    // as in the settings
    std::shared_ptr<const Saving> saving;  // null: nothing was saved
  } saved_matrix_;
};

}  // namespace app
