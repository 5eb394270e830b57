// A frame as a row, CSV or JSON: of a log, and of an export of frames. One table, in the .cpp, has the columns; README.md
// documents them. LogFile: the file of --log, written by a thread of its own, so that add() never waits for a disk and no other
// file delays the rows. A row is in the file within a second, as a whole line, even if the program is killed.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/pipeline/frame_figures.h"

namespace app {

// What the head of a log says of the machine and the run.
struct LogHead {
  std::string machine, source;
  FrameRecord::Clock::time_point start;  // that captured, taken, enqueued and presented count from
  std::string started;                   // the same in words, UTC
};

std::string csv_head(const LogHead& head);
std::string csv_line(const LogHead& head, const FrameRecord& record);
std::string json_head(const LogHead& head);
std::string json_line(const LogHead& head, const FrameRecord& record);
// The head and a row of an export, CSV; `start`: the moment from which presented counts. A history keeps less of a frame: the
// columns are fewer, and a selection that is not known any more is null.
std::string export_head(const std::string& machine);
std::string export_line(FrameRecord::Clock::time_point start, const FrameRecord& record, const FrameTimes& times);

class LogFile {
 public:
  // JSON lines where the path ends in .jsonl, else CSV. The first row begins the file: until then it stays what it is. Throws
  // std::runtime_error where there is no thread for it: path, cause.
  explicit LogFile(std::filesystem::path path, std::string machine);
  ~LogFile();  // the rest is written
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // The first one gives the head its source.
  void add(const FrameRecord& record);
  // Why rows are missing, one line: path, cause; else empty. From then on no row is added; those that wait are still written
  // if the disk allows.
  std::string failure();
  void finish();  // waits until all is written, however long a pipe's reader takes
  // The same, but waits only a moment for a reader that has stopped reading: then the failure counts the rows that are
  // missing.
  void finish_soon();

 private:
  void write_on(const std::stop_token& stop);
  std::vector<FrameRecord> next_rows(const std::stop_token& stop);
  void write(const std::vector<FrameRecord>& records);
  void write_rows(std::string_view text, const std::vector<std::size_t>& ends);

  const std::filesystem::path path_;
  const bool json_;
  LogHead head_;
  int file_ = -1;
  bool head_written_ = false;
  off_t size_ = 0;               // of whole rows
  std::size_t not_written_ = 0;  // of the rows that are written now

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<FrameRecord> waiting_;
  std::size_t held_ = 0;  // bytes, by rows that are not written yet
  std::string failure_;
  bool failed_ = false;
  std::stop_source hurry_;
  std::jthread thread_;  // last: joined while all else is there
};

}  // namespace app
