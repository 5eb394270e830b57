// TileHistory: what one run of an algorithm recorded of its tiles (gpu/sat/block/tile_recorder.h), on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/control/selection.h"
#include "gpu/context.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/memory.h"
#include "gpu/execution/readback.h"
#include "gpu/image.h"
#include "gpu/sat/block/tile_recorder.h"

namespace app {

// waiting: not yet started in the pass that comes next for it.
enum class TileState { waiting, started, carried, finished };

struct TileHistory {
  std::string algorithm, parameters;  // "1r1w_skss_lb", "W=128 m=auto"
  int version = 0;                    // of a user's kernel; 0: it is built in
  gpu::Device device = gpu::Device::host;
  gpu::Size image;
  std::vector<gpu::TilePass> passes;
  std::vector<gpu::TileRecord> records;  // of all passes; times in nanoseconds since the first tile started

  // Figures of the records.
  std::uint64_t end = 0;                       // when the last tile finished, in nanoseconds
  std::size_t recorded = 0;                    // tiles, in each pass anew
  std::uint32_t launches = 0;                  // that recorded tiles
  std::uint64_t longest_wait = 0;              // from a tile's start to its carries
  std::vector<std::uint32_t> multiprocessors;  // that ran tiles, ascending
  std::vector<std::uint32_t> serials;          // of each record: its number in the order of the starts in its pass
  gpu::LookBackDepths farthest{};              // the greatest of all tiles

  bool looks_back() const { return farthest != gpu::LookBackDepths{}; }
  std::span<const gpu::TileRecord> of(const gpu::TilePass& pass) const {
    return std::span(records).subspan(pass.first, pass.tiles());
  }
  std::size_t number_of(const gpu::TileRecord& record) const {  // in `records`
    return static_cast<std::size_t>(&record - records.data());
  }
  const gpu::TilePass& pass_of(const gpu::TileRecord& record) const;
  // The place of a multiprocessor in `multiprocessors`.
  std::size_t place_of(std::uint32_t multiprocessor) const;
  // How many tiles have begun by then, as `recorded` counts them.
  std::size_t begun_at(double nanoseconds) const;
};

// Subtracts the time of the first start from all, and fills in the figures.
void complete(TileHistory& history);

// "3 left, 2 up, 1 diagonal", without directions in which there was nothing to look at; empty if there was none.
std::string depths_text(const gpu::LookBackDepths& depths);
// What a trace is of, where the picture shown has another size or algorithm: "of an earlier algorithm"; else empty.
std::string earlier_words(const TileHistory& history, gpu::Size shown, const gpu::SatAlgorithm* algorithm);

TileState state_at(const gpu::TileRecord& record, double nanoseconds);

// What a tile of the picture shows at a time: its record in the latest pass that it has begun, or in the first if it has
// begun none. Nothing if no pass recorded it.
struct TileMoment {
  const gpu::TileRecord* record;
  TileState state;
  bool last_pass;  // no later pass has it
};
std::optional<TileMoment> tile_at(const TileHistory& history, int I, int J, double nanoseconds);

// TileTracing: runs an algorithm once more with a recorder of tiles, and brings the records to the host. It has memory of its
// own, which is kept for the next run.

// Why the tiles of `algorithm` cannot be traced, one line; empty if they can.
std::string why_no_tiles(const gpu::SatAlgorithm& algorithm);

class TileTracing {
 public:
  explicit TileTracing(gpu::Device device) : device_(device) {}

  // Allocates what a run on images of `size` needs. Throws what compute_sat() would throw, CudaError, std::bad_alloc.
  void prepare(gpu::Size size, const Selection& selection, int threads);
  std::size_t workspace_bytes() const { return workspace_bytes_; }  // that a run needs
  // After prepare(): queues (cuda) or does (simulated) the run. `context` has such a workspace.
  // Waits for the records of the run before, where they are still on their way.
  void run(gpu::Context& context, gpu::ImageView<const std::uint8_t> gray);
  // The result of the last run, once; nothing where it has not arrived. Never waits, unless told to. Throws CudaError.
  std::shared_ptr<const TileHistory> take(bool wait = false);
  std::size_t memory_bytes() const { return table_.span().size_bytes() + records_.size() * sizeof(gpu::TileRecord); }

 private:
  gpu::Device device_;
  Selection selection_;
  gpu::Image<std::uint32_t> table_;  // of its own: the picture's is that of the kernels without a recorder
  gpu::Buffer<gpu::TileRecord> records_;
  std::unique_ptr<gpu::Readback> readback_;
  std::size_t workspace_bytes_ = 0;
  std::optional<TileHistory> under_way_;  // without its records
};

}  // namespace app
