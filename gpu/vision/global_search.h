// The search of a pyramid on tables in the device's memory, computed level by level by any algorithm: the way that summed area tables
// are usually used for detection, and several times slower than tables of tiles (gpu/vision/window_search.h), with the same result.
// Windows are evaluated as the cascade is written, and sums added up in its order: so this is also how cascades are evaluated whose
// sums are not exact in every order, or which are too large for tiles.
#pragma once

#include <cstddef>

#include "gpu/context.h"
#include "gpu/sat.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {

// Queues the search of all levels: their tables, then all windows, by two kernels; in groups of levels whose tables have at most
// `most_entries` each, or of one level, so that the scratch memory for them is bounded. `search`: its lists and counters; tiles and
// records of stages are not needed.
void queue_global_search(Context& context, const WindowSearch& search, const WrittenCascade& cascade,
                         const PyramidPlan& plan, std::size_t most_entries, const SatAlgorithm& algorithm,
                         const Arguments& arguments);

}  // namespace gpu::vision
