// Machines for tests of changes: without a GPU of NVIDIA's, and without the simulated one too.
#pragma once

#include "app/control/change.h"

namespace app {

inline const ChangeContext no_gpu{"no driver is loaded", "", 1, true},
    nothing{"no driver is loaded", "it is not built", 1, true};

}  // namespace app
