// What a session exports: its report, the race, a row per frame, and a trace of them. What is empty is refused.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/control/fields.h"
#include "app/output/frame_trace.h"
#include "app/output/query.h"
#include "app/output/race_text.h"
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

using json = nlohmann::ordered_json;

// As the settings file writes it.
json value_of(const Setting& setting) {
  if (setting.is_toggle()) return setting.value == "on";
  return setting.is_number() ? json::parse(setting.value) : json(setting.value);
}

// `problem`: why the source that was asked for last could not be opened; else empty.
json source_json(const capture::Status& source, double position, bool paused, const std::string& problem) {
  using Phase = capture::Status::Phase;
  return {{"name", source.name},
          {"description", source.description},
          {"width", source.size.width},
          {"height", source.size.height},
          {"position", position},
          {"length", source.length},
          {"fps", source.rate()},
          {"paused", paused},
          {"ended", source.phase == Phase::ended},
          {"problem", source.phase == Phase::failed ? source.message : problem}};
}

}  // namespace

// Of everything that is exported, and of the settings: what both have is that in use, "settings.device" is the setting.
std::string Session::answer(std::span<const std::string> paths) {
  take_all_times();
  auto report = json::parse(report_json(this->report()));
  report["source"] = source_json(feed_.status(), position_, feed_.paused(), failed_source_.empty() ? "" : failed_because_);
  report["race"] = race_rows_json(race_.figures());
  auto answers = json::object();
  auto copy = settings_;
  for (const auto& path : paths) {
    constexpr std::string_view of_settings = "settings.";
    const bool is_setting = path.starts_with(of_settings);
    const auto setting = find_setting(is_setting ? path.substr(of_settings.size()) : path, settings_, context());
    const auto list = report.find(path.substr(0, path.find('.')));
    const bool comes_later = list != report.end() && list->is_array() && list->empty();  // kernels, race
    if (const auto* value = is_setting ? nullptr : find_value(report, path))
      answers[path] = setting && *value == "" ? json() : *value;  // before the first picture nothing is in use
    else if (comes_later)
      answers[path] = nullptr;
    else if (setting)
      answers[path] = value_of(*setting);
    else if (is_setting)
      apply(copy, Change{path.substr(of_settings.size()), ""}, context());  // says what is wrong with the name
    else
      throw std::invalid_argument(no_value(report, path));
  }
  return answers.dump(-1, ' ', false, json::error_handler_t::replace);
}

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
    throw std::invalid_argument(race.problem.empty() ? "no race has run: race first" : race.problem);
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
