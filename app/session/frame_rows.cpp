#include "app/session/frame_rows.h"

#include <cstdio>

#include "app/output/csv_cell.h"
#include "app/output/frame_text.h"
#include "app/support/size_text.h"

namespace app {
namespace {

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, ",%.3f", value);
  return text;
}

std::string stages_of(const FrameHistory& history, const HistoryFrame& frame) {
  std::string text;
  for (const auto& stage : history.stages(frame))
    text += (text.empty() ? "" : ";") + history.path(stage) + '=' +
            number(static_cast<double>(stage.nanoseconds) / 1000).substr(1);
  return csv_cell(text);
}

// Of a work: selection, size, source.
std::string work_cells(const Work* work) {
  if (!work) return ",,,";
  return ',' + csv_cell(text_of(*work->selection)) + ',' + text_of(work->size) + ',' + csv_cell(*work->source);
}

}  // namespace

std::string frame_rows(const FrameHistory& history, FrameRecord::Clock::time_point start, const std::string& machine) {
  auto text =
      "# satscope " SATSCOPE_VERSION ", a row per frame\n# machine: " + machine +
      "\n# units: microseconds (_us); presented: since the oldest frame kept; stages: on the device of the selection\n"
      "id,again,work,selection,size,source,presented_us,interval_us,work_us,dropped_before,kernels_us,transfer_us,"
      "waiting_us,stages\n";
  std::uint64_t work = 0;
  std::string cells;
  for (const auto& frame : history.frames()) {
    if (frame.work != work || cells.empty()) cells = work_cells(history.work(work = frame.work));
    text += std::to_string(frame.id) + (frame.again ? ",1," : ",0,") + std::to_string(frame.work) + cells;
    text += number(std::chrono::duration<double, std::micro>(frame.presented - start).count()) + number(frame.interval_us) +
            number(frame.work_us) + ',' + std::to_string(frame.dropped_before);
    if (frame.timed)
      text += number(frame.device.computing) + number(frame.device.transferring) + number(frame.device.waiting) + ',' +
              stages_of(history, frame);
    else
      text += ",,,,";
    text += '\n';
  }
  return text;
}

}  // namespace app
