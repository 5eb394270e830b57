// transpose_harris: Kogge-Stone rows in shared memory, transpose through 16 x 16 tiles, rows again, transpose.
//
// Paper: Harris, Sengupta, Owens, Parallel prefix sum (scan) with CUDA, GPU Gems 3 (2007), ch. 39; as Ha, Choi, Jun, Kim,
// Byun, Han, Bandwidth Efficient Summed Area Table Generation for CUDA, Journal of Korea Game Society 12(5), 2012 (004),
// sec. 3.3: the way CUDPP does it, their baseline.
// Idea: recursive doubling over a row in shared memory; a row longer than that is scanned piece by piece, the sum of a
// piece goes on to the next.
//
//      [ piece ] sum-> [ piece ] sum-> [ piece ]       in each piece: log2 steps of  s[i] += s[i - 2^k]
//
// Kernels: 4. Traffic: 4 reads, 4 writes a pixel; a transposed table of scratch memory. Synchronisation: a block has a row
// to itself: barriers alone.
//
// Departures: Ha's description leaves the table transposed; here it is turned back. A row's pieces are walked by one block
// with a running sum, where CUDPP scans the pieces' sums in launches of their own. The next piece is on its way meanwhile.
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"
#include "gpu/shared_memory.cuh"

namespace gpu::sat {
namespace {

constexpr int threads = 256;
constexpr int pieces_ahead = 4;  // of 256 pixels each, a pixel a thread

template <class Input, class Sum>
__global__ void __launch_bounds__(threads) scan_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  // Two sets take turns: a step reads one and writes the other, so that one barrier a step is enough.
  auto& set = static_shared<Sum[2][threads]>();
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
    for (int p = 0; p < pieces_ahead; ++p) value[p] = term<Sum>(next[p]);
    if (x0 + pieces_ahead * threads < image.width) load(x0 + pieces_ahead * threads);

#pragma unroll
    for (int p = 0; p < pieces_ahead; ++p) {
      int current = 0;
      __syncthreads();  // the piece before has been read to its end
      set[0][thread] = value[p];
      __syncthreads();
#pragma unroll
      for (int distance = 1; distance < threads; distance *= 2) {
        if (thread >= distance) value[p] += set[current][thread - distance];
        current ^= 1;
        set[current][thread] = value[p];
        __syncthreads();
      }
      const int x = x0 + p * threads + thread;
      if (x < image.width) target[x] = value[p] + carry;
      carry += set[current][threads - 1];
    }
  }
}

template <class Input, class Sum>
void launch_scan(Context& context, ImageView<const Input> image, ImageView<Sum> sums) {
  context.launch("row scan", scan_rows<Input, Sum>, {dim3(static_cast<unsigned>(image.height)), dim3(threads)}, image,
                 sums);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<16, BlockOrder::plain>(context, input, output, 16,
                                                    [&](auto from, auto to) { launch_scan(context, from, to); });
  });
}

Traffic traffic(Size size, SatType type, const Arguments&) {
  return two_scans_and_transposes(
      size, type, [](Size of, std::uint64_t from, std::uint64_t to) { return one_pass(of.pixels(), from, to); });
}

}  // namespace

extern constinit const SatAlgorithm sat_transpose_harris{
    .name = "transpose_harris",
    .year = 2007,
    .paper = "Harris, Sengupta, Owens, Parallel prefix sum (scan) with CUDA; as Ha et al., Bandwidth Efficient Summed Area "
             "Table Generation for CUDA, 2012, sec. 3.3",
    .idea = "Recursive doubling of rows in shared memory, with a transpose through 16 x 16 tiles after each direction.",
    .device = Device::cuda,
    .reads = "4",
    .writes = "4",
    .traffic = traffic,
    .parameters = {},
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
