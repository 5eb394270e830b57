#include "app/output/frame_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/output/csv_cell.h"
#include "app/pipeline/stage_statistics.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* columns =
    "id,again,selection,size,source,captured_us,age_us,taken_us,enqueued_us,presented_us,interval_us,work_us,dropped_before,"
    "of_work,kernels_us,stages";

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

void put_values(std::string& text, std::string_view name, const gpu::Arguments& arguments) {
  text += name;
  for (const auto& parameter : arguments.parameters())
    text += ' ' + std::string(parameter.name) + '=' + arguments.text(parameter.name);
}

}  // namespace

std::string text_of(const Selection& selection) {
  auto text = std::string(gpu::name(selection.device)) + ' ';
  put_values(text, selection.algorithm->name, selection.algorithm_arguments);
  text += ", ";
  put_values(text, selection.effect->name, selection.effect_arguments);
  return text;
}

std::string csv_head(const FrameTextHead& head) {
  return "# satscope " SATSCOPE_VERSION ", a row per frame\n# machine: " + head.machine + "\n# source: " + head.source +
         "\n# started: " + head.started + "\n# units: " + units + "\n# simulated: " + simulated_note + '\n' + columns + '\n';
}

std::string csv_line(const FrameTextHead& head, const FrameRecord& record) {
  std::string stages;
  for (const auto& time : stage_times(record.times))
    stages += (stages.empty() ? "" : ";") + *time.path + '=' + number(time.microseconds);
  std::string line = std::to_string(record.id) + (record.again ? ",1," : ",0,") + csv_cell(text_of(*record.selection)) +
                     ',' + std::to_string(record.size.width) + 'x' + std::to_string(record.size.height) + ',' +
                     csv_cell(*record.source);
  for (const auto value : {since(head, record.captured), record.age_us(), since(head, record.taken),
                           since(head, record.enqueued), since(head, record.presented), record.interval_us, record.work_us})
    line += ',' + number(value);
  line += ',' + std::to_string(record.dropped_before) + ',' + std::to_string(record.of_work) + ',';
  if (record.times.timed)
    line += number(total_microseconds(record.times)) + ',' + csv_cell(stages);
  else
    line += ',';
  return line + '\n';
}

std::string json_head(const FrameTextHead& head) {
  const json object{{"satscope", SATSCOPE_VERSION}, {"machine", head.machine}, {"source", head.source},
                    {"started", head.started},      {"units", units},          {"simulated", simulated_note}};
  return json{{"head", object}}.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string json_line(const FrameTextHead& head, const FrameRecord& record) {
  json object{{"id", record.id},
              {"again", record.again},
              {"selection", text_of(*record.selection)},
              {"size", {record.size.width, record.size.height}},
              {"source", *record.source},
              {"captured_us", rounded(since(head, record.captured))},
              {"age_us", rounded(record.age_us())},
              {"taken_us", rounded(since(head, record.taken))},
              {"enqueued_us", rounded(since(head, record.enqueued))},
              {"presented_us", rounded(since(head, record.presented))},
              {"interval_us", rounded(record.interval_us)},
              {"work_us", rounded(record.work_us)},
              {"dropped_before", record.dropped_before},
              {"of_work", record.of_work},
              {"kernels_us", nullptr},
              {"stages", nullptr}};
  if (record.times.timed) {
    object["kernels_us"] = total_microseconds(record.times);
    auto stages = json::object();
    for (const auto& time : stage_times(record.times)) stages[*time.path] = time.microseconds;
    object["stages"] = std::move(stages);
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace app
