#include "app/session/effect_bench.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "app/pipeline/lane.h"
#include "app/support/count_text.h"
#include "gpu/surface.h"
#include "gpu/verify.h"

namespace app {
namespace {

constexpr unsigned char spoiled_byte = 0xCD;
constexpr std::size_t list_at = 256;  // in a result
static_assert(sizeof(gpu::Mismatch) <= list_at);

gpu::ImageView<const std::uint32_t> as_words(gpu::ImageView<const gpu::Rgba> picture) {
  static_assert(sizeof(gpu::Rgba) == sizeof(std::uint32_t));
  return {reinterpret_cast<const std::uint32_t*>(picture.data), picture.width, picture.height, picture.stride};
}

// What annotations say, in an order of their own. Their colours depend on the frames before, too.
auto said_by(std::span<const std::byte> bytes, int capacity) {
  std::vector<std::tuple<gpu::Annotation::Kind, gpu::Annotation::Value, float, float, float, float, double, std::string>>
      all;
  const auto list = gpu::annotations_in(const_cast<std::byte*>(bytes.data()), capacity);
  for (const auto& each : std::span(list.items, static_cast<std::size_t>(std::clamp(*list.count, 0, capacity))))
    all.emplace_back(each.kind, each.has, each.x0, each.y0, each.x1, each.y1, each.value, each.text);
  std::ranges::sort(all);
  return all;
}

}  // namespace

RaceLane EffectBench::reference_lane(gpu::Device device) {
  const auto& algorithm = *gpu::find_sat_algorithm(device == gpu::Device::host ? "host_serial" : "2r2w");
  return {&algorithm, nullptr, gpu::Arguments(algorithm.parameters), std::string(algorithm.name)};
}

EffectBench::EffectBench(gpu::Context& context, const RaceEffect& effect, gpu::Size size)
    : effect_(effect),
      size_(size),
      reference_lane_(reference_lane(context.device())),
      prepared_(gpu::prepare_effect(context, *effect.effect, effect.arguments, size)),
      colour_(size, context.device()),
      picture_(size, context.device()),
      reference_(size, context.device()),
      result_(list_at + gpu::annotation_bytes(capacity()), context.device()),
      reference_list_(context.device(), result_.size()),
      findings_(context.device(), result_.size()) {}

std::size_t EffectBench::memory_bytes(const RaceEffect& effect, gpu::Size size) {
  std::size_t bytes = size.pixels() * (sizeof(gpu::Bgr) + 2 * sizeof(gpu::Rgba));
  for (const auto& table : effect.tables) bytes += table.size.pixels();
  return bytes;
}

void EffectBench::plan(gpu::Context& dry, const RaceLane* lane) const {
  const auto& by = lane ? *lane : reference_lane_;
  replay_lane(dry, size_, {by.algorithm, by.arguments, effect_.effect, effect_.arguments, TimingChoice::off, dry.device()},
              prepared_.get());
}

void EffectBench::take_picture(cudaStream_t stream, gpu::ImageView<const gpu::Bgr> colour,
                               gpu::ImageView<const std::uint8_t> gray) {
  const auto to = colour_.view();
  if (colour_.device() == gpu::Device::cuda) {
    constexpr auto pixel = sizeof(gpu::Bgr);
    return gpu::check(cudaMemcpy2DAsync(
        to.data, static_cast<std::size_t>(to.stride) * pixel, colour.data, static_cast<std::size_t>(colour.stride) * pixel,
        static_cast<std::size_t>(to.width) * pixel, static_cast<std::size_t>(to.height), cudaMemcpyDeviceToDevice, stream));
  }
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      const auto level = gray(x, y);
      to(x, y) = {level, static_cast<std::uint8_t>(255 - level), static_cast<std::uint8_t>(level ^ 0x55)};
    }
}

std::byte* EffectBench::list() const { return result_.data() + list_at; }

void EffectBench::draw(gpu::Context& context, const Frame& frame, const RaceLane& lane, gpu::ImageView<gpu::Rgba> picture,
                       std::byte* annotations) const {
  gpu::EffectInput input{colour_.view(), frame.gray, {}, prepared_.get(), lane.algorithm, &lane.arguments};
  input.tables.sum = frame.sums;
  gpu::run_effect(context, *effect_.effect, input,
                  {gpu::Canvas::with_surface(picture, {}), gpu::annotations_in(annotations, capacity())}, effect_.arguments);
}

void EffectBench::make_reference(gpu::Context& context, const Frame& frame) {
  spoil(context);
  draw(context, frame, reference_lane_, reference_.view(), list());
  reference_list_.queue(context, "reference", result_.data(), result_.size());
  has_reference_ = true;
}

void EffectBench::spoil(gpu::Context& context) {
  for (const auto memory : {std::as_writable_bytes(picture_.span()), std::as_writable_bytes(result_.span())})
    if (context.device() == gpu::Device::cuda)
      gpu::check(cudaMemsetAsync(memory.data(), spoiled_byte, memory.size(), context.stream()));
    else
      std::memset(memory.data(), spoiled_byte, memory.size());
}

void EffectBench::run(gpu::Context& context, const Frame& frame, const RaceLane& lane) {
  draw(context, frame, lane, picture_.view(), list());
}

void EffectBench::check(gpu::Context& context) {
  auto* const mismatch = result_.data();
  const auto words = as_words(picture_.view()), wanted = as_words(reference_.view());
  const gpu::Comparison<std::uint32_t> comparison{words, wanted, wanted};
  if (context.device() == gpu::Device::cuda) {
    gpu::check(
        cudaMemsetAsync(mismatch + offsetof(gpu::Mismatch, count), 0, sizeof(gpu::Mismatch::count), context.stream()));
    gpu::check(
        cudaMemsetAsync(mismatch + offsetof(gpu::Mismatch, first), 0xFF, sizeof(gpu::Mismatch::first), context.stream()));
    gpu::compare_on_device(context.stream(), comparison, reinterpret_cast<gpu::Mismatch*>(mismatch));
  } else {
    const auto found = gpu::compare_on_host(comparison);
    std::memcpy(mismatch, &found, sizeof found);
  }
  findings_.queue(context, "findings", result_.data(), result_.size());
}

bool EffectBench::comparable() const {
  if (capacity() == 0) return true;
  int count = 0;
  std::memcpy(&count, reference_list_.bytes().data() + list_at, sizeof count);
  return count < capacity();  // a full list may have been cut before it was written
}

std::string EffectBench::problem() const {
  if (capacity() > 0) {
    const auto now = said_by(findings_.bytes().subspan(list_at), capacity()),
               wanted = said_by(reference_list_.bytes().subspan(list_at), capacity());
    if (now.size() != wanted.size())
      return std::to_string(now.size()) + " annotations instead of " + std::to_string(wanted.size());
    if (now != wanted) return "other annotations than with " + reference_lane_.label;
  }
  gpu::Mismatch mismatch;
  std::memcpy(&mismatch, findings_.bytes().data(), sizeof mismatch);
  if (mismatch.count == 0) return {};
  const auto columns = static_cast<unsigned long long>(size_.width);
  return "another picture than with " + reference_lane_.label + ": " + counted(mismatch.count, "pixel") +
         ", the first at (" + std::to_string(mismatch.first % columns) + ", " + std::to_string(mismatch.first / columns) +
         ")";
}

}  // namespace app
