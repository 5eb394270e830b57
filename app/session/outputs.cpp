#include "app/session/outputs.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "app/capture/source.h"
#include "app/control/selection.h"
#include "app/control/settings_file.h"
#include "app/output/race_figures.h"
#include "app/output/recorder.h"
#include "app/output/study_text.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/text.h"
#include "app/support/threads.h"

namespace app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::vector<fs::path> Run::results() const {
  std::vector<fs::path> paths;
  for (const auto& path : {screenshot, record, export_file, log})
    if (path) paths.push_back(*path);
  return paths;
}

std::vector<fs::path> Run::read(const Settings& settings) const {
  auto paths = files_of(settings);
  if (script) paths.emplace_back(*script == "-" ? "/dev/stdin" : *script);
  if (config) paths.push_back(*config);
  return paths;
}

std::string NamedResults::key_of(const fs::path& path) {
  const auto place = place_of(path);
  return place.empty() ? path.string() : place;
}

void NamedResults::check(const Command& step) const {
  const bool anew = step.action != Action::record && step.action != Action::toggle_record &&
                    step.action != Action::record_clip;
  const auto refuse = [&](const Named& named) {
    if (!anew || named.action != step.action) check_no_other(step.to, std::span(&named.path, 1));
  };
  if (const auto at = named_.find(key_of(step.to)); at != named_.end()) refuse(at->second);
  const auto inode = inode_of(step.to);
  for (const auto& [place, named] : named_)
    if (!inode.empty() && named.inode == inode) refuse(named);
}

void NamedResults::note(const Command& step, bool replaces) {
  std::error_code ignored;
  auto& named = named_[key_of(step.to)];
  if (named.under_way == 0) named.is_new = !replaces && !fs::exists(fs::symlink_status(step.to, ignored));
  named.action = step.action;
  named.path = step.to;
  named.inode = inode_of(step.to);
  ++named.under_way;
}

bool NamedResults::takes_new_file(const fs::path& path) {
  const auto at = named_.find(key_of(path));
  return at != named_.end() && std::exchange(at->second.is_new, false);
}

void NamedResults::release(const fs::path& path, bool written) {
  const auto at = named_.find(key_of(path));
  if (at == named_.end()) return;
  auto& named = at->second;
  named.written |= written;
  if (named.under_way > 0) --named.under_way;
  if (named.under_way == 0 && !(named.written && is_there(path))) named_.erase(at);
}

void NamedResults::look_again() {
  for (auto& [place, named] : named_) named.inode = inode_of(named.path);
}

namespace {

// <what>-20260102-030405<ending>; the file that is written gets a number if there is one of that name.
ResultName new_name(const fs::path& folder, const std::string& what, const std::string& ending) {
  make_folder(folder);
  return {folder / (what + '-' + present_time("%Y%m%d-%H%M%S") + ending), Destination::new_file};
}

}  // namespace

fs::path Outputs::write_in(const fs::path& folder, const std::string& what, const std::string& ending,
                           std::chrono::milliseconds patience, Job write) const {
  auto written = result_detached(
      [=, write = std::move(write)] { return write_new_file(new_name(folder, what, ending).path, write); });
  if (written.wait_for(patience) != std::future_status::ready)
    throw std::runtime_error("cannot write to " + folder.string() + ": its disk does not answer");
  return written.get();
}

// Also sources and cascades that are not used any more, and results that a line made a source.
void Outputs::note_read() {
  auto now = run_.read(settings_);
  now.push_back(capture::source_file(settings_.source));
  for (auto& file : now)
    if (!file.empty() && std::ranges::find(read_, file) == read_.end()) read_.push_back(std::move(file));
}

void Outputs::take(const Command& command, bool replaces) {
  check_result(command.to, capture::source_file(settings_.source), run_.results());
  named_.look_again();
  named_.check(command);
  note_read();
  check_kept(command.to, read_);
  named_.note(command, replaces);
}

std::string Outputs::place(const fs::path& path, const std::string& what, const std::string& ending,
                           const std::function<void(const ResultName&)>& use) {
  ResultName name{path};
  try {
    if (path.empty())
      name = new_name(folder(), what, ending);
    else if (named_.takes_new_file(path))
      name.to = Destination::new_file;
  } catch (const std::runtime_error& error) {
    fail(error.what());
    return error.what();
  }
  use(name);
  return {};
}

void Outputs::update() {
  watch_recording();
  pictures_.hand_on([this](const auto& name, auto job) { write(name, std::move(job)); });
  say_written();
  for (const auto& error : writer_.take_errors()) fail(error);
}

void Outputs::say_written() {
  for (auto& file : files_)
    if (file.recording) file.recording->hand_on();
  for (; !files_.empty(); files_.pop_front()) {
    auto& file = files_.front();
    const auto& recording = file.recording;
    if (recording ? !recording->ended() : file.result.wait_for(0s) != std::future_status::ready) return;
    const auto [path, error] = recording ? Written{recording->target(), recording->error()} : file.result.get();
    const auto& name = file.name;
    const bool copied = name.to == Destination::clipboard;
    if (!copied) named_.release(name.path, (error.empty() || recording) && same_file(path, name.path));
    const auto dropped = recording ? recording->drops().all() : 0;
    if (!error.empty()) {
      fail(error);
      continue;
    }
    // A card over the picture would be in the screenshot of a script's next line.
    if (const auto lacks = recording ? recording->note() : ""; !lacks.empty()) {
      const auto line = path.filename().string() + ": " + lacks;
      to_line_ ? tell(line) : messages_.warn(line);
    }
    if (!to_line_)  // else the line says so
      copied ? messages_.info("Copied the picture")
             : messages_.saved(path.string(), dropped ? ", " + counted(dropped, "frame") + " dropped" : "");
    if (run_.announce && !copied) print(path.string() + '\n');
  }
}

void Outputs::fail(const std::string& why) {
  messages_.fail(Messages::Rank::result, ExitCode::failed);
  if (!to_line_) return messages_.error(why);
  if (!untold_.empty()) messages_.error(untold_);
  untold_ = why;
}

void Outputs::leave_errors(bool to_line) {
  to_line_ = to_line;
  if (const auto why = take_error(); !why.empty()) messages_.error(why);
}

void Outputs::print(std::string line) {
  const auto bytes = line.size();
  printer_.add([line = std::move(line), hurry = hurry_.get_token()] { print_in_time(line, hurry); }, bytes);
}

bool Outputs::takes_lines() { return printer_.wait_for_room(1, 0us); }

std::string Outputs::take_error() { return std::exchange(untold_, {}); }

void Outputs::write(const ResultName& name, Job job) {
  const auto waiting = std::ranges::count_if(files_, [](const File& file) { return !file.recording; });
  if (static_cast<std::size_t>(waiting) >= most_waiting) {
    release(name.path);
    return fail("cannot write " + name.path.string() + ": " + std::to_string(waiting) +
                " files wait for the disk; try again when they are written");
  }
  write_in_any_case(name, std::move(job));
}

void Outputs::write_in_any_case(const ResultName& name, Job job) {
  auto promise = std::make_shared<std::promise<Written>>();
  files_.push_back({name, promise->get_future(), {}});
  writer_.add([promise, name, job = std::move(job)] {
    Written written{name.path, {}};
    try {
      if (name.to == Destination::new_file)
        written.path = write_new_file(name.path, job);
      else
        job(name.path);
    } catch (const std::exception& thrown) {
      written.error = thrown.what();
    }
    promise->set_value(std::move(written));
  });
}

std::string Outputs::save(const fs::path& path, const std::string& what, const std::string& ending, Job job) {
  return place(path, what, ending, [&](const auto& name) { write(name, std::move(job)); });
}

void Outputs::save_picture(gpu::Context& context, const Picture& picture, const fs::path& path, bool squares, bool gray) {
  place(path, "picture", ".png", [&](const auto& name) { pictures_.add(context, picture, name, squares, gray); });
}

namespace {

ResultName the_clipboard() { return {"the clipboard", Destination::clipboard}; }

}  // namespace

void Outputs::copy_picture(gpu::Context& context, const Picture& picture, bool squares, bool gray) {
  pictures_.add(context, picture, the_clipboard(), squares, gray,
                [this](std::vector<unsigned char> png) { clipboard_.offer(std::move(png)); });
}

void Outputs::copy(std::function<std::vector<unsigned char>(const fs::path&)> make) {
  write(the_clipboard(), [this, make = std::move(make)](const auto& name) { clipboard_.offer(make(name)); });
}

void Outputs::start_recording(const ResultName& name) {
  stop_recording();
  wanted_recording_ = name;
}

void Outputs::stop_recording() {
  if (const auto none = std::exchange(wanted_recording_, {})) release(none->path);
  if (!recording_) return;
  if (holding_ && !animation_) recording_->hold(clock_->hold(Clock::now()));
  recording_->stop();
  const auto path = recording_->target();
  files_.push_back({{path}, {}, std::move(recording_)});
}

bool Outputs::will_write(const fs::path& file) const {
  const auto is_it = [&](const fs::path& result) { return same_file(result, file); };
  const auto waits = [&](const File& other) { return other.name.to != Destination::clipboard && is_it(other.name.path); };
  return std::ranges::any_of(run_.results(), is_it) || std::ranges::any_of(files_, waits) ||
         (wanted_recording_ && is_it(wanted_recording_->path)) || (recording_ && is_it(recording_->target()));
}

void Outputs::record(const fs::path& path) { begin_recording_as(path, "processed", ".mp4"); }

void Outputs::record_clip(const fs::path& path) {
  begin_recording_as(path, "clip", usual_animation() == VideoFormat::webp ? ".webp" : ".gif");
}

void Outputs::begin_recording_as(const fs::path& path, const std::string& what, const std::string& ending) {
  if (recording())
    throw std::invalid_argument("already recording " +
                                (recording_ ? recording_->target() : wanted_recording_->path).string() +
                                "; stop_record first");
  place(path, what, ending, [&](const auto& name) { start_recording(name); });
}

void Outputs::stop_record() {
  if (!recording()) throw std::invalid_argument("nothing is being recorded; record starts a recording");
  const auto none = recording_ ? std::nullopt : wanted_recording_;
  stop_recording();
  if (none)
    throw std::invalid_argument("no picture came since the recording was started: there is no " + none->path.string());
}

void Outputs::begin_recording(const Picture& picture, const Feed& feed, bool squares) {
  const auto [path, to] = *std::exchange(wanted_recording_, {});
  const auto size = size_in_file(picture.size(), squares);
  const auto why = why_no_video(size);
  // The stated rate first: a measured one is a little off, and the video would have gaps or doubled frames.
  const auto status = feed.status();
  const auto rate = status.fps > 0 ? status.fps : status.measured_fps;
  animation_ = format_of(path) != VideoFormat::mp4;
  const VideoOptions options{squares, to == Destination::new_file, animation_ ? RecordSize::source : settings_.record_size,
                             animation_ ? longest_side_of_animation : 0};
  const auto written_rate = animation_ ? std::min(rate > 0 ? rate : animation_fps, animation_fps) : rate;
  recording_ = std::make_unique<Recording>(writer_, finisher_, path, picture.size(), written_rate, options);
  clock_.emplace(!run_.offscreen || run_.script, rate);
  holding_ = false;
  picture_size_ = size;
  recorded_size_ = video_size(picture.size(), options);
  if (!why.empty() || animation_ || recorded_size_ == video_size(picture.size(), {squares})) return;
  const auto line = "recording " + text_of(size) + " as " + text_of(recorded_size_) + "; record_size=source keeps its size";
  run_.offscreen || to_line_ ? tell(line) : messages_.info(line);
}

void Outputs::add(gpu::Context& context, const Picture& picture, const Feed& feed, bool squares) {
  if (!recording()) return;
  const auto path = wanted_recording_.value_or(ResultName()).path;  // of one that begins
  try {
    if (!recording_) begin_recording(picture, feed, squares);
    const auto size = size_in_file(picture.size(), squares);
    messages_.say_once("the recording's size", Messages::Kind::info,
                       size == picture_size_
                           ? std::string()
                           : "the recording stays " + text_of(recorded_size_) + ": pictures of " + text_of(size) +
                                 " are scaled to it; start another recording for another size");
    picture_bytes_ = picture.size().pixels() * sizeof(gpu::Rgba);
    const auto& frame = *feed.last();
    const auto at = clock_->picture({feed.source_number(), frame.seek, frame.position, feed.live()}, feed.speed(),
                                    Clock::now());
    if (animation_ && at >= animation_seconds) return stop_recording();
    recording_->add(context, picture.pixels, at, with_side_labels(picture, squares));
  } catch (const std::exception& error) {
    fail(error.what());
    if (!recording_) release(path);
    stop_recording();
  }
}

void Outputs::hold(const Feed& feed) {
  constexpr auto often = 100ms;
  if (!recording_) return;
  const auto now = Clock::now();
  const bool held_before = std::exchange(holding_, feed.quiet());
  if ((!holding_ && !held_before) || (holding_ && held_before && now - held_ < often)) return;
  held_ = now;
  const auto at = clock_->hold(now);
  recording_->hold(animation_ ? std::min(at, animation_seconds) : at);
  if (animation_ && at >= animation_seconds) stop_recording();
}

std::optional<double> Outputs::saving_video() const {
  const auto first = first_video();
  return first == files_.end() ? std::nullopt : std::optional(first->recording->finished());
}

std::deque<Outputs::File>::const_iterator Outputs::first_video() const {
  return std::ranges::find_if(files_, [](const File& file) { return file.recording != nullptr; });
}

bool Outputs::in_vain() const {
  const bool all = run_.record && run_.results().size() == 1 && !run_.script && !run_.race && !run_.study;
  return run_.offscreen && all && !recording();
}

bool Outputs::wait_for_room(std::chrono::microseconds patience) {
  return !recording_ || writer_.wait_for_room((recording_->on_the_way() + 1) * picture_bytes_, patience);
}

void Outputs::watch_recording() {
  if (!recording_) return;
  recording_->hand_on();
  if (recording_->ended()) return stop_recording();  // it failed
  std::string why = recording_->drop_error();
  if (why.empty()) why = "the encoder or the disk is too slow; set a smaller record_size";
  messages_.say_once("the recording", Messages::Kind::warning,
                     recording_->drops().all() ? "recording drops frames: " + why : std::string(), "it drops frames");
}

void Outputs::final_screenshot(Job job) {
  if (run_.screenshot) write_in_any_case({*run_.screenshot}, std::move(job));
}

void Outputs::final_export(Report report, const std::string& problem) {
  if (!run_.export_file) return;
  if (!problem.empty()) return fail("cannot write " + run_.export_file->string() + ": " + problem);
  if (run_.study)
    return write_in_any_case({*run_.export_file},
                             [study = std::move(report.study)](const auto& to) { export_study(to, study); });
  const bool race_alone = run_.race && run_.export_file->extension() == ".csv";  // a CSV file is one table
  write_in_any_case({*run_.export_file}, [report = std::move(report), race_alone](const auto& to) {
    race_alone ? export_race(to, report.race) : export_report(to, report);
  });
}

bool Outputs::finish(std::chrono::microseconds patience) {
  stop_recording();
  for (auto& file : files_)
    if (file.recording) file.recording->hand_on(true);
  pictures_.hand_on([this](const auto& name, auto job) { write_in_any_case(name, std::move(job)); }, true);
  const bool done = writer_.wait(patience) && finisher_.wait(patience);  // in this order: what is written is finished then
  if (progress_) progress_->erase();
  update();
  if (!done) say_waiting();
  if (!done || !files_.empty()) return false;
  if (!run_.offscreen) hurry_.request_stop();
  return printer_.wait(patience);
}

// The user learns why the program has not ended yet.
void Outputs::say_waiting() {
  if (!waiting_since_) waiting_since_ = Clock::now();
  if ((run_.offscreen && !run_.progress) || Clock::now() - *waiting_since_ < 300ms) return;
  if (messages_.say_once("the end", Messages::Kind::info, "finishing files")) {
    std::string partial;
    for (const auto& file : files_)
      if (const auto part = file.recording ? file.recording->partial() : fs::path(); !part.empty())
        partial += (partial.empty() ? "; what was recorded is in " : ", ") + part.string();
    tell_of_wait("waiting until all files are written", "those that are not" + partial);
    progress_.emplace();
  }
  const auto video = first_video();
  if (progress_ && progress_->terminal() && video != files_.end())
    progress_->show_part(video->recording->finished(), "finishing " + video->name.path.filename().string());
}

}  // namespace app
