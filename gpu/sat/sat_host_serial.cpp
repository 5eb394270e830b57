// host_serial: the textbook summed area table, one pass on one core.
//
// Paper: F. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984; as Chen et al., Efficient algorithms for the summed
// area tables primitive on GPUs (2018), Alg. 1. (Bugetti 2024, Alg. 1, adds three neighbours in the table instead.)
// Idea: each entry is the running sum of its row plus the entry above.
//
//     above  ->  +            row_sum += image(x, y)
//     row_sum -> sat(x, y)    sat(x, y) = row_sum + sat(x, y - 1)
//
// One read of the image, one read and one write of the table. It is kept simple: it is the baseline of speed-ups, and the
// algorithm that a reader can check by eye.
#include "gpu/sat.h"

namespace gpu::sat {
namespace {

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  context.parallel("serial pass", 1,
                   [&](int) { visit_sat_type(image, sat, [](auto input, auto output) { reference(input, output); }); });
}

}  // namespace

extern constinit const SatAlgorithm sat_host_serial{
    .name = "host_serial",
    .year = 1984,
    .paper = "Crow, Summed-area tables for texture mapping; as Chen et al. 2018, Alg. 1",
    .idea = "One pass on one core: the running sum of the row plus the entry above.",
    .device = Device::host,
    .reads = "2",
    .writes = "1",
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
