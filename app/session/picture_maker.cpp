#include "app/session/picture_maker.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/capture/source.h"
#include "app/control/fields.h"
#include "app/session/saver.h"
#include "app/support/console.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/event.h"

namespace app {
namespace {

constexpr std::string_view the_picture = "the picture";  // of which Messages knows the failure

std::string cause_of(const Engine::Failure& failure) { return failure.text + (failure.plain ? " (without an effect)" : ""); }

std::unique_ptr<LogFile> log_file(const Run& run, const Engine& engine) try {
  return run.log ? std::make_unique<LogFile>(*run.log, machine_of(engine)) : nullptr;
} catch (const std::runtime_error& error) {
  throw ExitError(ExitCode::failed, error.what());
}

}  // namespace

PictureMaker::PictureMaker(const Run& run, Settings& settings, Engine& engine, Transport& transport, Messages& messages,
                           PictureSink sink)
    : run_(run),
      settings_(settings),
      engine_(engine),
      transport_(transport),
      messages_(messages),
      sink_(std::move(sink)),
      log_file_(log_file(run, engine)),
      log_([this](const FrameRecord& record) {
        if (log_file_) log_file_->add(record);
      }) {
  engine_.expect_choices(!run_.offscreen || run_.script);  // else nobody chooses: loading would only disturb what is timed
}

bool PictureMaker::begin(const capture::Frame* fresh, bool wanted, bool again, Saver& saver) {
  const auto& feed = transport_.feed();
  const bool retried = std::exchange(retries_, false);
  frames_ += fresh && !retried;
  changed_ |= engine_.follow(settings_);
  const bool other_values = !fresh && feed.shows_other(settings_.values);
  if (changed_ && !fresh && !other_values && shows_last_ && move_wipe(saver)) changed_ = false;
  wanted |= changed_ || other_values;
  again |= again_;
  const auto* frame = fresh ? fresh : (wanted || again) && engine_.frame_is_free() ? feed.last() : nullptr;
  if (!frame) {
    rests_ = transport_.idle() && !wanted && !again && feed.quiet();
    return false;
  }
  transport_.feed().show(settings_.values);
  making_values_ = frame->values.shown;
  changed_ = again_ = false;
  fresh_ = fresh != nullptr;
  shows_last_ &= !fresh_;
  auto record = record_of(*frame);
  making_id_ = record.id;
  making_drops_ = transport_.drops().all();
  // What a run makes of every frame of its source does not depend on how long something takes.
  engine_.keep_going(!run_.offscreen || feed.live());
  if (!engine_.begin(*frame, settings_, record.id)) {
    miss();
    return false;
  }
  note_speed();
  log_.begin(std::move(record));
  transport_.picture_begun(*frame);
  measured_again_ = !fresh && !wanted;
  return true;
}

// A frame has no picture: it failed. Where it may have another one, that is made next: a still source has no other frame.
void PictureMaker::miss() {
  retries_ = fresh_ && engine_.has_substitute();
  if (fresh_ && !retries_) transport_.drops().add(capture::DropReason::failed);
}

bool PictureMaker::shows_values() const {
  const auto* frame = transport_.feed().last();
  return !frame || frame->values.channels == 0 || made_values_ == settings_.values.value_or(frame->values.automatic);
}

void PictureMaker::hand_on(const Published& made, Saver& saver) {
  const auto& picture = made.picture();
  try {
    sink_(made.context(), picture);
    shows_last_ = true;
  } catch (const gpu::CudaError&) {
    throw;
  } catch (const std::exception& error) {
    messages_.error(error.what());
  }
  log_.add_check(picture.check);
  if (const auto* frame = transport_.feed().last()) light_.add(picture.check, making_id_, *frame);
  if (!measured_again_) saver.add(made.context(), picture);
}

// Where the sink fails, the frame is made anew, with its new wipe.
bool PictureMaker::move_wipe(Saver& saver) {
  bool moves = false;
  const bool works = engine_.attempt([&] {
    const auto moved = engine_.move_wipe();
    moves = moved.has_value();
    if (!moves) return;
    measured_again_ = false;
    hand_on(*moved, saver);
  });
  if (!moves || !works) return false;
  ++pictures_;
  return moved_wipe_ = true;
}

bool PictureMaker::show(std::chrono::microseconds patience, Saver& saver) {
  if (!engine_.busy()) return false;
  const auto start = Clock::now();
  bool made = true;
  engine_.attempt([&] {  // the sink may fail
    const auto published = engine_.finish(patience);
    if (patience.count() > 0) log_.waited(Clock::now() - start);
    made = published.has_value();
    if (made) hand_on(*published, saver);
  });
  if (!engine_.busy() && (!made || !engine_.has_picture())) miss();
  if (!made || !engine_.has_picture()) return false;
  count();
  update_times();  // now: soon the next picture is under way
  look_at_shown_frame();
  return true;
}

void PictureMaker::rest(bool made) {
  if (std::exchange(rests_, false) && !made) log_.idle();
}

// While no picture is under way, the frame taken last is the one that is shown, unless its picture failed. Null: another, or none.
const capture::Frame* PictureMaker::shown_frame() {
  return engine_.busy() || !engine_.has_picture() || !shows_last_ ? nullptr : transport_.feed().last();
}

// False where the GPU that found them has failed.
bool PictureMaker::take_detections(bool waits) {
  return !settings_.cascade_at || engine_.attempt([&] {
    const auto& annotations = engine_.pipeline().picture().annotations;
    if (waits) annotations.wait();
    cascade_view_.take_found(annotations);
  });
}

void PictureMaker::look_at_shown_frame() {
  const auto* frame = shown_frame();
  if (!frame || !take_detections(false)) return;
  cascade_view_.update(*frame, transport_.source_number(), engine_.selection(), settings_);
  responses_.update(*frame, transport_.source_number());
}

void PictureMaker::wait_for_tabs() {
  const auto* frame = shown_frame();
  if (!frame || !take_detections(true)) return;
  cascade_view_.wait(*frame, transport_.source_number(), engine_.selection(), settings_);
  responses_.wait(*frame, transport_.source_number());
}

// All that is known of a frame before its picture is there. Frames that were dropped have ids too.
FrameRecord PictureMaker::record_of(const capture::Frame& frame) const {
  FrameRecord record;
  record.again = !fresh_;
  record.dropped_before = transport_.drops().all() - drops_;
  record.id = id_ + 1 + record.dropped_before;
  record.source = transport_.source();
  record.captured = frame.captured;
  record.taken = transport_.taken();
  record.enqueued = Clock::now();
  return record;
}

// Once; and again with the first effect that is gray there, whose colours somebody may miss.
void PictureMaker::tell_of_simulated() {
  constexpr auto about = "the simulated GPU", in_gray = "in gray";
  const bool gray = draws_gray_for_speed(engine_.selection(), settings_);
  if (!gray && messages_.knows(about, in_gray)) return;
  messages_.say_once(about, Messages::Kind::info,
                     std::string("the simulated GPU runs CUDA's kernels on the CPU: right results, ") +
                         (gray ? "in gray, to be quicker, " : "") + "but not a GPU's times",
                     gray ? in_gray : "in colour");
}

void PictureMaker::count() {
  id_ = making_id_;
  drops_ = making_drops_;
  log_.made(engine_.selection(), engine_.pipeline().size(), engine_.pipeline().picture().drawn_bytes);
  if (log_.made_of_work() == 1 && pictures_ > 0) forget_range();
  made_values_ = making_values_;
  memory_bytes_ = engine_.pipeline().memory_bytes();  // now: soon the worker thread uses the pipeline again
  const bool simulated = engine_.device() == gpu::Device::simulated;
  if (pictures_ == 0 && !run_.instead_of_window.empty()) tell(run_.instead_of_window);
  if (simulated) tell_of_simulated();
  if (pictures_ == 0 && simulated && !run_.notice.empty()) messages_.warn(run_.notice);
  if (pictures_ == 0 && has_no_end())
    tell("this source has no end: it runs until Ctrl-C; --frames N ends it after N pictures");
  ++pictures_;
  moved_wipe_ = false;
  transport_.picture_made();
}

// Whatever changes the work starts the statistics anew.
void PictureMaker::forget_range() {
  settings_.graph_range.reset();
  log_.select({});
}

void PictureMaker::reset_statistics() {
  log_.reset();
  forget_range();
  light_.reset();
}

bool PictureMaker::goes_elsewhere() const {
  return transport_.feed().seeking() || (transport_.awaits_place() && (engine_.busy() || retries_));
}

bool PictureMaker::has_all_frames(bool script_ended) const {
  const auto& feed = transport_.feed();
  if (run_.frames) return frames_ >= *run_.frames;
  // Its end is the run's, but for what it set last: a source may fail, a choice may be unusable.
  if (run_.offscreen && script_ended) return !feed.opening() && engine_.has_followed(settings_);
  return run_.frames_of_endless && feed.last() && frames_ >= *run_.frames_of_endless && feed.status().length <= 0;
}

// Nothing but the user ends the run, who may not know: nothing is seen of it.
bool PictureMaker::has_no_end() const {
  const auto& feed = transport_.feed();
  if (!run_.offscreen || run_.frames || run_.frames_of_endless || run_.script || feed.still()) return false;
  const auto kind = feed.status().kind;
  return (settings_.loop && !feed.status().live) || kind == capture::SourceKind::synthetic ||
         kind == capture::SourceKind::camera;
}

namespace {

constexpr std::string_view path_to_window = "path to the window", interop_path = "interop";

}  // namespace

void PictureMaker::presented(bool interop, std::string_view staged_reason) {
  interop_ = interop;
  log_.set_circumstance(path_to_window, interop ? interop_path : "staged");
  staged_reason_ = interop ? std::string_view() : staged_reason;
}

bool PictureMaker::by_interop(const Work& work) {
  const auto path = std::ranges::find(work.circumstances, path_to_window, &Circumstance::name);
  return path != work.circumstances.end() && path->value == interop_path;
}

// Only what plays at a rate that is chosen has a speed. A source that replaces another is other work anyhow.
void PictureMaker::note_speed() {
  const auto& feed = transport_.feed();
  if (feed.opening() || feed.still() || feed.status().live) return;
  log_.set_circumstance("speed", settings_.max_speed ? "max" : number_as_text(settings_.speed) + "x");
}

void PictureMaker::update() {
  update_times();
  light_.update();
}

// Waits for the picture that is queued, at most. A GPU that fails meanwhile has failed in it; one that hangs may not hang the
// window, and its times are not taken.
void PictureMaker::take_all_times() {
  constexpr std::chrono::seconds patience{5};
  constexpr std::chrono::microseconds pause{50};
  engine_.attempt([&] {
    if (!engine_.has_picture() || engine_.device() != gpu::Device::cuda) return;
    gpu::Event end;
    end.record(engine_.pipeline().context().stream());
    for (const auto start = Clock::now(); !end.passed() && Clock::now() - start < patience;)
      std::this_thread::sleep_for(pause);
  });
  update_times();
}

void PictureMaker::update_times() {
  while (auto times = engine_.take_times()) log_.take(std::move(*times));
}

void PictureMaker::finish() {
  take_all_times();
  light_.wait();
  log_.flush();
  if (log_file_) run_.offscreen ? log_file_->finish() : log_file_->finish_soon();  // a window must not hang
}

void PictureMaker::say_warnings() {
  using Kind = Messages::Kind;
  const auto& [device, comparison, tables, waiting, trace] = engine_.warnings();
  messages_.say_once("the device", Kind::warning, device);
  messages_.say_once("the comparison", Kind::warning, comparison);
  messages_.say_once("the tables", Kind::warning, tables);
  messages_.say_once("the choice", Kind::warning, waiting, "it waits");
  messages_.say_once("the trace", Kind::warning, trace);
  const auto& feed = transport_.feed();
  const auto source = std::to_string(feed.source_number()) + ' ';
  const auto warning = feed.warning();
  messages_.say_once("the source", Kind::warning, warning, source + warning);  // another source may have the same
  messages_.say_once("the connection", Kind::warning, feed.loss(), source);    // an attempt may fail for another reason
  const auto& wrong = light_.first_wrong();
  messages_.say_once("the check", Kind::error, wrong ? text_of(*wrong) : "");
  const bool right = settings_.check && light_.checked() > 0 && light_.wrong() == 0;
  messages_.say_once("right tables", Kind::info, right ? "tables are checked: all right so far" : "");
  if (run_.offscreen && light_.wrong() > 0) messages_.fail(Messages::Rank::result, ExitCode::failed);
  if (log_file_ && messages_.say_once("the log", Kind::error, log_file_->failure()))
    messages_.fail(Messages::Rank::result, ExitCode::failed);
}

// Where another source opens, what does not fit the last picture of the one before may fit it: that is known once it has a
// picture, or fails. Never where the run ends before.
const Engine::Failure* PictureMaker::new_failure() {
  const auto& feed = transport_.feed();
  const bool other = transport_.source_number() != transport_.shown_source();
  const bool its_picture_is_made = engine_.busy() && other && engine_.refusal().empty();
  const bool opens = feed.opening() || transport_.new_one_failed() || its_picture_is_made;
  const auto& why = engine_.failure();
  if (opens && why && why->text == engine_.refusal()) return nullptr;
  return messages_.is_new(the_picture, why ? cause_of(*why) : "") ? &*why : nullptr;
}

void PictureMaker::drop_failure() {
  if (const auto& why = engine_.failure()) messages_.is_new(the_picture, cause_of(*why));
}

std::string threads_text() { return counted(std::max(1u, std::thread::hardware_concurrency()), "thread"); }
std::string driver_text() { return "NVIDIA " + nvidia_driver_version() + ", " + cuda_versions(); }

std::string machine_of(const Engine& engine) {
  const auto& gpu = engine.probe().gpu;
  return processor_name() + ", " + threads_text() + (gpu ? "; " + gpu->name + ", " + driver_text() : std::string());
}

}  // namespace app
