#include "app/output/log_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "app/support/threads.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* units =
    "microseconds (_us); captured, taken, enqueued and presented since the start; stages: on the device of the selection";
constexpr const char* simulated_note = "of selections on 'simulated', stages and kernels are the CPU's times, not a GPU's";

// One form for both: three decimals are all that is measured.
std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

json rounded(double value) { return std::stod(number(value)); }

json between(FrameRecord::Clock::time_point from, FrameRecord::Clock::time_point to) {
  return rounded(std::chrono::duration<double, std::micro>(to - from).count());
}

json stages_of(const FrameTimes& times) {
  auto stages = json::object();
  for (const auto& time : times.stages) stages[*time.path] = time.microseconds;
  return stages;
}

// The stages that lost time.
json lost_of(const FrameTimes& times) {
  auto lost = json::object();
  for (const auto& time : times.stages)
    if (time.lost > 0) lost[*time.path] = time.lost;
  return lost;
}

struct Row {
  FrameRecord::Clock::time_point start;  // of the log
  const FrameRecord& frame;
  const FrameTimes& times;
};

// A column of both forms: JSON has the value as it is, CSV as csv_text() writes it.
struct Column {
  enum In { log, exports, both };
  In in;
  const char* name;
  json (*value)(const Row& row);

  bool is_in(In what) const { return in == both || in == what; }
};
constexpr Column columns[] = {
    {Column::both, "id", [](const Row& row) -> json { return row.times.id; }},
    {Column::both, "again", [](const Row& row) -> json { return row.frame.again; }},
    {Column::exports, "work", [](const Row& row) -> json { return row.frame.work_number; }},
    {Column::both, "selection",
     [](const Row& row) { return row.frame.selection ? json(text_of(*row.frame.selection, row.frame.size)) : json(); }},
    {Column::both, "size",
     [](const Row& row) {
       return row.frame.selection ? json{row.frame.size.width, row.frame.size.height} : json();
     }},
    {Column::both, "source", [](const Row& row) { return row.frame.source ? json(*row.frame.source) : json(); }},
    {Column::log, "captured_us", [](const Row& row) { return between(row.start, row.frame.captured); }},
    {Column::log, "age_us", [](const Row& row) { return between(row.frame.captured, row.frame.presented); }},
    {Column::log, "taken_us", [](const Row& row) { return between(row.start, row.frame.taken); }},
    {Column::log, "enqueued_us", [](const Row& row) { return between(row.start, row.frame.enqueued); }},
    {Column::both, "presented_us", [](const Row& row) { return between(row.start, row.frame.presented); }},
    {Column::both, "interval_us", [](const Row& row) { return rounded(row.times.interval_us); }},
    {Column::both, "work_us", [](const Row& row) { return rounded(row.times.work_us); }},
    {Column::log, "cpu_us", [](const Row& row) { return rounded(row.frame.cpu_us); }},
    {Column::both, "dropped_before", [](const Row& row) -> json { return row.times.dropped_before; }},
    {Column::log, "of_work", [](const Row& row) -> json { return row.frame.of_work; }},
    {Column::log, "table",
     [](const Row& row) { return row.times.table_right ? json(*row.times.table_right ? "right" : "wrong") : json(); }},
    {Column::both, "kernels_us", [](const Row& row) { return row.times.timed ? json(row.times.device.computing) : json(); }},
    {Column::both, "transfer_us",
     [](const Row& row) { return row.times.timed ? json(row.times.device.transferring) : json(); }},
    {Column::both, "waiting_us", [](const Row& row) { return row.times.timed ? json(row.times.device.waiting) : json(); }},
    {Column::log, "points", [](const Row& row) { return row.times.timed ? json(row.times.points) : json(); }},
    {Column::log, "timing_us", [](const Row& row) { return row.times.timed ? rounded(row.times.timing_us) : json(); }},
    {Column::both, "lost", [](const Row& row) { return row.times.timed ? lost_of(row.times) : json(); }},
    {Column::both, "stages", [](const Row& row) { return row.times.timed ? stages_of(row.times) : json(); }},
};

// Empty, 0 or 1, 640x480, path=microseconds;path=microseconds.
std::string csv_text(const json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return number(value.get<double>());
  if (value.is_string()) return csv_cell(value.get<std::string>());
  if (value.is_array()) return csv_text(value[0]) + 'x' + csv_text(value[1]);
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [name, part] : value.items()) text += (text.empty() ? "" : ";") + name + '=' + csv_text(part);
  return csv_cell(text);
}

std::string csv_names(Column::In what) {
  std::string text;
  for (const auto& column : columns)
    if (column.is_in(what)) text += (text.empty() ? "" : ",") + std::string(column.name);
  return text + '\n';
}

std::string csv_cells(const Row& row, Column::In what) {
  std::string line;
  for (const auto& column : columns)
    if (column.is_in(what)) line += (&column == columns ? "" : ",") + csv_text(column.value(row));
  return line + '\n';
}

using namespace std::chrono_literals;

constexpr auto longest_wait = 500ms;    // until rows are in the file
constexpr std::size_t many = 256;       // rows that are written at once
constexpr std::size_t most = 64 << 20;  // bytes of rows that wait for a disk or a pipe's reader; then it is too slow

std::size_t bytes_of(const FrameRecord& record) {
  return sizeof record + record.checks.size() * sizeof(PictureCheck) + record.times.spans.size() * sizeof(gpu::TimelineSpan);
}

}  // namespace

std::string csv_head(const LogHead& head) {
  auto text = "# satscope " SATSCOPE_VERSION ", a row per frame\n# machine: " + head.machine + "\n# source: " + head.source +
              "\n# started: " + head.started + "\n# units: " + units + "\n# simulated: " + simulated_note + '\n';
  return text + csv_names(Column::log);
}

std::string csv_line(const LogHead& head, const FrameRecord& record) {
  std::vector<StageTime> stages;
  const auto times = frame_times(record, stages);
  return csv_cells({head.start, record, times}, Column::log);
}

std::string json_head(const LogHead& head) {
  const json object{{"satscope", SATSCOPE_VERSION}, {"machine", head.machine}, {"source", head.source},
                    {"started", head.started},      {"units", units},          {"simulated", simulated_note}};
  return json{{"head", object}}.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string json_line(const LogHead& head, const FrameRecord& record) {
  std::vector<StageTime> stages;
  const auto times = frame_times(record, stages);
  auto object = json::object();
  for (const auto& column : columns)
    if (column.is_in(Column::log)) object[column.name] = column.value({head.start, record, times});
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string export_head(const std::string& machine) {
  return "# satscope " SATSCOPE_VERSION ", a row per frame\n# machine: " + machine +
         "\n# units: microseconds (_us); presented: since the oldest frame kept; stages: on the device of the selection\n" +
         csv_names(Column::exports);
}

std::string export_line(FrameRecord::Clock::time_point start, const FrameRecord& record, const FrameTimes& times) {
  return csv_cells({start, record, times}, Column::exports);
}

LogFile::LogFile(std::filesystem::path path, std::string machine)
    : path_(std::move(path)),
      json_(path_.extension() == ".jsonl"),
      head_{std::move(machine), {}, FrameRecord::Clock::now(), present_time("%Y-%m-%dT%H:%M:%SZ", true)} {
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
    const auto bytes = bytes_of(record);
    if (held_ + bytes > most) {
      failed_ = true;
      failure_ = path_.string() + ": its disk or its reader is too slow for a row per frame; the log ends here";
      return;
    }
    waiting_.push_back(record);
    held_ += bytes;
    wake = waiting_.size() == many;
  }
  if (wake) wake_.notify_one();
}

std::string LogFile::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void LogFile::write_on(const std::stop_token& stop) {
  while (true) {
    const auto records = next_rows(stop);
    if (records.empty() && stop.stop_requested()) break;
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
    const std::lock_guard lock(mutex_);
    for (const auto& record : records) held_ -= bytes_of(record);
  }
  if (file_ >= 0) try {
      check_place(file_, path_);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(failed_, true)) failure_ = error.what();
    }
}

// The records that are written at once. None: within a moment no row has come.
std::vector<FrameRecord> LogFile::next_rows(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, longest_wait, [this] { return waiting_.size() >= many; });
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(many, waiting_.size()));
  std::vector<FrameRecord> records(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return records;
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

// A disk that fills up takes a part of a row: that part is removed again.
void LogFile::write_rows(std::string_view text, const std::vector<std::size_t>& ends) {
  int error = 0;
  const auto done = write_bytes(file_, text, error, hurry_.get_token());
  if (done < text.size()) {
    const auto cut_row = std::ranges::upper_bound(ends, done);
    const auto whole = cut_row == ends.begin() ? 0 : *std::prev(cut_row);
    not_written_ = static_cast<std::size_t>(ends.end() - cut_row);
    const bool cut = ::ftruncate(file_, size_ + static_cast<off_t>(whole)) != 0 &&
                     errno != EINVAL;  // EINVAL: it is a device
    throw std::runtime_error("cannot write " + path_.string() + ": " + (cut ? "its last row is incomplete: " : "") +
                             why_not_written(error));
  }
  size_ += static_cast<off_t>(done);
}

}  // namespace app
