// What a session saves and exports: the picture, the matrix, the frame whose table was wrong; its report, the race, a row per
// frame, and a trace of them. What is empty is refused.
#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/selection.h"
#include "app/output/frame_text.h"
#include "app/output/picture_files.h"
#include "app/output/query.h"
#include "app/output/race_text.h"
#include "app/pipeline/matrix_picture.h"
#include "app/session/frame_history.h"
#include "app/session/session.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/text.h"

namespace app {

Settings Session::settings_to_save() const {
  return engine_.refusal().empty() ? settings_ : without_refused(settings_, engine_.selection(), started_);
}

void Session::save_picture(const std::filesystem::path& to) {
  if (!engine_.has_picture()) throw std::invalid_argument("there is no picture yet");
  pictures_to_save_.push_back(to);
  save_pictures();
}

// A matrix is no picture that can be seen at its own size.
bool Session::in_squares() const {
  const auto* frame = feed_.last();
  return frame && fits_squares(frame->view().size()) && capture::owns_matrix(requested_);
}

// With the rectangle where its numbers are drawn, too.
Picture Session::for_files(const Picture& picture) const {
  auto drawn = picture;
  if (settings_.rectangle && in_squares())
    drawn.annotations = picture.annotations.with(rectangle_annotations(*settings_.rectangle, feed_.last()->view()));
  return drawn;
}

// While a picture is under way the one before cannot be copied: soon.
void Session::save_pictures() {
  if (engine_.busy()) return;
  for (const auto& to : std::exchange(pictures_to_save_, {})) try {
      engine_.show([&](gpu::Context& context, const Picture& picture) {
        outputs_.save_picture(context, for_files(picture), to, in_squares());
      });
    } catch (const gpu::CudaError&) {
      engine_.explain(std::current_exception());
    }
}

// What was set last, which may not be shown yet; else what is shown.
std::string Session::matrix_text() const {
  const auto text = [&](const capture::Matrix& matrix) {
    return capture::matrix_header(requested_, matrix.size.width) + capture::matrix_text(matrix, '\n') + '\n';
  };
  if (!settings_.matrix.empty() && capture::owns_matrix(requested_))
    return text(capture::matrix_from(settings_.matrix, ';', "matrix"));
  if (feed_.status().kind != capture::SourceKind::matrix || !feed_.last())
    throw std::invalid_argument("the source is no matrix; choose matrix:8x8 or a CSV file");
  return text(capture::matrix_of(feed_.last()->view()));
}

void Session::save_matrix(const std::filesystem::path& to) {
  const auto saving = std::make_shared<Saving>();
  const auto fail = [](Saving& failed, const std::string& because) {
    failed.problem = because;
    failed.state = Saving::failed;
  };
  const auto why = outputs_.save(
      "matrix", ".csv",
      [text = matrix_text(), saving, fail](const auto& path) {
        try {
          write_file(path, text);
          saving->state = Saving::there;
        } catch (const std::exception& error) {
          fail(*saving, error.what());
          throw;
        }
      },
      to);
  if (!why.empty()) fail(*saving, why);
  saved_matrix_ = {settings_.matrix, saving};
}

bool Session::matrix_unsaved() const {
  const auto& now = settings_.matrix;
  if (now.empty() || now == started_.matrix || !capture::owns_matrix(requested_)) return false;
  return !saved_matrix_.saving || saved_matrix_.saving->state != Saving::there || saved_matrix_.matrix != now;
}

std::string Session::matrix_problem() const {
  const auto& [matrix, saving] = saved_matrix_;
  return saving && saving->state == Saving::failed && matrix == settings_.matrix ? saving->problem : "";
}

// Where nobody is asked: saves a changed matrix at once, in the first of the folders that takes it. Returns why the first one
// did not, where none does. The line is also for the terminal: after a signal the window shows it to nobody.
std::string Session::keep_matrix(std::span<const std::filesystem::path> folders) {
  if (run_.offscreen || !matrix_unsaved()) return {};
  std::string why;
  for (const auto& folder : folders) try {
      const auto text = matrix_text();
      const auto path = write_new_file(outputs_.new_file(folder, "matrix", ".csv"),
                                       [&](const auto& to) { write_file(to, text); });
      tell((why.empty() ? "" : why + ": ") + "saved the changed matrix: " + path.string());
      messages_.info("Saved " + path.string());
      const auto saving = std::make_shared<Saving>();
      saving->state = Saving::there;
      saved_matrix_ = {settings_.matrix, saving};
      return {};
    } catch (const capture::SourceError&) {  // its error is the source's to report
      return {};
    } catch (const std::runtime_error& error) {
      if (why.empty()) why = error.what();
    }
  return why;
}

// Nobody can choose another place any more.
void Session::keep_matrix_at_end() {
  std::error_code ignored;
  std::vector<std::filesystem::path> folders{outputs_.folder()};
  if (run_.config) folders.push_back(std::filesystem::absolute(*run_.config, ignored).parent_path());
  folders.push_back(std::filesystem::temp_directory_path(ignored));
  if (const auto why = keep_matrix(folders); !why.empty()) outputs_.fail("the changed matrix is lost: " + why);
}

// For another source. False: the matrix would be lost, and stays.
bool Session::leaves_matrix() {
  const auto why = keep_matrix(std::array{outputs_.folder()});
  if (why.empty()) return true;
  const auto says = "the matrix stays open: it was changed and cannot be saved: " + why +
                    " (\"Save to\"), or quit without saving to open " + capture::describe_source(request());
  if (!script_.fail(ExitCode::failed, says)) messages_.error(says);
  put_request(requested_, settings_);
  start_ = 0;
  return false;
}

void Session::save_wrong_frame(const std::filesystem::path& to) {
  const auto& wrong = light_.first_wrong();
  if (!wrong) throw std::invalid_argument("no table was wrong: there is no frame to save");
  outputs_.save(
      "wrong-frame", ".png",
      [size = wrong->size, pixels = wrong->pixels](const auto& path) {
        std::vector<gpu::Rgba> rgba;
        for (const auto& [b, g, r] : pixels) rgba.push_back({r, g, b, 255});
        write_png(path, gpu::ImageView<const gpu::Rgba>{rgba.data(), size.width, size.height, size.width});
      },
      to);
}

namespace {

constexpr std::string_view path_to_window = "path to the window", interop_path = "interop";

std::string threads_text() { return std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " threads"; }
std::string driver_text() { return "NVIDIA " + nvidia_driver_version() + ", " + cuda_versions(); }

// How pixels reach the window is the caller's.
Report report_of(Engine& engine, FrameLog& log, const capture::Status& source) {
  Report report;
  report.figures = log.shown();
  report.is_range = log.shows_range();
  report.source = source.description;
  report.selection = engine.selection();
  auto device = engine.device();
  if (engine.has_picture()) report.size = engine.pipeline().size();
  if (const auto* work = log.shown_work()) {
    if (report.is_range) {  // perhaps of an older work
      report.source = *work->source;
      report.selection = *work->selection;
      report.size = work->size;
      device = work->selection->device;
    }
    const auto path = std::ranges::find(work->circumstances, path_to_window, &Circumstance::name);
    report.interop = path != work->circumstances.end() && path->value == interop_path;
  }
  report.simulated = device == gpu::Device::simulated;
  const bool cuda = device == gpu::Device::cuda && engine.probe().gpu;
  report.device = cuda ? engine.probe().gpu->name : processor_name();
  report.driver = cuda ? driver_text() : (report.simulated ? "simulated GPU, " : "CPU, ") + threads_text();
  return report;
}

}  // namespace

std::string machine_of(const Engine& engine) {
  const auto& gpu = engine.probe().gpu;
  return processor_name() + ", " + threads_text() + (gpu ? "; " + gpu->name + ", " + driver_text() : std::string());
}

void Session::presented(bool interop, std::string_view staged_reason) {
  interop_ = interop;
  log_.set_circumstance(path_to_window, interop ? interop_path : "staged");
  staged_reason_ = interop ? std::string_view() : staged_reason;
}

// Only what plays at a rate that is chosen has a speed. A source that replaces another is other work anyhow.
void Session::note_speed() {
  if (feed_.opening() || feed_.still() || feed_.status().live) return;
  log_.set_circumstance("speed", settings_.max_speed ? "max" : number_as_text(settings_.speed) + "x");
}

Report Session::report() {
  take_times();
  log_.select(settings_.graph_range);
  auto report = report_of(engine_, log_, feed_.status());
  if (const auto bound = bound_.of(report.selection.device, report.size)) report.bound_us = bound->us;
  report.race = race_.figures();
  report.staged_reason = report.interop ? "" : staged_reason_;
  return report;
}

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

// The rows of a history as CSV, as the log has them: what a history keeps of each frame. `start`: that presented_us counts from.
// Lines that start with # hold machine and units; then a line of column names.
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
          {"problem", source.phase == Phase::failed ? source.message : problem},
          {"warning", source.warning}};
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
