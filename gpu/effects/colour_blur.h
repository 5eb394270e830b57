// box_blur of a colour frame on the host.
//
// Three tables of a frame are larger than a core's caches, and a row's windows need no more of them than a strip: the differences of
// two of their rows. So each thread keeps the strip alone, and moves it down its band of rows: the sums of every column over the rows
// of a window, to which the row that enters is added, and from which the one that leaves is subtracted. Along a strip, a window's sum
// follows from its neighbour's. A pixel costs the same whatever the window, as with tables, and the frame is read as it lies: channels
// stay beside each other.
#pragma once

#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/effects/window_sums.h"
#include "gpu/image.h"

namespace gpu::effects {

// The pixels that box_blur draws from tables of the channels, bit for bit. Takes scratch memory for all passes but the last.
void blur_colours_on_host(Context& context, const BgrView& colour, Size window, Border border, int passes,
                          const Canvas& canvas);

}  // namespace gpu::effects
