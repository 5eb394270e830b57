// Which tile of a matrix each block of a transpose takes. The grid has one dimension, because a matrix may have more rows of
// tiles than a grid can have blocks in y (65535).
#pragma once

namespace gpu::sat {

//   plain     row by row of tiles
//   diagonal  each block takes the tile below and to the right of the previous block's (Bugetti 2024, sec. 2.2, after
//             Ruetsch and Micikevicius, Optimizing matrix transpose in CUDA, 2010): concurrent blocks then read from
//             different rows, and write to different ones. The paper has one case for square matrices and one for others;
//             this formula serves both.
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
