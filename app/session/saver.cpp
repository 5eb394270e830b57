#include "app/session/saver.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/selection.h"
#include "app/output/log_file.h"
#include "app/output/picture_files.h"
#include "app/output/race_figures.h"
#include "app/output/study_text.h"
#include "app/output/trace_json.h"
#include "app/pipeline/picture_drawing.h"
#include "app/session/frame_history.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/cuda/error.h"
#include "gpu/execution/readback.h"

namespace app {

Saver::Saver(const Run& run, Settings& settings, Engine& engine, Transport& transport, PictureMaker& maker,
             const RaceRunner& race, const TraceRunner& trace, Outputs& outputs, Messages& messages)
    : run_(run),
      settings_(settings),
      started_(settings),
      engine_(engine),
      transport_(transport),
      maker_(maker),
      race_(race),
      trace_(trace),
      outputs_(outputs),
      messages_(messages) {}

Settings Saver::settings_to_save() const {
  return engine_.refusal().empty() ? settings_ : without_refused(settings_, engine_.selection(), started_);
}

void Saver::save(Wanted picture) {
  if (!engine_.has_picture()) throw std::invalid_argument("there is no picture yet");
  pictures_.push_back(std::move(picture));
  save_pictures();
}

bool Saver::needs_pixels() const { return outputs_.recording() || saves_pictures(); }

void Saver::add(gpu::Context& context, const Picture& picture) {
  if (!outputs_.recording()) return;
  auto& pipeline = engine_.pipeline();
  pipeline.draw_pixels();  // of a picture that was begun before the recording; none is begun yet that would lose them
  outputs_.add(context, for_files(picture.in_memory() ? picture : pipeline.picture()), transport_.feed(),
               transport_.in_squares());
}

// With the rectangle where its numbers are drawn, too.
Picture Saver::for_files(const Picture& picture) const {
  auto drawn = picture;
  if (settings_.rectangle && transport_.in_squares())
    drawn.annotations = picture.annotations.with(
        rectangle_annotations(*settings_.rectangle, transport_.feed().last()->view()));
  return drawn;
}

// Whether the picture has one channel, because nothing gives it colours.
bool Saver::is_gray() const {
  const auto one_channel = [](const Selection& s) { return s.effect->channels(s.effect_arguments) == 1; };
  const auto& selection = engine_.selection();
  return transport_.feed().status().gray ||
         (selection.sides.empty() ? one_channel(selection) : std::ranges::all_of(selection.sides, one_channel));
}

// Saves what is shown; the job owns all that it needs of the frame.
void Saver::save_matrix_and_table(const Wanted& wanted) {
  const auto picture = std::make_shared<const gpu::Image<gpu::Rgba>>(
      matrix_and_table(transport_.feed().last()->view(), settings_.rectangle));
  const auto png = [picture](const Path& path) { return png_of(path, gpu::ImageView<const gpu::Rgba>(picture->view())); };
  if (wanted.to_copy) return outputs_.copy(png);
  outputs_.save(wanted.to, "picture", ".png", [png](const auto& path) { write_file(path, png(path)); });
}

// While a picture is under way the one before cannot be copied: soon.
void Saver::save_pictures() {
  if (engine_.busy()) return;
  for (const auto& picture : std::exchange(pictures_, {}))
    if (!engine_.attempt([&] { save_shown(picture); })) outputs_.release(picture.to);
}

void Saver::save_shown(const Wanted& wanted) {
  const std::string not_saved = wanted.to_copy ? "the picture is not copied: " : "the picture is not saved: ";
  if (!engine_.has_picture()) {  // lost with its GPU
    outputs_.release(wanted.to);
    return outputs_.fail(not_saved + "its pixels are lost");
  }
  if (wanted.table) return save_table(wanted.to);
  if (shows_matrix(settings_, transport_.feed().status().kind) && transport_.in_squares())
    return save_matrix_and_table(wanted);
  auto& pipeline = engine_.pipeline();
  if (!pipeline.draw_pixels()) {
    outputs_.release(wanted.to);
    return outputs_.fail(not_saved + "the next one failed");
  }
  auto& context = pipeline.context();
  const auto picture = for_files(pipeline.picture());
  const bool squares = transport_.in_squares();
  wanted.to_copy ? outputs_.copy_picture(context, picture, squares, is_gray())
                 : outputs_.save_picture(context, picture, wanted.to, squares, is_gray());
}

// The writer's thread waits for a GPU.
void Saver::save_table(const Path& to) {
  auto& pipeline = engine_.pipeline();
  const auto table = pipeline.picture().sat;
  if (table.empty()) {
    outputs_.release(to);
    return outputs_.fail("there is no table to save: what is shown needs none");
  }
  const bool from_gpu = pipeline.device() == gpu::Device::cuda;
  int device = 0;
  if (from_gpu) gpu::check(cudaGetDevice(&device));
  const auto stride = static_cast<std::size_t>(table.stride), width = static_cast<std::size_t>(table.width),
             height = static_cast<std::size_t>(table.height);
  const auto bytes = ((height - 1) * stride + width) * sizeof(std::uint32_t);
  const auto copy = std::make_shared<gpu::Readback>(from_gpu ? gpu::Device::cuda : gpu::Device::host, bytes);
  copy->queue(pipeline.context(), "table to file", table.data, bytes);
  outputs_.save(to, "table", ".npy", [=, size = table.size()](const auto& path) {
    if (from_gpu) gpu::check(cudaSetDevice(device));  // of this thread
    copy->wait();
    NpyBytes npy(gpu::ElementType::u32, size);
    const auto rows = npy.view<std::uint32_t>(size);
    for (std::size_t y = 0; y < height; ++y)
      std::memcpy(rows.row(static_cast<int>(y)), copy->bytes().data() + y * stride * sizeof(std::uint32_t),
                  width * sizeof(std::uint32_t));
    write_file(path, npy.bytes);
  });
}

// Of a source that is left, or of one that the settings name and that is not opened yet.
bool Saver::owns_matrix() const {
  return capture::owns_matrix(transport_.asked()) || capture::owns_matrix({.source = settings_.source});
}

// The numbers that were set last, which may not be shown yet; else those that are shown.
std::string Saver::matrix_text() const {
  const auto text = [&](const capture::Matrix& matrix) { return capture::matrix_text(matrix, '\n') + '\n'; };
  if (!settings_.matrix.empty() && owns_matrix()) return text(capture::matrix_from(settings_.matrix, ';', "matrix"));
  if (transport_.feed().status().kind != capture::SourceKind::matrix || !transport_.feed().last())
    throw std::invalid_argument("the source is not a matrix; choose matrix:8x8 or a CSV file");
  return text(capture::matrix_of(transport_.feed().last()->view()));
}

void Saver::save_matrix(const std::filesystem::path& to) {
  const auto saving = std::make_shared<Saving>();
  const auto fail = [](Saving& failed, const std::string& because) {
    failed.problem = because;
    failed.state = Saving::failed;
  };
  const auto why = outputs_.save(to, "matrix", ".csv", [text = matrix_text(), saving, fail](const auto& path) {
    try {
      write_file(path, text);
      saving->path = path;
      saving->state = Saving::there;
    } catch (const std::exception& error) {
      fail(*saving, error.what());
      throw;
    }
  });
  if (!why.empty()) fail(*saving, why);
  saved_matrix_ = {settings_.matrix, saving};
}

bool Saver::matrix_unsaved() const {
  const auto& now = settings_.matrix;
  if (now.empty() || now == started_.matrix || !owns_matrix()) return false;
  return !saved_matrix_.saving || saved_matrix_.saving->state != Saving::there || saved_matrix_.matrix != now;
}

std::string Saver::matrix_problem() const {
  const auto& [matrix, saving] = saved_matrix_;
  return saving && saving->state == Saving::failed && matrix == settings_.matrix ? saving->problem : "";
}

namespace {

constexpr std::chrono::seconds longest_answer{5};  // of a disk, for a small file

}  // namespace

// Where nobody is asked: saves a changed matrix at once, in the first of the folders that takes it. Returns why the first one
// did not, where none does. The line is also for the terminal: after a signal the window shows it to nobody.
std::string Saver::keep_matrix(std::span<const std::filesystem::path> folders) {
  if (run_.offscreen || !matrix_unsaved()) return {};
  std::string why;
  for (const auto& folder : folders) try {
      const auto path = outputs_.write_in(folder, "matrix", ".csv", longest_answer,
                                          [text = matrix_text()](const auto& to) { write_file(to, text); });
      tell((why.empty() ? "" : why + ": ") + "saved the changed matrix: " + path.string());
      messages_.saved(path.string());
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

// A message of the window ends with it.
void Saver::tell_of_matrix() const {
  const auto& [matrix, saving] = saved_matrix_;
  if (run_.offscreen || run_.script || !saving || saving->state != Saving::there || saving->path.empty()) return;
  if (matrix == settings_.matrix) tell("saved the matrix: " + saving->path.string());
}

// Nobody can choose another place any more.
void Saver::keep_matrix_at_end() {
  std::error_code ignored;
  std::vector<std::filesystem::path> folders{outputs_.folder()};
  if (run_.config) folders.push_back(std::filesystem::absolute(*run_.config, ignored).parent_path());
  folders.push_back(std::filesystem::temp_directory_path(ignored));
  if (const auto why = keep_matrix(folders); !why.empty()) outputs_.fail("the changed matrix is lost: " + why);
}

std::string Saver::leave_matrix() {
  const auto why = keep_matrix(std::array{outputs_.folder()});
  if (why.empty()) return {};
  return "the matrix stays open: it was changed and cannot be saved: " + why +
         " (\"Save to\" in the preferences), or quit without saving to open " +
         capture::describe_source(transport_.wanted());
}

void Saver::save_wrong_frame(const std::filesystem::path& to) {
  const auto& wrong = maker_.light().first_wrong();
  if (!wrong) throw std::invalid_argument("no table was wrong: there is no frame to save");
  outputs_.save(to, "wrong-frame", ".png", [size = wrong->size, pixels = wrong->pixels](const auto& path) {
    std::vector<gpu::Rgba> rgba;
    for (const auto& [b, g, r] : pixels) rgba.push_back({r, g, b, 255});
    write_png(path, gpu::ImageView<const gpu::Rgba>{rgba.data(), size.width, size.height, size.width});
  });
}

namespace {

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
    report.interop = PictureMaker::by_interop(*work);
  }
  report.simulated = device == gpu::Device::simulated;
  const bool cuda = device == gpu::Device::cuda && engine.probe().gpu;
  report.device = cuda ? engine.probe().gpu->name : processor_name();
  report.driver = cuda ? driver_text() : (report.simulated ? "simulated GPU, " : "CPU, ") + threads_text();
  return report;
}

}  // namespace

Report Saver::report() {
  maker_.update_times();
  maker_.log().select(settings_.graph_range);
  auto report = report_of(engine_, maker_.log(), transport_.feed().status());
  if (const auto bound = race_.bound().of(report.selection.device, report.size)) report.bound_us = bound->us;
  report.race = race_.race().figures();
  report.study = race_.study().figures();
  report.staged_reason = report.interop ? "" : maker_.staged_reason();
  return report;
}

namespace {

// The rows of some frames of a history as CSV; presented_us counts from its oldest one.
std::string frame_rows(const FrameHistory& history, FrameHistory::Indices indices, const std::string& machine) {
  auto text = export_head(machine);
  std::vector<StageTime> stages;
  for (const auto& frame : history.frames().subspan(indices.first, indices.count()))
    text += export_line(history.frames().front().presented, history.record(frame), history.times(frame, stages));
  return text;
}

std::string no_frames(const Settings& settings) {
  if (settings.graph_range)
    return "no frame of graph_range " + text_of(*settings.graph_range) +
           " can be saved: choose another range, or leave it empty for all frames";
  return "no frame is complete since the statistics were reset: wait for some";
}

}  // namespace

std::string Saver::answer(std::span<const std::string> paths, const ChangeContext& context) {
  maker_.take_all_times();
  auto report = report_values(this->report());
  report["source"] = source_json(transport_.feed().status(), transport_.position(), transport_.feed().paused(),
                                 transport_.failed_because(), transport_.drops());
  report["race"] = race_rows_json(race_.race().figures());
  return answer_of(report, paths, settings_, context);
}

void Saver::export_timings(const std::filesystem::path& to, const std::string& ending) {
  auto report = this->report();
  if (report.figures.frames == 0) throw std::invalid_argument(no_frames(settings_));
  outputs_.save(to, "timings", ending, [report = std::move(report)](const auto& path) { export_report(path, report); });
}

void Saver::write_results(const std::function<Outputs::Job()>& screenshot) {
  auto last = report();  // before videos and pictures are written: the source goes on meanwhile
  if (run_.screenshot && screenshot) outputs_.final_screenshot(screenshot());
  outputs_.stop_recording();
  const bool empty_range = settings_.graph_range && last.figures.frames == 0 && !run_.race && !run_.study;
  outputs_.final_export(std::move(last), empty_range ? no_frames(settings_) : "");
}

void Saver::export_race(const std::filesystem::path& to) {
  const auto& race = race_.race().figures();
  if (std::ranges::none_of(race.rows, [](const RaceRow& row) { return row.runs > 0; }))
    throw std::invalid_argument(race.problem.empty() ? "no race has run: race first" : race.problem);
  const auto save = [&](const std::string& ending) {
    outputs_.save(to, "race", ending, [race](const auto& path) { app::export_race(path, race); });
  };
  if (to.empty()) save(".csv");  // a user who gives no name has not chosen between them either
  save(".json");
}

void Saver::export_study(const std::filesystem::path& to) {
  const auto& study = race_.study().figures();
  if (study.sizes.empty())
    throw std::invalid_argument(study.problem.empty() ? "no study has run: study first" : study.problem);
  const auto save = [&](const std::string& ending) {
    outputs_.save(to, "study", ending, [study](const auto& path) { app::export_study(path, study); });
  };
  if (to.empty()) save(".csv");  // as of a race
  save(".json");
}

void Saver::export_trace(const std::filesystem::path& to) {
  if (!trace_.trace()) throw std::invalid_argument("there is no tile trace yet: trace a picture first");
  outputs_.save(to, "trace", ".json", [trace = trace_.trace()](const auto& path) { write_trace(path, *trace); });
}

void Saver::export_frames(const std::filesystem::path& to) {
  maker_.update_times();
  maker_.log().select(settings_.graph_range);
  const auto indices = maker_.log().shown_indices();
  if (indices.count() == 0) throw std::invalid_argument(no_frames(settings_));
  auto history = std::make_shared<const FrameHistory>(maker_.log().history());
  outputs_.save(to, "frames", ".csv", [history, indices, machine = machine_of(engine_)](const auto& path) {
    write_file(path, frame_rows(*history, indices, machine));
  });
}

void Saver::export_timeline(const std::filesystem::path& to) {
  maker_.update_times();
  maker_.log().select(settings_.graph_range);
  maker_.log().shown();  // finds the work of the range
  auto records = std::make_shared<const std::vector<FrameRecord>>(maker_.log().shown_records());
  if (records->empty()) throw std::invalid_argument(no_frames(settings_));
  outputs_.save(to, "timeline", ".json", [records](const auto& path) { write_file(path, frame_trace(*records)); });
}

}  // namespace app
