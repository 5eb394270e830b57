// KernelRates: how many bytes per second the rows of the statistics move, and how near the algorithm comes to its bound,
// where that is known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/control/selection.h"
#include "app/pipeline/frame_figures.h"

namespace app {

struct KernelRates {
  std::optional<double> gb_per_s;  // the bytes of the algorithm, of luma or of the effect's launch over its mean time
  std::optional<double> of_bound;  // of the algorithm's own row: the time of the bound over its mean time, 0..1
};

// What its threads request or, where nobody counts that (on the host, in libraries), what it must move at least: the image
// once, the table once.
std::uint64_t bytes_of(const gpu::SatAlgorithm& algorithm, gpu::Size size, gpu::SatType type,
                       const gpu::Arguments& arguments);

// One for each of `rows`, the rows of figures.stages, of frames of `size` made with `selection`. `bound_us`: nullopt where
// it is not measured. On the simulated GPU nothing is known.
std::vector<KernelRates> kernel_rates(std::span<const StageRow> rows, const FrameFigures& figures,
                                      const Selection& selection, gpu::Size size, std::optional<double> bound_us);

}  // namespace app
