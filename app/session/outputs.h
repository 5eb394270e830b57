// Outputs: the files that a run writes: videos, screenshots, timings. A thread of its own writes them; an error is a message
// of one line and costs its file only.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/capture/feed.h"
#include "app/control/command.h"
#include "app/display/clipboard.h"
#include "app/output/picture_files.h"
#include "app/output/recorder.h"
#include "app/output/report.h"
#include "app/pipeline/engine.h"
#include "app/session/messages.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/threads.h"

namespace app {

class KernelFiles;

// What a run is to write, and when it ends.
struct Run {
  bool offscreen = false;
  bool race = false;                               // races all algorithms on the last picture, then ends
  bool study = false;                              // studies them over sizes there, then ends
  bool progress = false;                           // a bar on stderr
  bool announce = false;                           // prints the paths of what was written
  bool dock_chosen = false;                        // a settings file or an option says whether the dock is shown
  std::string notice;                              // a warning that comes with a first simulated picture; empty: none
  std::string instead_of_window;                   // a line that comes with the first picture; empty: none
  std::optional<std::string> script;               // a file; "-": the standard input
  std::optional<std::filesystem::path> config;     // the settings file in use
  std::optional<std::filesystem::path> recent;     // the file that keeps the sources opened lately, for windows
  std::optional<std::uint64_t> frames;             // end after so many pictures
  std::optional<std::uint64_t> frames_of_endless;  // the same, for sources that never end
  std::optional<std::filesystem::path> screenshot, record, export_file, log;  // at the end; record, log: from the start
  // Users' kernels that were loaded before the run; null: none. `chosen_kernels`: names of those of the settings that are chosen once they
  // work, as one that is loaded later is.
  std::shared_ptr<KernelFiles> kernels;
  std::vector<std::string> chosen_kernels;
  int largest_side = maximum_side;  // of pictures that can be shown: a larger one is scaled

  std::vector<std::filesystem::path> results() const;  // all of these files
  // What no result may replace: the script, the settings file, and the files that parameters name.
  std::vector<std::filesystem::path> read(const Settings& settings) const;
};

// NamedResults: files that commands named, and what wrote them. The place of each name is resolved once: there may be
// thousands.
class NamedResults {
 public:
  // Throws ExitError (usage) where `step` would replace another one. The same action may write its file anew, as of a later
  // picture; no other may replace it. A video was made over many lines.
  void check(const Command& step) const;
  // `replaces`: a file that another program makes meanwhile under a name that is free now.
  void note(const Command& step, bool replaces = true);
  // Asked once per file that is to be written under that name: whether it replaces none, as Destination::new_file.
  bool takes_new_file(const std::filesystem::path& path);
  // Of one step: the file is `written` under that name, or will not be. A name under which nothing was written that is there,
  // and nothing will be, is forgotten.
  void release(const std::filesystem::path& path, bool written = false);
  bool has(const std::filesystem::path& path) const { return named_.contains(key_of(path)); }
  void look_again();  // files were written since they were named

 private:
  struct Named {
    Action action;
    std::filesystem::path path;
    std::string inode;
    int under_way = 0;     // steps that are not released
    bool is_new = false;   // the next file of that name
    bool written = false;  // by one of the steps
  };
  static std::string key_of(const std::filesystem::path& path);

  std::map<std::string, Named> named_;  // by their places
};

class Outputs {
 public:
  // Runs on the writer's thread and owns all that it needs. What it throws becomes the error message.
  using Job = std::function<void(const std::filesystem::path&)>;

  Outputs(const Run& run, const Settings& settings, Messages& messages)
      : run_(run), settings_(settings), messages_(messages) {
    if (run.record) wanted_recording_ = ResultName{*run.record};
  }
  ~Outputs() { hurry_.request_stop(); }  // of lines that nobody reads
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  std::filesystem::path folder() const { return settings_.output_folder; }  // of files that are not named

  // The file that a command names is its result, which no other command replaces. Throws ExitError (usage) where it would
  // replace what it must not. `replaces`: also a file that another program makes under this name before the result is written;
  // else the result gets a number. release(): nothing will be written under that name after all.
  void take(const Command& command, bool replaces = true);
  void release(const std::filesystem::path& path) { named_.release(path); }
  bool has_written(const std::filesystem::path& file) const { return named_.has(file); }
  void note_read();  // before the settings change: what they name was read

  // Between frames: gives the writer the pictures that have come from the GPU, and reports files that are written or failed.
  void update();
  WriterThread& writer() { return writer_; }

  static constexpr std::size_t most_waiting = 8;  // files at once, videos apart: their jobs hold pictures

  // Has `job` write `path`; a message reports the result. If too many files wait for the disk, it is not written, and counts
  // as failed.
  void write(const ResultName& name, Job job);
  void write(const std::filesystem::path& path, Job job) { write(ResultName{path}, std::move(job)); }
  // The same; an empty `path`: a new file in folder(), its name begins with `what`. If that folder cannot be made, the file is
  // not written, and counts as failed; returns why, one line.
  std::string save(const std::filesystem::path& path, const std::string& what, const std::string& ending, Job job);
  // Has `write` write such a file in `folder`, which is made, on a thread of its own, and waits for it, `patience` at most: a
  // disk that does not answer hangs nobody. Returns its name. Throws std::runtime_error with one line.
  std::filesystem::path write_in(const std::filesystem::path& folder, const std::string& what, const std::string& ending,
                                 std::chrono::milliseconds patience, Job write) const;
  // Something that was asked for could not be written, one line says why: it counts as failed.
  void fail(const std::string& why);
  // The picture just made, in the source's resolution; `squares`: those of a matrix, as picture_drawing.h draws them; `gray`:
  // as of write_png().
  void save_picture(gpu::Context& context, const Picture& picture, const std::filesystem::path& path = {},
                    bool squares = false, bool gray = false);
  // The same to the clipboard; or the PNG that `make` makes, on the writer's thread. It gets the path that its messages name. A
  // message reports the result.
  void copy_picture(gpu::Context& context, const Picture& picture, bool squares, bool gray);
  void copy(std::function<std::vector<unsigned char>(const std::filesystem::path&)> make);

  void start_recording(const ResultName& name);
  void start_recording(const std::filesystem::path& path) { start_recording(ResultName{path}); }
  void stop_recording();
  // Whether `file` is a result that is still to be written, or being written: then it cannot be a source.
  bool will_write(const std::filesystem::path& file) const;
  // For the user: an empty path is a new file in folder(). Throw std::invalid_argument if something, or nothing, is
  // recorded already.
  void record(const std::filesystem::path& path);
  // The same, an animation: it stops by itself.
  void record_clip(const std::filesystem::path& path);
  void stop_record();
  // The picture just made of the feed's last frame, to the video where there is one; `squares`: likewise.
  void add(gpu::Context& context, const Picture& picture, const Feed& feed, bool squares = false);
  // Once per turn of the loop: while nothing new comes from the feed, the video shows its last picture in real time.
  void hold(const Feed& feed);
  // A video begins with the next picture, also of a still image.
  bool wants_picture() const { return wanted_recording_ && !recording_; }
  bool recording() const { return recording_ || wanted_recording_; }
  double recorded_seconds() const { return recording_ ? clock_->seconds() : 0; }  // also what is not encoded yet
  // One was stopped, and is not there yet: how much of it is written, 0 to 1.
  std::optional<double> saving_video() const;
  // The video was all that a run without a window is to leave, and it has ended too early: the rest of the source is for
  // nothing.
  bool in_vain() const;
  // Waits up to `patience` until another picture can be recorded, and returns whether it can.
  bool wait_for_room(std::chrono::microseconds patience);

  // At the end of a run, in this order: what it was asked for, then finish() until everything is written. A window waits a
  // moment at most for whoever reads its lines; others until Ctrl-C.
  void final_screenshot(Job job);
  void final_export(Report report, const std::string& problem);  // fails with `problem` unless that is empty
  bool finish(std::chrono::microseconds patience);
  // While a script's line waits for its files, what becomes of them is the line's to report; at the end of the wait, errors
  // that nobody took become messages.
  void leave_errors(bool to_line);
  // A line for the standard output, with its end. A thread of its own writes it: a reader that has stopped reading delays only
  // the lines.
  void print(std::string line);
  bool takes_lines();        // those that wait have room
  std::string take_error();  // left to the line, one line; empty if there is none
  bool all_written() const { return files_.empty() && pictures_.empty(); }  // as of update()

 private:
  using Clock = std::chrono::steady_clock;
  struct Written {
    std::filesystem::path path;
    std::string error;  // one line; empty: it is there
  };
  // What the writer is asked for.
  struct File {
    ResultName name;
    std::future<Written> result;
    std::unique_ptr<Recording> recording;  // or this, stopped or failed
  };

  // Has `use` take `path`, or if it is empty a new file in folder(). If that folder cannot be made, that is reported; returns
  // why.
  std::string place(const std::filesystem::path& path, const std::string& what, const std::string& ending,
                    const std::function<void(const ResultName&)>& use);
  void write_in_any_case(const ResultName& name, Job job);
  void begin_recording_as(const std::filesystem::path& path, const std::string& what, const std::string& ending);
  void begin_recording(const Picture& picture, const Feed& feed, bool squares);
  void say_written();
  void watch_recording();
  std::deque<File>::const_iterator first_video() const;  // that was stopped and is not there yet
  void say_waiting();

  const Run& run_;
  const Settings& settings_;
  Messages& messages_;
  std::unique_ptr<Recording> recording_;
  std::optional<VideoClock> clock_;  // of the recording
  bool animation_ = false;           // the recording is one
  bool holding_ = false;             // nothing new comes, so that the clock counts real time
  Clock::time_point held_;
  PictureFiles pictures_;                       // on their way from the GPU
  std::optional<ResultName> wanted_recording_;  // begins with the next picture
  std::deque<File> files_;                      // not yet written, in the order in which they were asked for
  NamedResults named_;
  std::vector<std::filesystem::path> read_;  // files that the run has read
  std::string untold_;                       // the last error that was left to a line
  bool to_line_ = false;
  std::size_t picture_bytes_ = 0;               // of the picture recorded last
  gpu::Size picture_size_{}, recorded_size_{};  // of the recording's first picture, and of the video
  std::optional<Clock::time_point> waiting_since_;
  std::optional<Progress> progress_;  // of the video that is waited for
  std::stop_source hurry_;
  Clipboard clipboard_;
  WriterThread printer_{64 << 10};
  WriterThread finisher_;  // of recordings, each copied as a whole: nothing else waits for that
  WriterThread writer_;    // last: its tasks use what is above
};

}  // namespace app
