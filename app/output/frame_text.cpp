#include "app/output/frame_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/control/arguments_text.h"
#include "app/control/names.h"
#include "app/output/csv_cell.h"
#include "app/pipeline/stage_statistics.h"

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

double since(const FrameTextHead& head, FrameRecord::Clock::time_point when) {
  return std::chrono::duration<double, std::micro>(when - head.start).count();
}

double rounded(double value) { return std::stod(number(value)); }

void put_work(std::string& text, const Selection& selection) {
  if (!selection.algorithm) {  // of a side that needs no table
    text += selection.name;
    return;
  }
  text += with_arguments(selection.algorithm->name, selection.algorithm_arguments);
  text += ", ";
  text += with_arguments(selection.effect->name, selection.effect_arguments);
}

json stages_of(const FrameRecord& record) {
  if (!record.times.timed) return nullptr;
  auto stages = json::object();
  for (const auto& time : stage_times(record.times)) stages[*time.path] = time.microseconds;
  return stages;
}

// Of both forms: JSON has the value as it is, CSV as csv_text() writes it.
struct Column {
  const char* name;
  json (*value)(const FrameTextHead& head, const FrameRecord& record);
};
using Head = const FrameTextHead&;
using Record = const FrameRecord&;
constexpr Column columns[] = {
    {"id", [](Head, Record record) -> json { return record.id; }},
    {"again", [](Head, Record record) -> json { return record.again; }},
    {"selection", [](Head, Record record) -> json { return text_of(*record.selection); }},
    {"size",
     [](Head, Record record) -> json {
       return {record.size.width, record.size.height};
     }},
    {"source", [](Head, Record record) -> json { return *record.source; }},
    {"captured_us", [](Head head, Record record) -> json { return rounded(since(head, record.captured)); }},
    {"age_us", [](Head, Record record) -> json { return rounded(record.age_us()); }},
    {"taken_us", [](Head head, Record record) -> json { return rounded(since(head, record.taken)); }},
    {"enqueued_us", [](Head head, Record record) -> json { return rounded(since(head, record.enqueued)); }},
    {"presented_us", [](Head head, Record record) -> json { return rounded(since(head, record.presented)); }},
    {"interval_us", [](Head, Record record) -> json { return rounded(record.interval_us); }},
    {"work_us", [](Head, Record record) -> json { return rounded(record.work_us); }},
    {"dropped_before", [](Head, Record record) -> json { return record.dropped_before; }},
    {"of_work", [](Head, Record record) -> json { return record.of_work; }},
    {"table",
     [](Head, Record record) -> json {
       return record.table_right ? json(*record.table_right ? "right" : "wrong") : json(nullptr);
     }},
    {"kernels_us",
     [](Head, Record record) { return record.times.timed ? json(device_time(record.times).computing) : json(nullptr); }},
    {"transfer_us",
     [](Head, Record record) { return record.times.timed ? json(device_time(record.times).transferring) : json(nullptr); }},
    {"waiting_us",
     [](Head, Record record) { return record.times.timed ? json(device_time(record.times).waiting) : json(nullptr); }},
    {"points", [](Head, Record record) { return record.times.timed ? json(record.times.points) : json(nullptr); }},
    {"timing_us",
     [](Head, Record record) { return record.times.timed ? json(rounded(record.times.timing_us)) : json(nullptr); }},
    {"stages", [](Head, Record record) { return stages_of(record); }},
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
  for (const auto& column : columns) text += (&column == columns ? "" : ",") + std::string(column.name);
  return text + '\n';
}

std::string csv_line(const FrameTextHead& head, const FrameRecord& record) {
  std::string line;
  for (const auto& column : columns) line += (&column == columns ? "" : ",") + csv_text(column.value(head, record));
  return line + '\n';
}

std::string json_head(const FrameTextHead& head) {
  const json object{{"satscope", SATSCOPE_VERSION}, {"machine", head.machine}, {"source", head.source},
                    {"started", head.started},      {"units", units},          {"simulated", simulated_note}};
  return json{{"head", object}}.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string json_line(const FrameTextHead& head, const FrameRecord& record) {
  auto object = json::object();
  for (const auto& column : columns) object[column.name] = column.value(head, record);
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace app
