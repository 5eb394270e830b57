#include "gpu/choice/tune.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "gpu/choice/meter.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/memory.h"
#include "gpu/parameter.h"

namespace gpu {
namespace {

constexpr Size tuned_sizes[] = {{256, 256},   {512, 512},   {1024, 1024}, {1920, 1080},
                                {2048, 2048}, {3840, 2160}, {4096, 4096}, {8192, 8192}};
constexpr double never = std::numeric_limits<double>::infinity();
constexpr int few_samples = 5, many_samples = 30;
constexpr std::size_t finalists = 3;
// An algorithm that takes so many times as long as the fastest is not measured at larger sizes: from one size to the next, which
// has four times as many pixels at most, no algorithm gains so much.
constexpr double too_slow = 4;

struct Timed {
  const SatAlgorithm* algorithm;
  double time;  // microseconds
};

std::vector<Timed> all_algorithms(SatType type) {
  std::vector<Timed> all;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == Device::cuda && std::ranges::count(algorithm->types, type) > 0 &&
        algorithm->not_simulated.empty() &&  // it is not from a library
        why_unavailable(*algorithm).empty())
      all.push_back({algorithm, 0});
  return all;
}

// Sorts them by their new times, and leaves out what is too slow or does not run.
template <class Time>
void sort_by(std::vector<Timed>& algorithms, const Time& time) {
  for (auto& one : algorithms) one.time = time(*one.algorithm);
  std::ranges::stable_sort(algorithms, {}, &Timed::time);
  const double most = algorithms.empty() ? 0 : too_slow * algorithms.front().time;
  std::erase_if(algorithms, [&](const Timed& one) { return one.time == never || one.time > most; });
}

}  // namespace

// Types that few algorithms have are left out: there is nothing to choose.
std::vector<TunedSize> tune(const TimeAlgorithm& time, const TuneProgress& progress) {
  std::vector<TunedSize> measured;
  constexpr double all = static_cast<double>(usual_sat_types.size()) * std::size(tuned_sizes);
  double done = 0;
  for (const auto type : usual_sat_types) {
    auto candidates = all_algorithms(type);
    for (const auto size : tuned_sizes) {
      const std::string name(info(type).name);
      if (!progress(done++ / all, name + ' ' + std::to_string(size.width) + 'x' + std::to_string(size.height)))
        throw Interrupted();
      const auto fastest = [&](std::vector<Timed> algorithms, RunBy run_by) -> std::optional<TunedSize::Fastest> {
        algorithms.resize(std::min(algorithms.size(), finalists));
        sort_by(algorithms, [&](const SatAlgorithm& one) { return time(one, type, size, run_by, many_samples); });
        if (algorithms.empty()) return {};
        return TunedSize::Fastest{std::string(algorithms.front().algorithm->name), algorithms.front().time};
      };
      sort_by(candidates, [&](const SatAlgorithm& one) { return time(one, type, size, RunBy::graph, few_samples); });
      const auto in_graph = fastest(candidates, RunBy::graph), launched = fastest(candidates, RunBy::launches);
      if (in_graph && launched) measured.push_back({name, size, *in_graph, *launched});
    }
  }
  return measured;
}

// A piece is doubled until the memory is full.
void fill_with_random_pixels(std::span<std::byte> memory, ElementType type, Device device, cudaStream_t stream) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::minstd_rand random(1);
  std::vector<std::uint32_t> words(piece / sizeof(std::uint32_t));
  for (auto& word : words) word = static_cast<std::uint32_t>(std::uint64_t{random()} * 0x9e3779b97f4a7c15u >> 32);
  // As numbers of 32 bits in [1, 2), and as the upper half of those of 64 bits in [1/128, 2): a CPU is slow with subnormal ones.
  if (is_floating(type))
    for (auto& word : words) word = (word & 0x007fffffu) | 0x3f800000u;
  const auto copy = [&](std::byte* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (device == Device::host)
      std::memcpy(to, from, bytes);
    else
      check(cudaMemcpyAsync(to, from, bytes, kind, stream));
  };
  auto filled = std::min(piece, memory.size());
  copy(memory.data(), words.data(), filled, cudaMemcpyHostToDevice);
  for (; filled < memory.size(); filled = std::min(2 * filled, memory.size()))
    copy(memory.data() + filled, memory.data(), std::min(filled, memory.size() - filled), cudaMemcpyDeviceToDevice);
  if (device != Device::host) check(cudaStreamSynchronize(stream));
}

// Images and tables of one type and size: so many that a cache of that size has nothing of one that is used again.
struct TimesOnGpu::Stage {
  Stage(SatType type, Size size, std::size_t cache_bytes)
      : type(type), size(size), image_bytes(bytes(info(type).input)), table_bytes(bytes(info(type).sum)) {
    constexpr std::size_t most_copies = 1000;
    const auto pair = image_bytes + table_bytes;
    copies = std::min(4 * cache_bytes / pair + 1, most_copies);
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    if (copies * pair < free / 10 * 9) memory.emplace(copies * pair, Device::cuda);
  }
  std::size_t bytes(ElementType of) const {
    return static_cast<std::size_t>(pitched_stride(size.width, size_of(of))) * size_of(of) *
           static_cast<std::size_t>(size.height);
  }
  AnyConstImageView image(int copy) const {
    const auto kind = info(type).input;
    return {pair(copy), size.width, size.height, pitched_stride(size.width, size_of(kind)), kind};
  }
  AnyImageView table(int copy) const {
    const auto kind = info(type).sum;
    return {pair(copy) + image_bytes, size.width, size.height, pitched_stride(size.width, size_of(kind)), kind};
  }
  std::byte* pair(int copy) const { return memory->data() + (image_bytes + table_bytes) * static_cast<std::size_t>(copy); }

  SatType type;
  Size size;
  std::size_t image_bytes, table_bytes, copies = 0;
  std::optional<Buffer<std::byte>> memory;  // none: it is too large
};

struct TimesOnGpu::State {
  std::atomic<bool> stop = false;
  Meter meter{Device::cuda, stop};
  std::size_t cache_bytes = 0;
  std::optional<Stage> stage;
};

TimesOnGpu::TimesOnGpu(const GpuInfo& gpu) : state_(std::make_unique<State>()) { state_->cache_bytes = gpu.l2_bytes; }
TimesOnGpu::~TimesOnGpu() = default;

double TimesOnGpu::operator()(const SatAlgorithm& algorithm, SatType type, Size size, RunBy run_by, int samples) try {
  auto& [stop, meter, cache_bytes, stage] = *state_;
  if (!stage || stage->type != type || stage->size != size) {
    stage.reset();
    stage.emplace(type, size, cache_bytes);
    if (stage->memory) fill_with_random_pixels(stage->memory->span(), info(type).input, Device::cuda, meter.stream());
  }
  if (!stage->memory) return never;
  const Arguments arguments(algorithm.parameters);
  const auto work = [&](Context& context, int copy) {
    compute_sat(context, algorithm, stage->image(copy), stage->table(copy), arguments);
  };
  const auto copies = static_cast<int>(stage->copies);
  return run_by == RunBy::graph ? meter.measure(work, copies, samples).median : meter.measure_live(work, copies, samples);
} catch (const std::exception&) {
  // This one is not among the fastest, unless nothing can run any more.
  if (cudaDeviceSynchronize() != cudaSuccess) throw;
  return never;
}

namespace {

constexpr int coarse_intervals = 6;

// A real parameter's values are minimum + k * step; every stride-th is tried first.
int steps(const Parameter& parameter) {
  return static_cast<int>(std::lround((parameter.maximum - parameter.minimum) / parameter.step));
}
int coarse_stride(const Parameter& parameter) {
  int stride = 1;
  while (stride * coarse_intervals < steps(parameter)) stride *= 2;
  return stride;
}
std::string value(const Parameter& parameter, int k) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::min(parameter.maximum, parameter.minimum + k * parameter.step));
  return text;
}

std::vector<std::string> values_of(const Parameter& parameter) {
  std::vector<std::string> values{std::string(parameter.initial)};
  const auto add = [&](std::string text) {
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
  };
  if (parameter.kind == Parameter::Kind::choice)
    for (const auto choice : split_choices(parameter.choices)) add(std::string(choice));
  if (parameter.kind == Parameter::Kind::real) {
    for (int k = 0; k < steps(parameter); k += coarse_stride(parameter)) add(value(parameter, k));
    add(value(parameter, steps(parameter)));
  }
  return values;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<Arguments> combinations_of(const Arguments& initial,
                                       const std::function<std::vector<std::string>(const Parameter&)>& values) {
  std::vector<Arguments> all{initial};
  for (const auto& parameter : initial.parameters()) {
    const auto texts = values(parameter);
    if (texts.empty()) continue;
    std::vector<Arguments> more;
    for (const auto& base : all)
      for (const auto& text : texts) {
        more.push_back(base);
        more.back().set(parameter.name, text);
      }
    all = std::move(more);
  }
  return all;
}

std::vector<Arguments> combinations(const Arguments& initial, const std::vector<std::string>& fixed) {
  return combinations_of(initial, [&](const Parameter& parameter) {
    return contains(fixed, parameter.name) ? std::vector<std::string>() : values_of(parameter);
  });
}

Arguments find_fastest(const Arguments& initial, const std::vector<std::string>& fixed,
                       const std::function<double(const Arguments&)>& time) {
  const auto all = combinations(initial, fixed);
  if (all.size() == 1) return initial;
  Arguments best = all.front();
  auto least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](const Arguments& arguments) {
    if (const double taken = time(arguments); taken < least) {
      least = taken;
      best = arguments;
    }
  };
  for (const auto& arguments : all) attempt(arguments);
  for (const auto& parameter : initial.parameters()) {
    if (parameter.kind != Parameter::Kind::real || contains(fixed, parameter.name)) continue;
    for (int stride = coarse_stride(parameter) / 2; stride > 0; stride /= 2) {
      const double at = (best.real(parameter.name) - parameter.minimum) / parameter.step;
      for (const int k : {static_cast<int>(std::lround(at)) - stride, static_cast<int>(std::lround(at)) + stride}) {
        if (k < 0 || k > steps(parameter)) continue;
        auto neighbour = best;
        neighbour.set(parameter.name, value(parameter, k));
        attempt(neighbour);
      }
    }
  }
  return best;
}

}  // namespace gpu
