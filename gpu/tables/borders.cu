// clear_borders(): the zeros of padded tables, a thread each.
#include <cstdint>

#include "gpu/execution/driver.h"
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
void clear(Context& context, const ImageView<Word>& first_table, const ImageBatch& batch) {
  const ClearBorder<Word> border{first_table, batch.sat_stride};
  context.for_each_pixel("borders", border.size(batch.tables()), border);
}

}  // namespace

void clear_borders(Context& context, const AnyImageView& first_table, const ImageBatch& batch) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::clear_borders))
    return there(context, first_table, batch);
  if (size_of(first_table.type) == sizeof(std::uint32_t))
    clear(context, first_table.as<std::uint32_t>(), batch);
  else
    clear(context, first_table.as<std::uint64_t>(), batch);
}

}  // namespace gpu
