// What a session exports besides its report: a row per frame, and a trace.
#include "app/output/frame_trace.h"
#include "app/session/frame_rows.h"
#include "app/session/session.h"
#include "app/session/session_report.h"
#include "app/support/files.h"

namespace app {

void Session::export_frames(const std::filesystem::path& to) {
  take_times();
  log_.select(settings_.graph_range);
  const auto& history = log_.history();
  const auto start = history.frames().empty() ? Clock::time_point{} : history.frames().front().presented;
  auto part = std::make_shared<const FrameHistory>(history.part(log_.shown_indices()));
  outputs_.export_to(to, "frames", ".csv", [part, start, machine = machine_of(engine_)](const auto& path) {
    write_file(path, frame_rows(*part, start, machine));
  });
}

void Session::export_timeline(const std::filesystem::path& to) {
  take_times();
  log_.select(settings_.graph_range);
  log_.shown();  // finds the work of the range
  auto records = std::make_shared<const std::vector<FrameRecord>>(log_.shown_records());
  outputs_.export_to(to, "timeline", ".json", [records](const auto& path) { write_file(path, frame_trace(*records)); });
}

}  // namespace app
