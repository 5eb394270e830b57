#include "app/session/session.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/capture/source.h"
#include "app/control/actions.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/key_table.h"
#include "app/control/names.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"

namespace app {

using namespace std::chrono_literals;

Session::Session(const Settings& settings, gpu::GpuProbe probe, const Run& run, bool attended, PictureSink sink)
    : run_(run),
      settings_(settings),
      undo_(settings_),
      kernels_(*this, run_.kernels, run_.chosen_kernels),
      transport_(run_, settings_, engine_, probe.gpu.has_value(), outputs_, messages_),
      engine_(std::move(probe)),
      maker_(run_, settings_, engine_, transport_, messages_, std::move(sink)),
      trace_(settings_, engine_),
      outputs_(run_, settings_, messages_),
      race_(run_, settings_, engine_, messages_, [this](auto& problem) { return script_.race_failed(problem); }),
      saver_(run_, settings_, engine_, transport_, maker_, race_, trace_, outputs_, messages_),
      script_(*this),
      lessons_(*this),
      attended_(attended) {
  engine_.try_first(
      [this](const Selection& selection, gpu::Size size, std::chrono::microseconds patience) {
        using State = KernelFiles::Trial::State;
        auto* files = kernels_.files();
        const auto trial = files ? files->trial(selection, size, patience) : KernelFiles::Trial();
        return trial.state == State::under_way ? std::nullopt : std::optional(trial.why);
      },
      [this](const Selection& selection, gpu::Size size, const std::string& why) {
        if (auto* files = kernels_.files()) files->note_failure(selection, size, why);
      });
  for (const auto& file : settings_.kernels) attempt([&] { kernels_.open({file}); });
}

bool Session::step(std::chrono::microseconds patience) {
  kernels_.follow();
  script_.follow();
  if (!lessons_.before()) undo_.note(settings_);
  follow_lessons();
  log().select(settings_.graph_range);
  bool made = show(patience);
  if (!engine_.busy()) {
    maker_.look_at_shown_frame();  // before another frame is taken
    saver_.save_pictures();
    follow_source();
    leave_processors();
    race_.step({transport_.shown_source(), *transport_.source()}, maker_.frames(), has_run_out());
    say_failures();  // now: the next picture may have a cause of its own
    made |= begin(made ? 0us : patience);
    say_failures();  // a GPU that was lost here: the picture that is shown next is the host's
    if (!made || engine_.queued()) made = show({}) || made;  // a GPU's is there at once: it must not stay a picture behind
  }
  outputs_.hold(feed());
  outputs_.update();
  maker_.update();
  trace_.update();  // of a GPU: it arrives later than the picture
  messages_.say_once("the tile trace", Messages::Kind::error, trace_.problem());
  say_failures();
  maker_.rest(made);
  script_.watch(transport_.idle());
  undo_.settle(settings_);
  return made;
}

// A trace on the simulated GPU takes all processors, and so do compilers: figures of the CPU would be wrong meanwhile. Between
// two pictures: one that was begun meanwhile counts as such a one.
void Session::leave_processors() {
  const bool simulates = trace_.simulates(), compiles = kernels_.busy();
  trace_.hold(compiles);
  race_.hold(simulates || compiles);
  log().set_circumstance("tile trace on the simulated GPU", simulates ? "on" : "off");
  const std::string waiting = race().running()          ? "the race"
                              : race_.study().running() ? "the study"
                              : trace_.waits()          ? "the tile trace"
                                                        : "";
  if (waiting.empty() || compiles)
    messages_.say_once("what is measured", Messages::Kind::info,
                       waiting.empty() ? "" : waiting + " waits while a kernel of your own is compiled or tried",
                       "it waits");
}

// In a presentation there are no steps. What was changed by hand meanwhile, and stays when it is left, is one.
void Session::follow_lessons() {
  if (const auto* before = lessons_.before(); before && !settings_.presentation) undo_.settle(*before);
  lessons_.follow();
  lessons_.before() ? undo_.settle(settings_) : undo_.note(settings_);
}

// Opens a new source, if the settings ask for one. (Not while the frame of the one before is still read.)
void Session::follow_source() {
  if (transport_.leaves_matrix()) {
    const auto why = saver_.leave_matrix();
    if (why.empty()) {
      settings_.matrix.clear();
    } else {
      if (!script_.fail(ExitCode::failed, why)) messages_.error(why);
      transport_.stay();
    }
  }
  transport_.follow();
}

// An offscreen run of what waits until it is asked for a frame makes the same pictures every time, however long anything takes:
// none but those that the script's lines wait for, each of the next frame and with all that was set before.
bool Session::is_exact() const { return run_.offscreen && run_.script && !feed().live(); }

// The newest frame. The slot of the one before may be used again only once nobody reads it.
const capture::Frame* Session::next_frame(std::chrono::microseconds patience) {
  transport_.stay_busy();
  const auto start = Clock::now();
  // A GPU that has not read the frame before soon has. In a window, whose loop another thing need not pace.
  while (!engine_.frame_is_free()) {
    if (run_.offscreen || Clock::now() - start >= patience) return nullptr;
    std::this_thread::sleep_for(100us);
  }
  // Where no frame may be lost, the source waits for the recording. A live one cannot.
  const bool lossless = run_.offscreen || settings_.max_speed || (transport_.needs_every_frame() && !feed().live());
  const bool room = !lossless || outputs_.wait_for_room(patience);
  // Not while another source opens, nor in a pause, before which a frame may have come: that would depend on time.
  const bool opens = is_exact() && feed().opening();
  const bool stays = is_exact() && !opens && feed().paused() && !feed().seeking() && !feed().ended();
  const auto* frame = !room || stays ? nullptr : transport_.take(patience, opens);
  log().waited(Clock::now() - start);
  return !frame && room && (run_.frames || script_.waits_for_pictures()) ? feed().still() : frame;
}

bool Session::turn(const std::function<void()>& loop) {
  constexpr int most_failures = 50;
  std::exception_ptr end;
  const bool done = attempt([&] {
    try {
      loop();
    } catch (const ExitError&) {
      end = std::current_exception();
    }
  });
  if (end) std::rethrow_exception(end);
  failed_turns_ = done ? 0 : failed_turns_ + 1;
  if (done) return true;
  log().drawn(false);  // a picture that was made has its row
  if (run_.offscreen || failed_turns_ == most_failures) {
    messages_.fail(Messages::Rank::result, ExitCode::failed);
    return false;
  }
  std::this_thread::sleep_for(20ms);  // memory may be there again
  return true;
}

// True where the picture is there already: one whose wipe alone is new.
bool Session::begin(std::chrono::microseconds patience) {
  if ((has_all_frames() && !maker_.retries()) || race_.has_all()) {
    race_.wait(patience);
    return false;
  }
  const auto start = Clock::now();
  const bool processors_are_free = race_.leaves_processors(patience);
  log().waited(Clock::now() - start);
  if (!processors_are_free || !engine_.is_ready(settings_, patience)) {
    transport_.stay_busy();
    return false;
  }
  if (is_exact() && !maker_.retries() && script_.needs_no_frame()) {
    transport_.stay_busy();
    script_.await_line(patience);
    return false;
  }
  const auto* fresh = maker_.retries() ? feed().last() : next_frame(patience);
  if (is_exact() && !fresh && !feed().quiet()) return false;  // the next picture is of the frame to come
  if (saver_.needs_pixels()) engine_.pixels_next();
  const auto pictures = maker_.pictures();
  const bool begun = maker_.begin(fresh, outputs_.wants_picture(), script_.waits_for_pictures() && feed().paused(), saver_);
  const bool moved = maker_.pictures() > pictures;
  if (!begun && !moved) return false;
  script_.picture_begun(!engine_.awaits_choice() && !feed().opening() && !transport_.new_one_failed() && !feed().seeking() &&
                        transport_.follows_settings());
  if (moved) script_.picture_made();
  return moved;
}

// The picture under way, where it is there.
bool Session::show(std::chrono::microseconds patience) {
  if (!maker_.show(patience, saver_)) return false;
  script_.picture_made();
  trace_.update();  // now: soon the next picture is under way
  return true;
}

bool Session::done() { return quit_ || interrupted() || (has_run_out() && !race_.is_due()); }

// Whether no other picture will be made.
bool Session::has_run_out() const {
  if (engine_.busy() || maker_.retries()) return false;
  if (has_all_frames()) return true;
  if (script_.runs() || !run_.offscreen || !transport_.idle()) return false;
  return feed().still() ? !run_.frames : feed().ended();
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
  if (cut) maker_.drop_failure();  // who ends a run knows why
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
  maker_.finish();
  say_failures();  // of an end that the last frame came before
  if (transport_.has_failed() && pictures() == 0) messages_.fail(Messages::Rank::source, ExitCode::source);
  // A presentation may have replaced the numbers; what is drawn at the end is still that.
  auto shown = std::exchange(settings_, lessons_.as_before(settings_));
  answered_ ? saver_.tell_of_matrix() : saver_.keep_matrix_at_end();
  settings_ = std::move(shown);
  if (has_nothing()) {
    std::string files;
    for (const auto& result : run_.results()) files += (files.empty() ? ": without " : ", ") + result.string();
    outputs_.fail("interrupted before the first picture" + files);
  }
  script_.finish();
}

bool Session::has_nothing() const {
  const bool asked = run_.frames || !run_.results().empty();
  return asked && run_.offscreen && !run_.script && !run_.race && !run_.study && pictures() == 0 && interrupted();
}

// What has failed decides how the run ends, and is told: to the script's line that waits for it, else as a message.
void Session::say_failures() {
  maker_.say_warnings();
  if (const auto* why = maker_.new_failure()) {
    const bool failed = why->code != ExitCode::ok, line_fails = failed && script_.fail(why->code, why->text);
    if (!line_fails && !attended_ && failed && !engine_.has_picture()) throw ExitError(why->code, why->text);
    if (!failed) messages_.warn(why->text);
    const auto* meanwhile = why->plain ? "; meanwhile the source is shown without an effect" : "";
    if (failed && !line_fails && !script_.reports()) messages_.error(why->text + meanwhile);
  }
  if (const auto why = transport_.new_failure(); !why.empty()) say_source_failed(why);
}

// An unattended run, or one with a task, ends: nobody would choose another source. So does one whose first source is wrong.
void Session::say_source_failed(const std::string& why) {
  maker_.drop_failure();  // one line is enough; the picture stays refused
  const bool line_fails = script_.fail(ExitCode::source, why), scripted = line_fails || script_.answers();
  const bool task = run_.frames || run_.record || run_.screenshot || run_.export_file || run_.log || run_.script;
  if (!scripted && (!attended_ || task || transport_.at_start()) && !feed().last() && !feed().opening())
    throw ExitError(ExitCode::source, why);
  if (run_.offscreen && !run_.script && !has_all_frames()) messages_.fail(Messages::Rank::source, ExitCode::source);
  if (!line_fails && !script_.reports()) messages_.error(why);
  transport_.give_up(why);
}

ChangeContext Session::context() const { return context(why_no_simulated_gpu()); }

ChangeContext Session::context(std::string no_simulated) const {
  auto now = drawn_;
  const auto& probe = engine_.probe();
  now.running = true;
  now.failed_source = transport_.failed_source();
  now.no_cuda = probe.gpu ? "" : probe.reason;
  now.no_simulated = std::move(no_simulated);
  now.picture = engine_.size();
  return now;
}

void Session::set(std::span<const Change> changes, bool drags) {
  auto changed = settings_;
  apply(changed, changes, context());
  use(changed, drags);
}

void Session::use(const Settings& changed, bool drags) {
  if (changed == settings_) return;
  for (const auto& file : files_of(changed))
    if (outputs_.will_write(file))
      throw std::invalid_argument(file.string() + " is a result of this run, and not complete yet: name another file");
  outputs_.note_read();
  auto next = changed;
  const auto names = kernels_.use_files_of(next);
  if (changed.fullscreen && !settings_.fullscreen)
    messages_.info(labels(Action::close, changed.keys) + " leaves full screen");
  settings_ = std::move(next);
  if (!lessons_.before()) undo_.note(settings_, drags);
  follow_lessons();
  kernels_.show(names);
}

void Session::change(std::span<const Change> changes) {
  attempt([&] { set(changes, true); });
}

void Session::accept(const Settings& changed, bool drags) {
  attempt([&] { use(changed, drags); });
}

void Session::perform(const Command& command) {
  if (!may_write(command)) return;
  drawn_.by_hand = true;
  const bool done = attempt([&] { act(command); });
  drawn_.by_hand = false;  // lines of a script say what they want
  if (!done) outputs_.release(command.to);
}

// Whatever is wrong with what was typed, pressed or dropped costs that alone, and is told in one line.
bool Session::attempt(const std::function<void()>& what) {
  try {
    return engine_.attempt(what);
  } catch (const std::bad_alloc&) {
    messages_.warn("memory is exhausted: choose a smaller picture");
  } catch (const std::exception& error) {
    messages_.warn(error.what());
  }
  return false;
}

bool Session::sets(const Command& command) const {
  const auto action = command.action;
  if (action == Action::undo || action == Action::redo || action == Action::reset_everything) return true;
  try {
    return changes_of(command, settings_, context()).has_value();
  } catch (const std::invalid_argument&) {
    return true;
  }
}

bool Session::may_write(const Command& command) {
  if (command.to.empty()) return true;
  return attempt([&] {
    if (is_there(command.to) && !outputs_.has_written(command.to))
      throw ExitError(ExitCode::usage, command.to.string() + " exists: name another file");
    outputs_.take(command, false);
  });
}

void Session::act(const Command& command) {
  const auto& to = command.to;
  const auto number = command.number.value_or(0);
  auto changed = settings_;
  if ((command.action == Action::undo || command.action == Action::redo) && settings_.presentation)
    throw std::invalid_argument("the presentation has no steps to undo or redo: leave it first");
  const auto undone = [&](const std::string& what) {
    use(changed);
    messages_.info(what);
  };
  switch (command.action) {
    case Action::pause: return transport_.pause();
    case Action::resume: return transport_.resume();
    case Action::toggle_pause: return transport_.toggle_pause();
    case Action::step: return transport_.step(static_cast<int>(number));
    case Action::seek: return command.relative ? transport_.seek_by(number) : transport_.seek_within(number);
    case Action::reopen: return transport_.reopen();
    case Action::open: {
      if (is_kernel_file(command.text) && kernels_.choose_open(command.text)) return;
      const auto source = named_source(command.text, settings_, context());
      if (source == settings_.source) transport_.reopen();  // what plays already
      return set(std::array{Change{"source", source}});
    }
    case Action::matrix: return show_matrix();
    case Action::show_feature: return show_feature(0);
    case Action::next_feature: return show_feature(1);
    case Action::previous_feature: return show_feature(-1);
    case Action::next_stage: return show_stage(1);
    case Action::previous_stage: return show_stage(-1);
    case Action::screenshot:
      if (!screenshot_) break;
      outputs_.save(to, "screenshot", ".png", screenshot_());
      return;
    case Action::save_picture: return saver_.save({to});
    case Action::copy_picture: return saver_.save({.to_copy = true});
    case Action::save_table: return saver_.save({.to = to, .table = true});
    case Action::save_matrix: return saver_.save_matrix(to);
    case Action::save_wrong_frame: return saver_.save_wrong_frame(to);
    case Action::toggle_record:
      if (!outputs_.recording()) return outputs_.record(to);
      outputs_.release(to);
      return outputs_.stop_recording();
    case Action::record: return outputs_.record(to);
    case Action::record_clip: return outputs_.record_clip(to);
    case Action::stop_record: return outputs_.stop_record();
    case Action::new_kernel: return kernels_.write_new(to, command.text == "effect");
    case Action::edit_kernel: return kernels_.edit(command);
    case Action::open_folder: return open_folder(outputs_.folder());
    case Action::export_timings: return saver_.export_timings(to, ".json");
    case Action::export_csv: return saver_.export_timings(to, ".csv");
    case Action::export_frames: return saver_.export_frames(to);
    case Action::export_timeline: return saver_.export_timeline(to);
    case Action::export_race: return saver_.export_race(to);
    case Action::export_study: return saver_.export_study(to);
    case Action::export_trace: return saver_.export_trace(to);
    case Action::undo: return undone("undone: " + titles_of_settings(undo_.undo(changed)));
    case Action::redo: return undone("redone: " + titles_of_settings(undo_.redo(changed)));
    case Action::start_race: return race_.race().start();
    case Action::stop_race: return race_.race().stop();
    case Action::start_study: return race_.study().start();
    case Action::stop_study: return race_.study().stop();
    case Action::toggle_race:  // a key: and its tab
      if (race().running()) return race_.race().stop();
      apply(settings_, changes_to_show(Dock::race), context());
      return race_.race().start();
    case Action::trace_tiles: {
      trace_.start();
      auto changes = changes_to_show(Dock::tiles);
      changes.push_back({"trace_overlay", "on"});
      change(changes);
      return maker_.measure_again();  // a picture that stays is made once more for it
    }
    case Action::reset_statistics: return maker_.reset_statistics();
    case Action::quit: quit_ = answered_ = true; return;
    default: break;
  }
  if (!apply(command, changed, context()))
    throw std::invalid_argument("'" + std::string(info(command).name) + "' cannot be done here");
  use(changed);
}

// Of another matrix than the example, which is small enough to be read, its numbers or its picture.
void Session::show_matrix() {
  constexpr auto example = "matrix:8x8";
  if (before_matrix_ && settings_.source == example) {  // back to it, as it was left
    set(std::array{Change{"source", before_matrix_->source}, Change{"loop", settings_.loop ? "on" : "off"}});
    return transport_.go_on_at(*std::exchange(before_matrix_, {}));
  }
  if (capture::owns_matrix({.source = settings_.source}))
    return set(std::array{Change{"matrix_editor", settings_.matrix_editor ? "off" : "on"}});
  before_matrix_ = transport_.here();
  set(std::array{Change{"source", example}, Change{"matrix_editor", "on"}});
}

// The chosen one, and its tab; or the one so many steps away.
void Session::show_feature(int step) {
  if (!engine_.has_picture()) throw std::invalid_argument("there is no picture yet");
  auto changes = changes_to_show_feature(settings_, next_feature(settings_.feature, step), settings_.feature_scale,
                                         engine_.pipeline().size());
  if (step == 0) std::ranges::move(changes_to_show(Dock::detector), std::back_inserter(changes));
  apply(settings_, changes, context());
}

// The stage so many steps away from the one that is shown, with all of its features; the first and the last are ends.
void Session::show_stage(int step) {
  const auto window = maker_.cascade_view().window();
  if (!window || window->stages.stages.empty())
    throw std::invalid_argument(
        "no window of a cascade is shown: choose the effect faces, and click the picture or set cascade_at");
  const int last = static_cast<int>(window->stages.stages.size()) - 1;
  const int stage = std::clamp(shown_stage(window->stages, settings_) + step, 0, last);
  const Change changes[] = {{"cascade_stage", std::to_string(stage + 1)}, {"cascade_feature", "0"}};
  apply(settings_, changes, context());
}

}  // namespace app
