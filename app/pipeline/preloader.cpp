#include "app/pipeline/preloader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/pipeline/lane.h"
#include "app/support/threads.h"
#include "gpu/checks/verify.h"
#include "gpu/choice/bounds.h"
#include "gpu/choice/tune.h"
#include "gpu/cuda/kernel_loading.h"
#include "gpu/cuda/launch.h"
#include "gpu/pictures/canvas.h"
#include "gpu/pictures/composition.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/tables/tables.h"

namespace app {
namespace {

using gpu::view_without_memory;

// Frames for which algorithms choose different kernels: of common sizes, and with rows that are too short to be aligned.
constexpr gpu::Size sizes[] = {{1920, 1080}, {640, 480}, {3840, 2160}, {97, 65}, {13, 300}, {3, 2}, {1, 1}, {20000, 12000}};

// The kernels that `work` launches, each once.
Kernels replay(gpu::Device device, const std::function<void(gpu::Context&)>& work) {
  auto dry = gpu::Context::dry(device);
  try {
    work(dry);
  } catch (const std::invalid_argument&) {  // also ArgumentError: what does not fit this size is not launched
  }
  Kernels kernels;
  for (const auto& launch : dry.launches())
    if (launch.kernel && std::ranges::find(kernels, launch.kernel) == kernels.end()) kernels.push_back(launch.kernel);
  return kernels;
}

// Not `aligned`: rows as of narrow planes that an effect makes, and of tables that share memory.
void replay_table(gpu::Context& dry, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, gpu::Size size,
                  gpu::SatType type, bool aligned = true) {
  const auto& types = gpu::info(type);
  auto image = view_without_memory(size, types.input);
  auto sat = view_without_memory(size, types.sum);
  if (!aligned) image.stride = sat.stride = size.width | 1;
  gpu::compute_sat(dry, algorithm, image, sat, arguments);
}

void replay_trace(gpu::Context& dry, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, gpu::Size size) {
  gpu::TileRecorder recorder;
  if (algorithm.records_tiles)
    gpu::compute_sat(dry, algorithm, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size),
                     arguments, recorder);
}

// `prepared`: by the same effect before, or null; then by this one.
void replay_side(gpu::Context& dry, gpu::Size size, const Selection& selection, std::shared_ptr<const void>& prepared) {
  prepared = gpu::prepare_effect(dry, *selection.effect, selection.effect_arguments, size, prepared);
  replay_lane(dry, size, selection, prepared.get());
}

void replay_composition(gpu::Context& dry, gpu::Size size, Composition::Mode mode) {
  const auto picture = view_without_memory<gpu::Rgba>(size);
  if (mode == Composition::Mode::wipe)
    gpu::draw_wipe(dry, {picture, picture, 0}, gpu::Canvas{{}, picture});
  else
    gpu::draw_difference(dry, picture, picture, gpu::Canvas{{}, picture}, 1);
}

// Replays what is done before lanes.
void replay_frame(gpu::Context& dry, gpu::Size size) {
  gpu::wait_for_gpu(dry, "wait for the GPU");
  gpu::luma(dry, view_without_memory<const gpu::Bgr>(size), view_without_memory<std::uint8_t>(size));
}

// A parameter's initial value, its choices, and its limits.
std::vector<std::string> values_of(const gpu::Parameter& parameter) {
  std::vector<std::string> values{std::string(parameter.initial)};
  const auto add = [&](std::string text) {
    if (std::ranges::find(values, text) == values.end()) values.push_back(std::move(text));
  };
  if (!parameter.choices.empty())
    for (const auto choice : gpu::split_choices(parameter.choices)) add(std::string(choice));
  if (parameter.kind == gpu::Parameter::Kind::integer || parameter.kind == gpu::Parameter::Kind::real)
    for (const auto end : {parameter.minimum, parameter.maximum}) {
      char text[32];  // exactly: rounded, a limit may lie outside
      add({text, std::to_chars(text, text + sizeof text, end).ptr});
    }
  return values;
}

using Replay = std::function<void(gpu::Context&)>;
using Add = std::function<void(const Replay&)>;  // takes the kernels that it launches

void list_frame(const Add& add) {
  for (const auto size : sizes) {
    add([&](gpu::Context& dry) { replay_frame(dry, size); });
    for (const auto mode : {Composition::Mode::wipe, Composition::Mode::difference})
      add([&](gpu::Context& dry) { replay_composition(dry, size, mode); });
    add([&](gpu::Context& dry) {
      gpu::check_table(dry, view_without_memory<const std::uint8_t>(size), view_without_memory<const std::uint32_t>(size));
    });
  }
}

// With their initial arguments, or with `all` combinations, for frames of all sizes.
void list_effects(const Add& add, gpu::Device device, const gpu::SatAlgorithm& algorithm, bool all) {
  for (const auto* effect : gpu::built_in_effects()) {
    std::shared_ptr<const void> prepared;
    const auto values = [&](const gpu::Parameter& parameter) {  // preparing takes long, and numbers choose few kernels
      const bool number = parameter.kind == gpu::Parameter::Kind::real || parameter.kind == gpu::Parameter::Kind::integer;
      return !all || (effect->prepare && number) ? std::vector<std::string>() : values_of(parameter);
    };
    for (const auto& arguments : gpu::combinations_of(gpu::Arguments(effect->parameters), values))
      for (const auto size : std::span(sizes).first(all ? std::size(sizes) : 1)) {
        const Selection selection{&algorithm, gpu::Arguments(algorithm.parameters), effect, arguments, TimingChoice::off,
                                  device};
        add([&](gpu::Context& dry) { replay_side(dry, size, selection, prepared); });
      }
  }
}

void list_algorithm(const Add& add, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, gpu::Size size) {
  add([&](gpu::Context& dry) { replay_table(dry, algorithm, arguments, size, gpu::SatType::u8_u32); });
  if (algorithm.run_batch) add([&](gpu::Context& dry) { replay_channels(dry, size, algorithm, arguments); });
}

// What few frames need: other arguments, types and sizes, and the recorder of tiles.
void list_variants(const Add& add, const gpu::SatAlgorithm& algorithm) {
  for (const auto& arguments : gpu::combinations_of(gpu::Arguments(algorithm.parameters), values_of))
    for (const auto size : sizes) {
      list_algorithm(add, algorithm, arguments, size);
      for (const auto term : {gpu::Term::pixel, gpu::Term::square})
        for (const bool aligned : {true, false})
          add([&](gpu::Context& dry) { replay_table(dry, algorithm, arguments, size, gpu::exact_type(term), aligned); });
      add([&](gpu::Context& dry) { replay_trace(dry, algorithm, arguments, size); });
    }
}

}  // namespace

Kernels kernels_of(const Selection& selection, gpu::Size size, bool traced) {
  return replay(selection.device, [&](gpu::Context& dry) {
    replay_frame(dry, size);
    for (const auto& side : selection.sides.empty() ? std::span(&selection, 1) : std::span(selection.sides)) {
      std::shared_ptr<const void> prepared;
      replay_side(dry, size, side, prepared);
    }
    if (!selection.sides.empty()) replay_composition(dry, size, selection.composition.mode);
    if (traced && selection.algorithm) replay_trace(dry, *selection.algorithm, selection.algorithm_arguments, size);
  });
}

void list_kernels(gpu::Device device, const std::function<bool(const Kernels&)>& take) {
  std::vector<const gpu::SatAlgorithm*> algorithms;
  std::ranges::copy_if(gpu::built_in_sat_algorithms(), std::back_inserter(algorithms),
                       [&](const gpu::SatAlgorithm* algorithm) {
                         return gpu::runs_on(*algorithm, device) && gpu::why_unavailable(*algorithm).empty();
                       });
  bool going = true;
  const Add add = [&](const Replay& one) { going = going && take(replay(device, one)); };
  list_frame(add);
  const auto copies = gpu::surface_kernels();
  going = going && take(Kernels(copies.begin(), copies.end())) && take({gpu::clear_kernel()});
  if (!algorithms.empty()) list_effects(add, device, *algorithms.front(), false);
  for (const auto* algorithm : algorithms) list_algorithm(add, *algorithm, gpu::Arguments(algorithm->parameters), sizes[0]);
  if (!algorithms.empty()) list_effects(add, device, *algorithms.front(), true);
  for (const auto* algorithm : algorithms) list_variants(add, *algorithm);
  for (const auto size : sizes)
    add([&](gpu::Context& dry) {
      gpu::compute_tilted(dry, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size));
    });
  if (device != gpu::Device::cuda) return;
  for (const auto& bound : gpu::bounds(device))  // of a race
    add([&](gpu::Context& dry) {
      bound.run(dry, view_without_memory(sizes[0], gpu::ElementType::u8),
                view_without_memory(sizes[0], gpu::ElementType::u32));
    });
}

KernelLoader gpu_kernel_loader(int index) {
  return {gpu::Device::cuda, [index] {
            const auto loading = std::make_shared<gpu::KernelLoading>(index);
            return [loading](const void* kernel) { loading->load(kernel); };
          }};
}

namespace {

constexpr std::size_t most_kept = 7;       // built from files that were chosen last, and from those that will be
constexpr std::size_t most_expected = 64;  // of a script without an end; what is not built ahead is when it is chosen

std::span<const Selection> sides_of(const Selection& selection) {
  return selection.sides.empty() ? std::span(&selection, 1) : std::span(selection.sides);
}

// The files that its effects name, but for those of an initial value, which are read from the start.
std::vector<std::string> chosen_files(const Selection& selection) {
  std::vector<std::string> files;
  for (const auto& side : sides_of(selection))
    for (const auto& parameter : side.effect_arguments.parameters())
      if (const auto& text = side.effect_arguments.text(parameter.name);
          parameter.kind == gpu::Parameter::Kind::file && text != parameter.initial)
        files.push_back(text);
  return files;
}

Selection effect_alone(const gpu::Effect& effect, gpu::Device device) {
  return {nullptr, {}, &effect, gpu::Arguments(effect.parameters), TimingChoice::off, device};
}

}  // namespace

void Preloader::begin(const Selection& chosen, bool others) {
  const bool loads = loader_ && loader_->device == chosen.device;
  if (loads && !loading_begun_ && user_kernels_of(chosen).empty())
    has_kernels(chosen, {1920, 1080}, false);  // they are next; no frame has come yet
  {
    const std::lock_guard lock(mutex_);
    device_ = chosen.device;
    if (loads && !std::exchange(loading_begun_, true)) {
      kernels_due_ = true;
      other_kernels_ = others;
    } else if (!loads && others && initial_.empty()) {
      std::list<Built> all;  // where memory is exhausted, there are none, and the next choice tries again
      for (const auto* effect : gpu::built_in_effects()) all.push_back({{}, effect_alone(*effect, chosen.device)});
      initial_ = std::move(all);
    }
  }
  wake();
}

bool Preloader::has_kernels(const Selection& selection, gpu::Size size, bool traced) {
  if (!loader_ || loader_->device != selection.device) return true;
  std::unique_lock lock(mutex_);
  if (kernels_ended_) return true;
  if (!asked_ || asked_->size != size || asked_->traced != traced || asked_->selection != selection) {
    lock.unlock();
    asked_ = {selection, size, traced, kernels_of(selection, size, traced)};
    lock.lock();
  }
  urgent_.clear();
  std::copy_if(asked_->kernels.rbegin(), asked_->kernels.rend(), std::back_inserter(urgent_),
               [&](const void* kernel) { return !loaded_.contains(kernel); });
  return kernels_ended_ || urgent_.empty();
}

bool Preloader::has_files(const Selection& selection, const Selection& in_use) {
  const auto used = chosen_files(in_use);
  bool built = true;
  for (const auto& side : sides_of(selection))
    for (const auto& file : chosen_files(side)) {
      if (std::ranges::find(used, file) != used.end()) continue;
      const std::lock_guard lock(mutex_);
      built = choose(file, side) && built;
    }
  wake();  // also where it is built: another one that is expected may have room now
  return built;
}

bool Preloader::choose(const std::string& file, const Selection& selection) {
  for (auto* list : {&chosen_, &ahead_})
    if (const auto at = std::ranges::find(*list, file, &Built::file); at != list->end()) {
      chosen_.splice(chosen_.end(), *list, at);
      return at->done;
    }
  chosen_.push_back({file, selection});
  while (chosen_.size() > most_kept && &chosen_.front() != under_way_) chosen_.pop_front();
  return false;
}

void Preloader::expect(std::span<const Change> changes) {
  for (const auto& change : changes) {
    const ParameterPath path(change.path);
    for (const auto* effect : gpu::all_effects())
      for (const auto& parameter : effect->parameters) {
        if (parameter.kind != gpu::Parameter::Kind::file || parameter.name != path.name) continue;
        if (path.has_owner && path.owner != effect->name && path.owner != of_effect) continue;
        auto selection = effect_alone(*effect, gpu::Device::host);
        try {
          selection.effect_arguments.set(parameter.name, change.text);
        } catch (const gpu::ArgumentError&) {  // whoever sets it is told why
          continue;
        }
        const std::lock_guard lock(mutex_);
        for (const auto& file : chosen_files(selection))
          if (expected_.size() < most_expected) expected_.push_back({file, selection});
      }
  }
  wake();
}

void Preloader::wait(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, patience, [this] { return std::ranges::all_of(chosen_, &Built::done); });
}

void Preloader::end_kernels() {
  const std::lock_guard lock(mutex_);
  kernels_ended_ = true;
  kernels_due_ = false;
}

// Where the system starts no more threads, the caller does what is due; kernels are loaded by their first launch then.
void Preloader::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (!kernels_due_ && !next_to_build()) return;
  }
  try {
    if (!thread_.joinable()) thread_ = start_thread([this](const std::stop_token& stop) { work(stop); });
    wake_.notify_all();
  } catch (const std::runtime_error&) {
    end_kernels();
    do_urgent(nullptr, {});
  }
}

// Kernels come before files that are expected. Their loader also makes its GPU this thread's.
void Preloader::work(const std::stop_token& stop) {
  do {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, stop, [this] { return kernels_due_ || next_to_build(); });
    if (!std::exchange(kernels_due_, false)) continue;
    lock.unlock();
    load_kernels(stop);
  } while (do_urgent(nullptr, stop));
  end_kernels();
}

void Preloader::load_kernels(const std::stop_token& stop) {
  try {
    const auto load = loader_->start();
    const auto take = [&](const Kernels& kernels) {
      bool goes_on = do_urgent(&load, stop);
      for (auto next = kernels.begin(); goes_on && next != kernels.end(); ++next) {
        load_once(*next, load);
        goes_on = do_urgent(&load, stop);
      }
      return goes_on;
    };
    if (take({}) && other_kernels_) list_kernels(loader_->device, take);
  } catch (const std::exception&) {  // the GPU is lost, or cannot load one: whoever launches a kernel is told why
  }
  end_kernels();
}

void Preloader::load_once(const void* kernel, const KernelLoader::Load& load) {
  if (loaded_.contains(kernel)) return;  // no other thread changes it
  load(kernel);
  const std::lock_guard lock(mutex_);
  loaded_.insert(kernel);
}

// What a choice waits for, and files; kernels only with `load`, until they have ended. False once no more is to be done.
bool Preloader::do_urgent(const KernelLoader::Load* load, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    if (load && kernels_ended_) return false;
    if (load && !urgent_.empty()) {
      const auto* kernel = urgent_.back();
      urgent_.pop_back();
      lock.unlock();
      load_once(kernel, *load);
    } else if ((under_way_ = next_to_build())) {
      lock.unlock();
      build();
    } else {
      return true;
    }
  }
  return false;
}

// What is chosen last comes first. What is under way is the next one, too.
Preloader::Built* Preloader::next_to_build() {
  if (under_way_) return under_way_;
  for (auto at = chosen_.rbegin(); at != chosen_.rend(); ++at)
    if (!at->done) return &*at;
  for (auto* list : {&initial_, &ahead_})
    for (auto& one : *list)
      if (!one.done) return &one;
  const auto is_known = [this](const Built& one) {
    return std::ranges::any_of(std::array{&chosen_, &ahead_},
                               [&](auto* list) { return std::ranges::find(*list, one.file, &Built::file) != list->end(); });
  };
  while (!expected_.empty() && is_known(expected_.front())) expected_.pop_front();
  if (!device_ || expected_.empty() || ahead_.size() == most_kept) return nullptr;
  expected_.front().selection.device = *device_;
  ahead_.splice(ahead_.end(), expected_, expected_.begin());
  return &ahead_.back();
}

void Preloader::build() {
  const auto& selection = under_way_->selection;
  std::shared_ptr<const void> kept;
  try {
    auto dry = gpu::Context::dry(selection.device);
    kept = gpu::prepare_effect(dry, *selection.effect, selection.effect_arguments, {640, 480});
  } catch (const std::exception&) {  // whoever makes a picture with it is told why
  }
  const std::lock_guard lock(mutex_);
  under_way_->kept = std::move(kept);
  under_way_->done = true;
  under_way_ = nullptr;
  wake_.notify_all();
}

}  // namespace app
