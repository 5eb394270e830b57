// Which tile of a matrix a block of a transpose takes. Blocks stand in a line, since a matrix may have more tiles one above
// the other than a grid has room for in y (65535).
#pragma once

namespace gpu::sat {

//   plain     row by row of tiles
//   diagonal  each block one tile further down and to the right than the one before (Bugetti 2024, sec. 2.2, after Ruetsch
//             and Micikevicius, Optimizing matrix transpose in CUDA, 2010): those that run at once then read from different
//             rows, and write to different ones. The paper has a case for square matrices and one for others; both say the
//             same where there are as many tiles down as across.
enum class BlockOrder { plain, diagonal };

struct BlockPlace {
  int I, J;  // tile row, tile column
};

template <BlockOrder order>
constexpr BlockPlace place_of_block(int block, int rows, int columns) {
  if constexpr (order == BlockOrder::plain) return {block / columns, block % columns};
  const int I = block % rows;
  return {I, (block / rows + I) % columns};
}

}  // namespace gpu::sat
