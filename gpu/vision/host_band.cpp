#include "gpu/vision/host_band.h"

namespace gpu::vision {
namespace {

// Where the first stage rejects a window, the next one to the right is not visited, unless depths are wanted; nor is it a hit.
void search_as_written(const Cascade& cascade, const IntegerCascade&, const HostBand& band, HostMemory& memory) {
  memory.tables.compute(band.pixels, cascade.tilted);
  const auto all = static_cast<std::uint8_t>(cascade.stages.size());
  for (int j = 0; j < band.rows; ++j) {
    bool visited = true;
    for (int i = 0; i < band.across; ++i) {
      if (!visited && !band.depths.data) {
        visited = true;
        continue;
      }
      const auto depth = WindowEvaluation(cascade, memory.tables, i * band.step, j * band.step).depth();
      if (band.depths.data) band.depths(i, j) = depth;
      if (visited && depth == all) memory.hits.push_back({i, j});
      visited = !visited || depth != 0;
    }
  }
}

constexpr HostCode as_written{"as written", false, search_as_written};

}  // namespace

std::span<const HostCode* const> host_codes_here() {
  static constexpr const HostCode* here[] = {&as_written};
  return here;
}

}  // namespace gpu::vision
