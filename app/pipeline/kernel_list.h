// The kernels of pictures, found by dry replays of the code that launches them: nothing runs, and no GPU is needed.
#pragma once

#include <functional>
#include <vector>

#include "app/control/selection.h"
#include "gpu/device.h"
#include "gpu/image.h"

namespace app {

// Their addresses, by which CUDA knows them; each once, in the order in which they are launched. Those of NVIDIA's libraries are
// not among them: only the libraries know them.
using Kernels = std::vector<const void*>;

// What frames of `size` need for a selection of a GPU or the simulated GPU; `traced`: and to record its tiles. Empty for the
// host's.
Kernels kernels_of(const Selection& selection, gpu::Size size, bool traced = false);
// Whatever can be chosen on `device`, with each combination of choices, for frames of any size, and for the race: first what every
// frame needs, then effects and algorithms with their initial arguments. `take` gets the kernels of one after another, some of
// them more than once, until it returns false.
void list_kernels(gpu::Device device, const std::function<bool(const Kernels&)>& take);

}  // namespace app
