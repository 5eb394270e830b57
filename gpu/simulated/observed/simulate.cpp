#include "gpu/simulated/observed/simulate.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "gpu/checks/verify.h"
#include "gpu/effect.h"
#include "gpu/sat_runner.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/memory_machine.h"
#include "gpu/simulated/observed/recording_observer.h"
#include "gpu/simulated/schedule.h"

namespace gpu::simulated {
namespace {

template <class T>
void fill(ImageView<T> image, std::uint64_t seed) {
  Random random(seed);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image(x, y) = static_cast<T>(random.below(256));
}

}  // namespace

PoisonedImage::PoisonedImage(Size size, ElementType type, std::ptrdiff_t stride)
    : view_(nullptr, size.width, size.height, stride, type),
      bytes_((static_cast<std::size_t>(stride) * static_cast<std::size_t>(size.height - 1) +
              static_cast<std::size_t>(size.width)) *
                 size_of(type),
             Device::cuda) {
  view_.data = bytes_.data();
  std::memset(bytes_.data(), poison, bytes_.size());
}

bool PoisonedImage::padding_is_untouched() const {
  const auto element = size_of(view_.type), row = static_cast<std::size_t>(view_.stride) * element;
  for (std::size_t y = 0; y + 1 < static_cast<std::size_t>(view_.height); ++y)
    for (std::size_t i = static_cast<std::size_t>(view_.width) * element; i < row; ++i)
      if (bytes_.data()[y * row + i] != std::byte{poison}) return false;
  return true;
}

void fill_with_noise(AnyImageView image, std::uint64_t seed) {
  switch (stored(image.type)) {
    case ElementType::u8: return fill(image.as<std::uint8_t>(), seed);
    case ElementType::u32: return fill(image.as<std::uint32_t>(), seed);
    case ElementType::u64: return fill(image.as<std::uint64_t>(), seed);
    case ElementType::f32: return fill(image.as<float>(), seed);
    case ElementType::f64: return fill(image.as<double>(), seed);
    default: return fill(image.as<std::uint16_t>(), seed);
  }
}

namespace {

void check_request(const SatAlgorithm& algorithm, const SimulationRequest& request) {
  if (!algorithm.not_simulated.empty())
    throw std::invalid_argument(std::string(algorithm.name) + ": " + std::string(algorithm.not_simulated));
  if (request.width < 4 || request.width > 32 || !std::has_single_bit(static_cast<unsigned>(request.width)))
    throw std::invalid_argument("the width of a memory machine must be a power of two from 4 to 32");
  if (request.latency < 1) throw std::invalid_argument("the latency of a memory machine must be 1 or more");
  if (request.size.width < 1 || request.size.height < 1) throw std::invalid_argument("an image has at least one pixel");
}

std::optional<double> formula_units(const SimulationRequest& request, const Arguments& arguments, double threads) {
  MemoryProblem problem;
  problem.width = request.size.width;
  problem.height = request.size.height;
  problem.memory_width = request.width;
  problem.latency = request.latency;
  problem.threads = threads;
  if (arguments.has("k")) problem.work_space = arguments.integer("k");
  const auto bound = paper_bound(request.algorithm, problem);
  return bound ? std::optional(bound->time_units) : std::nullopt;
}

// There is one simulated GPU.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

// During its lifetime launches have these settings and this observer.
class Observed {
 public:
  Observed(const GpuSettings& settings, Observer& observer) : before_(the_gpu().settings()) {
    the_gpu().set(settings);
    the_gpu().set_observer(&observer);
  }
  ~Observed() {
    the_gpu().set_observer(nullptr);
    the_gpu().set(before_);
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

 private:
  GpuSettings before_;
};

// Nothing says what an effect has to draw: what it draws counts as right.
Simulation simulate_effect(const Effect& effect, const SimulationRequest& request) {
  const std::lock_guard lock(one_at_a_time());
  const Arguments arguments = request.arguments.parameters().empty() ? Arguments(effect.parameters) : request.arguments;
  const auto& sums = *find_sat_algorithm("2r2w");
  const Arguments of_sums(sums.parameters);
  const auto stride = pitched_stride(request.size.width, 1);
  const PoisonedImage gray(request.size, ElementType::u8, stride), table(request.size, ElementType::u32, stride),
      canvas(request.size, ElementType::u32, stride);
  const Image<Bgr> colour(request.size, Device::cuda);
  fill_with_noise(gray.view(), 1);
  const auto pixels = gray.view().as<const std::uint8_t>();
  sat::reference(pixels, table.view().as<std::uint32_t>());
  for (int y = 0; y < pixels.height; ++y)
    for (int x = 0; x < pixels.width; ++x) colour.view()(x, y) = {pixels(x, y), pixels(x, y), pixels(x, y)};

  const int capacity = effect.annotation_capacity(arguments);
  const Buffer<std::byte> list(annotation_bytes(capacity), Device::cuda);
  auto runner = SatRunner::on_stream(nullptr);
  EffectInput input{colour.view(), pixels, {}, nullptr, &sums, &of_sums};
  input.tables.sum = table.view().as<std::uint32_t>();
  const auto prepared = prepare_effect(runner.context(), effect, arguments, request.size);
  input.prepared = prepared.get();
  const auto drawn = canvas.view().as<std::uint32_t>();
  const EffectOutput output{Canvas{{}, {reinterpret_cast<Rgba*>(drawn.data), drawn.width, drawn.height, drawn.stride}},
                            annotations_in(list.data(), capacity)};
  const auto run = [&](Context& context) { run_effect(context, effect, input, output, arguments); };
  runner.reserve(runner.plan(run).workspace_bytes);
  std::ranges::fill(runner.workspace(), std::byte{poison});
  RecordingObserver observer(the_gpu().heap());
  observer.reset(request.width, request.latency, request.gpu.resident_blocks, request.lines_of);
  {
    const Observed observed(request.gpu, observer);
    run(runner.context());
  }
  auto simulation = observer.results();
  simulation.equal = true;
  return simulation;
}

}  // namespace

Simulation simulate(const SimulationRequest& request) {
  if (request.effect_of_user) return simulate_effect(*request.effect_of_user, request);
  const auto* algorithm = request.of_user ? request.of_user : find_sat_algorithm(request.algorithm);
  if (!algorithm) throw std::invalid_argument("no algorithm '" + std::string(request.algorithm) + "' can be simulated");
  return simulate(*algorithm, request);
}

Simulation simulate(const SatAlgorithm& algorithm, const SimulationRequest& request) {
  const std::lock_guard lock(one_at_a_time());
  check_request(algorithm, request);
  const Arguments arguments = request.arguments.parameters().empty() ? Arguments(algorithm.parameters) : request.arguments;
  const auto& types = info(request.type);
  const PoisonedImage image(request.size, types.input, pitched_stride(request.size.width, size_of(types.input))),
      table(request.size, types.sum, pitched_stride(request.size.width, size_of(types.sum)));
  fill_with_noise(image.view(), 1);

  auto runner = SatRunner::on_stream(nullptr);
  runner.reserve(runner.plan(algorithm, image.view(), table.view(), arguments).workspace_bytes);
  if (runner.persistent_bytes() > 0) {  // clears it, as later runs do not
    const PoisonedImage unseen(request.size, types.sum, pitched_stride(request.size.width, size_of(types.sum)));
    runner.run(algorithm, image.view(), unseen.view(), arguments);
  }
  std::ranges::fill(runner.workspace(), std::byte{poison});
  RecordingObserver observer(the_gpu().heap());
  observer.reset(request.width, request.latency, request.gpu.resident_blocks, request.lines_of);
  {
    const Observed observed(request.gpu, observer);
    runner.run(algorithm, image.view(), table.view(), arguments);
  }
  Simulation simulation = observer.results();
  // The host can read the simulated GPU's memory.
  simulation.mismatch = Verifier(Device::host, nullptr, image.view(), types.sum, true).wrong(table.view());
  simulation.equal = simulation.mismatch.empty();
  simulation.formula_units = formula_units(request, arguments, static_cast<double>(observer.max_resident_threads()));
  return simulation;
}

}  // namespace gpu::simulated
