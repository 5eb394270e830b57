// TileRecorder: on request, the algorithms that work on tiles record for each tile when it started, had its carries and
// finished, and on which multiprocessor. For tables of type 8u32u only. Without a recorder, kernels run that have no such
// code (gpu/sat/block/tile_trace.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/sat.h"

namespace gpu {

// How far a tile looked back for its carries in each direction: the greatest number of predecessors whose sums any thread of
// its block added. 0 where it has none, and in passes without look-backs.
struct LookBackDepths {
  int left, up, diagonal;
  friend bool operator==(const LookBackDepths&, const LookBackDepths&) = default;
};

// One tile in one pass. Times are nanoseconds of the device's clock; where it starts has no meaning, and its steps may be
// longer (about 32 ns on recent GPUs, 1 us on older ones). On the simulated GPU it is the clock of the host, and a
// multiprocessor is a place for one resident block.
struct TileRecord {
  std::uint64_t started;   // its block began with it
  std::uint64_t carried;   // the sums that enter it were there; `started` where the pass needs none
  std::uint64_t finished;  // all threads of its block had issued their last store
  std::uint32_t multiprocessor;
  std::uint32_t launch;  // 1: the first kernel that records; 0: nothing was recorded
  LookBackDepths look_back{};
  friend bool operator==(const TileRecord&, const TileRecord&) = default;
};
static_assert(sizeof(TileRecord) % 16 == 0, "the records of every pass are cleared by words of 16 bytes");

// What an algorithm does with each of its tiles, at most once per tile; in one launch or in several.
struct TilePass {
  std::string name;
  int W = 0, H = 0;           // of a tile, in pixels
  int rows = 0, columns = 0;  // of tiles
  std::size_t first = 0;      // its records are first .. first + tiles() - 1, row by row of tiles

  std::size_t tiles() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  friend bool operator==(const TilePass&, const TilePass&) = default;
};

class TileRecorder {
 public:
  // A recorder without memory, for a dry replay, which counts the records.
  TileRecorder() = default;
  // `room`: memory of the device on which the algorithm will run, 16-byte aligned.
  explicit TileRecorder(std::span<TileRecord> room) : room_(room) {}

  // For algorithms: clears the records of a pass, in the order of queued work, and returns where they lie. Throws
  // std::length_error if the room is smaller than a dry replay counts.
  TileRecord* begin_pass(Context& context, std::string_view name, Size tile, int rows, int columns);
  std::uint32_t begin_launch() { return ++launches_; }  // its number

  const std::vector<TilePass>& passes() const { return passes_; }
  int launches() const { return static_cast<int>(launches_); }
  std::size_t records() const { return used_; }  // of all passes

 private:
  std::span<TileRecord> room_;
  std::vector<TilePass> passes_;
  std::uint32_t launches_ = 0;
  std::size_t used_ = 0;
};

// compute_sat() with this recorder of the context. Throws also for a type other than 8u32u and for an algorithm that records no
// tiles.
void compute_sat(Context& context, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                 const Arguments& arguments, TileRecorder& recorder);
// What such a run will record: a dry replay. `threads`: as for Context::dry().
TileRecorder plan_tiles(Device device, int threads, const SatAlgorithm& algorithm, Size size, const Arguments& arguments);

}  // namespace gpu
