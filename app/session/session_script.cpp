#include "app/session/session_script.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/capture/source.h"
#include "app/control/settings_file.h"
#include "app/support/address.h"
#include "app/support/console.h"
#include "app/support/interrupt.h"

namespace app {

ScriptRun::ScriptRun(const std::string& path, Reader reader)
    : name_(path), reader_(std::move(reader)), input_(path), answers_(path == "-") {}

bool ScriptRun::advance(const Doer& doer, Clock::duration patience) {
  const auto before = number_;
  const auto start = Clock::now();
  const auto may_go_on = [&] {
    return number_ == before || (number_ - before < most_lines && Clock::now() - start < patience && !interrupted());
  };
  while (!ended_ && may_go_on()) try {
      if (still_waits(doer) || !go_on(doer)) break;
    } catch (const ExitError& error) {
      refuse(error.code(), error.what());
    } catch (const MissingDevice& error) {
      refuse(ExitCode::no_gpu, error.what());
    } catch (const std::invalid_argument& error) {
      refuse(ExitCode::usage, error.what());
    } catch (const std::exception& error) {
      refuse(ExitCode::failed, error.what());
    }
  return number_ != before;
}

void ScriptRun::await_line(std::chrono::microseconds patience) {
  constexpr std::chrono::microseconds moment{2000};
  if (wait_ == Wait::nothing && has_room())
    input_.wait(patience);
  else
    std::this_thread::sleep_for(std::min(patience, moment));
}

bool ScriptRun::still_waits(const Doer& doer) const {
  switch (wait_) {
    case Wait::nothing: return false;
    case Wait::ready: return !doer.ready(*held_);
    case Wait::pictures: return lacks_pictures();
    case Wait::time: return Clock::now() < until_;
    case Wait::files: return !doer.written();
  }
  return false;
}

// What was waited for is there: the line's action begins, or the line is done and the next one begins. False where there is
// none.
bool ScriptRun::go_on(const Doer& doer) {
  if (const auto action = std::exchange(held_, {})) {
    act(*action, doer);
    return true;
  }
  if (std::exchange(wait_, Wait::nothing) != Wait::nothing) answer({});
  if (!has_room()) return false;
  const auto line = input_.next();
  if (!line) {
    ended_ = input_.ended();
    if (ended_) give_up_pending();
    return false;
  }
  ++number_;
  if (script::is_blank(*line)) return true;
  begin(script::parse(*line), doer);
  if (wait_ == Wait::nothing) answer({});
  return true;
}

std::vector<script::Set> ScriptRun::take_ahead() {
  std::vector<script::Set> sets;
  for (const auto& line : input_.take_ahead()) try {
      if (script::is_blank(line)) continue;
      const auto step = script::parse(line);
      if (const auto* set = std::get_if<script::Set>(&step)) sets.push_back(*set);
    } catch (const std::invalid_argument&) {}
  return sets;
}

void ScriptRun::begin(const script::Step& step, const Doer& doer) {
  if (const auto* set = std::get_if<script::Set>(&step)) {
    give_up_pending();
    set_line_ = number_;
    return doer.set(*set);
  }
  if (const auto* get = std::get_if<script::Get>(&step)) got_ = doer.get(*get);
  if (const auto* action = std::get_if<script::Do>(&step)) {
    if (doer.sets(*action)) {
      give_up_pending();
      set_line_ = number_;
    }
    if (doer.ready(*action)) return act(*action, doer);
    if (const auto why = std::exchange(pending_, {})) throw *why;
    held_ = *action;
    wait_ = Wait::ready;
  }
  if (const auto* seconds = std::get_if<script::Seconds>(&step)) {
    until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds->time));
    wait_ = Wait::time;
  }
  if (const auto* frames = std::get_if<script::Frames>(&step)) {
    if (const auto why = std::exchange(pending_, {})) throw *why;
    pictures_ = 0;
    wanted_ = frames->count;
    wait_ = Wait::pictures;
  }
}

void ScriptRun::act(const script::Do& action, const Doer& doer) {
  doer.act(action);
  ended_ = action.action == Action::quit;
  wait_ = ended_ ? Wait::nothing : Wait::files;
}

// What failed on the way to it is told, and refuses no line any more; a source that did not open has no picture.
void ScriptRun::count_picture() {
  if (pending_ && pending_->code() != ExitCode::source) give_up_pending();
  if (waits_for_pictures()) ++pictures_;
}

bool ScriptRun::fail(ExitCode code, const std::string& why) {
  if (failed_) return true;  // what is still under way fails for the same cause, or for one that nobody will see
  if (wait_ == Wait::ready) {
    refuse(code, why);
    return true;
  }
  if (!lacks_pictures()) {
    pending_.emplace(code, why);
    return false;
  }
  refuse(code, why + " (after " + std::to_string(pictures_) + " of " + std::to_string(wanted_) + " pictures)");
  return true;
}

// Lines of a pipe or a terminal: an interrupt between two lines is simply the end, and nothing is missing. Lines of a file: those
// after it are missing.
void ScriptRun::interrupt() {
  const bool begun = answers_ || number_ > 0;
  if (ended_) return;
  if (begun && !waits()) {
    if (answers_) return;
    auto line = input_.next();
    for (std::uint64_t skipped = 0; line && script::is_blank(*line) && skipped < most_lines; ++skipped, ++number_)
      line = input_.next();
    if (!line || script::is_blank(*line)) return;
    ++number_;
  }
  refuse(ExitCode::failed, begun ? "interrupted" : "interrupted before its first line");
}

// With answers, a message was there at once: SessionScript::reports().
void ScriptRun::give_up_pending() {
  const auto why = std::exchange(pending_, {});
  if (!why) return;
  if (code_ == ExitCode::ok) code_ = why->code();
  if (!answers_) untold_ = (set_line_ ? name_ + ":" + std::to_string(set_line_) + ": " : "") + why->what();
}

std::optional<std::string> ScriptRun::take_untold() { return std::exchange(untold_, {}); }

void ScriptRun::refuse(ExitCode code, const std::string& why) {
  wait_ = Wait::nothing;
  held_.reset();
  if (code_ == ExitCode::ok) code_ = code;
  if (answers_) return answer("line " + std::to_string(number_) + ": " + why);
  failure_ = name_ + ":" + (number_ > 0 ? std::to_string(number_) + ":" : "") + " " + why;
  failed_ = ended_ = true;
}

// The values that were asked for are printed also where the lines come from a file.
void ScriptRun::answer(const std::string& error) {
  using nlohmann::json;
  const auto got = std::exchange(got_, {});
  if (!reader_.print) return;
  if (!error.empty()) {
    if (answers_)
      reader_.print("{\"error\": " + json(without_secrets(error)).dump(-1, ' ', false, json::error_handler_t::replace) +
                    "}\n");
  } else if (!got.empty()) {
    reader_.print(got + '\n');
  } else if (answers_) {
    reader_.print("{\"ok\": true}\n");
  }
}

std::optional<std::string> ScriptRun::take_failure() { return std::exchange(failure_, {}); }

namespace {

// What an action works on, for which a line waits.
enum class Needs {
  nothing,
  source,       // a picture of the one that the settings name
  picture,      // the same, with everything that was set
  any_picture,  // the same, or that none will come
  set,          // the same, where a line has set something: a recording may begin with the first picture
  trace,        // that was asked for last
};
Needs needs_of(Action action) {
  switch (action) {
    case Action::seek:
    case Action::step:
    case Action::save_matrix:
    case Action::start_race:
    case Action::show_feature:
    case Action::next_feature:
    case Action::previous_feature: return Needs::source;
    case Action::next_stage:
    case Action::previous_stage:
    case Action::save_picture:
    case Action::export_timings:
    case Action::export_csv:
    case Action::export_frames:
    case Action::export_timeline: return Needs::picture;
    case Action::screenshot: return Needs::any_picture;
    case Action::record:
    case Action::trace_tiles: return Needs::set;
    case Action::export_trace: return Needs::trace;
    default: return Needs::nothing;
  }
}

// Why no picture comes from a source that ended or failed, one line. Who reads the answers alone is told what was wrong with it;
// others were when it ended.
std::string why_no_picture(const Feed& feed, bool answers) {
  if (!feed.request() && feed.open_failure().why.empty()) return "no source is open: set source";
  const auto status = feed.status();
  if (status.phase == capture::Status::Phase::failed) return status.message;
  return "the source has ended; ask for fewer pictures, set loop, or name another source" +
         (answers && !status.warning.empty() ? "; " + status.warning : "");
}

}  // namespace

void NamedResults::check(const Command& step) const {
  const bool anew = step.action != Action::record && step.action != Action::toggle_record;
  const auto identity = identity_of(step.to);
  std::vector<std::filesystem::path> others;
  for (const auto& [all, key] : {std::pair(&by_place_, &identity.place), {&by_inode_, &identity.inode}}) {
    const auto [first, last] = all->equal_range(*key);
    for (auto at = first; at != last; ++at)
      if (!anew || named_.at(at->second).action != step.action) others.push_back(at->second);
  }
  check_no_other(step.to, others);
}

void NamedResults::note(const Command& step) {
  forget(step.to);
  const auto& identity = named_.emplace(step.to, Named{step.action, identity_of(step.to)}).first->second.identity;
  if (!identity.place.empty()) by_place_.emplace(identity.place, step.to);
  if (!identity.inode.empty()) by_inode_.emplace(identity.inode, step.to);
}

void NamedResults::forget(const std::filesystem::path& path) {
  const auto at = named_.find(path);
  if (at == named_.end()) return;
  const auto is_it = [&](const auto& entry) { return entry.second == path; };
  for (const auto& [all, key] :
       {std::pair(&by_place_, &at->second.identity.place), {&by_inode_, &at->second.identity.inode}}) {
    const auto [first, last] = all->equal_range(*key);
    if (const auto found = std::find_if(first, last, is_it); found != last) all->erase(found);
  }
  named_.erase(at);
}

void NamedResults::look_again() {
  by_inode_.clear();
  for (auto& [path, named] : named_) {
    named.identity.inode = inode_of(path);
    if (!named.identity.inode.empty()) by_inode_.emplace(named.identity.inode, path);
  }
}

SessionScript::SessionScript(const Parts& parts, Doer doer)
    : parts_(parts),
      doer_(std::move(doer)),
      steps_{doer_.set,
             doer_.sets,
             [this](const script::Do& step) { return ready(step); },
             [this](const script::Do& step) { act(step); },
             [this] { return written(); },
             doer_.get} {
  parts.outputs.when_unused([this](const auto& path) { results_.forget(path); });
  if (!parts.run.script) return;
  run_ = std::make_unique<ScriptRun>(*parts.run.script,
                                     ScriptRun::Reader{[this](std::string line) { parts_.outputs.print(std::move(line)); },
                                                       [this] { return parts_.outputs.takes_lines(); }});
}

bool SessionScript::reports() const { return run_ && !answers() && (runs() || parts_.run.offscreen); }

// What a line sets holds from the next picture on.
void SessionScript::follow() {
  constexpr std::chrono::milliseconds longest{4};  // of a frame
  if (!run_) return;
  advanced_ = run_->advance(steps_, longest);
  if (advanced_) counts_ = false;
  for (const auto& step : run_->take_ahead()) parts_.engine.expect(step.changes);
  parts_.outputs.leave_errors(run_->waits_for_files());
}

bool SessionScript::ready(const script::Do& step) const {
  const auto& engine = parts_.engine;
  const bool has_source = parts_.maker.has_picture_of_source();
  const auto has_picture = [&] {
    return has_source && !parts_.maker.goes_elsewhere() && !run_->pending() && engine.shows(parts_.settings) &&
           parts_.maker.shows_values();
  };
  if (doer_.starts_from_picture(step)) return has_source;
  switch (needs_of(meant_by(step).action)) {
    case Needs::nothing: return true;
    case Needs::source: return has_source;
    case Needs::picture: return has_picture();
    case Needs::any_picture: return has_picture() || (!engine.has_picture() && parts_.transport.feed().ended());
    case Needs::set: return !run_->has_set() || has_picture();
    case Needs::trace: return !parts_.trace.under_way() || parts_.trace.in_vain();
  }
  return true;
}

// Also sources and cascades that are not used any more, and results that a line made a source.
void SessionScript::note_read() {
  auto now = parts_.run.read(parts_.settings);
  now.push_back(capture::source_file(parts_.settings.source));
  for (auto& file : now)
    if (!file.empty() && std::ranges::find(read_, file) == read_.end()) read_.push_back(std::move(file));
}

void SessionScript::check_file(const Command& step) {
  check_result(step.to, capture::source_file(parts_.settings.source), parts_.run.results());
  results_.look_again();
  results_.check(step);
  note_read();
  check_kept(step.to, read_);
  parts_.outputs.take(step.to);
  results_.note(step);
}

void SessionScript::act(const script::Do& step) {
  if (!step.to.empty()) check_file(step);
  auto& outputs = parts_.outputs;
  outputs.leave_errors(true);
  if (step.action == Action::export_trace && traces_) parts_.trace.require_after(trace_before_);
  // Of every frame that the lines before asked for.
  if (info(step.action).name.starts_with("export")) parts_.maker.take_all_times();
  if (step.action == Action::start_race) race_problem_.clear();
  try {
    if (step.action == Action::screenshot)
      outputs.save(step.to, "screenshot", ".png", screenshot_());
    else
      doer_.act(step);
  } catch (...) {
    outputs.release(step.to);
    throw;
  }
  races_ = step.action == Action::start_race;
  if (step.action == Action::trace_tiles) {
    traces_ = true;
    trace_before_ = parts_.trace.trace();
  }
}

// Files that a line asked for are there, or the race is finished; or throws what is wrong.
bool SessionScript::written() {
  if (races_ && parts_.race.race().running()) return false;
  if (std::exchange(races_, false)) {
    if (!race_problem_.empty()) throw std::runtime_error(race_problem_);
    if (!parts_.race.race().finished()) throw std::runtime_error("race: it was stopped");
  }
  auto& outputs = parts_.outputs;
  if (const auto why = outputs.take_error(); !why.empty()) throw std::runtime_error(why);
  return outputs.all_written() && !parts_.saver.saves_pictures();
}

// If what was set is refused, the picture is one with the settings before.
void SessionScript::picture_made() {
  if (run_ && counts_ && parts_.engine.refusal().empty()) run_->count_picture();
}

// What no line will report any more, and what was wrong with the last one.
void SessionScript::finish() {
  parts_.outputs.leave_errors(false);
  if (!run_) return;
  if (interrupted()) run_->interrupt();
  run_->give_up_pending();
  say_failures();
}

// True where a line of a file was wrong.
bool SessionScript::say_failures() {
  parts_.messages.fail(Messages::Rank::script, run_->exit_code());
  if (const auto why = run_->take_untold()) parts_.messages.error(*why);
  const auto failure = run_->take_failure();
  if (failure) parts_.messages.error(*failure);
  return failure.has_value();
}

// Pictures that a line waits for and that will not come.
void SessionScript::watch(bool idle) {
  if (!run_) return;
  if (say_failures()) doer_.quit();
  if (races_ && idle && !parts_.transport.feed().still() && parts_.transport.feed().ended() && !parts_.engine.has_picture())
    parts_.race.race().stop();  // on what?
  if (!run_->waits_for_any_picture()) return;
  const bool busy = parts_.engine.busy();
  if (parts_.transport.feed().opening()) return;  // what was refused was a picture of the source before
  if (const auto& why = parts_.engine.refusal();
      !why.empty() && parts_.engine.has_followed(parts_.settings) && (!busy || counts_))
    run_->fail(ExitCode::usage, why);
  else if (busy)
    return;
  else if (const auto& failure = parts_.engine.failure(); idle && failure && !parts_.maker.shows_values())
    run_->fail(failure->code, failure->text);  // the same frame is not tried again with these values
  else if (const auto& feed = parts_.transport.feed();
           idle && !feed.still() && feed.ended() && (run_->lacks_pictures() || !parts_.maker.has_picture_of_source()))
    run_->fail(ExitCode::source, why_no_picture(feed, answers()));
}

}  // namespace app
