#include "app/session/kernel_files.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>
#include <ranges>
#include <stdexcept>
#include <system_error>

#include "app/capture/source_text.h"
#include "app/control/kernel_names.h"
#include "app/session/file_watch.h"
#include "app/session/kernel_refusal.h"
#include "app/support/files.h"
#include "app/support/scratch_folder.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto settled = 40ms;           // without a change: editors write, rename and remove in several steps
constexpr std::size_t kept_folders = 3;  // of one file, with libraries whose source lines may be asked for

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    at = end + 1;
  }
  return lines;
}

// All that it depends on, also what is not there yet.
std::vector<fs::path> files_of(const gpu::KernelSource& source) {
  auto files = source.files;
  files.insert(files.end(), source.missing.begin(), source.missing.end());
  return files;
}

// A file, and where it is behind links: an editor writes there.
std::vector<fs::path> places_of(const fs::path& file) {
  std::error_code error;
  const auto behind = fs::weakly_canonical(file, error);
  if (error || behind == file) return {file};
  return {file, behind};
}

}  // namespace

KernelFiles::Steps KernelFiles::usual_steps(const gpu::GpuProbe& probe) {
  Steps steps;
  const auto architecture = probe.gpu ? "sm_" + std::to_string(10 * probe.gpu->major + probe.gpu->minor) : std::string();
  steps.find_tools = [architecture] {
    std::error_code ignored;
    return gpu::find_kernel_tools(simulated_folders(fs::read_symlink("/proc/self/exe", ignored)), architecture);
  };
  steps.compile = [](const gpu::KernelSource& source, int number, const gpu::KernelTools& tools, const fs::path& folder,
                     const std::atomic<bool>& stop, gpu::KernelTypes types) {
    return gpu::compile_kernel(source, number, tools, gpu::KernelLimits(), folder, stop, types);
  };
  steps.judge = [](const gpu::CompiledKernel& compiled, std::span<const gpu::Size> sizes, const gpu::KernelTools& tools,
                   const std::atomic<bool>& stop) {
    gpu::JudgeRequest request;
    request.depth = gpu::JudgeRequest::Depth::trial;
    request.sizes.assign(sizes.begin(), sizes.end());
    request.on_gpu = !compiled.cubin.empty();
    return gpu::judge(compiled, request, {{"/proc/self/exe", "judge-child"}}, tools, stop);
  };
  steps.load = [gpu = probe.gpu](const gpu::CompiledKernel& compiled) -> const gpu::KernelVersion& {
    if (gpu) cudaSetDevice(gpu->index);  // of this thread; where that fails, loading says so
    return gpu::load_kernel(compiled);
  };
  steps.prepare = [](const gpu::KernelTools& tools, const std::atomic<bool>& stop) {
    gpu::precompile_headers(tools, gpu::KernelLimits(), stop);
  };
  return steps;
}

KernelFiles::KernelFiles(Steps steps) : steps_(std::move(steps)) {}

KernelFiles::~KernelFiles() {
  ending_ = true;
  if (task_) task_->stop = true;
  while (task_ && !worker_.wait(1s)) continue;
  for (const auto& file : shown_)
    if (file.version > 0) gpu::remove_user_kernel(file.name);
}

const KernelFile* KernelFiles::find(std::string_view name) const {
  const auto at = std::ranges::find(shown_, name, &KernelFile::name);
  return at == shown_.end() ? nullptr : &*at;
}

std::string KernelFiles::open(const fs::path& file) {
  const fs::path path = kernel_file(file.string());
  const auto name = kernel_name(path.string());
  if (const auto* same = find(name)) {
    if (same->path == path) return name;
    throw std::invalid_argument("kernel: " + capture::in_quotes(same->path.string()) + " has the name '" + name +
                                "', too: rename one of the files");
  }
  const auto source = gpu::read_kernel_source(path);  // its includes may be saved before it is compiled
  if (!watch_) watch_ = std::make_unique<FileWatch>();
  auto& shown = shown_.emplace_back();
  shown.path = path;
  shown.name = name;
  shown.is_effect = source.form == gpu::KernelSource::Form::effect;
  auto& watched = watched_.emplace_back();
  watch(watched, files_of(source));
  watched.changed = Clock::time_point();  // follow() begins, which knows the frame's size
  if (const auto last = numbers_.find(name); last != numbers_.end()) watched.number = last->second;
  return name;
}

void KernelFiles::close(std::string_view name) {
  const auto at = std::ranges::find(shown_, name, &KernelFile::name);
  if (at == shown_.end()) return;
  const auto i = at - shown_.begin();
  const auto file = static_cast<std::size_t>(i);
  if (at->version > 0) gpu::remove_user_kernel(name);
  auto number = watched_[file].number;
  if (task_ && task_->file == file) {
    number = std::max(number, task_->number);
    task_->stop = true;
    task_->file = Task::closed;
  } else if (task_ && task_->file != Task::closed && task_->file > file) {
    --task_->file;
  }
  numbers_[at->name] = number;
  std::erase_if(news_, [&](const News& news) { return news.name == name; });
  shown_.erase(at);
  watched_.erase(watched_.begin() + i);
}

// True where one was not watched before.
bool KernelFiles::watch(Watched& file, std::span<const fs::path> paths) {
  const auto before = std::exchange(file.places, {});
  for (const auto& path : paths)
    for (auto& place : places_of(path)) {
      watch_->add(place);
      file.places.push_back(std::move(place));
    }
  return std::ranges::any_of(file.places, [&](const fs::path& place) { return std::ranges::count(before, place) == 0; });
}

std::vector<KernelFiles::News> KernelFiles::follow(gpu::Size frame) {
  if (frame.pixels() > 0) frame_ = frame;
  if (watched_.empty() && !task_) return {};
  go_on();
  return std::exchange(news_, {});
}

void KernelFiles::go_on() {
  for (const auto& place : watch_->take()) note_change(place);
  if (task_ && worker_.wait(0us)) {
    const auto task = std::move(task_);
    end(*task);
  }
  if (task_ && task_->trying && task_->file != Task::closed) shown_[task_->file].phase = KernelFile::Phase::trying;
  begin_next();
}

// What is under way for the text before is not wanted any more.
void KernelFiles::note_change(const fs::path& place) {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    auto& file = watched_[i];
    if (!place.empty() && std::ranges::find(file.places, place) == file.places.end()) continue;
    file.changed = Clock::now();
    if (task_ && task_->file == i) task_->stop = true;
  }
}

bool KernelFiles::busy() const {
  return task_ || std::ranges::any_of(watched_, [](const Watched& file) {
           return file.changed || !file.wanted.empty() || file.lacks_types;
         });
}

bool KernelFiles::busy(std::string_view name) const {
  const auto at = std::ranges::find(shown_, name, &KernelFile::name);
  if (at == shown_.end()) return false;
  const auto file = static_cast<std::size_t>(at - shown_.begin());
  return (task_ && task_->file == file && !task_->others) || watched_[file].changed || !watched_[file].wanted.empty();
}

void KernelFiles::wait(std::chrono::microseconds patience) {
  if (task_)
    worker_.wait(patience);
  else if (busy())
    std::this_thread::sleep_for(std::min<std::chrono::microseconds>(patience, 5ms));
}

void KernelFiles::begin_next() {
  if (task_) return;
  const auto now = Clock::now();
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (watched_[i].changed && now - *watched_[i].changed >= settled) return begin(i, watched_[i].number + 1);
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (!watched_[i].wanted.empty()) return begin(i, 0);
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (watched_[i].lacks_types) return begin_others(i);
}

void KernelFiles::begin_others(std::size_t file) {
  const auto& now = watched_[file].now;
  task_ = std::make_unique<Task>();
  task_->file = file;
  task_->others = true;
  task_->number = now.compiled.number;
  task_->folder = now.folder;
  task_->compiled = now.compiled;
  if (frame_.pixels() > 0) task_->size = frame_;
  worker_.begin([this, &task = *task_] { run(task); });
}

void KernelFiles::begin(std::size_t file, int number) {
  auto& watched = watched_[file];
  auto& shown = shown_[file];
  task_ = std::make_unique<Task>();
  task_->file = file;
  task_->path = shown.path;
  task_->number = number;
  task_->text_before = watched.text;
  if (number > 0) {
    watched.changed.reset();
    shown.phase = KernelFile::Phase::compiling;
    if (frame_.pixels() > 0) task_->size = frame_;
    try {
      task_->folder = new_folder(file, number);
    } catch (const std::exception& error) {
      task_->problem = error.what();
    }
  } else {
    task_->size = watched.wanted.front();
    watched.wanted.erase(watched.wanted.begin());
    task_->compiled = watched.now.compiled;
  }
  worker_.begin([this, &task = *task_] { run(task); });
}

fs::path KernelFiles::new_folder(std::size_t file, int number) {
  if (!folder_) folder_ = std::make_unique<ScratchFolder>("kernels");
  std::error_code error;
  auto folder = folder_->path() / (shown_[file].name + '.' + std::to_string(number));
  fs::remove_all(folder, error);  // what was begun for a text that was replaced meanwhile
  make_folder(folder);
  auto& folders = watched_[file].folders;
  std::erase(folders, folder);
  folders.push_back(folder);
  while (folders.size() > kept_folders) {
    // That of the version in use stays, however many were refused since.
    const auto& in_use = watched_[file].now.folder;
    const auto oldest = std::ranges::find_if(folders, [&](const fs::path& one) { return one != in_use; });
    fs::remove_all(*oldest, error);
    folders.erase(oldest);
  }
  return folder;
}

// On the other thread.
void KernelFiles::run(Task& task) try {
  if (!task.problem.empty()) return;
  if (!tools_) ScratchFolder::remove_abandoned("kernels");
  if (!tools_ || !tools_->problem.empty()) tools_ = steps_.find_tools();
  if (task.number > 0 && !compile(task)) return;
  task.trying = !task.others;
  const auto sizes = task.size ? std::span(&*task.size, 1) : std::span<const gpu::Size>();
  task.verdict = steps_.judge(task.compiled, sizes, *tools_, task.stop);
  if (task.number > 0 && !task.stop && may_run(task.verdict)) task.loaded = &steps_.load(task.compiled);
} catch (const std::bad_alloc&) {
  task.problem = "memory is exhausted";
} catch (const std::exception& error) {
  task.problem = capture::one_line(error.what());
}

// On the other thread, too. False: there is nothing to try.
bool KernelFiles::compile(Task& task) {
  using gpu::KernelTypes;
  if (!task.others) {
    auto source = gpu::read_kernel_source(task.path);
    if (!source.texts.empty()) task.lines = lines_of(source.texts.front());
    for (const auto& text : source.texts) task.text += text + '\0';
    // Two that cannot be read have the same text.
    if (!source.messages.empty()) task.text += source.messages.front().text;
    task.compiled.messages = source.messages;
    task.compiled.source = std::move(source);
    if (task.text == task.text_before) return false;
    if (!tools_->problem.empty()) {
      task.problem = tools_->problem;
      return false;
    }
    if (std::ranges::any_of(task.compiled.messages, &gpu::SourceMessage::is_error)) return false;
  }
  const auto source = task.compiled.source;
  const auto types = steps_.first_type_first && !task.others ? KernelTypes::first : KernelTypes::all;
  task.compiled = steps_.compile(source, task.number, *tools_, task.folder, task.stop, types);
  return !task.stop && task.compiled.works();
}

void KernelFiles::end(Task& task) {
  if (task.file == Task::closed) return;
  if (task.number == 0) return end_size(task);
  task.others ? end_others(task) : end_version(task);
}

void KernelFiles::end_version(Task& task) {
  auto& file = shown_[task.file];
  auto& watched = watched_[task.file];
  const auto& source = task.compiled.source;
  // What was not watched meanwhile may have been saved: then its text is another one.
  if (!source.files.empty() && watch(watched, files_of(source)) && !watched.changed) watched.changed = Clock::now();
  file.phase = KernelFile::Phase::idle;
  if (task.stop) return;                                  // another text follows
  if (!task.text.empty() && task.text == watched.text) {  // it was written, and is the same
    if (std::erase_if(watched.now.sizes, &TriedSize::may_pass) > 0)
      steps_.take(*watched.now.version);  // who asks asks again
    return;
  }
  watched.text = task.text;
  watched.number = task.number;
  if (!task.problem.empty()) return refuse(task, task.problem, false);
  if (file.version == 0) file.is_effect = source.form == gpu::KernelSource::Form::effect;
  file.compile_seconds = task.compiled.seconds;
  if (!task.compiled.works()) return refuse(task, why_not_compiled(file.path, task.compiled), is_of_text(task.compiled));
  if (!task.loaded) return refuse(task, why_not_run(task.verdict), is_of_kernel(task.verdict));
  try {
    steps_.take(*task.loaded);
  } catch (const std::exception& error) {
    return refuse(task, capture::one_line(error.what()), false);
  }
  const bool first = file.version == 0;
  file.is_effect = task.loaded->effect != nullptr;
  file.version = task.number;
  file.lines = std::move(task.lines);
  file.verdict = std::move(task.verdict);
  file.refusal.clear();
  file.messages.clear();
  file.refused_lines.clear();
  replace(task);
  news_.push_back({file.name, true, first});
  // Not for a file that is only used: it would take longer than it saves.
  if (!first && steps_.prepare && !std::exchange(is_prepared_, true))
    preparer_.begin([this, tools = *tools_] { steps_.prepare(tools, ending_); });
}

// Pictures go on with what has the first type where the others do not work.
void KernelFiles::end_others(Task& task) {
  auto& file = shown_[task.file];
  auto& watched = watched_[task.file];
  if (task.stop) return;  // another text follows, or this does once more
  watched.lacks_types = false;
  const auto refuse_others = [&](const std::string& why, bool for_its_text) {
    task.lines = file.lines;
    refuse(task, "with other types than 8u32u " + why, for_its_text);
  };
  if (!task.problem.empty()) return refuse_others("it could not be tried: " + task.problem, false);
  if (!task.compiled.works()) return refuse_others(why_not_compiled(file.path, task.compiled), is_of_text(task.compiled));
  if (!task.loaded) return refuse_others("it does not work: " + why_not_run(task.verdict), is_of_kernel(task.verdict));
  try {
    steps_.take(*task.loaded);
  } catch (const std::exception& error) {
    return refuse_others("it could not be loaded: " + capture::one_line(error.what()), false);
  }
  file.verdict = std::move(task.verdict);
  replace(task);
}

// What was taken is the version in the tables from now on.
void KernelFiles::replace(Task& task) {
  auto& watched = watched_[task.file];
  if (watched.now.version) watched.before.push_back({watched.now.version, {}, {}, std::move(watched.now.sizes)});
  watched.lacks_types = task.compiled.types == gpu::KernelTypes::first;
  watched.now = {task.loaded, std::move(task.compiled), task.folder};
  if (task.size) watched.now.sizes.push_back({*task.size});
  watched.wanted.clear();  // of the version before
}

// `for_its_text`: else the same text may be taken the next time that it is saved.
void KernelFiles::refuse(Task& task, std::string why, bool for_its_text) {
  auto& file = shown_[task.file];
  if (!for_its_text) watched_[task.file].text.clear();
  file.refusal = std::move(why);
  file.messages = task.compiled.works() ? task.verdict.messages : task.compiled.messages;
  file.refused_lines = std::move(task.lines);
  news_.push_back({file.name, false, false});
}

// What failed on this size says nothing of the others. What is known to be wrong on one is not hidden by what is right here.
void KernelFiles::end_size(Task& task) {
  auto& file = shown_[task.file];
  file.phase = KernelFile::Phase::idle;
  if (task.stop) return;
  auto why = !task.problem.empty() ? task.problem : may_run(task.verdict) ? std::string() : why_not_run(task.verdict);
  const bool passed = why.empty(), may_pass = !passed && (!task.problem.empty() || !is_of_kernel(task.verdict));
  if (!passed) why = file.path.filename().string() + ": " + why;
  watched_[task.file].now.sizes.push_back({*task.size, std::move(why), may_pass});
  using enum gpu::Verdict::Outcome;
  if (passed && (file.verdict.outcome == right || task.verdict.outcome != right)) file.verdict = std::move(task.verdict);
}

KernelFiles::Trial KernelFiles::trial(const gpu::KernelVersion& version, gpu::Size size,
                                      std::chrono::microseconds patience) {
  const auto known = [&](const Tried& tried) -> std::optional<Trial> {
    const auto at = std::ranges::find(tried.sizes, size, &TriedSize::size);
    if (at == tried.sizes.end()) return {};
    return Trial{at->why.empty() ? Trial::State::passed : Trial::State::failed, at->why};
  };
  for (auto& file : watched_) {
    if (const auto old = std::ranges::find(file.before, &version, &Tried::version); old != file.before.end())
      return known(*old).value_or(Trial{Trial::State::failed, version.name + ": a newer version has replaced it"});
    if (file.now.version != &version) continue;
    for (const bool waits : {true, false}) {
      if (auto trial = known(file.now)) return *trial;
      const bool is_tried = task_ && task_->number == 0 &&
                            task_->file == static_cast<std::size_t>(&file - watched_.data()) && !task_->stop &&
                            task_->size == size;
      if (!is_tried && std::ranges::find(file.wanted, size) == file.wanted.end()) file.wanted.push_back(size);
      if (task_ && task_->others) task_->stop = true;  // they take long, and pictures do not wait for them
      if (!waits || patience <= 0us) break;
      begin_next();
      wait(patience);
      go_on();
      if (file.now.version != &version) return trial(version, size);  // it was replaced meanwhile
    }
    return {Trial::State::under_way, {}};
  }
  return {Trial::State::failed, version.name + ": its file was closed"};
}

KernelFiles::Trial KernelFiles::trial(const Selection& selection, gpu::Size size, std::chrono::microseconds patience) {
  for (const auto* version : user_kernels_of(selection))
    if (auto one = trial(*version, size, patience); one.state != Trial::State::passed) return one;
  return {};
}

void KernelFiles::note_failure(const Selection& selection, gpu::Size size, const std::string& why) {
  const auto versions = user_kernels_of(selection);
  const auto is_named = [&](const gpu::KernelVersion* version) {
    return why.find(version->file.filename().string()) != why.npos;
  };
  const bool names_one = std::ranges::any_of(versions, is_named);
  const auto note = [&](Tried& tried) {
    const auto version = std::ranges::find(versions, tried.version);
    if (version == versions.end() || (names_one && !is_named(*version))) return;
    std::erase_if(tried.sizes, [&](const TriedSize& each) { return each.size == size; });
    tried.sizes.push_back({size, why});
  };
  for (auto& file : watched_) {
    note(file.now);
    std::ranges::for_each(file.before, note);
  }
}

}  // namespace app
