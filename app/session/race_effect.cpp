#include "app/session/race_effect.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "app/pipeline/kernel_rates.h"
#include "app/support/count_text.h"
#include "gpu/surface.h"
#include "gpu/tables.h"
#include "gpu/verify.h"

namespace app {
namespace {

using gpu::view_without_memory;

constexpr unsigned char spoiled_byte = 0xCD;
constexpr std::size_t list_at = 256;  // in a result
static_assert(sizeof(gpu::Mismatch) <= list_at);

// Stands for whatever algorithm is chosen: on a dry context it only notes which table it would compute.
void noted_table() {}
void note_table(gpu::Context& dry, gpu::AnyConstImageView image, gpu::AnyImageView sat, const gpu::Arguments&) {
  const auto type = static_cast<unsigned>(gpu::sat_type(image.type, sat.type));
  dry.launch("table", noted_table,
             {dim3(static_cast<unsigned>(image.width), static_cast<unsigned>(image.height)), dim3(type + 1)});
}
gpu::SatAlgorithm noting_algorithm(gpu::Device device) {
  return {.name = "noted",
          .year = 0,
          .paper = {},
          .idea = {},
          .device = device,
          .reads = {},
          .writes = {},
          .parameters = {},
          .types = gpu::all_sat_types,
          .types_note = {},
          .run = note_table};
}

gpu::EffectInput input_of(const RaceLane& lane, const void* prepared) {
  return {.colour = {},
          .gray = {},
          .tables = {},
          .prepared = prepared,
          .algorithm = lane.algorithm,
          .algorithm_arguments = &lane.arguments};
}

void replay(gpu::Context& dry, const RaceEffect& effect, const void* prepared, gpu::Size size, const RaceLane& lane) {
  auto input = input_of(lane, prepared);
  input.colour = view_without_memory<const gpu::Bgr>(size);
  input.gray = view_without_memory<const std::uint8_t>(size);
  input.tables.sum = view_without_memory<const std::uint32_t>(size);
  const int capacity = effect.effect->annotation_capacity(effect.arguments);
  gpu::run_effect(dry, *effect.effect, input,
                  {gpu::Canvas{{}, view_without_memory<gpu::Rgba>(size)}, gpu::annotations_in(nullptr, capacity)},
                  effect.arguments);
}

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

RaceEffect race_effect(const Selection& selection, gpu::Size size) {
  RaceEffect result{selection.effect, selection.effect_arguments, {}};
  const auto algorithm = noting_algorithm(selection.device);
  const RaceLane lane{&algorithm, nullptr, {}, {}};
  auto dry = gpu::Context::dry(selection.device);
  const auto prepared = gpu::prepare_effect(dry, *result.effect, result.arguments, size);
  replay(dry, result, prepared.get(), size, lane);
  const auto* const mark = gpu::kernel_address(noted_table);
  for (const auto& launch : dry.launches())
    if (launch.kernel == mark)
      result.tables.push_back({{static_cast<int>(launch.shape.grid.x), static_cast<int>(launch.shape.grid.y)},
                               static_cast<gpu::SatType>(launch.shape.block.x - 1)});
  return result.tables.empty() ? RaceEffect() : result;
}

std::optional<double> bytes_per_pixel(const RaceEffect& effect, const RaceLane& lane, gpu::Device device, gpu::Size size) {
  std::uint64_t bytes = 0;
  for (const auto& table : effect.tables) {
    const auto& by = gpu::table_algorithm(*lane.algorithm, table.type, table.size.height, device);
    if (!by.traffic) return {};
    bytes += bytes_of(by, table.size, table.type, &by == lane.algorithm ? lane.arguments : gpu::Arguments(by.parameters));
  }
  return static_cast<double>(bytes) / static_cast<double>(size.pixels());
}

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
      result_(list_at + gpu::annotation_bytes(effect.effect->annotation_capacity(effect.arguments)), context.device()),
      reference_list_(context.device(), result_.size()),
      findings_(context.device(), result_.size()) {}

void EffectBench::plan(gpu::Context& dry, const RaceLane* lane) const {
  replay(dry, effect_, prepared_.get(), size_, lane ? *lane : reference_lane_);
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
    for (int x = 0; x < to.width; ++x) to(x, y) = {gray(x, y), gray(x, y), gray(x, y)};
}

std::byte* EffectBench::list() const { return result_.data() + list_at; }

void EffectBench::draw(gpu::Context& context, const Frame& frame, const RaceLane& lane, gpu::ImageView<gpu::Rgba> picture,
                       std::byte* annotations) const {
  auto input = input_of(lane, prepared_.get());
  input.colour = colour_.view();
  input.gray = frame.gray;
  input.tables.sum = frame.sums;
  const int capacity = effect_.effect->annotation_capacity(effect_.arguments);
  gpu::run_effect(context, *effect_.effect, input,
                  {gpu::Canvas::with_surface(picture, {}), gpu::annotations_in(annotations, capacity)}, effect_.arguments);
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

std::string EffectBench::problem() const {
  if (const int capacity = effect_.effect->annotation_capacity(effect_.arguments); capacity > 0) {
    const auto now = said_by(findings_.bytes().subspan(list_at), capacity),
               wanted = said_by(reference_list_.bytes().subspan(list_at), capacity);
    if (now.size() != wanted.size())
      return title() + ": " + std::to_string(now.size()) + " annotations instead of " + std::to_string(wanted.size());
    if (now != wanted) return title() + ": other annotations than with " + reference_lane_.label;
  }
  gpu::Mismatch mismatch;
  std::memcpy(&mismatch, findings_.bytes().data(), sizeof mismatch);
  if (mismatch.count == 0) return {};
  const auto columns = static_cast<unsigned long long>(size_.width);
  return title() + ": another picture than with " + reference_lane_.label + ": " + counted(mismatch.count, "pixel") +
         ", the first at (" + std::to_string(mismatch.first % columns) + ", " + std::to_string(mismatch.first / columns) +
         ")";
}

}  // namespace app
