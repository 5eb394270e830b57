#include "app/output/log_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "app/support/files.h"
#include "app/support/text.h"
#include "app/support/threads.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 500ms;   // until rows are in the file
constexpr std::size_t many = 256;      // rows that are written at once
constexpr std::size_t most = 100'000;  // rows that wait for a disk or a pipe's reader; then it is too slow

std::string utc_now() {
  const auto now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

LogFile::LogFile(std::filesystem::path path, std::string machine)
    : path_(std::move(path)),
      json_(path_.extension() == ".jsonl"),
      head_{std::move(machine), {}, FrameRecord::Clock::now(), utc_now()} {
  try {
    thread_ = start_thread([this](const std::stop_token& stop) { write_on(stop); });
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("cannot write " + path_.string() + ": " + error.what());
  }
}

LogFile::~LogFile() {
  finish();
  if (file_ >= 0) ::close(file_);
}

void LogFile::finish() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void LogFile::finish_soon() {
  hurry_.request_stop();
  finish();
}

void LogFile::add(const FrameRecord& record) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    if (waiting_.size() == most) {
      failed_ = true;
      failure_ = path_.string() + ": its disk or its reader is too slow for a row per frame; the log ends here";
      return;
    }
    waiting_.push_back(record);
    wake = waiting_.size() == many;
  }
  if (wake) wake_.notify_one();
}

std::string LogFile::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void LogFile::write_on(const std::stop_token& stop) {
  for (bool last = false; !last;) {
    std::vector<FrameRecord> records;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, longest_wait, [this] { return waiting_.size() >= many; });
      last = stop.stop_requested();
      records.swap(waiting_);
    }
    try {
      write(records);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      if (std::exchange(failed_, true)) return;
      failure_ = hurry_.stop_requested() ? "the log lacks its last " + counted(not_written_ + waiting_.size(), "row") + ": "
                                         : std::string(file_ < 0 ? "" : "the log ends here: ");
      failure_ += error.what();
      return;
    }
  }
  if (file_ >= 0) try {
      check_place(file_, path_);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(failed_, true)) failure_ = error.what();
    }
}

void LogFile::write(const std::vector<FrameRecord>& records) {
  std::string text;
  std::vector<std::size_t> ends;  // of the rows, in the text
  for (const auto& record : records) {
    if (!std::exchange(head_written_, true)) {
      head_.source = *record.source;
      text += json_ ? json_head(head_) : csv_head(head_);
    }
    text += json_ ? json_line(head_, record) : csv_line(head_, record);
    ends.push_back(text.size());
  }
  if (text.empty()) return;
  not_written_ = records.size();
  if (file_ < 0) file_ = open_to_write(path_, hurry_.get_token());
  write_rows(text, ends);
}

// A disk that fills takes part of a row: what is left of it is removed again.
void LogFile::write_rows(std::string_view text, const std::vector<std::size_t>& ends) {
  int error = 0;
  const auto done = write_bytes(file_, text, error, hurry_.get_token());
  if (done < text.size()) {
    const auto cut_row = std::ranges::upper_bound(ends, done);
    const auto whole = cut_row == ends.begin() ? 0 : *std::prev(cut_row);
    not_written_ = static_cast<std::size_t>(ends.end() - cut_row);
    const bool cut = ::ftruncate(file_, size_ + static_cast<off_t>(whole)) != 0 &&
                     errno != EINVAL;  // EINVAL: it is a device
    throw std::runtime_error("cannot write " + path_.string() + ": " + (cut ? "its last row is not whole: " : "") +
                             why_not_written(error));
  }
  size_ += static_cast<off_t>(done);
}

}  // namespace app
