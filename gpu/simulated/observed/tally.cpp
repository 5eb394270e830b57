#include "gpu/simulated/observed/tally.h"

#include <algorithm>
#include <bit>

namespace gpu::simulated {
namespace {

constexpr unsigned sector_bytes = 32, word_bytes = 4;

}  // namespace

void Tally::add(const WarpRequest& request, WarpTrace& trace) {
  std::uint64_t packed[lanes_per_warp];
  unsigned count = 0;
  for (auto lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
    packed[count++] = request.addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  const std::span<const std::uint64_t> addresses(packed, count);
  const bool loads = request.kind != AccessKind::global_store && request.kind != AccessKind::shared_store;
  const bool stores = request.kind != AccessKind::global_load && request.kind != AccessKind::shared_load;

  if (is_shared(request.kind)) {
    const unsigned lanes_per_dispatch = width_ / std::max(1u, request.bytes / word_bytes);
    const auto stages = dmm_stages(addresses, request.bytes, width_);
    counts_.shared_stages += stages;
    counts_.shared_stages_without_conflicts += (count + lanes_per_dispatch - 1) / lanes_per_dispatch;
    counts_.shared_reads += loads;
    counts_.shared_writes += stores;
    trace.push_back(Step::shared(stages));
  } else {
    const auto sectors = touched_groups(addresses, request.bytes, sector_bytes);
    const auto bytes = std::uint64_t{count} * request.bytes;
    if (loads) counts_.read.bytes += bytes, counts_.read.sectors += sectors;
    if (stores) counts_.written.bytes += bytes, counts_.written.sectors += sectors;
    trace.push_back(Step::global(umm_stages(addresses, request.bytes, width_)));
  }
}

}  // namespace gpu::simulated
