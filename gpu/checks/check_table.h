// check_table: is this table right? One pass over table and image, by the four-point identity
//     table(x, y) - table(x-1, y) - table(x, y-1) + table(x-1, y-1) = image(x, y)   modulo 2^32, 0 outside the image
// which holds everywhere if and only if every entry is right. Needs no reference table, and reads nothing back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpu/context.h"
#include "gpu/image.h"

namespace gpu {

// What the pass found, as it lies in memory of the context's device.
struct TableFindings {
  unsigned long long count = 0;  // of places where the identity fails
  // The first wrong entry, row by row: its index y * width + x in the upper 32 bits, and in the lower ones the entry that is
  // right, and the one that was found. Minima of such words belong to the same place.
  unsigned long long expected = ~0ull, found = ~0ull;
};

// The same for readers. All entries before the first wrong place are right, so that `expected` is the right entry. One wrong
// entry fails the identity in up to four places.
struct WrongTable {
  std::uint64_t count = 0;
  int x = 0, y = 0;
  std::uint32_t expected = 0, found = 0;
  friend bool operator==(const WrongTable&, const WrongTable&) = default;
};
std::optional<WrongTable> wrong_table(const TableFindings& findings, int width);  // nothing if the table is right
// One line: "wrong at (3, 2): 120 instead of 110; the four-point identity fails in 4 places".
std::string text(const WrongTable& wrong);

// Queues or does the check, timed as "check". `image` and `table` have the same size, of 1 to 2^32 - 1 pixels. Returns where
// the findings will be: scratch memory of the context's device, for Readback::queue(). Neither allocates nor waits. Throws
// std::invalid_argument for more pixels, and for images that check_views() refuses.
TableFindings* check_table(Context& context, ImageView<const std::uint8_t> image, ImageView<const std::uint32_t> table);

}  // namespace gpu
