// What the program prints: its own lines on the standard error output, where the output of libraries is silenced, and results on
// the standard output; and how far a command is.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace app {

// Where the program writes lines for the user. Unbuffered; never silenced during the lifetime of a KeptConsole.
std::FILE* console();
// From now on a reader of what the program prints may end before it: the work goes on, and its files become whole.
void outlive_readers();
void tell(const std::string& line);  // "satscope: " and the line, which has no end of line

// Results go to the standard output this way alone: what could not be written is known at the end. `now`: not only when the
// buffer is full. False: nobody takes them any more.
bool print(std::string_view text, bool now = false);
// The same for a thread that may wait for the reader of a pipe, as long as await_room() does (files.h). What print() has in its
// buffer is not before it. Once something could not be written, nothing more is.
bool print_in_time(std::string_view text, const std::stop_token& hurry);
// At the end: the error number (errno) of the first print() that failed, after what is still in the buffer; 0: there was none.
int finish_printing();

// In main(), before anything else. If the program ends before its destructor runs, by abort() (an assertion, an uncaught
// exception) or because a library calls exit(), the latest output of libraries is printed, even if it was silenced.
class KeptConsole {
 public:
  KeptConsole();
  ~KeptConsole();
  KeptConsole(const KeptConsole&) = delete;
  KeptConsole& operator=(const KeptConsole&) = delete;
};

// While at least one object exists, on any thread, nothing that is written to file descriptor 2 reaches the user, except
// reports of sanitizers.
class SilentStderr {
 public:
  SilentStderr();
  ~SilentStderr();
  SilentStderr(const SilentStderr&) = delete;
  SilentStderr& operator=(const SilentStderr&) = delete;

  // Limits the output kept for KeptConsole. Threads that are silent for long call it from time to time.
  static void forget_old();
};

// A progress bar on stderr: one line redrawn in place on a terminal, otherwise one line per tenth.
class Progress {
 public:
  // `unit`: the name of a counted thing.
  explicit Progress(std::FILE* out = console(), std::string_view unit = "frame");
  // `total` 0: unknown; then only the count is shown. `note` replaces the rate.
  void show(std::uint64_t done, std::uint64_t total, std::string_view note = {});
  // For progress without a count: `what` is done to a part, 0 to 1.
  void show_part(double part, std::string_view what);
  bool terminal() const { return terminal_; }
  void finish(std::uint64_t done);
  void erase();  // the line on the terminal, to make room for other output

 private:
  void draw(std::optional<double> part, std::string_view text);
  std::string rate(std::uint64_t done) const;  // ", 17/s"; of a single one there is none

  std::FILE* out_;
  std::string unit_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_, shown_;
  int tenths_ = 0;
  bool drawn_ = false;
};

}  // namespace app
