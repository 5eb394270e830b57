#include "gpu/sat/block/tile_recorder.h"

#include <cstring>
#include <stdexcept>

#include "gpu/cuda/clear.h"
#include "gpu/execution/driver.h"

namespace gpu {
namespace sat {
// Each is in the file of its algorithm.
extern const TracedSat traced_1_plus_r_r1w, traced_1r1w, traced_1r1w_skss, traced_1r1w_skss_lb, traced_2r1w,
    traced_2r2w_optimal, traced_decoupled_fallback, traced_ha_blocks, traced_one_wave, traced_row_waves, traced_tensor_tiles;
}  // namespace sat

namespace {

constexpr const TracedSat* table[] = {&sat::traced_1_plus_r_r1w,       &sat::traced_1r1w,        &sat::traced_1r1w_skss,
                                      &sat::traced_1r1w_skss_lb,       &sat::traced_2r1w,        &sat::traced_2r2w_optimal,
                                      &sat::traced_decoupled_fallback, &sat::traced_ha_blocks,   &sat::traced_one_wave,
                                      &sat::traced_row_waves,          &sat::traced_tensor_tiles};

}  // namespace

std::span<const TracedSat* const> traced_sats() { return table; }

const TracedSat* find_traced_sat(std::string_view algorithm) {
  for (const auto* traced : table)
    if (traced->name == algorithm) return traced;
  return nullptr;
}

TileRecord* TileRecorder::begin_pass(Context& context, std::string_view name, Size tile, int rows, int columns) {
  passes_.push_back({std::string(name), tile.width, tile.height, rows, columns, used_});
  const auto tiles = passes_.back().tiles();
  used_ += tiles;
  if (context.is_dry()) return nullptr;
  if (used_ > room_.size())
    throw std::length_error("room for " + std::to_string(room_.size()) + " tile records, " + std::to_string(used_) +
                            " needed");
  auto* const records = room_.data() + passes_.back().first;
  context.call("clear", [&](cudaStream_t stream) { clear_on_device(records, tiles * sizeof(TileRecord), stream); });
  return records;
}

void compute_sat(Context& context, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                 const Arguments& arguments, TileRecorder& recorder) {
  check_run(context, algorithm, image, sat);
  const auto refuse = [&](const char* why) { throw std::invalid_argument(std::string(algorithm.name) + ": " + why); };
  const auto* traced = find_traced_sat(algorithm.name);
  if (!traced) refuse("it records no tiles");
  if (sat_type(image.type, sat.type) != SatType::u8_u32) refuse("tiles are recorded for 8u32u only");
  const Context::ScratchScope scope(context);
  simulated::here(context, *traced, &simulated::Driver::find_traced_sat).run(context, image, sat, arguments, &recorder);
}

TileRecorder plan_tiles(Device device, int threads, const SatAlgorithm& algorithm, Size size, const Arguments& arguments) {
  auto dry = Context::dry(device, threads);
  TileRecorder recorder;
  compute_sat(dry, algorithm, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size),
              arguments, recorder);
  return recorder;
}

}  // namespace gpu
