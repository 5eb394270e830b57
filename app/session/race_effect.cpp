#include "app/session/race_effect.h"

#include "app/pipeline/kernel_rates.h"
#include "app/pipeline/lane.h"
#include "app/session/race_lanes.h"
#include "gpu/tables.h"

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

}  // namespace app
