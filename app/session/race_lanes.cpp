#include "app/session/race_lanes.h"

#include <algorithm>

#include "app/control/arguments_text.h"
#include "app/control/selection.h"
#include "gpu/parameter_search.h"

namespace app {
namespace {

// Why it cannot take part, one line; empty: it can.
std::string why_absent(const gpu::SatAlgorithm& algorithm, gpu::Device device, gpu::Size size) {
  if (algorithm.device == gpu::Device::cuda && device == gpu::Device::host)
    return gpu::runs_on(algorithm, gpu::Device::simulated) ? "only on a GPU, or on the simulated GPU" : "only on a GPU";
  if (algorithm.device == gpu::Device::host && device != gpu::Device::host) return "only on the CPU";
  if (!gpu::runs_on(algorithm, device)) return std::string(algorithm.not_simulated);
  if (auto why = gpu::why_unavailable(algorithm); !why.empty()) return why;
  if (std::ranges::find(algorithm.types, race_type) == algorithm.types.end())
    return "does not support " + std::string(gpu::info(race_type).name) + ": " + std::string(algorithm.types_note);
  if (size.height > algorithm.most_rows) return "takes images of at most " + std::to_string(algorithm.most_rows) + " rows";
  return {};
}

}  // namespace

RaceLanes race_lanes(const Selection& selection, gpu::Size size, const Settings& settings) {
  const auto device = selection.device;
  RaceLanes result;
  if (device != gpu::Device::simulated)
    for (const auto& bound : gpu::bounds(device)) result.lanes.push_back({nullptr, &bound, {}, std::string(bound.name)});
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (auto why = why_absent(*algorithm, device, size); !why.empty()) {
      result.absent.push_back({std::string(algorithm->name), std::move(why)});
      continue;
    }
    const auto initial = arguments_of(*algorithm, settings);
    if (!settings.race_parameters) {
      result.lanes.push_back({algorithm, nullptr, initial, std::string(algorithm->name)});
      continue;
    }
    for (auto& arguments : gpu::combinations(initial, {}))
      result.lanes.push_back({algorithm, nullptr, arguments, with_arguments(algorithm->name, arguments)});
  }
  if (result.has_algorithms()) result.effect = race_effect(selection, size);
  return result;
}

RaceLanes bound_lane(const Selection& selection, gpu::Size, const Settings&) {
  const auto device = selection.device;
  RaceLanes result;
  if (device == gpu::Device::simulated) return result;
  for (const auto& bound : gpu::bounds(device))
    if (bound.name == gpu::decisive_bound(device, race_type))
      result.lanes.push_back({nullptr, &bound, {}, std::string(bound.name)});
  return result;
}

}  // namespace app
