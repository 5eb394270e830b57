#include "app/pipeline/lane.h"

#include <algorithm>
#include <utility>

#include "gpu/sat_runner.h"

namespace app {
namespace {

// An algorithm of more launches than this is timed as one: recording costs a few microseconds a launch.
constexpr int launches_timed_alone = 16;

// Views of a size with nothing behind them.
template <class T>
gpu::ImageView<T> hollow(gpu::Size size) {
  return {nullptr, size.width, size.height, size.width};
}

}  // namespace

void run_lane(gpu::Context& context, const Selection& selection, const void* prepared, gpu::SpanTiming timing,
              const FrameViews& frame, const LaneOutput& output) {
  const auto& algorithm = *selection.algorithm;
  const auto& effect = *selection.effect;
  const auto& arguments = selection.effect_arguments;
  context.group(
      algorithm.name, [&] { gpu::compute_sat(context, algorithm, frame.gray, output.sat, selection.algorithm_arguments); },
      timing);
  const gpu::Context::ScratchScope scope(context);
  const int capacity = effect.annotation_capacity(arguments);
  const auto annotation_bytes = gpu::annotation_bytes(capacity);
  auto* const annotations = annotation_bytes > 0 ? context.scratch<std::byte>(annotation_bytes) : nullptr;
  gpu::EffectInput input{frame.colour, frame.gray, {}, prepared, &algorithm, &selection.algorithm_arguments};
  input.tables.sum = output.sat;
  gpu::run_effect(context, effect, input, {{{}, output.picture}, gpu::annotations_in(annotations, capacity)}, arguments);
  if (annotations && output.readback) output.readback->queue(context, "annotations", annotations, annotation_bytes);
}

void replay_lane(gpu::Context& dry, gpu::Size size, const Selection& selection, const void* prepared) {
  run_lane(dry, selection, prepared, {}, {hollow<const gpu::Bgr>(size), hollow<const std::uint8_t>(size)},
           {hollow<std::uint32_t>(size), hollow<gpu::Rgba>(size)});
}

LanePlan Lane::plan(gpu::Context& context, gpu::PersistentMemory& persistent, gpu::Size size,
                    const Selection& selection) const {
  LanePlan plan{.selection = selection, .size = size, .prepared = {}};
  const bool same_effect = plan_.selection.effect == selection.effect;
  plan.prepared = gpu::prepare_effect(context, *selection.effect, selection.effect_arguments,
                                      same_effect ? plan_.prepared : nullptr);
  auto dry = gpu::Context::dry(device_, context.threads());
  dry.set_persistent(&persistent);
  replay_lane(dry, size, selection, plan.prepared.get());
  plan.workspace_bytes = dry.workspace_bytes();
  plan.spans = dry.spans() + 1;  // annotations on their way to the host
  const auto sums = gpu::plan_sat(device_, context.threads(), *selection.algorithm, size, gpu::SatType::u8_u32,
                                  selection.algorithm_arguments);
  if (!selection.every_kernel && sums.launches > launches_timed_alone) plan.timing = gpu::SpanTiming::whole;
  return plan;
}

bool Lane::is_ready_for(gpu::Size size, const Selection& selection) const {
  return size == plan_.size && size == next_.picture.size() && selection == plan_.selection;
}

void Lane::adopt(LanePlan plan) {
  const auto& effect = *plan.selection.effect;
  const auto bytes = gpu::annotation_bytes(effect.annotation_capacity(plan.selection.effect_arguments));
  if (bytes > 0 && (!readback_ || readback_->capacity() < bytes))
    readback_ = std::make_unique<gpu::Readback>(device_, bytes);
  if (plan.size != next_.picture.size()) next_ = make_images(plan.size);
  plan_ = std::move(plan);
}

// On a GPU nobody reads a table while the next one is made: one serves, and stays in its cache.
Lane::Images Lane::make_images(gpu::Size size) const {
  const bool shared = device_ == gpu::Device::cuda && shown_.picture.size() == size;
  return {shared ? shown_.sat : std::make_shared<gpu::Image<std::uint32_t>>(size, device_),
          gpu::Image<gpu::Rgba>(size, device_)};
}

int Lane::capacity() const {
  const auto& selection = plan_.selection;
  return selection.effect ? selection.effect->annotation_capacity(selection.effect_arguments) : 0;
}

void Lane::compute(gpu::Context& context, const FrameViews& frame) {
  run_lane(context, plan_.selection, plan_.prepared.get(), plan_.timing, frame,
           {next_.sat->view(), next_.picture.view(), readback_.get()});
}

bool Lane::complete() const { return !annotates() || readback_->arrived(); }
void Lane::wait() const {
  if (annotates()) readback_->wait();
}

void Lane::publish() {
  std::swap(shown_, next_);
  if (next_.picture.size() != shown_.picture.size()) next_ = {};  // of the size before
  annotations_.clear();
  if (!annotates()) return;
  auto bytes = readback_->bytes();
  const auto list = gpu::annotations_in(const_cast<std::byte*>(bytes.data()), capacity());
  annotations_.assign(list.items, list.items + std::clamp(*list.count, 0, list.capacity));
}

Picture Lane::picture() const {
  if (!shown_.sat) return {};
  return {shown_.picture.view(), {}, shown_.sat->view(), annotations_};
}

std::size_t Lane::memory_bytes() const {
  auto bytes = shown_.picture.span().size_bytes() + next_.picture.span().size_bytes();
  if (shown_.sat) bytes += shown_.sat->span().size_bytes();
  if (next_.sat && next_.sat != shown_.sat) bytes += next_.sat->span().size_bytes();
  return bytes;
}

}  // namespace app
