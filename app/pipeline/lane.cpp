#include "app/pipeline/lane.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "app/support/machine.h"
#include "gpu/checks/verify.h"
#include "gpu/cuda/error.h"
#include "gpu/sat_runner.h"
#include "gpu/tables/tables.h"

namespace app {
namespace {

// Algorithms of more launches than this are timed as a whole: an event per launch would slow them down.
constexpr int launches_timed_alone = 16;

bool has_room(const std::shared_ptr<gpu::Readback>& readback, std::size_t bytes) {
  return bytes == 0 || (readback && readback->capacity() >= bytes);
}

// What was queued last in `readback`, for as long as nothing else is.
PictureAnnotations annotations_through(std::shared_ptr<const gpu::Readback> readback, int capacity) {
  return PictureAnnotations::Source([=](bool wait) -> std::optional<PictureAnnotations::List> {
    if (wait) readback->wait();
    if (!wait && !readback->arrived()) return {};
    const auto list = gpu::annotations_in(const_cast<std::byte*>(readback->bytes().data()), capacity);
    return PictureAnnotations::List(list.items, list.items + std::clamp(*list.count, 0, list.capacity));
  });
}

// Likewise. A GPU that failed answers no more; whoever makes pictures with it reports that.
PictureCheck check_through(std::shared_ptr<const gpu::Readback> findings, int width) {
  return PictureCheck::Source([=](bool wait) -> std::optional<CheckAnswer> {
    try {
      if (wait) findings->wait();
      if (!wait && !findings->arrived()) return {};
    } catch (const gpu::CudaError&) {
      return CheckAnswer{.wrong = {}, .lost = true};
    }
    gpu::TableFindings found;
    std::memcpy(&found, findings->bytes().data(), sizeof found);
    return CheckAnswer{gpu::wrong_table(found, width)};
  });
}

// To `readback`, except on a dry context.
void check_table(gpu::Context& context, const FrameViews& frame, gpu::ImageView<const std::uint32_t> sat,
                 gpu::Readback* readback) {
  const gpu::Context::ScratchScope scope(context);
  const auto* const findings = gpu::check_table(context, frame.gray, sat);
  if (readback) readback->queue(context, "check result", findings, sizeof *findings);
}

}  // namespace

void compute_table(gpu::Context& context, const Selection& selection, gpu::SpanTiming timing, const FrameViews& frame,
                   gpu::ImageView<std::uint32_t> sat) {
  const auto& algorithm = *selection.algorithm;
  context.group(
      algorithm.name, [&] { gpu::compute_sat(context, algorithm, frame.gray, sat, selection.algorithm_arguments); }, timing);
}

void draw_effect(gpu::Context& context, const Selection& selection, const void* prepared, const FrameViews& frame,
                 gpu::ImageView<const std::uint32_t> sat, const gpu::Canvas& canvas, gpu::Readback* readback) {
  const auto& effect = *selection.effect;
  const auto& arguments = selection.effect_arguments;
  const gpu::Context::ScratchScope scope(context);
  const int capacity = effect.annotation_capacity(arguments);
  const auto annotation_bytes = gpu::annotation_bytes(capacity);
  auto* const annotations = annotation_bytes > 0 ? context.scratch<std::byte>(annotation_bytes) : nullptr;
  gpu::EffectInput input{frame.colour, frame.gray, {}, prepared, selection.algorithm, &selection.algorithm_arguments};
  input.tables.sum = sat;
  gpu::run_effect(context, effect, input, {canvas, gpu::annotations_in(annotations, capacity)}, arguments);
  // The whole list is copied: only the device knows how many annotations there are, and to wait for the number would stall
  // the GPU.
  if (annotations && readback) readback->queue(context, "annotations", annotations, annotation_bytes);
}

void replay_lane(gpu::Context& dry, gpu::Size size, const Selection& selection, const void* prepared) {
  using gpu::view_without_memory;
  const FrameViews frame{view_without_memory<const gpu::Bgr>(size), view_without_memory<const std::uint8_t>(size)};
  const auto sat = view_without_memory<std::uint32_t>(size);
  if (selection.algorithm) compute_table(dry, selection, {}, frame, sat);
  if (selection.algorithm && selection.check) check_table(dry, frame, sat, nullptr);
  draw_effect(dry, selection, prepared, frame, sat, gpu::Canvas{{}, view_without_memory<gpu::Rgba>(size)}, nullptr);
}

void replay_channels(gpu::Context& dry, gpu::Size size, const gpu::SatAlgorithm& algorithm,
                     const gpu::Arguments& arguments) {
  gpu::TableTargets tables;
  for (auto& table : tables.channels) table = gpu::view_without_memory<std::uint32_t>(size);
  gpu::compute_tables(dry, algorithm, arguments, {.channels = true}, gpu::view_without_memory<const gpu::Bgr>(size), {},
                      tables);
}

gpu::SatAlgorithm stand_in_algorithm(gpu::Device device, decltype(gpu::SatAlgorithm::run) run) {
  return {.name = "stand-in",
          .year = 0,
          .paper = {},
          .idea = {},
          .device = device,
          .reads = {},
          .writes = {},
          .parameters = {},
          .types = gpu::all_sat_types,
          .types_note = {},
          .run = run};
}

LanePlan Lane::plan(gpu::Context& context, gpu::PersistentMemory& persistent, gpu::Size size, const Selection& selection,
                    bool own_table) const {
  LanePlan plan{.selection = selection, .size = size, .own_table = own_table, .prepared = {}};
  const bool same_effect = plan_.selection.effect == selection.effect;
  plan.prepared = gpu::prepare_effect(context, *selection.effect, selection.effect_arguments, size,
                                      same_effect ? plan_.prepared : nullptr);
  auto dry = gpu::Context::dry(device_, context.threads());
  dry.set_persistent(&persistent);
  replay_lane(dry, size, selection, plan.prepared.get());
  plan.workspace_bytes = dry.workspace_bytes();
  plan.annotation_bytes = gpu::annotation_bytes(selection.effect->annotation_capacity(selection.effect_arguments));
  plan.spans = dry.spans() + 2;  // annotations and findings on their way to the host
  if (!own_table) return plan;
  const auto sums = gpu::plan_sat(device_, context.threads(), *selection.algorithm, size, gpu::SatType::u8_u32,
                                  selection.algorithm_arguments);
  const bool as_whole = selection.timing == TimingChoice::frame || sums.launches > launches_timed_alone;
  if (selection.timing != TimingChoice::every && as_whole) plan.timing = gpu::SpanTiming::whole;
  return plan;
}

bool Lane::is_ready_for(gpu::Size size, const Selection& selection, bool own_table) const {
  return size == plan_.size && size == next_.picture.size() && own_table == (next_.sat != nullptr) &&
         has_room(next_.readback, plan_.annotation_bytes) && (next_.findings || !(selection.check && own_table)) &&
         selection == plan_.selection;
}

bool Lane::needs_images(const LanePlan& plan) const {
  return plan.size != next_.picture.size() || plan.own_table != (next_.sat != nullptr);
}

std::size_t Lane::new_bytes(const LanePlan& plan) const {
  if (!needs_images(plan)) return 0;
  return plan.size.pixels() * (sizeof(gpu::Rgba) + (plan.own_table && !shares_table(plan.size) ? sizeof(std::uint32_t) : 0));
}

void Lane::adopt(LanePlan plan) {
  auto readback = has_room(next_.readback, plan.annotation_bytes)
                      ? next_.readback
                      : std::make_shared<gpu::Readback>(device_, plan.annotation_bytes);
  const auto findings = plan.selection.check && plan.own_table && !next_.findings
                            ? std::make_shared<gpu::Readback>(device_, sizeof(gpu::TableFindings))
                            : next_.findings;
  if (needs_images(plan)) {
    auto images = make_images(plan.size, plan.own_table);
    images.annotations = std::move(next_.annotations);  // which come through the same read-back
    images.check = std::move(next_.check);              // likewise
    next_ = std::move(images);
  }
  next_.readback = std::move(readback);
  next_.findings = findings;
  plan_ = std::move(plan);
}

// On a GPU the work of one frame follows that of the one before, in stream order: one table serves both, and stays in the
// cache.
bool Lane::shares_table(gpu::Size size) const {
  return device_ == gpu::Device::cuda && shown_.sat && shown_.sat->size() == size;
}

Lane::Images Lane::make_images(gpu::Size size, bool own_table) const {
  return {!own_table           ? nullptr
          : shares_table(size) ? shown_.sat
                               : std::make_shared<gpu::Image<std::uint32_t>>(size, device_),
          gpu::Image<gpu::Rgba>(size, device_),
          {},
          {}};
}

void Lane::compute_table(gpu::Context& context, const FrameViews& frame) {
  next_.check.wait();  // that of an earlier picture uses the same memory as this one's
  next_.check = {};
  if (!next_.sat) return;
  app::compute_table(context, plan_.selection, plan_.timing, frame, next_.sat->view());
  if (!plan_.selection.check) return;
  check_table(context, frame, next_.sat->view(), next_.findings.get());
  next_.check = check_through(next_.findings, frame.gray.width);
  if (device_ != gpu::Device::cuda) next_.check.wait();  // done on this thread: it is there
}

gpu::ImageView<const std::uint32_t> Lane::table() const {
  return next_.sat ? next_.sat->view() : gpu::ImageView<std::uint32_t>();
}

void Lane::draw(gpu::Context& context, const FrameViews& frame, gpu::ImageView<const std::uint32_t> table,
                const PictureTarget& target) {
  next_.annotations.wait();  // those of an earlier picture use the same memory as this one's
  next_.annotations = {};
  draw_effect(context, plan_.selection, plan_.prepared.get(), frame, table, target.canvas(next_.picture.view()),
              next_.readback.get());
  const int capacity = plan_.selection.effect->annotation_capacity(plan_.selection.effect_arguments);
  if (capacity > 0) next_.annotations = annotations_through(next_.readback, capacity);
  if (device_ != gpu::Device::cuda) next_.annotations.wait();  // taken on this thread: they are there
}

gpu::ImageView<const gpu::Rgba> Lane::draw_again(gpu::Context& context, const FrameViews& frame) {
  draw_effect(context, plan_.selection, plan_.prepared.get(), frame, picture().sat,
              PictureTarget().canvas(shown_.picture.view()), nullptr);
  return shown_.picture.view();
}

void Lane::publish() {
  std::swap(shown_, next_);
  if (next_.picture.size() != shown_.picture.size()) next_ = {};  // of the size before
}

Picture Lane::picture() const {
  const auto sat = shown_.sat ? shown_.sat->view() : gpu::ImageView<std::uint32_t>();
  Picture picture{shown_.picture.view(), {}, sat, shown_.annotations};
  picture.check = shown_.check;
  return picture;
}

std::size_t Lane::memory_bytes() const {
  auto bytes = shown_.picture.span().size_bytes() + next_.picture.span().size_bytes();
  if (shown_.sat) bytes += shown_.sat->span().size_bytes();
  if (next_.sat && next_.sat != shown_.sat) bytes += next_.sat->span().size_bytes();
  return bytes;
}

std::vector<char> own_tables(std::span<const Selection> lanes, bool sides) {
  std::vector<char> own;
  for (const auto& lane : lanes) {
    const auto same = [&](const Selection& other) {
      return other.algorithm == lane.algorithm && other.algorithm_arguments == lane.algorithm_arguments;
    };
    const auto before = lanes.first(own.size());
    own.push_back(lane.algorithm && !(sides && std::ranges::any_of(before, same)));
  }
  return own;
}

namespace {

constexpr std::size_t most_ahead = std::size_t{1} << 30;

// The initial arguments, and those with one parameter changed: to each of its choices, to its minimum and maximum.
std::vector<gpu::Arguments> variants(std::span<const gpu::Parameter> parameters) {
  std::vector<gpu::Arguments> all{gpu::Arguments(parameters)};
  const auto add = [&](const gpu::Parameter& parameter, std::string_view text) {
    all.emplace_back(parameters).set(parameter.name, text);
  };
  for (const auto& parameter : parameters) {
    for (const auto choice : gpu::split_choices(parameter.choices)) add(parameter, choice);
    if (parameter.kind != gpu::Parameter::Kind::integer) continue;
    for (const auto end : {parameter.minimum, parameter.maximum}) add(parameter, std::to_string(static_cast<int>(end)));
  }
  return all;
}

}  // namespace

WorkspacePlan::WorkspacePlan(gpu::Device device, int threads, gpu::Size size, gpu::PersistentMemory& persistent,
                             std::size_t budget)
    : device_(device), threads_(threads), size_(size), persistent_(persistent), budget_(budget) {
  sums_ = of_algorithms(gpu::SatType::u8_u32);
  squares_ = of_algorithms(gpu::SatType::u8_u64);
  for (const auto* effect : gpu::built_in_effects()) {
    for (const auto& arguments : variants(effect->parameters)) {
      annotations_ = std::max(annotations_, gpu::annotation_bytes(effect->annotation_capacity(arguments)));
      if (effect->prepare) continue;  // its scratch memory is known only once it has prepared what it uses
      most_ = std::max(most_, of_effect(*effect, arguments, nullptr));
    }
  }
}

std::size_t WorkspacePlan::bytes_under(const LanePlan& plan) const {
  return of_effect(*plan.selection.effect, plan.selection.effect_arguments, plan.prepared.get());
}

// The scratch memory of `work`; 0 where it cannot run.
std::size_t WorkspacePlan::scratch(const std::function<void(gpu::Context&)>& work) const {
  auto dry = gpu::Context::dry(device_, threads_);
  gpu::PersistentMemory asked(device_);
  dry.set_persistent(&asked);
  try {
    work(dry);
  } catch (const std::invalid_argument&) {  // also ArgumentError: the arguments do not fit frames of this size
    return 0;
  }
  if (persistent_.noted_bytes_with(asked) <= budget_) persistent_.note_ahead(asked);
  return dry.workspace_bytes();
}

std::size_t WorkspacePlan::of_algorithms(gpu::SatType type) const {
  const auto& types = gpu::info(type);
  const auto image = gpu::view_without_memory(size_, types.input);
  const auto sat = gpu::view_without_memory(size_, types.sum);
  std::size_t most = 0;
  // A user's runs only where it is chosen and was tried.
  for (const auto* algorithm : gpu::built_in_sat_algorithms()) {
    if (!gpu::runs_on(*algorithm, device_) || !gpu::why_unavailable(*algorithm).empty()) continue;
    for (const auto& arguments : variants(algorithm->parameters)) {
      const auto bytes = scratch([&](gpu::Context& dry) { gpu::compute_sat(dry, *algorithm, image, sat, arguments); });
      if (bytes <= budget_) most = std::max(most, bytes);
      if (algorithm->run_batch && type == gpu::SatType::u8_u32)
        scratch(
            [&](gpu::Context& dry) { replay_channels(dry, size_, *algorithm, arguments); });  // for its persistent memory
    }
  }
  return most;
}

// What the effect takes, and in addition an algorithm that it calls meanwhile.
std::size_t WorkspacePlan::of_effect(const gpu::Effect& effect, const gpu::Arguments& arguments,
                                     const void* prepared) const {
  const auto nothing = stand_in_algorithm(  // which needs no scratch memory
      device_, [](gpu::Context&, gpu::AnyConstImageView, gpu::AnyImageView, const gpu::Arguments&) {});
  const Selection selection{&nothing, {}, &effect, arguments, TimingChoice::off, device_};
  const auto bytes = scratch([&](gpu::Context& dry) { replay_lane(dry, size_, selection, prepared); }) +
                     std::max(sums_, effect.wanted_tables(arguments, device_).squares ? squares_ : 0);
  return bytes <= budget_ ? bytes : 0;
}

std::size_t workspace_budget(gpu::Device device) {
  if (device != gpu::Device::cuda) {
    const auto available = available_memory();
    return available ? std::min<std::size_t>(most_ahead, *available / 4) : most_ahead;
  }
  std::size_t free = 0, total = 0;
  gpu::check(cudaMemGetInfo(&free, &total));
  return std::min(most_ahead, free / 4);
}

}  // namespace app
