// clear_borders(): the zeros of padded tables, a thread each.
#include <cstdint>

#include "gpu/pictures/for_each_pixel.cuh"
#include "gpu/tables/tables.h"

namespace gpu {
namespace {

// A function of (i, number) for zero i of a table: those of its row, then those of its column.
template <class Word>
struct ClearBorder {
  ImageView<Word> first;
  std::ptrdiff_t stride;

  constexpr Size size(int count) const { return {first.width + first.height - 1, count}; }
  constexpr void operator()(int i, int number) const {
    Word* const table = first.data + number * stride;
    table[i < first.width ? i : (i - first.width + 1) * first.stride] = 0;
  }
};

template <class Word>
void run(Context& context, const ClearBorder<Word>& clear, int count) {
  const auto size = clear.size(count);
  if (context.device() != Device::simulated) return context.for_each_pixel("borders", size, clear);
  // Its memory is the host's.
  for (int number = 0; number < size.height; ++number)
    for (int i = 0; i < size.width; ++i) clear(i, number);
}

}  // namespace

void clear_borders(Context& context, const AnyImageView& first_table, const ImageBatch& batch) {
  if (size_of(first_table.type) == sizeof(std::uint32_t))
    run(context, ClearBorder<std::uint32_t>{first_table.as<std::uint32_t>(), batch.sat_stride}, batch.tables());
  else
    run(context, ClearBorder<std::uint64_t>{first_table.as<std::uint64_t>(), batch.sat_stride}, batch.tables());
}

}  // namespace gpu
