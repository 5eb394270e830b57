#include "app/pipeline/engine.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "app/control/selection.h"
#include "app/pipeline/tile_history.h"
#include "app/support/interrupt.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/cuda/error.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto between_attempts = 1s;  // to load a library that was missing
constexpr auto long_wait = 1s;         // for kernels and files
// A picture with users' kernels, of which each was tried on its size within 10 s: the first one, and later ones.
constexpr auto longest_first = 60s, longest_later = 10s;

// After errors such as an illegal address, every further call fails: the GPU is gone for this process.
bool gpu_is_lost() { return cudaDeviceSynchronize() != cudaSuccess; }

}  // namespace

Choice choose(const Settings& settings, const gpu::GpuProbe& probe, const std::optional<DeviceDecision>& decided) {
  const auto [device, warning] = decided ? *decided : choose_device(settings, probe, false);
  Choice choice{device, warning, why_not_compared(settings, device), {}, {}};
  if (!choice.comparison.empty()) choice.comparison = "nothing is compared: " + choice.comparison;
  try {
    choice.selection = make_selection(settings, device);
  } catch (const std::invalid_argument& error) {
    choice.unusable = error.what();
  }
  return choice;
}

Engine::Engine(gpu::GpuProbe probe, std::optional<KernelLoader> kernels, MakePipeline make)
    : probe_(std::move(probe)),
      make_(std::move(make)),
      preloader_(kernels || !probe_.gpu ? std::move(kernels) : gpu_kernel_loader(probe_.gpu->index)) {}

Engine::~Engine() {
  preloader_.stop();  // it ends while the last picture is awaited
  while (busy_) finish(std::chrono::seconds(1));
  for (auto& pipeline : pipelines_) pipeline.reset();
  if (stream_) cudaStreamDestroy(stream_);
}

// Pipelines are kept, so that going back to a device costs nothing.
Pipeline& Engine::pipeline_for(gpu::Device device) {
  auto& pipeline = pipelines_[static_cast<std::size_t>(device)];
  if (pipeline) return *pipeline;
  if (make_) return *(pipeline = make_(device));
  if (device == gpu::Device::cuda && !stream_) {
    gpu::check(cudaSetDevice(probe_.gpu->index));
    gpu::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  pipeline = std::make_unique<Pipeline>(device, stream_);
  return *pipeline;
}

bool Engine::is_ready(const Settings& settings, std::chrono::microseconds patience) {
  if (settings.device != DeviceChoice::simulated || simulated_gpu_is_loaded()) return true;
  const bool look_again = !has_followed(settings) && std::chrono::steady_clock::now() > decided_at_ + between_attempts;
  if (!loading_.valid() && (!without_library_ || look_again)) {
    // Detached: a disk that hangs must not block the end of the program.
    loading_ = result_detached([settings, probe = probe_] { return choose_device(settings, probe, false); });
  }
  if (loading_.valid() && loading_.wait_for(without_library_ ? 0us : patience) == std::future_status::ready) {
    without_library_ = loading_.get();
    decided_at_ = std::chrono::steady_clock::now();
    ++devices_;
  }
  return without_library_.has_value();
}

bool Engine::follow(const Settings& settings) {
  bool changed = false;
  try {
    changed = take_over(settings);
    // Also where no picture begins: a still source has no other one until all is there.
    changed |= awaited_since_ && has_arrived(selection_for(attempt_.size));
  } catch (const std::bad_alloc&) {
    fail(ExitCode::failed, "memory is exhausted: choose a smaller picture");
  }
  return changed;
}

bool Engine::take_over(const Settings& settings) {
  if (has_followed(settings)) return false;
  Followed followed{settings, devices_, gpu::user_kernel_changes()};
  const bool missing = settings.device == DeviceChoice::simulated && without_library_ && !simulated_gpu_is_loaded();
  // The settings may come from a machine that has another device.
  auto choice = choose(settings, probe_, missing ? without_library_ : std::nullopt);
  warnings_.device = choice.warning;
  warnings_.comparison = choice.comparison;
  unusable_ = choice.unusable;
  if (!unusable_.empty()) fail(ExitCode::usage, unusable_);
  // What was refused is tried again where users' kernels have changed: it may be for their sake.
  const bool again = followed_ && followed_->kernels != followed.kernels && !refused_.empty();
  const bool changed = unusable_.empty() && (choice.selection != wanted_ || again);
  if (changed && choice.selection.algorithm) preloader_.begin(choice.selection, expects_choices_);
  if (changed) want(std::move(choice.selection));
  followed_ = std::move(followed);
  return changed;
}

// Does not call follow(), which would report what is wrong with `settings`.
bool Engine::shows(const Settings& settings) const try {
  if (!has_picture() || !refusal().empty() || !followed_ || followed_->devices != devices_) return false;
  if (followed_->settings.device != settings.device) return false;
  return make_selection(settings, wanted_.device) == shown_.selection;
} catch (const std::invalid_argument&) {
  return false;
}

void Engine::want(Selection selection) {
  wanted_ = std::move(selection);
  refused_.clear();
  refusal_.clear();
}

const Engine::Refused* Engine::refused(const Selection& selection, gpu::Size size) const {
  const auto found = std::ranges::find_if(
      refused_, [&](const Refused& refused) { return refused.size == size && refused.selection == selection; });
  return found == refused_.end() ? nullptr : &*found;
}

// What was refused for this size is not tried again: the last selection that worked stays in use. If that is refused too, because
// the source has changed, the source is shown unprocessed: the last picture would be taken for a picture of the new source. A user's
// kernel is left out before that.
Selection Engine::selection_for(gpu::Size size) const {
  if (!refused(wanted_, size)) return wanted_;
  const auto& worked = shown_.selection;
  if (worked.algorithm && !refused(worked, size)) return worked;
  if (!wanted_.algorithm) return {};
  const auto built_in = without_user_kernels(wanted_);
  return refused(built_in, size) ? without_effect(built_in) : built_in;
}

bool Engine::begin(const capture::Frame& frame, const Settings& settings, std::uint64_t id) {
  has_substitute_ = false;
  const bool pixels = std::exchange(pixels_wanted_, false);
  follow(settings);
  if (!wanted_.algorithm) return false;
  try {
    choose_attempt(frame.size);
    auto& pipeline = pipeline_for(attempt_.selection.device);
    attempt_.pipeline = &pipeline;
    attempt_.looked = Clock::now();
    if (!awaits_choice() && std::exchange(trace_wanted_, false)) {
      warnings_.trace = why_no_tiles(*attempt_.selection.algorithm);
      attempt_.traces = warnings_.trace.empty();
      if (attempt_.traces) pipeline.trace_next();
    }
    if (pixels) pipeline.pixels_next();
    auto work = [this, &pipeline, &frame, selection = attempt_.selection, id] {
      pipeline.compute(frame, selection, id, surface_);
    };
    if (pipeline.device() == gpu::Device::cuda)
      work();
    else
      worker_.begin(std::move(work));
    busy_ = true;
    note_tables();
    return true;
  } catch (...) {
    explain(std::current_exception());
    give_up_trace();
    return false;
  }
}

// Chooses what is made of a frame of this size.
void Engine::choose_attempt(gpu::Size size) {
  const bool other_size = attempt_.size != size;
  attempt_ = {.selection = selection_for(size), .size = size};
  await_choice();
  await_trial();
  const auto* instead_of = refused(wanted_, size);
  if (other_size && !instead_of && failure_ && failure_->text == refusal_) failure_.reset();  // it may fit this frame
  refusal_ = instead_of ? instead_of->why : std::string();
}

// The selection before the one whose kernels or files are missing, where there is one. The first picture is not kept waiting: its
// kernels are the first that are loaded, by whoever comes first.
void Engine::await_choice() {
  const auto& worked = shown_.selection;
  while (!keeps_going_ && !preloader_.has_files(attempt_.selection, worked)) preloader_.wait(1s);
  if (keeps_going_ && has_picture() && worked.algorithm && !refused(worked, attempt_.size)) {
    if (!has_arrived(attempt_.selection)) attempt_.selection = worked;
    return;
  }
  if (const auto trial = may_run(attempt_.selection, attempt_.size); trial && trial->empty())
    preloader_.has_kernels(attempt_.selection, attempt_.size, trace_wanted_);  // they are next
  warnings_.waiting.clear();
  awaited_since_.reset();
}

// Puts in place of users' kernels that may not run yet, or not at all, what may.
void Engine::await_trial() {
  if (!trial_) return;
  for (int others = 0; others < 3 && !user_kernels_of(attempt_.selection).empty(); ++others) {
    std::optional<std::string> why;
    do why = may_run(attempt_.selection, attempt_.size, keeps_going_ ? 0s : 1s);
    while (!why && !keeps_going_ && !interrupted());
    has_substitute_ = false;  // that is made now
    if (why && why->empty()) return;
    if (!why) {
      if (!awaited_since_) awaited_since_ = std::chrono::steady_clock::now();
      break;
    }
    if (attempt_.selection == wanted_)
      refuse(attempt_, ExitCode::failed, *why);
    else  // what is told is why the choice itself is not in use
      refused_.push_back({attempt_.selection, attempt_.size, *why});
    attempt_.selection = selection_for(attempt_.size);
  }
  has_substitute_ = false;
  attempt_.selection = without_user_kernels(attempt_.selection);
}

// Whether its files and kernels have, and those of users' files are tried. If not, it is awaited, and that is said once it takes long.
bool Engine::has_arrived(const Selection& selection) {
  const auto trial = may_run(selection, attempt_.size);
  const bool has_failed = trial && !trial->empty();  // then there is nothing to wait for
  const bool has_files = preloader_.has_files(selection, shown_.selection);
  if (trial && has_files && (has_failed || preloader_.has_kernels(selection, attempt_.size, trace_wanted_))) {
    warnings_.waiting.clear();
    awaited_since_.reset();
    return true;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!awaited_since_) awaited_since_ = now;
  if (now > *awaited_since_ + long_wait)
    warnings_.waiting = std::string(!has_files ? "a file that was chosen is being read"
                                    : !trial   ? "a kernel of your own is being tried on pictures of this size"
                                               : "what was chosen is being compiled for this GPU") +
                        "; until then the picture stays as it was";
  return false;
}

// What stops users' kernels that are under way; null: they end by themselves, or their device cannot stop any.
std::function<void(bool on)> Engine::stop_of_kernels() const {
  if (user_kernels_of(attempt_.selection).empty()) return {};
  if (stop_) return stop_;
  const bool simulated = attempt_.selection.device == gpu::Device::simulated && simulated_gpu_is_loaded();
  return simulated ? simulated_gpu().stop : std::function<void(bool)>();
}

// The picture before shows how long one takes.
Engine::Clock::duration Engine::longest_attempt() const {
  if (longest_) return *longest_;
  const bool known = shown_.selection == attempt_.selection && shown_.size == attempt_.size;
  return known ? std::max<Clock::duration>(longest_later, 20 * shown_.took) : longest_first;
}

// Whether the worker thread has finished within `patience`; throws what its work threw. A user's kernel that takes too long
// is stopped.
bool Engine::await_worker(std::chrono::microseconds patience) {
  const auto end_stop = [&] {
    if (!std::exchange(stopping_, false)) return false;
    stop_of_kernels()(false);
    return true;
  };
  const auto count_time = [&] {  // a program that was stopped meanwhile does not count
    const auto now = Clock::now();
    attempt_.took += std::min<Clock::duration>(now - std::exchange(attempt_.looked, now), patience + 1s);
  };
  try {
    const bool ended = worker_.wait(patience);
    count_time();
    if (ended) {
      end_stop();  // it has come to its end just then
      return true;
    }
  } catch (...) {
    if (!end_stop()) throw;
    std::string names;
    for (const auto* version : user_kernels_of(attempt_.selection))
      names += (names.empty() ? "" : " or ") + version->file.filename().string();
    const auto seconds = std::chrono::duration<double>(attempt_.took).count();
    throw std::runtime_error(names + ": does not end within " + short_number(seconds) + " s on this picture");
  }
  if (stopping_ || attempt_.took < longest_attempt()) return false;
  if (const auto stop = stop_of_kernels()) {
    stopping_ = true;
    stop(true);
  }
  return false;
}

std::optional<Published> Engine::finish(std::chrono::microseconds patience) {
  if (!busy_) return {};
  try {
    if (!await_worker(patience)) return {};
  } catch (...) {
    busy_ = false;
    explain(std::current_exception());
    give_up_trace();
    return {};
  }
  busy_ = false;
  const bool older_tiles = shown_.traces && shown_.pipeline == attempt_.pipeline;  // of a GPU: they arrive later
  shown_ = attempt_;
  shown_.traces |= older_tiles;
  if (refusal().empty()) failure_.reset();
  return shown_.pipeline->publish();
}

std::optional<Published> Engine::move_wipe() {
  auto moved = shown_.selection;
  moved.composition.wipe = wanted_.composition.wipe;
  if (!shown_.pipeline || !is_wipe(moved) || moved != wanted_ || moved == shown_.selection) return {};
  attempt_.selection = shown_.selection = wanted_;
  failure_.reset();
  return shown_.pipeline->move_wipe(moved.composition.wipe);
}

// The picture was not made, and no tiles were recorded: its substitute, which is made next, records them.
void Engine::give_up_trace() {
  if (std::exchange(attempt_.traces, false)) trace_wanted_ |= has_substitute_;
}

// An algorithm other than the chosen one may compute some of the tables.
void Engine::note_tables() {
  const auto& made = attempt_.selection;
  warnings_.tables.clear();
  for (const auto& s : made.sides.empty() ? std::span(&made, 1) : std::span(made.sides))
    if (s.algorithm && warnings_.tables.empty())
      warnings_.tables = gpu::table_note(*s.algorithm, s.effect->wanted_tables(s.effect_arguments, s.device),
                                         attempt_.size.height, s.device);
}

std::optional<gpu::TimelineFrame> Engine::take_times() {
  for (const auto& pipeline : pipelines_)
    if (pipeline && (!busy_ || pipeline.get() != attempt_.pipeline || pipeline->device() == gpu::Device::cuda))
      if (auto frame = pipeline->take_times()) return frame;
  return {};
}

// Records of a GPU's pipeline may arrive while it makes the next picture; other pipelines are the worker thread's then.
std::shared_ptr<const TileHistory> Engine::take_trace() {
  auto* pipeline = shown_.pipeline;
  if (!pipeline || (busy_ && pipeline == attempt_.pipeline && pipeline->device() != gpu::Device::cuda)) return {};
  std::shared_ptr<const TileHistory> trace;
  if (!attempt([&] { trace = pipeline->take_trace(); }) || trace) shown_.traces = false;
  return trace;
}

bool Engine::process(const capture::Frame& frame, const Settings& settings, const PictureSink& sink) {
  if (!begin(frame, settings)) return false;
  while (busy_)
    if (const auto made = finish(std::chrono::seconds(1))) {
      if (sink) made->hand_to(sink);
      return true;
    }
  return false;
}

bool Engine::frame_is_free() {
  if (busy_) return false;
  bool uploaded = true;
  if (shown_.pipeline && !attempt([&] { uploaded = shown_.pipeline->uploaded(); }))
    return !shown_.pipeline;  // what is lost reads nothing any more
  return uploaded;
}

bool Engine::attempt(const std::function<void()>& use) try {
  use();
  return true;
} catch (const gpu::CudaError&) {
  explain(std::current_exception(), shown_);  // another picture may be under way
  return false;
}

void Engine::explain(std::exception_ptr thrown) { explain(std::move(thrown), attempt_); }

void Engine::explain(std::exception_ptr thrown, const Attempt& of) {
  const auto lose_picture = [&](const std::string& why) {
    // What a user's kernel does once it does again.
    if (!user_kernels_of(of.selection).empty()) {
      if (failed_) failed_(of.selection, of.size, why);
      return refuse(of, ExitCode::failed, why);
    }
    if (of.selection == wanted_ && wanted_ != shown_.selection) refusal_ = why;  // the next frame may have one
    fail(ExitCode::failed, why);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const gpu::CudaError& error) {
    if (error.out_of_memory())
      refuse(of, ExitCode::failed, "the GPU's memory is exhausted: choose a smaller picture, or compute on the CPU");
    else if ((attempt_.selection.device == gpu::Device::cuda || shown_.selection.device == gpu::Device::cuda) &&
             gpu_is_lost())
      lose_gpu(error.what());
    else
      lose_picture(std::string("GPU error: ") + error.what());
  } catch (const std::bad_alloc&) {
    refuse(of, ExitCode::failed, "memory is exhausted: choose a smaller picture");
  } catch (const std::invalid_argument& error) {  // ArgumentError too
    refuse(of, ExitCode::usage, error.what());
  } catch (const ExitError& error) {
    refuse(of, error.code(), error.what());
  } catch (const std::exception& error) {
    lose_picture(error.what());
  }
}

// A selection that has already made a picture of this size is not refused: its next frame may have one again. A user's kernel is.
void Engine::refuse(const Attempt& of, ExitCode code, const std::string& why) {
  const auto& selection = of.selection;
  const auto size = of.size;
  const bool has_worked = has_picture() && selection == shown_.selection && size == shown_.size;
  if (has_worked && user_kernels_of(selection).empty()) return fail(code, why);
  std::erase_if(refused_, [&](const Refused& refused) { return refused.size != size; });
  if (!refused(selection, size)) refused_.push_back({selection, size, why});
  if (selection == wanted_) refusal_ = why;
  const auto substitute = selection_for(size);
  has_substitute_ = !refused(substitute, size);
  fail(code, why, has_substitute_ && wanted_.algorithm && substitute == without_effect(wanted_));
}

void Engine::fail(ExitCode code, const std::string& why, bool plain) { failure_ = {code, why, plain}; }

void Engine::lose_gpu(const std::string& why) {
  fail(ExitCode::ok, "GPU error: " + why + "; switched to the CPU");
  probe_ = {{}, "it failed: " + why};
  preloader_.end_kernels();
  auto& lost = pipelines_[static_cast<std::size_t>(gpu::Device::cuda)];
  busy_ = busy_ && attempt_.pipeline != lost.get();
  for (auto* user : {&shown_, &attempt_})
    if (user->pipeline == lost.get()) user->pipeline = nullptr, user->traces = false;
  if (!shown_.pipeline) shown_.selection = {};
  lost.reset();
  ++devices_;
  want({});
}

}  // namespace app
