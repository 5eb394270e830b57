// transpose_harris: rows scanned in shared memory, transpose through 16 x 16 tiles, rows again, transpose.
//
// Paper: Ha, Choi, Jun, Kim, Byun, Han, Bandwidth Efficient Summed Area Table Generation for CUDA, Journal of Korea Game
// Society 12(5), 2012 (004), sec. 3.3, "Image Transpose Method": their baseline, which they ascribe to Harris, Sengupta,
// Owens, Parallel prefix sum (scan) with CUDA, GPU Gems 3 (2007), ch. 39, as CUDPP has it.
// Idea: a row is scanned in shared memory, piece by piece if it is long; the sum of each piece is carried to the next. Two
// transposes turn columns into rows and back.
//
//      [ piece ] sum-> [ piece ] sum-> [ piece ]
//
// Which scan is whose (the parameter `scan`):
//   kogge_stone   Ha's account of Harris's method (004 sec. 3.3): recursive doubling, s[i] += s[i - 2^k], log2 steps with
//                 one addition per pixel each
//   blelloch      Harris's own (GPU Gems 3, 39.2.2; "work-efficient" also in 004 sec. 2): sums of pairs up a tree, prefix
//                 sums down again; 2 log2 steps, but only two additions per pixel in all; indices padded against bank
//                 conflicts
//
// Kernels: 4. Traffic: 4 reads and 4 writes per pixel; a transposed table in scratch memory. Synchronisation: barriers
// within a block, which has one row to itself.
//
// Departures: Ha's description leaves the table transposed; here it is transposed back. One block scans the pieces of a row
// one after another with a running sum, while CUDPP scans the pieces' sums by separate launches. The next pieces are loaded
// meanwhile. Kogge-Stone scans 16 pieces side by side, so that they share its barriers.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

// A pixel of each piece per thread. Short pieces have fewer steps, and many side by side hide the barriers.
constexpr int kogge_stone_threads = 64, pieces_ahead = 16;

template <class Input, class Sum>
__global__ void __launch_bounds__(kogge_stone_threads) kogge_stone_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  constexpr int threads = kogge_stone_threads;
  // Two sets alternate: a step reads one and writes the other, so that one barrier per step is enough.
  auto& set = static_shared<Sum[2][pieces_ahead][threads]>();
  const int thread = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  const Input* row = image.row(y);
  Sum* target = sums.row(y);
  Input next[pieces_ahead];
  const auto load = [&](int x0) {
#pragma unroll
    for (int p = 0; p < pieces_ahead; ++p) {
      const int x = x0 + p * threads + thread;
      next[p] = x < image.width ? row[x] : Input(0);
    }
  };
  load(0);
  Sum carry = 0;
  for (int x0 = 0; x0 < image.width; x0 += pieces_ahead * threads) {
    Sum value[pieces_ahead];
#pragma unroll
    for (int p = 0; p < pieces_ahead; ++p) value[p] = set[0][p][thread] = term<Sum>(next[p]);
    if (x0 + pieces_ahead * threads < image.width) load(x0 + pieces_ahead * threads);
    __syncthreads();

    int current = 0;
#pragma unroll
    for (int distance = 1; distance < threads; distance *= 2) {
#pragma unroll
      for (int p = 0; p < pieces_ahead; ++p) {
        if (thread >= distance) value[p] += set[current][p][thread - distance];
        set[1 - current][p][thread] = value[p];
      }
      current = 1 - current;
      __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < pieces_ahead; ++p) {
      const int x = x0 + p * threads + thread;
      if (x < image.width) target[x] = value[p] + carry;
      carry += set[current][p][threads - 1];
    }
    __syncthreads();  // all threads have read these pieces' sums
  }
}

// Two pixels per thread. Indices skip one word in every 32, so that the strides of the tree cause fewer bank conflicts.
constexpr int blelloch_threads = 256, piece = 2 * blelloch_threads;
constexpr int padded(int index) { return index + index / 32; }

template <class Sum>
struct Tree {
  Sum at[padded(piece)], all;
};

template <class Input, class Sum>
__global__ void __launch_bounds__(blelloch_threads) blelloch_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  auto& tree = static_shared<Tree<Sum>>();
  const int thread = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  const Input* row = image.row(y);
  Sum* target = sums.row(y);
  Input next[2];
  const auto load = [&](int x0) {
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const int x = x0 + p * blelloch_threads + thread;
      next[p] = x < image.width ? row[x] : Input(0);
    }
  };
  load(0);
  Sum carry = 0;
  for (int x0 = 0; x0 < image.width; x0 += piece) {
    Sum value[2];
#pragma unroll
    for (int p = 0; p < 2; ++p) tree.at[padded(p * blelloch_threads + thread)] = value[p] = term<Sum>(next[p]);
    if (x0 + piece < image.width) load(x0 + piece);

      // Up: the right element of a pair becomes the pair's sum.
#pragma unroll
    for (int distance = 1; distance < piece; distance *= 2) {
      __syncthreads();
      if (const int left = distance * (2 * thread + 1) - 1; left + distance < piece)
        tree.at[padded(left + distance)] += tree.at[padded(left)];
    }
    if (thread == 0) {  // which has just written the piece's sum
      tree.all = tree.at[padded(piece - 1)];
      tree.at[padded(piece - 1)] = 0;
    }
    // Down: an interval passes its prefix sum to its left half, and that plus the left half's sum to its right half.
#pragma unroll
    for (int distance = blelloch_threads; distance > 0; distance /= 2) {
      __syncthreads();
      if (const int left = distance * (2 * thread + 1) - 1; left + distance < piece) {
        const Sum before = tree.at[padded(left + distance)];
        tree.at[padded(left + distance)] = before + tree.at[padded(left)];
        tree.at[padded(left)] = before;
      }
    }
    __syncthreads();
    // The tree now holds the sum of all pixels before each pixel of the piece.
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const int x = x0 + p * blelloch_threads + thread;
      if (x < image.width) target[x] = tree.at[padded(p * blelloch_threads + thread)] + value[p] + carry;
    }
    carry += tree.all;
  }
}

template <class Input, class Sum>
void launch_scan(Context& context, ImageView<const Input> image, ImageView<Sum> sums, bool blelloch) {
  const Grid grid{dim3(static_cast<unsigned>(image.height)), dim3(blelloch ? blelloch_threads : kogge_stone_threads)};
  context.launch("row scan", blelloch ? blelloch_rows<Input, Sum> : kogge_stone_rows<Input, Sum>, grid, image, sums);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const bool blelloch = arguments.text("scan") == "blelloch";
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<16, BlockOrder::plain>(context, input, output, 4,
                                                    [&](auto from, auto to) { launch_scan(context, from, to, blelloch); });
  });
}

constexpr Parameter parameters[] = {
    choice("scan", "kogge_stone,blelloch", "kogge_stone: as Ha et al. describe Harris's method; blelloch: Harris's own")};

}  // namespace

extern constinit const SatAlgorithm sat_transpose_harris{
    .name = "transpose_harris",
    .year = 2007,
    .paper =
        "Harris, Sengupta, Owens, Parallel prefix sum (scan) with CUDA; as Ha et al., Bandwidth Efficient Summed Area "
        "Table Generation for CUDA, 2012, sec. 3.3",
    .idea = "Rows scanned piece by piece in shared memory, with a transpose through 16 x 16 tiles after each direction.",
    .reads = "4",
    .writes = "4",
    .traffic = traffic_of_scans_and_transposes,
    .parameters = parameters,
    .run = run,
};

}  // namespace gpu::sat
