#include "app/output/frame_text.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/pipeline/frame_figures.h"
#include "app/support/text.h"

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

void put_work(std::string& text, const Selection& selection) {
  if (!selection.algorithm) {  // of a side that needs no table
    text += selection.name;
    return;
  }
  text += with_arguments(selection.algorithm->name, selection.algorithm_arguments);
  text += ", ";
  text += with_arguments(selection.effect->name, selection.effect_arguments);
}

json stages_of(const FrameTimes& times) {
  auto stages = json::object();
  for (const auto& time : times.stages) stages[*time.path] = time.microseconds;
  return stages;
}

// Of both forms: JSON has the value as it is, CSV as csv_text() writes it.
struct Column {
  enum In { log, exports, both };
  In in;
  const char* name;
  json (*value)(FrameRecord::Clock::time_point start, const FrameRow& row);

  bool is_in(In what) const { return in == both || in == what; }
};
using Start = FrameRecord::Clock::time_point;
using Row = const FrameRow&;
constexpr Column columns[] = {
    {Column::both, "id", [](Start, Row row) -> json { return row.times.id; }},
    {Column::both, "again", [](Start, Row row) -> json { return row.again; }},
    {Column::exports, "work", [](Start, Row row) -> json { return row.work; }},
    {Column::both, "selection", [](Start, Row row) { return row.selection.empty() ? json() : json(row.selection); }},
    {Column::both, "size",
     [](Start, Row row) {
       return row.selection.empty() ? json() : json{row.size.width, row.size.height};
     }},
    {Column::both, "source", [](Start, Row row) { return row.source ? json(*row.source) : json(); }},
    {Column::log, "captured_us", [](Start start, Row row) { return between(start, row.captured); }},
    {Column::log, "age_us", [](Start, Row row) { return between(row.captured, row.presented); }},
    {Column::log, "taken_us", [](Start start, Row row) { return between(start, row.taken); }},
    {Column::log, "enqueued_us", [](Start start, Row row) { return between(start, row.enqueued); }},
    {Column::both, "presented_us", [](Start start, Row row) { return between(start, row.presented); }},
    {Column::both, "interval_us", [](Start, Row row) { return rounded(row.times.interval_us); }},
    {Column::both, "work_us", [](Start, Row row) { return rounded(row.times.work_us); }},
    {Column::both, "dropped_before", [](Start, Row row) -> json { return row.times.dropped_before; }},
    {Column::log, "of_work", [](Start, Row row) -> json { return row.of_work; }},
    {Column::log, "table",
     [](Start, Row row) { return row.times.table_right ? json(*row.times.table_right ? "right" : "wrong") : json(); }},
    {Column::both, "kernels_us", [](Start, Row row) { return row.times.timed ? json(row.times.device.computing) : json(); }},
    {Column::both, "transfer_us",
     [](Start, Row row) { return row.times.timed ? json(row.times.device.transferring) : json(); }},
    {Column::both, "waiting_us", [](Start, Row row) { return row.times.timed ? json(row.times.device.waiting) : json(); }},
    {Column::log, "points", [](Start, Row row) { return row.times.timed ? json(row.times.points) : json(); }},
    {Column::log, "timing_us", [](Start, Row row) { return row.times.timed ? rounded(row.times.timing_us) : json(); }},
    {Column::both, "stages", [](Start, Row row) { return row.times.timed ? stages_of(row.times) : json(); }},
};

// What it refers to, besides the record: `stages`, and the text of the `selection`.
FrameRow row_of(const FrameRecord& record, std::vector<StageTime>& stages, std::string& selection) {
  selection = text_of(*record.selection);
  return {.times = frame_times(record, stages),
          .again = record.again,
          .work = record.work_number,
          .of_work = record.of_work,
          .selection = selection,
          .source = record.source.get(),
          .size = record.size,
          .captured = record.captured,
          .taken = record.taken,
          .enqueued = record.enqueued,
          .presented = record.presented};
}

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

std::string csv_cells(Start start, Row row, Column::In what) {
  std::string line;
  for (const auto& column : columns)
    if (column.is_in(what)) line += (&column == columns ? "" : ",") + csv_text(column.value(start, row));
  return line + '\n';
}

}  // namespace

std::string text_of(const Selection& selection) {
  auto text = std::string(gpu::name(selection.device)) + ' ';
  if (selection.sides.empty()) {
    put_work(text, selection);
    return text;
  }
  text += "A: ";
  put_work(text, selection.sides[0]);
  text += "; B: ";
  put_work(text, selection.sides[1]);
  return text + "; " + std::string(name_of(compare_mode_names, selection.composition.mode));
}

std::string csv_head(const FrameTextHead& head) {
  auto text = "# satscope " SATSCOPE_VERSION ", a row per frame\n# machine: " + head.machine + "\n# source: " + head.source +
              "\n# started: " + head.started + "\n# units: " + units + "\n# simulated: " + simulated_note + '\n';
  return text + csv_names(Column::log);
}

std::string csv_line(const FrameTextHead& head, const FrameRecord& record) {
  std::vector<StageTime> stages;
  std::string selection;
  return csv_cells(head.start, row_of(record, stages, selection), Column::log);
}

std::string json_head(const FrameTextHead& head) {
  const json object{{"satscope", SATSCOPE_VERSION}, {"machine", head.machine}, {"source", head.source},
                    {"started", head.started},      {"units", units},          {"simulated", simulated_note}};
  return json{{"head", object}}.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string json_line(const FrameTextHead& head, const FrameRecord& record) {
  std::vector<StageTime> stages;
  std::string selection;
  const auto row = row_of(record, stages, selection);
  auto object = json::object();
  for (const auto& column : columns)
    if (column.is_in(Column::log)) object[column.name] = column.value(head.start, row);
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string export_head(const std::string& machine) {
  return "# satscope " SATSCOPE_VERSION ", a row per frame\n# machine: " + machine +
         "\n# units: microseconds (_us); presented: since the oldest frame kept; stages: on the device of the selection\n" +
         csv_names(Column::exports);
}

std::string export_line(FrameRecord::Clock::time_point start, const FrameRow& row) {
  return csv_cells(start, row, Column::exports);
}

namespace {

using json = nlohmann::ordered_json;

enum Thread { queued = 2, device = 3 };  // of process 1; frames overlap: they are tracks of their own

json metadata(const char* what, int thread, const std::string& name) {
  return {{"ph", "M"}, {"pid", 1}, {"tid", thread}, {"name", what}, {"args", {{"name", name}}}};
}

json slice(const std::string& name, int thread, double begin, double duration) {
  return {{"ph", "X"}, {"pid", 1}, {"tid", thread}, {"name", name}, {"ts", begin}, {"dur", duration}};
}

// A part of a frame's way; parts of one frame are on one track.
void part(json& events, const FrameRecord& frame, const std::string& name, double begin, double end) {
  const auto event = [&](const char* phase, double when) {
    return json{{"ph", phase}, {"pid", 1}, {"tid", 1}, {"cat", "frame"}, {"id", frame.id}, {"name", name}, {"ts", when}};
  };
  events.push_back(event("b", begin));
  events.push_back(event("e", end));
}

void add(json& events, const FrameRecord& frame, FrameRecord::Clock::time_point start) {
  const auto at = [&](FrameRecord::Clock::time_point when) {
    return std::chrono::duration<double, std::micro>(when - start).count();
  };
  part(events, frame, "frame " + std::to_string(frame.id), at(frame.captured), at(frame.presented));
  events.back()["args"] = {{"selection", text_of(*frame.selection)}, {"work_us", frame.work_us}};
  if (frame.taken > frame.captured) part(events, frame, "waits to be taken", at(frame.captured), at(frame.taken));
  part(events, frame, "is made", at(frame.enqueued), at(frame.presented));
  if (!frame.times.timed) return;
  const auto begun = at(frame.enqueued), first_point = begun + frame.times.first_point;
  for (const auto& span : frame.times.spans) {
    const auto& path = frame.times.path(span);
    const auto name = path.substr(path.rfind('/') + 1);
    events.push_back(slice(name, queued, begun + span.enqueued, std::max(0.0, span.queued - span.enqueued)));
    events.back()["args"] = {{"frame", frame.id}};
    if (!span.timed) continue;
    events.push_back(slice(name, device, first_point + span.started, span.microseconds()));
    events.back()["args"] = {{"frame", frame.id}, {"path", path}};
  }
}

}  // namespace

std::string frame_trace(std::span<const FrameRecord> frames) {
  auto events = json::array({metadata("process_name", 0, "satscope"), metadata("thread_name", 1, "frames"),
                             metadata("thread_name", queued, "CPU: queued"), metadata("thread_name", device, "device")});
  if (!frames.empty())
    for (const auto& frame : frames) add(events, frame, frames.front().captured);
  const json trace{{"traceEvents", std::move(events)},
                   {"displayTimeUnit", "ns"},
                   {"otherData", {{"program", "satscope " SATSCOPE_VERSION}, {"frames", frames.size()}}}};
  return trace.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace app
