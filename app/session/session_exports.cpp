// What a session exports: its report, the race, a row per frame, and a trace of them. What is empty is refused.
#include <algorithm>
#include <stdexcept>

#include "app/control/fields.h"
#include "app/output/frame_trace.h"
#include "app/session/frame_rows.h"
#include "app/session/session.h"
#include "app/session/session_report.h"
#include "app/support/files.h"

namespace app {
namespace {

std::string no_frames(const Settings& settings) {
  if (settings.graph_range)
    return "no frame of graph_range " + text_of(*settings.graph_range) +
           " can be saved: choose another range, or leave it empty for all frames";
  return "no frame is complete since the statistics started anew: wait for some";
}

}  // namespace

void Session::export_timings(const std::filesystem::path& to, const std::string& ending) {
  auto report = this->report();
  if (report.figures.frames == 0) throw std::invalid_argument(no_frames(settings_));
  outputs_.export_to(to, std::move(report), ending);
}

std::string Session::why_not_exported(const Report& report) const {
  return settings_.graph_range && report.figures.frames == 0 && !run_.race ? no_frames(settings_) : "";
}

void Session::export_race(const std::filesystem::path& to) {
  const auto& race = race_.figures();
  if (std::ranges::none_of(race.rows, [](const RaceRow& row) { return row.runs > 0; }))
    throw std::invalid_argument(race.problem.empty() ? "no race has run: start_race first" : race.problem);
  outputs_.export_race_to(to, race);
}

void Session::export_frames(const std::filesystem::path& to) {
  take_times();
  log_.select(settings_.graph_range);
  const auto& history = log_.history();
  const auto start = history.frames().empty() ? Clock::time_point{} : history.frames().front().presented;
  const auto indices = log_.shown_indices();
  if (indices.count() == 0) throw std::invalid_argument(no_frames(settings_));
  auto part = std::make_shared<const FrameHistory>(history.part(indices));
  outputs_.export_to(to, "frames", ".csv", [part, start, machine = machine_of(engine_)](const auto& path) {
    write_file(path, frame_rows(*part, start, machine));
  });
}

void Session::export_timeline(const std::filesystem::path& to) {
  take_times();
  log_.select(settings_.graph_range);
  log_.shown();  // finds the work of the range
  auto records = std::make_shared<const std::vector<FrameRecord>>(log_.shown_records());
  if (records->empty()) throw std::invalid_argument(no_frames(settings_));
  outputs_.export_to(to, "timeline", ".json", [records](const auto& path) { write_file(path, frame_trace(*records)); });
}

}  // namespace app
