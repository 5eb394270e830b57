// Prefix sums of a row of pixels that continues beyond its ends, as a border says. On the host one array of them gives the
// sums of all windows of a row, at a cost that does not depend on the window; border.h does the same for one window alone.
#pragma once

#include <cstdint>

#include "gpu/effects/border.h"
#include "gpu/image.h"

namespace gpu::effects {

// The pixels of the row are sums of a column's pixels: `rows` combines rows of the inclusive `table` to them. out[k]: the sum of
// the pixels from 0 to k - before (exclusive), modulo 2^32, negative sums before 0, for 0 <= k <= before + width + after, where
// `before` and `after` are not negative. Valid until the thread calls this again.
const std::uint32_t* extended_row(ImageView<const std::uint32_t> table, const AxisTerms& rows, int before, int after,
                                  Border border);

}  // namespace gpu::effects
