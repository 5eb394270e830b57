#include "app/session/session.h"

#include <stdexcept>
#include <utility>

#include "app/capture/source.h"
#include "app/control/selection.h"
#include "app/support/console.h"
#include "app/support/interrupt.h"
#include "app/support/simulated_gpu.h"

namespace app {
namespace {

using namespace std::chrono_literals;

// What has one cause at a time.
constexpr std::string_view the_picture = "the picture", a_new_source = "a new source";

std::string cause_of(const Engine::Failure& failure) {
  return failure.text + (failure.plain ? " (without an effect)" : "");
}

std::unique_ptr<LogFile> log_file(const Run& run, const Engine& engine) try {
  return run.log ? std::make_unique<LogFile>(*run.log, machine_of(engine)) : nullptr;
} catch (const std::runtime_error& error) {
  throw ExitError(ExitCode::failed, error.what());
}

}  // namespace

Session::Session(const Settings& settings, gpu::GpuProbe probe, const Run& run, bool attended, PictureSink sink,
                 RaceBench::Compute race_by)
    : run_(run),
      settings_(settings),
      started_(settings),
      attended_(attended),
      sink_(std::move(sink)),
      engine_(std::move(probe)),
      log_file_(log_file(run_, engine_)),
      log_([this](const FrameRecord& record) {
        if (log_file_) log_file_->add(record);
      }),
      undo_(settings_),
      outputs_(run_, settings_, messages_),
      script_(*this, run_.script),
      race_(std::move(race_by)) {
  engine_.expect_choices(!run_.offscreen || run_.script);  // else nobody chooses: loading would only disturb what is timed
  requested_ = request();
  feed_.open(requested_);
}

bool Session::step(std::chrono::microseconds patience) {
  script_.follow();
  undo_.note(settings_);
  log_.select(settings_.graph_range);
  rests_ = false;
  bool made = show(patience);
  if (!engine_.busy()) {
    look_at_shown_frame();  // before another frame is taken
    save_pictures();
    follow_source();
    step_race();
    say_failures();  // now: the next picture may have a cause of its own
    begin(made ? 0us : patience);
    if (!made || engine_.queued()) made = show({}) || made;  // a GPU's is there at once: it must not stay a picture behind
  }
  outputs_.hold(feed_);
  outputs_.update();
  take_times();
  take_trace();  // of a GPU: it arrives later than the picture
  light_.update();
  say_failures();
  if (rests_ && !made) log_.idle();
  script_.watch(idle_);
  undo_.settle(settings_);
  return made;
}

// A window waits for a live source that was lost; a run without one ends.
capture::Request Session::request() const {
  auto request = request_of(settings_, engine_.probe().gpu.has_value());
  request.retry = !run_.offscreen;
  return request;
}

// A new source, where the settings ask for one. (Not while the frame of the one before is still read.)
void Session::follow_source() {
  feed_.set_playback({settings_.loop, settings_.max_speed, settings_.speed});
  // The values of a matrix are those of one source; whoever names another and its values sets both.
  if (settings_.source != requested_.source && settings_.matrix == requested_.matrix && leaves_matrix())
    settings_.matrix.clear();
  auto request = this->request();
  request.start = std::exchange(start_, 0);  // of this source: one that is not opened leaves it to none after it
  if (same_request(request, requested_) && !std::exchange(reopen_, false)) return;
  requested_ = std::move(request);
  failed_source_.clear();
  failed_because_.clear();
  at_start_ = false;
  if (const auto file = capture::source_file(requested_.source); !file.empty() && outputs_.will_write(file))
    return feed_.refuse(file.string() + " is a result of this run, and not complete yet: name another source");
  feed_.open(requested_);
}

// The newest frame. The slot of the one before may be used again only once nobody reads it.
const capture::Frame* Session::next_frame(std::chrono::microseconds patience) {
  idle_ = false;
  if (!engine_.frame_is_free()) return nullptr;
  const auto start = Clock::now();
  // Where no frame may be lost, the source waits for the recording.
  const bool lossless = run_.offscreen || settings_.max_speed, room = !lossless || outputs_.wait_for_room(patience);
  const auto* frame = room ? feed_.take(patience) : nullptr;
  taken_ = frame ? Clock::now() : taken_;
  log_.waited(Clock::now() - start);
  idle_ = !frame && room;
  if (frame) note_drops(*frame);
  return !frame && (run_.frames || script_.waits_for_pictures()) ? feed_.still() : frame;
}

void Session::begin(std::chrono::microseconds patience) {
  if ((has_all_frames() && !retries_) || (run_.race && race_.running()))
    return bound_.busy() ? bound_.wait(patience) : race_.wait(patience);
  const auto start = Clock::now();
  const bool processors_are_free = race_.leaves_processors(patience) && bound_.leaves_processors(patience);
  log_.waited(Clock::now() - start);
  if (!processors_are_free) {
    idle_ = false;
    return;
  }
  if (!engine_.is_ready(settings_, patience)) {
    idle_ = false;
    return;
  }
  const bool retries = std::exchange(retries_, false);
  const auto* fresh = retries ? feed_.last() : next_frame(patience);
  frames_ += fresh && !retries;
  changed_ |= engine_.wants(settings_);
  const bool wanted = changed_ || outputs_.wants_picture();
  const bool again = again_ || (script_.waits_for_pictures() && feed_.paused());
  const auto* frame = fresh ? fresh : (wanted || again) && engine_.frame_is_free() ? feed_.last() : nullptr;
  if (!frame) {
    rests_ = idle_ && !wanted && !again && feed_.quiet();
    return;
  }
  changed_ = again_ = false;
  fresh_ = fresh != nullptr;
  shows_last_ &= !fresh_;
  auto record = record_of(*frame);
  making_id_ = record.id;
  // What a run makes of every frame of its source does not depend on how long something takes.
  engine_.keep_going(!run_.offscreen || (feed_.status().length <= 0 && !settings_.max_speed));
  if (!engine_.begin(*frame, settings_, record.id, !fresh)) return miss();
  if (!engine_.recomposes()) {  // no frame else: nothing of it is computed
    note_speed();
    log_.begin(std::move(record));
  }
  script_.picture_begun(!engine_.awaits_choice() && !feed_.opening() && !new_one_failed() && !feed_.seeking() &&
                        same_request(request(), requested_));
  measured_again_ = !fresh && !wanted;
  next_position_ = frame->position;
}

// A frame has no picture: it failed. Where it may have another one, that is made next: a still source has no other frame.
void Session::miss() {
  retries_ = fresh_ && engine_.has_substitute();
  dropped_ += fresh_ && !retries_;
}

// The picture under way, where it is there.
bool Session::show(std::chrono::microseconds patience) {
  if (!engine_.busy()) return false;
  const auto start = Clock::now();
  bool made = true;
  try {
    made = engine_.finish(patience, [&](gpu::Context& context, const Picture& picture) {
      if (patience.count() > 0) log_.waited(Clock::now() - start);
      hand_on(context, picture);
    });
  } catch (const gpu::CudaError&) {  // the sink's
    engine_.explain(std::current_exception());
  }
  if (!made && patience.count() > 0) log_.waited(Clock::now() - start);
  if (!engine_.busy() && (!made || !engine_.has_picture())) miss();
  if (!made || !engine_.has_picture()) return false;
  count();
  take_times();  // now: soon the next picture is under way
  take_trace();
  look_at_shown_frame();
  return true;
}

// While no picture is under way, the frame taken last is the one that is shown, unless its picture failed. Null: another, or none.
const capture::Frame* Session::shown_frame() {
  return engine_.busy() || !engine_.has_picture() || !shows_last_ ? nullptr : feed_.last();
}

void Session::look_at_shown_frame() {
  const auto* frame = shown_frame();
  if (!frame) return;
  cascade_view_.update(*frame, taken_from_, engine_.selection(), settings_);
  responses_.update(*frame, taken_from_);
}

void Session::wait_for_tabs() {
  const auto* frame = shown_frame();
  if (!frame) return;
  cascade_view_.wait(*frame, taken_from_, engine_.selection(), settings_);
  responses_.wait(*frame, taken_from_);
}

// Between the frame taken before and this one, which may be the first of another source.
void Session::note_drops(const capture::Frame& frame) {
  const bool same = feed_.source_number() == taken_from_, follows = same && frame.seek == seek_;
  // A seek leaves out what waited to be taken: that was not dropped.
  dropped_ += follows ? frame.sequence - sequence_ - 1 : same ? 0 : frame.sequence;
  seek_ = frame.seek;
  sequence_ = frame.sequence;
  taken_from_ = feed_.source_number();
  if (!same) source_ = std::make_shared<const std::string>(feed_.status().description);
}

void Session::hand_on(gpu::Context& context, const Picture& picture) {
  try {
    sink_(context, picture);
    shows_last_ = true;
  } catch (const gpu::CudaError&) {
    throw;
  } catch (const std::exception& error) {
    messages_.error(error.what());
  }
  log_.add_check(picture.check);
  if (feed_.last()) light_.add(picture.check, making_id_, *feed_.last());
  if (!measured_again_ && outputs_.recording()) outputs_.add(context, for_files(picture), feed_, in_squares());
}

// All that is known of a frame before its picture is there. Frames that were dropped have ids too.
FrameRecord Session::record_of(const capture::Frame& frame) const {
  FrameRecord record;
  record.again = !fresh_;
  record.dropped_before = dropped_;
  record.id = id_ + 1 + dropped_;
  record.source = source_;
  record.captured = frame.captured;
  record.taken = taken_;
  record.enqueued = Clock::now();
  return record;
}

void Session::count() {
  if (!engine_.recomposes()) {
    id_ += 1 + std::exchange(dropped_, 0);
    log_.made(engine_.selection(), engine_.pipeline().size(), engine_.pipeline().picture().drawn_bytes);
    if (log_.made_of_work() == 1 && pictures_ > 0) forget_range();
  }
  memory_bytes_ = engine_.pipeline().memory_bytes();  // now: soon the worker thread uses the pipeline again
  if (pictures_ == 0 && !run_.instead_of_window.empty()) tell(run_.instead_of_window);
  if (engine_.device() == gpu::Device::simulated)
    messages_.say_once("the simulated GPU", Messages::Kind::info,
                       "the simulated GPU runs CUDA's kernels on the CPU: right results, but not a GPU's times");
  if (pictures_ == 0 && engine_.device() == gpu::Device::simulated && !run_.notice.empty()) messages_.warn(run_.notice);
  if (pictures_ == 0 && has_no_end())
    tell("this source has no end: it runs until Ctrl-C; --frames N ends it after N pictures");
  ++pictures_;
  shown_from_ = taken_from_;
  shown_seek_ = seek_;
  script_.picture_made();
  if (fresh_) position_ = next_position_;
}

// Whatever changes the work starts the statistics anew.
void Session::forget_range() {
  settings_.graph_range.reset();
  log_.select({});
}

bool Session::shows_its_source() const {
  return engine_.has_picture() && !feed_.opening() && !reopen_ && same_request(request(), requested_) &&
         shown_from_ == feed_.source_number();
}

bool Session::goes_elsewhere() const { return feed_.seeking() || (shown_seek_ != seek_ && (engine_.busy() || retries_)); }

bool Session::has_all_frames() const {
  if (run_.frames) return frames_ >= *run_.frames;
  // Its end is the run's, but for what it set last: a source may fail, a choice may be unusable.
  if (run_.offscreen && script_.ended()) return !feed_.opening() && engine_.has_followed(settings_);
  return run_.frames_of_endless && feed_.last() && frames_ >= *run_.frames_of_endless && feed_.status().length <= 0;
}

// Nothing but the user ends the run, who may not know: nothing is seen of it.
bool Session::has_no_end() const {
  if (!run_.offscreen || run_.frames || run_.frames_of_endless || run_.script || feed_.still()) return false;
  const auto kind = feed_.status().kind;
  return (settings_.loop && !feed_.status().live) || kind == capture::SourceKind::synthetic ||
         kind == capture::SourceKind::camera;
}

bool Session::done() {
  if (quit_ || interrupted()) return true;
  return has_run_out() && !race_is_due();
}

// No other picture will be made.
bool Session::has_run_out() const {
  if (engine_.busy() || retries_) return false;
  if (has_all_frames()) return true;
  if (script_.runs() || !run_.offscreen) return false;
  if (!idle_) return false;
  return feed_.still() ? !run_.frames : feed_.ended();
}

// A simulated kernel may take minutes: what is not there in a moment is not waited for.
void Session::end_simulation() {
  const auto end = Clock::now() + 500ms;
  while (engine_.busy() && Clock::now() < end) show(50ms);
  if (!simulated_gpu_is_loaded() || (!engine_.busy() && !race_.busy())) return;
  const auto stop = simulated_gpu().stop;
  stop(true);
  const bool cut = engine_.busy();
  while (engine_.busy()) show(1s);
  if (const auto& why = engine_.failure(); cut && why) messages_.is_new(the_picture, cause_of(*why));  // who ends it knows
  race_.end();
  stop(false);
}

void Session::finish() {
  if (quit_ || interrupted()) end_simulation();
  // A picture may take minutes.
  const auto soon = Clock::now() + 500ms;
  for (bool told = false; engine_.busy(); show(100ms))
    if ((quit_ || interrupted()) && Clock::now() > soon && !std::exchange(told, true))
      tell_of_wait("finishing the picture that is being computed");
  take_all_times();
  light_.wait();
  log_.flush();
  if (log_file_) run_.offscreen ? log_file_->finish() : log_file_->finish_soon();  // a window must not hang
  say_failures();  // of an end that the last frame came before
  if (source_failed_ && pictures_ == 0) messages_.fail(Messages::Rank::source, ExitCode::source);
  if (!answered_) keep_matrix_at_end();
  if (has_nothing()) {
    std::string files;
    for (const auto& result : run_.results()) files += (files.empty() ? ": without " : ", ") + result.string();
    outputs_.fail("interrupted before the first picture" + files);
  }
  script_.finish();
}

void Session::take_all_times() {
  if (engine_.has_picture() && engine_.device() == gpu::Device::cuda)
    cudaStreamSynchronize(engine_.pipeline().context().stream());
  take_times();
}

void Session::take_times() {
  while (auto times = engine_.take_times()) log_.take(std::move(*times));
}

// What has failed: it is reported, and decides how the run ends.

void Session::say_warnings() {
  const auto warn = [this](std::string_view about, const std::string& text, std::string_view cause = {}) {
    messages_.say_once(about, Messages::Kind::warning, text, cause);
  };
  const auto& [device, comparison, tables, waiting, trace] = engine_.warnings();
  warn("the device", device);
  warn("the comparison", comparison);
  warn("the tables", tables);
  warn("the choice", waiting, "it waits");
  warn("the trace", trace);
  const auto source = std::to_string(feed_.source_number()) + ' ';
  const auto warning = feed_.warning();
  warn("the source", warning, source + warning);  // another source may have the same
  warn("the connection", feed_.loss(), source);   // an attempt may fail for another reason
}

// If a source failed, the settings name again the one that plays.
void Session::say_failures() {
  say_warnings();
  using Rank = Messages::Rank;
  if (const auto* why = new_engine_failure()) {
    const bool failed = why->code != ExitCode::ok, line_fails = failed && script_.fail(why->code, why->text);
    if (!line_fails && !attended_ && failed && !engine_.has_picture()) throw ExitError(why->code, why->text);
    if (!failed) messages_.warn(why->text);
    const auto* meanwhile = why->plain ? "; meanwhile the source is shown without an effect" : "";
    if (failed && !line_fails && !script_.reports()) messages_.error(why->text + meanwhile);
  }
  const auto& wrong = light_.first_wrong();
  messages_.say_once("the check", Messages::Kind::error, wrong ? text_of(*wrong) : "");
  if (run_.offscreen && light_.wrong() > 0) messages_.fail(Rank::result, ExitCode::failed);
  if (log_file_ && messages_.say_once("the log", Messages::Kind::error, log_file_->failure()))
    messages_.fail(Rank::result, ExitCode::failed);
  const auto why = new_source_failure();
  if (why.empty()) return;
  if (const auto& refused = engine_.failure()) messages_.is_new(the_picture, cause_of(*refused));  // one line is enough
  // An unattended run, or one with a task, ends: nobody would choose another source. So does one whose first source is wrong.
  const bool line_fails = script_.fail(ExitCode::source, why), scripted = line_fails || script_.answers();
  const bool task = run_.frames || run_.record || run_.screenshot || run_.export_file || run_.log || run_.script;
  if (!scripted && (!attended_ || task || at_start_) && !feed_.last() && !feed_.opening())
    throw ExitError(ExitCode::source, why);
  source_failed_ = true;
  if (run_.offscreen && !run_.script && !has_all_frames()) messages_.fail(Rank::source, ExitCode::source);
  failed_source_ = requested_.source;
  failed_because_ = why;
  if (!line_fails && !script_.reports()) messages_.error(why);
  if (const auto* request = feed_.will_play(); request && !same_request(*request, requested_)) {
    put_request(*request, settings_);
    requested_ = *request;
  }
}

// Where another source opens, what does not fit the last picture of the one before may fit it: that is known once it has a
// picture, or fails. Never where the run ends before.
const Engine::Failure* Session::new_engine_failure() {
  const bool its_picture_is_made = engine_.busy() && taken_from_ != shown_from_ && engine_.refusal().empty();
  const bool opens = feed_.opening() || new_one_failed() || its_picture_is_made;
  const auto& why = engine_.failure();
  if (opens && why && why->text == engine_.refusal()) return nullptr;
  return messages_.is_new(the_picture, why ? cause_of(*why) : "") ? &*why : nullptr;
}

// Of the one that could not be opened, else of the one that is shown.
std::string Session::new_source_failure() {
  const auto& [number, why] = feed_.open_failure();
  if (messages_.is_new(a_new_source, why.empty() ? "" : std::to_string(number))) return why;
  const auto failure = feed_.failure(), source = std::to_string(feed_.source_number());
  return messages_.is_new("the end of the source", failure.empty() ? "" : source) ? failure : "";
}

// What becomes of it is not said yet.
bool Session::new_one_failed() const {
  const auto& [number, why] = feed_.open_failure();
  return !why.empty() && !messages_.knows(a_new_source, std::to_string(number));
}

bool Session::has_nothing() const {
  const bool asked = run_.frames || !run_.results().empty();
  return asked && run_.offscreen && !run_.script && !run_.race && pictures_ == 0 && interrupted();
}

}  // namespace app
