// The one symbol that the library of the simulated GPU exports (gpu/execution/driver.h).
#include <build_identity.h>

#include "gpu/checks/verify.h"
#include "gpu/effect.h"
#include "gpu/execution/driver.h"
#include "gpu/pictures/box_sums.h"
#include "gpu/pictures/composition.h"
#include "gpu/sat.h"
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
    .find_effect = find_effect,
    .luma = luma,
    .split_channels = split_channels,
    .compute_tilted = compute_tilted,
    .clear_borders = clear_borders,
    .check_table = check_table,
    .draw_wipe = draw_wipe,
    .draw_difference = draw_difference,
    .sum_boxes = sum_boxes,
    .make_device_detector = vision::make_device_detector,
    .set = [](const GpuSettings& settings) { the_gpu().set(settings); },
    .stop = [](bool on) { the_gpu().stop(on); },
#ifdef SATSCOPE_OBSERVED
    .simulate = simulate,
#endif
};

}  // namespace
}  // namespace gpu::simulated

extern "C" __attribute__((visibility("default"))) const gpu::simulated::Driver* satscope_simulated_driver() {
  return &gpu::simulated::driver;
}
