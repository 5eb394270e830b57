// TileTracing: runs an algorithm once more with a recorder of tiles, and brings the records to the host. It has memory of its
// own, which is kept for the next run.
#pragma once

#include <memory>
#include <optional>

#include "app/control/selection.h"
#include "app/pipeline/tile_history.h"
#include "gpu/context.h"
#include "gpu/memory.h"
#include "gpu/readback.h"

namespace app {

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
