// The one symbol that the library of the simulated GPU exports (gpu/execution/driver.h).
#include <build_identity.h>

#include "gpu/checks/check_table.h"
#include "gpu/effect.h"
#include "gpu/execution/driver.h"
#include "gpu/pictures/box_sums.h"
#include "gpu/pictures/composition.h"
#include "gpu/sat.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/observed/simulation.h"
#include "gpu/tables/tables.h"
#include "gpu/vision/device_detector.h"
#ifdef SATSCOPE_OBSERVED
#include "gpu/simulated/observed/simulate.h"
#endif

namespace gpu::simulated {
namespace {

constexpr Driver driver = {
    .identity = build_identity,
#ifdef SATSCOPE_OBSERVED
    .build = Build::observed,
#else
    .build = Build::plain,
#endif
    .find_sat_algorithm = find_sat_algorithm,
    .find_traced_sat = find_traced_sat,
    .find_effect = find_effect,
    .luma = gpu::detail::luma_of_this_build,
    .split_channels = gpu::detail::split_of_this_build,
    .tilted = gpu::detail::tilted_of_this_build,
    .check_table = gpu::detail::check_of_this_build,
    .draw_difference = gpu::detail::difference_of_this_build,
    .sum_boxes = gpu::detail::sum_boxes_of_this_build,
    .make_detector = gpu::vision::detail::detector_of_this_build,
    .stop = [](bool on) { the_gpu().stop(on); },
#ifdef SATSCOPE_OBSERVED
    .simulate = simulate,
#else
    .simulate = nullptr,
#endif
};

}  // namespace
}  // namespace gpu::simulated

extern "C" __attribute__((visibility("default"))) const gpu::simulated::Driver* satscope_simulated_driver() {
  return &gpu::simulated::driver;
}
