// An effect on the plain simulated GPU, or on CUDA, compared with the same effect on the host.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/cuda/event.h"
#include "gpu/effect.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat_runner.h"
#include "gpu/simulated/schedule.h"
#include "gpu/user_kernels/guarded_image.h"
#include "gpu/user_kernels/judge_run.h"

namespace gpu {
namespace {

constexpr Size effect_sizes[] = {{1, 1}, {7, 5}, {97, 65}, {300, 70}};

// A frame, its table, and what was drawn of it, with rows that are a little longer.
struct EffectFrame {
  EffectFrame(Size size, Device device, std::uint64_t seed)
      : gray(size, size.width + 3, 1, device),
        colour(size, size.width + 3, 1, device),
        table(size, size.width + 3, 1, device),
        canvas(size, size.width + 3, 0, device) {
    simulated::Random random(seed);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const auto level = static_cast<std::uint8_t>(random.below(256));
        gray.view()(x, y) = level;
        colour.view()(x, y) = {level, level, level};
      }
    sat::reference(ImageView<const std::uint8_t>(gray.view()), table.view());
  }
  void upload(cudaStream_t stream) const {
    gray.upload(stream), colour.upload(stream), table.upload(stream), canvas.upload(stream);
  }
  void download(cudaStream_t stream) const {
    gray.download(stream), colour.download(stream), table.download(stream), canvas.download(stream);
  }
  bool surroundings_are_untouched() const {
    return gray.surroundings_are_untouched() && table.surroundings_are_untouched() && canvas.surroundings_are_untouched();
  }

  GuardedImage<std::uint8_t> gray;
  GuardedImage<Bgr> colour;
  GuardedImage<std::uint32_t> table;
  GuardedImage<Rgba> canvas;
};

SatRunner runner_on(JudgeRun& run, Device device, cudaStream_t stream, ThreadPool& pool) {
  switch (device) {
    case Device::cuda: return SatRunner::on_stream(stream);
    case Device::host: return SatRunner::on_host(pool);
    case Device::simulated: break;
  }
  return SatRunner::on_simulated(*run.plain);
}

void draw_effect(JudgeRun& run, Device device, EffectFrame& frame) {
  const auto& effect = *run.version->effect;
  const Arguments arguments(effect.parameters);
  const auto& sums = *find_sat_algorithm(device == Device::host ? "host_serial" : "2r2w");
  const Arguments of_sums(sums.parameters);
  std::optional<Stream> stream;
  if (device == Device::cuda) stream.emplace();
  const cudaStream_t queue = stream ? cudaStream_t{*stream} : nullptr;
  ThreadPool pool(1);
  auto runner = runner_on(run, device, queue, pool);

  frame.upload(queue);
  EffectInput input{frame.colour.on_device(), frame.gray.on_device(), {}, nullptr, &sums, &of_sums};
  input.tables.sum = frame.table.on_device();
  const int capacity = effect.annotation_capacity(arguments);
  const Buffer<std::byte> list(annotation_bytes(capacity), device);
  const EffectOutput output{Canvas{{}, frame.canvas.on_device()}, annotations_in(list.data(), capacity)};
  const auto prepared = prepare_effect(runner.context(), effect, arguments, frame.gray.view().size());
  input.prepared = prepared.get();
  const auto work = [&](Context& context) { run_effect(context, effect, input, output, arguments); };
  runner.reserve(runner.plan(work).workspace_bytes);
  work(runner.context());
  frame.download(queue);
  if (stream) check(cudaStreamSynchronize(queue));
}

// A GPU may round elsewhere than the host: by one level.
bool is_near(Rgba a, Rgba b, Device device) {
  const int most = device == Device::cuda ? 1 : 0;
  const auto near = [&](int one, int other) { return std::abs(one - other) <= most; };
  return near(a.r, b.r) && near(a.g, b.g) && near(a.b, b.b) && near(a.a, b.a);
}

std::string colour_text(Rgba colour) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (const auto level : {colour.r, colour.g, colour.b}) (text += digits[level >> 4]) += digits[level & 15];
  return text;
}

// Nothing where they agree.
std::optional<WrongEntry> first_difference(const EffectFrame& here, const EffectFrame& on_host, Device device) {
  std::optional<WrongEntry> first;
  const auto drawn = here.canvas.view(), expected = on_host.canvas.view();
  for (int y = 0; y < drawn.height; ++y)
    for (int x = 0; x < drawn.width; ++x) {
      if (is_near(drawn(x, y), expected(x, y), device)) continue;
      if (!first) {
        first.emplace();
        first->x = first->left = x, first->y = first->top = y, first->columns = 1;
        first->expected = colour_text(expected(x, y)), first->got = colour_text(drawn(x, y));
        first->around_got = {first->got}, first->around_expected = {first->expected};
      }
      ++first->count;
    }
  return first;
}

bool judge_picture(JudgeRun& run, Device device, Size size, std::uint64_t seed) {
  bool right = true;
  const auto where = std::string(device == Device::cuda ? "CUDA, " : "plain, ") + text_of(size) +
                     (seed == 1 ? "" : ", the second of two pictures");
  const auto compare = [&] {
    EffectFrame here(size, device, seed), on_host(size, Device::host, seed);
    draw_effect(run, device, here);
    draw_effect(run, Device::host, on_host);
    run.writer.compared(size);
    const auto difference = first_difference(here, on_host, device);
    if (difference) run.writer.entry(*difference);
    const bool writes_beside = !here.surroundings_are_untouched();
    run.has_faulted |= writes_beside;
    right = !difference && !writes_beside;
    if (!right)
      run.writer.wrong(difference ? "wrong: the host draws another picture" : "wrong: it writes beside its picture");
  };
  return run.attempt(where, compare) && right;
}

}  // namespace

// Two pictures of each size: what the first one leaves must not make the second one another.
bool judge_effect(JudgeRun& run, Device device) {
  std::vector<Size> sizes(std::begin(effect_sizes), std::end(effect_sizes));
  sizes.insert(sizes.end(), run.task.request.sizes.begin(), run.task.request.sizes.end());
  for (const auto size : sizes)
    for (const std::uint64_t seed : {1, 2})
      if (!judge_picture(run, device, size, seed)) return false;
  return true;
}

}  // namespace gpu
