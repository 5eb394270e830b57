// How long a table takes on a GPU, as a program launches it. Each run has pixels of its own, which come from the host just before, and
// caches without them; its table is checked afterwards. A kernel that keeps an earlier result gains nothing.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "gpu/checks/verify.h"
#include "gpu/choice/bounds.h"
#include "gpu/choice/meter.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/event.h"
#include "gpu/sat_runner.h"
#include "gpu/simulated/schedule.h"
#include "gpu/user_kernels/judge_run.h"

namespace gpu {
namespace {

constexpr int warm_ups = 2, full_samples = 21;
constexpr Size usual_size{1920, 1080};
constexpr double kernel_until = 0.8, others_until = 0.9;  // of all the time, after at least one sample

// Any bits as integers, numbers from 1 to 2 as floating-point ones.
void fill_with_fresh_pixels(std::vector<std::byte>& memory, ElementType type, simulated::Random& random) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= memory.size(); at += sizeof(std::uint64_t)) {
    auto word = random();
    if (stored(type) == ElementType::f32) word = (word & 0x007fffff'007fffffu) | 0x3f800000'3f800000u;
    if (type == ElementType::f64) word = (word & 0x000fffff'ffffffffu) | 0x3ff00000'00000000u;
    std::memcpy(memory.data() + at, &word, sizeof word);
  }
}

// An image, and its table directly behind it, as bounds take them.
class TimedRuns {
 public:
  TimedRuns(JudgeRun& run, SatType type, Size size, const GpuInfo& gpu)
      : run_(run),
        type_(type),
        size_(size),
        pixels_(bytes(info(type).input)),
        memory_(pixels_.size() + bytes(info(type).sum), Device::cuda),
        others_(2 * gpu.l2_bytes, Device::cuda),
        runner_(SatRunner::on_stream(stream_)),
        random_(run.task.request.seed) {}

  // Microseconds, the median; below 0: a table was wrong, which it has said.
  double of(const SatAlgorithm& algorithm, bool checked) {
    const Arguments arguments(algorithm.parameters);
    return median([&](Context& context) { compute_sat(context, algorithm, image(), table(), arguments); },
                  checked ? kernel_until : others_until, checked);
  }
  double of(const Bound& bound) {
    return median([&](Context& context) { bound.run(context, image(), table()); }, others_until, false);
  }

 private:
  std::size_t bytes(ElementType type) const {
    return static_cast<std::size_t>(pitched_stride(size_.width, size_of(type))) * size_of(type) *
           static_cast<std::size_t>(size_.height);
  }
  AnyConstImageView image() const {
    const auto type = info(type_).input;
    return {memory_.data(), size_.width, size_.height, pitched_stride(size_.width, size_of(type)), type};
  }
  AnyImageView table() const {
    const auto type = info(type_).sum;
    return {memory_.data() + pixels_.size(), size_.width, size_.height, pitched_stride(size_.width, size_of(type)), type};
  }

  double median(const std::function<void(Context&)>& work, double until, bool checked) {
    std::vector<double> times;
    runner_.reserve(runner_.plan(work).workspace_bytes);
    Event start(Event::Timing::on), end(Event::Timing::on);
    for (int i = 0; i < warm_ups + full_samples; ++i) {
      fill_with_fresh_pixels(pixels_, info(type_).input, random_);
      check(cudaMemcpyAsync(memory_.data(), pixels_.data(), pixels_.size(), cudaMemcpyHostToDevice, stream_));
      check(cudaMemsetAsync(memory_.data() + pixels_.size(), 0x7f, bytes(info(type_).sum), stream_));
      check(cudaMemsetAsync(others_.data(), 0, others_.size(), stream_));
      check(cudaStreamSynchronize(stream_));
      start.record(stream_);
      work(runner_.context());
      end.record(stream_);
      check(cudaStreamSynchronize(stream_));
      if (checked && !is_right()) return -1;
      if (i >= warm_ups) times.push_back(end.microseconds_since(start));
      if (!times.empty() && run_.part() > until) break;
    }
    return percentile(times, 50);
  }
  bool is_right() {
    const auto wrong = Verifier(Device::cuda, stream_, image(), info(type_).sum, true).wrong(table());
    if (wrong.empty()) return true;
    run_.writer.fault(wrong);
    run_.writer.wrong("wrong: the table of a timed run");
    return false;
  }

  JudgeRun& run_;
  SatType type_;
  Size size_;
  Stream stream_;
  std::vector<std::byte> pixels_;
  Buffer<std::byte> memory_, others_;
  SatRunner runner_;
  simulated::Random random_;
};

// The bound, and the algorithm that is asked for. False: there is none of them, for a reason that is not the kernel's.
bool measure_others(const JudgeRun& run, TimedRuns& runs, SatType type, KernelTime& time) try {
  for (const auto& bound : bounds(Device::cuda))
    if (bound.name == decisive_bound(Device::cuda, type)) time.bound_microseconds = runs.of(bound);
  if (const auto* beside = find_sat_algorithm(run.task.request.beside)) time.beside_microseconds = runs.of(*beside, false);
  return true;
} catch (const std::exception&) {
  return false;
}

}  // namespace

bool judge_time(JudgeRun& run) {
  const auto& algorithm = *run.version->algorithm;
  const auto type = std::ranges::count(algorithm.types, SatType::u8_u32) > 0 ? SatType::u8_u32 : algorithm.types.front();
  const auto& sizes = run.task.request.sizes;
  const auto largest = std::ranges::max_element(sizes, {}, &Size::pixels);
  KernelTime time;
  time.size = largest == sizes.end() ? usual_size : *largest;
  bool right = true;
  const auto measure = [&] {
    const auto probe = probe_gpu();
    if (!probe.gpu) throw std::runtime_error(probe.reason);
    time.gpu = probe.gpu->name;
    TimedRuns runs(run, type, time.size, *probe.gpu);
    time.microseconds = runs.of(algorithm, true);
    right = time.microseconds >= 0;
    if (!right) return;
    run.writer.time(time);
    if (run.part() < kernel_until && measure_others(run, runs, type, time)) run.writer.time(time);
  };
  return run.attempt("CUDA, timed, " + text_of(time.size), measure) && right;
}

}  // namespace gpu
