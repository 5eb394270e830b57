// The search of a pyramid on tables in the device's memory, computed level by level by any algorithm: the way that summed area tables
// are usually used for detection, and several times slower than tables of tiles (gpu/vision/window_search.h), with the same result.
// Windows are evaluated as the cascade is written, and sums added up in its order: so this is also how cascades are evaluated whose
// sums are not exact in every order, or which are too large for tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/context.h"
#include "gpu/sat.h"
#include "gpu/vision/cascade.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {

// A cascade as kernels read it. Indices are those of the lists below, a leaf's from its tree's first leaf on.
struct WrittenFeature {
  int rectangles, tilted;
  WeightedRectangle rectangle[3];
};
struct WrittenTree {
  int first_node, first_leaf;
};
struct WrittenStage {
  int first_tree, trees;
  float threshold;
};
struct WrittenCascadeLists {
  std::vector<WrittenFeature> features;
  std::vector<CascadeNode> nodes;
  std::vector<float> leaves;
  std::vector<WrittenTree> trees;
  std::vector<WrittenStage> stages;
};
WrittenCascadeLists lists_of(const Cascade& cascade);

// The lists, in memory of the device.
struct WrittenCascade {
  Size window;
  bool has_tilted;
  int stage_count;
  const WrittenFeature* features;
  const CascadeNode* nodes;
  const float* leaves;
  const WrittenTree* trees;
  const WrittenStage* stages;
};

// Queues the search of all levels: their tables, then all windows, by two kernels; in groups of levels whose tables have at most
// `most_entries` each, or of one level, so that the scratch memory for them is bounded. `search`: its lists and counters; tiles and
// records of stages are not needed.
void queue_global_search(Context& context, const WindowSearch& search, const WrittenCascade& cascade,
                         const PyramidPlan& plan, std::size_t most_entries, const SatAlgorithm& algorithm,
                         const Arguments& arguments);

}  // namespace gpu::vision
