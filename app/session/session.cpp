#include "app/session/session.h"

#include <algorithm>
#include <utility>

#include "app/control/source_request.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/simulated_gpu.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto statistics_period = 100ms;

int history(const Run& run) { return static_cast<int>(std::clamp<std::uint64_t>(run.frames.value_or(0), 600, 2000)); }

}  // namespace

Session::Session(const Settings& settings, gpu::GpuProbe probe, const Run& run, bool attended, PictureSink sink)
    : run_(run),
      settings_(settings),
      attended_(attended),
      sink_(std::move(sink)),
      engine_(std::move(probe), history(run)),
      outputs_(run_, messages_) {
  if (run_.script) script_ = std::make_unique<ScriptRun>(*run_.script);
  requested_ = request();
  feed_.open(requested_);
}

bool Session::step(std::chrono::microseconds patience) {
  follow_script();
  bool made = show(patience);
  if (!engine_.busy()) {
    follow_source();
    begin(made ? 0us : patience);
    if (!made) made = show({});
  }
  outputs_.update();
  say_failures();
  watch_script();
  return made;
}

// A live source that dies is waited for where somebody looks on: a run without a window ends.
capture::Request Session::request() const {
  auto request = request_of(settings_, engine_.probe().gpu.has_value());
  request.retry = !run_.offscreen;
  return request;
}

// What a line sets holds from the next picture on.
void Session::follow_script() {
  if (!script_) return;
  const ScriptRun::Doer doer{[this](const script::Set& step) { apply(settings_, step.changes, context()); },
                             [this](const script::Do& step) { act_for_script(step); },
                             [this] { return written_for_script(); }};
  if (script_->advance(doer)) script_counts_ = false;
}

void Session::act_for_script(const script::Do& step) {
  if (!step.to.empty()) check_result(step.to, settings_.source);
  failures_ = outputs_.failures();
  if (step.action == Action::screenshot)
    outputs_.write(step.to.empty() ? new_output("screenshot", ".png") : step.to, screenshot_());
  else if (!act(step.action, step.to))
    apply(step.action, settings_, context());
}

// Files that a line asked for are there; or throws why one is not.
bool Session::written_for_script() const {
  if (outputs_.failures() != failures_) throw std::runtime_error(outputs_.last_error());
  return outputs_.all_written();
}

// Pictures that a script waits for and that will not come.
void Session::watch_script() {
  if (!script_) return;
  if (const auto failure = script_->take_failure()) {
    messages_.error(*failure);
    quit();
  }
  if (!script_wants_pictures() || engine_.busy()) return;
  if (const auto why = engine_.refusal(); !why.empty())
    script_->fail(ExitCode::usage, why);
  else if (idle_ && !feed_.still() && feed_.ended())
    script_->fail(ExitCode::source, "the source has ended");
}

// A new source, where the settings ask for one. (Not while the frame of the one before is still read.)
void Session::follow_source() {
  auto request = this->request();
  if (same_request(request, requested_) && !std::exchange(reopen_, false)) return;
  requested_ = std::move(request);
  failed_source_.clear();
  feed_.open(requested_);
}

// The newest frame. The slot of the one before may be used again only once nobody reads it.
const capture::Frame* Session::next_frame(std::chrono::microseconds patience) {
  if (!engine_.frame_is_free()) return nullptr;
  const auto start = Clock::now();
  // Where no frame may be lost, the source waits for the recording.
  const bool lossless = run_.offscreen || settings_.max_speed, room = !lossless || outputs_.wait_for_room(patience);
  const auto* frame = room ? feed_.take(patience) : nullptr;
  meter_.waited(Clock::now() - start);
  idle_ = !frame && room;
  return !frame && (run_.frames || script_wants_pictures()) ? feed_.still() : frame;
}

void Session::begin(std::chrono::microseconds patience) {
  if (has_all_frames()) return;
  const auto* fresh = next_frame(patience);
  frames_ += fresh != nullptr;
  const bool wanted = engine_.wants(settings_) || outputs_.wants_picture();
  const bool again = std::exchange(again_, false) || (script_wants_pictures() && feed_.paused());
  const auto* frame = fresh ? fresh : (wanted || again) && engine_.frame_is_free() ? feed_.last() : nullptr;
  if (!frame || !engine_.begin(*frame, settings_)) return;
  script_counts_ = !feed_.opening() && same_request(request(), requested_);
  fresh_ = fresh != nullptr;
  measured_again_ = !fresh && !wanted;
  next_position_ = frame->position;
  captured_ = frame->captured;
}

// The picture under way, where it is there.
bool Session::show(std::chrono::microseconds patience) {
  if (!engine_.busy()) return false;
  const auto start = Clock::now();
  const bool made = engine_.finish(patience, [&](gpu::Context& context, const Picture& picture) {
    if (patience.count() > 0) meter_.waited(Clock::now() - start);
    hand_on(context, picture);
  });
  if (!made && patience.count() > 0) meter_.waited(Clock::now() - start);
  if (!made) return false;
  count();
  statistics();
  return true;
}

void Session::hand_on(gpu::Context& context, const Picture& picture) {
  try {
    sink_(context, picture);
  } catch (const std::exception& error) {
    messages_.error(error.what());
  }
  if (!measured_again_) outputs_.add(context, picture, feed_);
}

// Figures of one selection never stand under another's name.
void Session::count() {
  const auto size = engine_.pipeline().size();
  if (!same_work(work_, engine_.selection()) || size != work_size_) reset_statistics();
  if (engine_.device() == gpu::Device::simulated && !simulation_said_) {
    simulation_said_ = true;
    messages_.info("the simulated GPU runs CUDA's kernels on the CPU: right results, but not a GPU's times");
  }
  work_ = engine_.selection();
  work_size_ = size;
  ++pictures_;
  ++of_work_;
  if (script_ && script_counts_) script_->count_picture();
  if (!fresh_) return;
  position_ = next_position_;
  age_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - captured_).count();
}

void Session::reset_statistics() {
  meter_.reset();
  of_work_ = 0;
  statistics_made_ = {};
}

bool Session::act(Action action, const std::filesystem::path& to) {
  switch (action) {
    case Action::pause: feed_.set_paused(true); return true;
    case Action::resume: feed_.set_paused(false); return true;
    case Action::toggle_pause: feed_.set_paused(!feed_.paused()); return true;
    case Action::reopen: reopen_ = true; return true;
    case Action::record: outputs_.record(to); return true;
    case Action::stop_record: outputs_.stop_recording(); return true;
    case Action::toggle_record: outputs_.recording() ? outputs_.stop_recording() : outputs_.record(to); return true;
    case Action::export_timings: outputs_.export_to(to.empty() ? new_output("timings", ".json") : to, report()); return true;
    case Action::reset_statistics:
      finish();
      if (engine_.has_picture()) engine_.pipeline().timeline().reset();
      reset_statistics();
      return true;
    case Action::quit: quit(); return true;
    default: return false;
  }
}

// What went wrong, once; and the settings say again what is true.
void Session::say_failures() {
  if (const auto why = engine_.take_failure()) {
    const bool scripted = why->code != ExitCode::ok && script_ && script_->fail(why->code, why->text);
    if (!scripted && !attended_ && why->code != ExitCode::ok && !engine_.has_picture())
      throw ExitError(why->code, why->text);
    messages_.say(why->code == ExitCode::ok ? Message::Kind::warning : Message::Kind::error, why->text);
  }
  if (const auto warning = feed_.take_warning()) messages_.warn(*warning);
  const auto why = feed_.take_failure();
  if (!why) return;
  // Nobody chooses another source where nobody looks, or where a run has a task.
  const bool line_fails = script_ && script_->fail(ExitCode::source, *why),
             scripted = line_fails || (script_ && script_->answers());
  const bool task = run_.frames || run_.record || run_.screenshot || run_.export_file || run_.script;
  if (!scripted && (!attended_ || task) && !feed_.last() && !feed_.opening()) throw ExitError(ExitCode::source, *why);
  source_failed_ = true;
  failed_source_ = requested_.source;
  if (!line_fails) messages_.error(*why);
  if (const auto* request = feed_.request(); request && !same_request(*request, requested_)) {
    put_request(*request, settings_);
    requested_ = *request;
  }
}

bool Session::has_all_frames() const {
  if (run_.frames) return frames_ >= *run_.frames;
  return run_.frames_of_endless && feed_.last() && frames_ >= *run_.frames_of_endless && feed_.status().length <= 0;
}

bool Session::done() {
  if (quit_ || interrupted()) return true;
  if (engine_.busy()) return false;
  if (has_all_frames()) return true;
  if (scripted() || !run_.offscreen) return false;
  if (script_) return true;  // its end is the run's
  if (!idle_) return false;
  return feed_.still() ? !run_.frames : feed_.ended();
}

ExitCode Session::exit_code() const {
  if (script_ && script_->exit_code() != ExitCode::ok) return script_->exit_code();
  if (outputs_.failures() > 0) return ExitCode::failed;
  return source_failed_ && pictures_ == 0 ? ExitCode::source : ExitCode::ok;
}

ChangeContext Session::context() const {
  const auto& probe = engine_.probe();
  return {probe.gpu ? "" : probe.reason, why_no_simulated_gpu(), zoom_, true};
}

void Session::finish() {
  while (engine_.busy()) show(1s);
  say_failures();  // of an end that the last frame came before
}

const Statistics& Session::statistics() {
  if (engine_.busy() || !engine_.has_picture() || Clock::now() - statistics_made_ < statistics_period) return statistics_;
  statistics_made_ = Clock::now();
  auto& timeline = engine_.pipeline().timeline();
  timeline.collect();
  statistics_ = {timeline.rows(),    timeline.total(),         timeline.frames(),
                 timeline.untimed(), timeline.dropped_spans(), engine_.pipeline().memory_bytes()};
  return statistics_;
}

Report Session::report() {
  finish();
  auto report = report_of(engine_, meter_, feed_.status());
  report.frames = of_work_;
  report.interop = interop_;
  report.staged_reason = staged_reason_;
  return report;
}

}  // namespace app
