#include "app/pipeline/kernel_loader.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/pipeline/lane.h"
#include "app/support/threads.h"
#include "gpu/checks/check_table.h"
#include "gpu/choice/bounds.h"
#include "gpu/choice/parameter_search.h"
#include "gpu/cuda/clear.h"
#include "gpu/cuda/kernel_loading.h"
#include "gpu/pictures/composition.h"
#include "gpu/pictures/surface.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/tables/tables.h"

namespace app {
namespace {

using gpu::view_without_memory;

// Frames for which algorithms choose different kernels: of common sizes, and with rows that are too short to be aligned.
constexpr gpu::Size sizes[] = {{1920, 1080}, {640, 480}, {3840, 2160}, {97, 65}, {13, 300}, {3, 2}, {1, 1}, {20000, 12000}};

Kernels each_once(const gpu::Context& dry) {
  Kernels kernels;
  for (const auto& launch : dry.launches())
    if (launch.kernel && std::ranges::find(kernels, launch.kernel) == kernels.end()) kernels.push_back(launch.kernel);
  return kernels;
}

Kernels replay(gpu::Device device, const std::function<void(gpu::Context&)>& work) {
  auto dry = gpu::Context::dry(device);
  try {
    work(dry);
  } catch (const std::invalid_argument&) {  // also ArgumentError: what does not fit this size is not launched
  }
  return each_once(dry);
}

void replay_table(gpu::Context& dry, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, gpu::Size size,
                  gpu::SatType type) {
  const auto& types = gpu::info(type);
  gpu::compute_sat(dry, algorithm, view_without_memory(size, types.input), view_without_memory(size, types.sum), arguments);
}

// Rows that are not aligned: of narrow planes that an effect makes, and of tables that share memory.
void replay_table_anywhere(gpu::Context& dry, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments,
                           gpu::Size size, gpu::SatType type) {
  const auto& types = gpu::info(type);
  const std::ptrdiff_t odd_stride = size.width | 1;
  gpu::compute_sat(dry, algorithm, gpu::AnyConstImageView(nullptr, size.width, size.height, odd_stride, types.input),
                   gpu::AnyImageView(nullptr, size.width, size.height, odd_stride, types.sum), arguments);
}

void replay_trace(gpu::Context& dry, const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, gpu::Size size) {
  gpu::TileRecorder recorder;
  if (algorithm.records_tiles)
    gpu::compute_sat(dry, algorithm, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size),
                     arguments, recorder);
}

// `prepared`: by the same effect before, or null.
void replay_side(gpu::Context& dry, gpu::Size size, const Selection& selection, std::shared_ptr<const void>& prepared) {
  prepared = gpu::prepare_effect(dry, *selection.effect, selection.effect_arguments, size, prepared);
  replay_lane(dry, size, selection, prepared.get());
}
void replay_side(gpu::Context& dry, gpu::Size size, const Selection& selection) {
  std::shared_ptr<const void> prepared;
  replay_side(dry, size, selection, prepared);
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

class Listing {
 public:
  Listing(gpu::Device device, const std::function<bool(const Kernels&)>& take) : device_(device), take_(take) {
    for (const auto* algorithm : gpu::sat_algorithms())
      if (gpu::runs_on(*algorithm, device) && gpu::why_unavailable(*algorithm).empty()) algorithms_.push_back(algorithm);
  }

  void frame() {
    for (const auto size : sizes) {
      add([&](gpu::Context& dry) { replay_frame(dry, size); });
      for (const auto mode : {Composition::Mode::wipe, Composition::Mode::difference})
        add([&](gpu::Context& dry) { replay_composition(dry, size, mode); });
      add([&](gpu::Context& dry) {
        gpu::check_table(dry, view_without_memory<const std::uint8_t>(size), view_without_memory<const std::uint32_t>(size));
      });
    }
    const auto copies = gpu::surface_kernels();
    add(Kernels(copies.begin(), copies.end()));
    add(Kernels{gpu::clear_kernel()});
  }

  void initial() {
    for (const auto* effect : gpu::all_effects()) {
      prepared_.reset();
      draw(*effect, gpu::Arguments(effect->parameters), sizes[0]);
    }
    for (const auto* algorithm : algorithms_)
      sum(*algorithm, gpu::Arguments(algorithm->parameters), sizes[0], gpu::SatType::u8_u32);
  }

  void combined() {
    for (const auto* effect : gpu::all_effects()) {
      prepared_.reset();
      const auto values = [&](const gpu::Parameter& parameter) {  // preparing takes long, and numbers choose few kernels
        const bool number = parameter.kind == gpu::Parameter::Kind::real || parameter.kind == gpu::Parameter::Kind::integer;
        return effect->prepare && number ? std::vector{std::string(parameter.initial)} : values_of(parameter);
      };
      for (const auto& arguments : gpu::combinations_of(gpu::Arguments(effect->parameters), values))
        for (const auto size : sizes) draw(*effect, arguments, size);
    }
    for (const auto* algorithm : algorithms_)
      for (const auto& arguments : gpu::combinations_of(gpu::Arguments(algorithm->parameters), values_of))
        for (const auto size : sizes) {
          for (const auto term : {gpu::Term::pixel, gpu::Term::square}) {
            const auto type = gpu::exact_type(term);
            sum(*algorithm, arguments, size, type);
            add([&](gpu::Context& dry) { replay_table_anywhere(dry, *algorithm, arguments, size, type); });
          }
          add([&](gpu::Context& dry) { replay_trace(dry, *algorithm, arguments, size); });
        }
    for (const auto size : sizes)
      add([&](gpu::Context& dry) {
        gpu::compute_tilted(dry, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size));
      });
  }

  void race() {
    if (device_ != gpu::Device::cuda) return;
    for (const auto& bound : gpu::bounds(device_))
      add([&](gpu::Context& dry) {
        bound.run(dry, view_without_memory(sizes[0], gpu::ElementType::u8),
                  view_without_memory(sizes[0], gpu::ElementType::u32));
      });
  }

 private:
  void add(const Kernels& kernels) {
    if (going_) going_ = take_(kernels);
  }
  void add(const std::function<void(gpu::Context&)>& work) {
    if (going_) going_ = take_(replay(device_, work));
  }
  void draw(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size size) {
    if (algorithms_.empty()) return;
    const auto& algorithm = *algorithms_.front();
    const Selection selection{&algorithm, gpu::Arguments(algorithm.parameters), &effect, arguments, TimingChoice::off,
                              device_};
    add([&](gpu::Context& dry) { replay_side(dry, size, selection, prepared_); });
  }
  void sum(const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, gpu::Size size, gpu::SatType type) {
    add([&](gpu::Context& dry) { replay_table(dry, algorithm, arguments, size, type); });
    if (algorithm.run_batch && type == gpu::SatType::u8_u32)
      add([&](gpu::Context& dry) { replay_channels(dry, size, algorithm, arguments); });
  }

  gpu::Device device_;
  const std::function<bool(const Kernels&)>& take_;
  std::vector<const gpu::SatAlgorithm*> algorithms_;
  std::shared_ptr<const void> prepared_;  // by the effect whose kernels are listed
  bool going_ = true;
};

}  // namespace

Kernels kernels_of(const Selection& selection, gpu::Size size, bool traced) {
  return replay(selection.device, [&](gpu::Context& dry) {
    replay_frame(dry, size);
    if (selection.sides.empty()) {
      replay_side(dry, size, selection);
    } else {
      for (const auto& side : selection.sides) replay_side(dry, size, side);
      replay_composition(dry, size, selection.composition.mode);
    }
    if (traced && selection.algorithm) replay_trace(dry, *selection.algorithm, selection.algorithm_arguments, size);
  });
}

void list_kernels(gpu::Device device, const std::function<bool(const Kernels&)>& take) {
  Listing listing(device, take);
  listing.frame();
  listing.initial();
  listing.combined();
  listing.race();
}

void KernelLoader::begin(const Selection& chosen, gpu::Size size, bool others) {
  if (std::exchange(begun_, true)) return;
  urgent_ = kernels_of(chosen, size);
  std::ranges::reverse(urgent_);
  try {
    thread_ = start_thread([this, others](const std::stop_token& stop) { work(stop, others); });
  } catch (const std::runtime_error&) {  // the system starts no more threads
    ended_ = true;
  }
}

bool KernelLoader::have(const Selection& selection, gpu::Size size, bool traced) {
  std::unique_lock lock(mutex_);
  if (ended_) return true;
  if (!asked_ || asked_->size != size || asked_->traced != traced || asked_->selection != selection) {
    lock.unlock();
    asked_ = {selection, size, traced, kernels_of(selection, size, traced)};
    lock.lock();
  }
  urgent_.clear();
  std::ranges::copy_if(asked_->kernels, std::back_inserter(urgent_),
                       [&](const void* kernel) { return !loaded_.contains(kernel); });
  std::ranges::reverse(urgent_);
  return ended_ || urgent_.empty();
}

void KernelLoader::work(const std::stop_token& stop, bool others) {
  try {
    const auto load = start_();
    const auto take = [&](const Kernels& kernels) { return load_all(kernels, load, stop); };
    if (take({}) && others) list_kernels(device_, take);
  } catch (const std::exception&) {  // the GPU is lost, or cannot load one: whoever launches a kernel is told why
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

bool KernelLoader::load_all(const Kernels& kernels, const Load& load, const std::stop_token& stop) {
  for (auto next = kernels.begin(); !stop.stop_requested();) {
    const auto* kernel = take_urgent();
    if (!kernel && next == kernels.end()) return true;
    if (!kernel) kernel = *next++;
    if (loaded_.contains(kernel)) continue;  // no other thread changes it
    load(kernel);
    const std::lock_guard lock(mutex_);
    loaded_.insert(kernel);
  }
  return false;
}

const void* KernelLoader::take_urgent() {
  const std::lock_guard lock(mutex_);
  if (urgent_.empty()) return nullptr;
  const auto* kernel = urgent_.back();
  urgent_.pop_back();
  return kernel;
}

std::unique_ptr<KernelLoader> gpu_kernel_loader(int index) {
  return std::make_unique<KernelLoader>(gpu::Device::cuda, [index] {
    const auto loading = std::make_shared<gpu::KernelLoading>(index);
    return KernelLoader::Load([loading](const void* kernel) { loading->load(kernel); });
  });
}

}  // namespace app
