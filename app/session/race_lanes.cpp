#include "app/session/race_lanes.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "app/pipeline/frame_figures.h"
#include "app/pipeline/lane.h"
#include "gpu/choice/tune.h"
#include "gpu/tables/tables.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

// Only notes which table it would compute.
void noted_table() {}
void note_table(gpu::Context& dry, gpu::AnyConstImageView image, gpu::AnyImageView sat, const gpu::Arguments&) {
  const auto type = static_cast<unsigned>(gpu::sat_type(image.type, sat.type));
  dry.launch("table", noted_table,
             {dim3(static_cast<unsigned>(image.width), static_cast<unsigned>(image.height)), dim3(type + 1)});
}

}  // namespace

RaceEffect race_effect(const Selection& selection, gpu::Size size) {
  const auto noting = stand_in_algorithm(selection.device, note_table);
  const Selection noted{&noting, {}, selection.effect, selection.effect_arguments, TimingChoice::off, selection.device};
  auto dry = gpu::Context::dry(selection.device);
  replay_lane(dry, size, noted, gpu::prepare_effect(dry, *noted.effect, noted.effect_arguments, size).get());
  RaceEffect result{noted.effect, noted.effect_arguments, {}};
  const auto* const mark = gpu::kernel_address(noted_table);
  for (const auto& launch : dry.launches())
    if (launch.kernel == mark)
      result.tables.push_back({{static_cast<int>(launch.shape.grid.x), static_cast<int>(launch.shape.grid.y)},
                               static_cast<gpu::SatType>(launch.shape.block.x - 1)});
  result.tables.erase(result.tables.begin());  // the frame's own
  return result.tables.empty() ? RaceEffect() : result;
}

std::optional<double> effect_bytes_per_pixel(const RaceEffect& effect, const RaceLane& lane, gpu::Device device,
                                             gpu::Size size) {
  std::uint64_t bytes = 0;
  for (const auto& table : effect.tables) {
    const auto& by = gpu::table_algorithm(*lane.algorithm, table.type, table.size.height, device);
    if (!by.traffic) return {};
    bytes += bytes_of(by, table.size, table.type, &by == lane.algorithm ? lane.arguments : gpu::Arguments(by.parameters));
  }
  return static_cast<double>(bytes) / static_cast<double>(size.pixels());
}

namespace {

// OpenCV writes into the table, because it has the size and the type that its result has; its sums are signed and wrap around.
void opencv_integral(gpu::ImageView<const std::uint8_t> image, gpu::ImageView<std::uint32_t> table) {
  const cv::Mat pixels(image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.data),
                       static_cast<std::size_t>(image.stride));
  cv::Mat sums(table.height, table.width, CV_32S, table.data, static_cast<std::size_t>(table.stride) * sizeof(int));
  cv::integral(pixels, sums, CV_32S);
}

// Why it cannot take part, one line; empty: it can.
std::string why_absent(const gpu::SatAlgorithm& algorithm, gpu::Device device, gpu::Size size) {
  if (algorithm.device == gpu::Device::cuda && device == gpu::Device::host)
    return gpu::runs_on(algorithm, gpu::Device::simulated) ? "only on a GPU, or on the simulated GPU" : "only on a GPU";
  if (algorithm.device == gpu::Device::host && device != gpu::Device::host) return "only on the CPU";
  if (!gpu::runs_on(algorithm, device))
    return algorithm.version ? algorithm.version->no_cuda : std::string(algorithm.not_simulated);
  if (auto why = gpu::why_unavailable(algorithm); !why.empty()) return why;
  if (std::ranges::find(algorithm.types, race_type) == algorithm.types.end())
    return "does not support " + std::string(gpu::info(race_type).name) + ": " + std::string(algorithm.types_note);
  if (size.height > algorithm.most_rows) return "takes images of at most " + std::to_string(algorithm.most_rows) + " rows";
  return {};
}

// Of an algorithm that a race on the host leaves out although the simulated GPU runs it, with its initial arguments.
std::optional<double> simulated_bytes_per_pixel(const gpu::SatAlgorithm& algorithm, gpu::Device device, gpu::Size size) {
  if (device != gpu::Device::host || !algorithm.traffic || !why_absent(algorithm, gpu::Device::simulated, size).empty())
    return {};
  return static_cast<double>(bytes_of(algorithm, size, race_type, gpu::Arguments(algorithm.parameters))) /
         static_cast<double>(size.pixels());
}

}  // namespace

const RacePeer opencv_peer{"opencv", opencv_integral};

RaceLanes table_lanes(const Selection& selection, gpu::Size size, const Settings& settings) {
  const auto device = selection.device;
  RaceLanes result;
  if (device != gpu::Device::simulated)
    for (const auto& bound : gpu::bounds(device)) result.lanes.push_back({nullptr, &bound, {}, std::string(bound.name)});
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (auto why = why_absent(*algorithm, device, size); !why.empty()) {
      result.absent.push_back(
          {std::string(algorithm->name), std::move(why), simulated_bytes_per_pixel(*algorithm, device, size)});
      continue;
    }
    const auto initial = arguments_of(*algorithm, settings);
    if (!settings.race_parameters) {
      result.lanes.push_back({algorithm, nullptr, initial, numbered_name(*algorithm)});
      continue;
    }
    for (auto& arguments : gpu::combinations(initial, {}))
      result.lanes.push_back({algorithm, nullptr, arguments, with_arguments(numbered_name(*algorithm), arguments)});
  }
  if (device == gpu::Device::host)
    result.lanes.push_back({nullptr, nullptr, {}, std::string(opencv_peer.name), &opencv_peer});
  return result;
}

RaceLanes race_lanes(const Selection& selection, gpu::Size size, const Settings& settings) {
  auto result = table_lanes(selection, size, settings);
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
