#include "gpu/sat/block/tile_recorder.h"

#include <stdexcept>

#include "gpu/cuda/launch.h"

namespace gpu {

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
  if (!algorithm.records_tiles) refuse("it records no tiles");
  if (sat_type(image.type, sat.type) != SatType::u8_u32) refuse("tiles are recorded for 8u32u only");
  struct Recording {
    Context& context;
    ~Recording() { context.set_tile_recorder(nullptr); }
  } const recording{context};
  context.set_tile_recorder(&recorder);
  compute_sat(context, algorithm, image, sat, arguments);
}

TileRecorder plan_tiles(Device device, int threads, const SatAlgorithm& algorithm, Size size, const Arguments& arguments) {
  auto dry = Context::dry(device, threads);
  TileRecorder recorder;
  compute_sat(dry, algorithm, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size),
              arguments, recorder);
  return recorder;
}

}  // namespace gpu
