#include "app/pipeline/workspace_plan.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/pipeline/lane.h"
#include "app/support/machine.h"
#include "gpu/sat_runner.h"

namespace app {
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
  for (const auto* effect : gpu::all_effects()) {
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
  for (const auto* algorithm : gpu::sat_algorithms()) {
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
