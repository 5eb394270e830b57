#include "app/session/session_script.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/capture/source.h"
#include "app/control/kernel_names.h"
#include "app/session/session.h"
#include "app/support/address.h"
#include "app/support/interrupt.h"

namespace app {

ScriptRun::ScriptRun(const std::optional<std::string>& path) : name_(path.value_or("")), answers_(path == "-") {
  if (path) input_.emplace(*path);
}

bool ScriptRun::advance(Clock::duration patience) {
  const auto before = number_;
  const auto start = Clock::now();
  const auto may_go_on = [&] {
    return number_ == before || (number_ - before < most_lines && Clock::now() - start < patience && !interrupted());
  };
  while (runs() && may_go_on()) try {
      if (still_waits() || !go_on()) break;
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
    input_->wait(patience);
  else
    std::this_thread::sleep_for(std::min(patience, moment));
}

bool ScriptRun::still_waits() {
  switch (wait_) {
    case Wait::nothing: return false;
    case Wait::ready: return !ready(*held_);
    case Wait::pictures: return lacks_pictures();
    case Wait::time: return Clock::now() < until_;
    case Wait::files: return !written();
  }
  return false;
}

// What was waited for is there: the line's action begins, or the line is done and the next one begins. False where there is
// none.
bool ScriptRun::go_on() {
  if (const auto action = std::exchange(held_, {})) {
    begin_action(*action);
    return true;
  }
  if (std::exchange(wait_, Wait::nothing) != Wait::nothing) answer({});
  if (!has_room()) return false;
  const auto line = input_->next();
  if (!line) {
    ended_ = input_->ended();
    if (ended_) give_up_pending();
    return false;
  }
  ++number_;
  if (script::is_blank(*line)) return true;
  begin(script::parse(*line));
  if (wait_ == Wait::nothing) answer({});
  return true;
}

std::vector<script::Set> ScriptRun::take_ahead() {
  std::vector<script::Set> sets;
  for (const auto& line : input_->take_ahead()) try {
      if (script::is_blank(line)) continue;
      const auto step = script::parse(line);
      if (const auto* set = std::get_if<script::Set>(&step)) sets.push_back(*set);
    } catch (const std::invalid_argument&) {}
  return sets;
}

void ScriptRun::begin(const script::Step& step) {
  if (const auto* set = std::get_if<script::Set>(&step)) {
    give_up_pending();
    set_line_ = number_;
    this->set(*set);
    if (loads_kernels()) wait_ = Wait::files;
    return;
  }
  if (const auto* get = std::get_if<script::Get>(&step)) got_ = this->get(*get);
  if (const auto* action = std::get_if<script::Do>(&step)) {
    if (sets(*action)) {
      give_up_pending();
      set_line_ = number_;
    }
    if (ready(*action)) return begin_action(*action);
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

void ScriptRun::begin_action(const script::Do& action) {
  act(action);
  ended_ = action.action == Action::quit;
  wait_ = ended_ ? Wait::nothing : Wait::files;
}

// What failed on the way to it is told, and refuses no line any more; a source that did not open has no picture.
void ScriptRun::count_picture() {
  if (pending_ && pending_->code() != ExitCode::source) give_up_pending();
  if (waits_for_pictures()) ++pictures_;
}

bool ScriptRun::fail(ExitCode code, const std::string& why) {
  if (!has_script()) return false;
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
    auto line = input_->next();
    for (std::uint64_t skipped = 0; line && script::is_blank(*line) && skipped < most_lines; ++skipped, ++number_)
      line = input_->next();
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
  if (!error.empty()) {
    if (answers_)
      print("{\"error\": " + json(without_secrets(error)).dump(-1, ' ', false, json::error_handler_t::replace) + "}\n");
  } else if (!got.empty()) {
    print(got + '\n');
  } else if (answers_) {
    print("{\"ok\": true}\n");
  }
}

std::optional<std::string> ScriptRun::take_failure() { return std::exchange(failure_, {}); }

namespace {

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

SessionScript::SessionScript(Session& session) : ScriptRun(session.run().script), session_(session) {}

namespace {

// The names of kernels whose files a change names.
std::vector<std::string> kernels_named(const Change& change) {
  if (change.path == "source" && is_kernel_file(change.text)) return {kernel_name(change.text)};
  std::vector<std::string> names;
  if (change.path == "kernel") std::ranges::transform(kernels_from(change.text), std::back_inserter(names), kernel_name);
  return names;
}

}  // namespace

void SessionScript::set(const script::Set& step) {
  loads_.clear();
  session_.set(step.changes);
  for (const auto& change : step.changes) std::ranges::move(kernels_named(change), std::back_inserter(loads_));
}
bool SessionScript::loads_kernel(std::string_view name) const { return std::ranges::find(loads_, name) != loads_.end(); }
bool SessionScript::sets(const script::Do& step) { return session_.sets(step); }
std::string SessionScript::get(const script::Get& step) { return session_.saver().answer(step.paths, session_.context()); }
void SessionScript::print(std::string line) { session_.outputs().print(std::move(line)); }
bool SessionScript::has_room() const { return session_.outputs().takes_lines(); }

bool SessionScript::reports() const { return has_script() && !answers() && (runs() || session_.run().offscreen); }

// What a line sets holds from the next picture on.
void SessionScript::follow() {
  constexpr std::chrono::milliseconds longest{4};  // of a frame
  if (!has_script()) return;
  advanced_ = advance(longest);
  if (advanced_) counts_ = false;
  for (const auto& step : take_ahead()) session_.engine().expect(step.changes);
  session_.outputs().leave_errors(waits_for_files());
}

bool SessionScript::ready(const script::Do& step) {
  const auto& engine = session_.engine();
  const auto& maker = session_.maker();
  const auto& trace = session_.trace_runner();
  const bool has_source = maker.has_picture_of_source();
  const auto has_picture = [&] {
    return has_source && !maker.goes_elsewhere() && !pending() && engine.shows(session_.settings()) && maker.shows_values();
  };
  if (step.action == Action::trace_tiles && trace.simulates()) return false;  // one at a time
  if (starts_from_picture(step, session_.settings(), session_.context())) return has_source;
  switch (info(step.action).needs) {
    case Needs::nothing: return true;
    case Needs::source: return has_source;
    case Needs::picture: return has_picture();
    case Needs::any: return has_picture() || (!engine.has_picture() && session_.feed().ended());
    case Needs::set: return !has_set() || has_picture();
    case Needs::trace: return !trace.under_way() || trace.in_vain();
  }
  return true;
}

void SessionScript::act(const script::Do& step) {
  if (!step.to.empty()) session_.outputs().take(step);
  auto& outputs = session_.outputs();
  outputs.leave_errors(true);
  if (step.action == Action::export_trace && traces_) session_.trace_runner().require_after(trace_before_);
  // An export has every frame that the lines before asked for.
  if (info(step.action).name.starts_with("export")) session_.maker().take_all_times();
  if (step.action == Action::start_race || step.action == Action::start_study) race_problem_.clear();
  try {
    session_.act(step);
  } catch (...) {
    outputs.release(step.to);
    throw;
  }
  loads_.clear();
  if (step.action == Action::open) loads_ = kernels_named({"source", step.text});
  if (step.action == Action::set) loads_ = kernels_named({step.setting, step.text});
  if (step.action == Action::new_kernel) loads_ = {kernel_name(session_.settings().kernels.back())};
  races_ = step.action == Action::start_race;
  studies_ = step.action == Action::start_study;
  if (step.action == Action::trace_tiles) {
    traces_ = true;
    trace_before_ = session_.trace_runner().trace();
  }
}

// Files that a line asked for are there, its kernels are compiled, or the race or the study is finished; or throws what is wrong.
bool SessionScript::written() {
  if (const auto* files = loads_kernels() ? session_.kernels() : nullptr) {
    if (std::ranges::any_of(loads_, [&](const auto& name) { return files->busy(name); })) return false;
    for (const auto& name : std::exchange(loads_, {}))
      if (const auto* file = files->find(name); file && !file->refusal.empty())
        throw std::runtime_error(file->path.filename().string() + ": " + file->refusal);
  }
  const auto& study = session_.race_runner().study();
  if (studies_ && study.running()) return false;
  if (std::exchange(studies_, false)) {
    if (!race_problem_.empty()) throw std::runtime_error(race_problem_);
    if (!study.finished()) throw std::runtime_error("study: it was stopped");
    if (const auto& why = study.figures().problem; !why.empty()) throw std::runtime_error("study: " + why);
  }
  if (races_ && session_.race_runner().race().running()) return false;
  if (std::exchange(races_, false)) {
    if (!race_problem_.empty()) throw std::runtime_error(race_problem_);
    if (!session_.race_runner().race().finished()) throw std::runtime_error("race: it was stopped");
  }
  auto& outputs = session_.outputs();
  if (const auto why = outputs.take_error(); !why.empty()) throw std::runtime_error(why);
  return outputs.all_written() && !session_.saver().saves_pictures();
}

// If what was set is refused, the picture is one with the settings before.
void SessionScript::picture_made() {
  if (counts_ && session_.engine().refusal().empty()) count_picture();
}

// What no line will report any more, and what was wrong with the last one.
void SessionScript::finish() {
  session_.outputs().leave_errors(false);
  if (!has_script()) return;
  if (interrupted()) interrupt();
  give_up_pending();
  say_failures();
}

// True where a line of a file was wrong.
bool SessionScript::say_failures() {
  session_.messages().fail(Messages::Rank::script, exit_code());
  if (const auto why = take_untold()) session_.messages().error(*why);
  const auto failure = take_failure();
  if (failure) session_.messages().error(*failure);
  return failure.has_value();
}

// Pictures that a line waits for and that will not come.
void SessionScript::watch(bool idle) {
  if (!has_script()) return;
  if (say_failures()) session_.quit();
  const auto& feed = session_.feed();
  const auto& maker = session_.maker();
  auto& engine = session_.engine();
  const bool has_ended = idle && !feed.still() && feed.ended();
  if (has_ended && !engine.has_picture()) {  // they have no picture to begin with
    if (races_) session_.race_runner().race().stop();
    if (studies_) session_.race_runner().study().stop();
  }
  if (!waits_for_any_picture() || feed.opening()) return;  // what was refused was a picture of the source before
  const bool busy = engine.busy();
  const auto& refusal = engine.refusal();
  const auto& failure = engine.failure();
  if (!refusal.empty() && engine.has_followed(session_.settings()) && (!busy || counts_))
    fail(ExitCode::usage, refusal);
  else if (!busy && idle && failure && !maker.shows_values())
    fail(failure->code, failure->text);  // the same frame is not tried again with these values
  else if (!busy && has_ended && (lacks_pictures() || !maker.has_picture_of_source()))
    fail(ExitCode::source, why_no_picture(feed, answers()));
}

}  // namespace app
