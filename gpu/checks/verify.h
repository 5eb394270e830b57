// Whether a table is right: check_table(), one pass without a reference, for bytes and 32-bit sums; and Verifier, for all.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/memory.h"
#include "gpu/image.h"
#include "gpu/sat.h"

namespace gpu {

// check_table() goes once over table and image, by the four-point identity
//     table(x, y) - table(x-1, y) - table(x, y-1) + table(x-1, y-1) = image(x, y)   modulo 2^32, 0 outside the image
// which holds everywhere if and only if every entry is right. Needs no reference table, and reads nothing back.

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

// Verifier compares a table with a reference in the same memory, so that nothing of the size of the image is read back from a
// device. Integers must be equal; floating-point entries must lie within float_error_bound() of a float64 reference, and be exact
// if the pixels are integers and their sum is exact in the entry's type.

// The element type of the reference for a table of `Sum`.
template <class Sum>
using Reference = std::conditional_t<std::is_floating_point_v<Sum>, double, Sum>;

template <class Sum>
struct Comparison {
  ImageView<const Sum> table;
  ImageView<const Reference<Sum>> reference;
  ImageView<const Reference<Sum>> absolute;  // the sums of absolute values; the reference itself for integers
  // The pixels are integers: floating-point sums up to 2^23 (2^52) must be exact, whatever the order of additions.
  bool whole_numbers = false;

  constexpr bool wrong(int x, int y) const {
    if constexpr (std::is_floating_point_v<Sum>) {
      const double difference = static_cast<double>(table(x, y)) - reference(x, y);
      // Not "difference > bound": NaN must count as wrong.
      return !(difference <= bound(x, y) && -difference <= bound(x, y));
    } else {
      return table(x, y) != reference(x, y);
    }
  }
  constexpr double bound(int x, int y) const {
    const double sum = static_cast<double>(absolute(x, y));
    if (whole_numbers && sum * static_cast<double>(std::numeric_limits<Sum>::epsilon()) <= 1) return 0;
    return float_error_bound<Sum>(table.size(), sum);
  }
};

struct Mismatch {
  unsigned long long count = 0;      // of wrong entries
  unsigned long long first = ~0ull;  // y * width + x of the first one
};
// Empty if no entry is wrong, otherwise one line: how many, and the position of the first in a table of that width.
std::string text(const Mismatch& mismatch, int width);

// All views are in host memory.
template <class Sum>
Mismatch compare_on_host(const Comparison<Sum>& comparison) {
  Mismatch result;
  for (int y = 0; y < comparison.table.height; ++y)
    for (int x = 0; x < comparison.table.width; ++x)
      if (comparison.wrong(x, y) && result.count++ == 0)
        result.first = static_cast<unsigned long long>(y) * static_cast<unsigned long long>(comparison.table.width) +
                       static_cast<unsigned long long>(x);
  return result;
}
// Queues the comparison. All views and `result`, which has to be Mismatch{} before, are in device memory. Throws CudaError. For
// the sum types of tables: std::uint32_t, std::uint64_t, float, double.
template <class Sum>
void compare_on_device(cudaStream_t stream, const Comparison<Sum>& comparison, Mismatch* result);

// Computes the reference of a table: on a GPU with one thread per row, then one per column, queued on `stream`; on the host
// before it returns. Views are in memory of the device. `absolute`: the sums of absolute values. For every pair of an image's
// type and Reference<its sum's type>. Throws CudaError.
template <class Input, class Ref>
void make_reference(Device device, cudaStream_t stream, ImageView<const Input> image, ImageView<Ref> sums,
                    bool absolute = false);

// The reference of one image, for checking any number of its tables.
class Verifier {
 public:
  // Computes the reference of `image`, which is in memory of `device`; `sum` is the element type of the tables. A GPU does it
  // on `stream`; the constructor waits for it. `non_negative`: no pixel is below zero; floating-point images then need no
  // second table. Throws CudaError, std::bad_alloc, std::invalid_argument (no such type).
  Verifier(Device device, cudaStream_t stream, AnyConstImageView image, ElementType sum, bool non_negative = false);
  // The memory that one Verifier allocates on the device, in bytes.
  static std::size_t memory_bytes(SatType type, Size size, bool non_negative = false);

  // `table`: of the image's size and the sum type, on the same device. Waits for the stream. Throws CudaError. wrong()
  // returns the result as text.
  Mismatch check(AnyConstImageView table) const;
  std::string wrong(AnyConstImageView table) const { return text(check(table), size_.width); }

 private:
  template <class Sum>
  ImageView<Reference<Sum>> table_at(const Buffer<std::byte>& data) const;
  void make(AnyConstImageView image, bool absolute, const Buffer<std::byte>& into) const;

  Device device_;
  cudaStream_t stream_;
  SatType type_;
  Size size_;
  Buffer<std::byte> reference_, absolute_, mismatch_;  // absolute_ is empty if it would equal reference_
};

}  // namespace gpu
