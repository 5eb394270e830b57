// Transposition compared with shuffles: the performance model of Chen, Wahib, Takizawa, Takano, Matsuoka, Efficient
// Algorithms for the Summed Area Tables Primitive on GPUs (CLUSTER 2018), sec. V. One warp turns a 32 x 32 matrix of
// registers into prefix sums, by one of
//
//   scan row      a parallel warp scan of each register: log2(32) shuffles and additions, one after another
//   transpose     through shared memory, then scan column: 31 additions inside each thread
//
// All times are in clocks per matrix. Throughput times (eq. 10-15) are those of one fully occupied multiprocessor.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gpu::simulated {

struct OperationCost {
  double latency = 0;    // clocks, until a dependent instruction of the same warp can start
  double per_clock = 0;  // single lanes per clock and multiprocessor; for shared memory, words of 4 bytes
};

struct GpuLatencies {
  std::string name;
  OperationCost shuffle, shared_memory;
  OperationCost integer_addition;  // and Boolean AND
  OperationCost float_addition;
};

// From sec. V.A: latencies measured by the authors, shuffles and additions per clock from NVIDIA's manual. The paper gives
// shared memory in GB/s of the whole GPU (sec. V.C, 9519 and 13800); here this is divided by the multiprocessors of
// Table I and by clock rates that the paper does not state: 1.328 and 1.38 GHz.
GpuLatencies paper_p100();
GpuLatencies paper_v100();

// The work of one warp on one 32 x 32 matrix.
struct MatrixWork {
  double shuffles = 0;         // warp instructions
  double shared_requests = 0;  // warp instructions: loads and stores
  double shared_stages = 0;    // of 128 bytes each: one per request if 4-byte accesses have no bank conflict
  double addition_stages = 0;  // dependent additions of the warp
  double additions = 0;        // of single lanes
  double ands = 0;             // of single lanes: the masks of the Ladner-Fischer scan (Alg. 4)

  MatrixWork& operator+=(const MatrixWork& other);
  friend MatrixWork operator+(MatrixWork left, const MatrixWork& right) { return left += right; }
};

enum class WarpScan { kogge_stone, ladner_fischer };

// The paper's formulas (sec. V.B). `sum_bytes` is sizeof(T), 4 or 8.
MatrixWork transpose_work(int sum_bytes = 4);  // V.B.1
// V.B.2; N_LF_and is the paper's result, 5120; its formula gives C times that.
MatrixWork scan_row_work(WarpScan scan);
MatrixWork scan_column_work();  // V.B.3
// For each of the two kernels of scanrow_brlt, brlt_scanrow (both sec. IV.A-B: one kernel run twice) or scanrow_column
// (IV.C: rows, then columns); nullopt for other names.
std::optional<std::array<MatrixWork, 2>> kernel_work(std::string_view algorithm, WarpScan scan, int sum_bytes = 4);

// Counted warp instructions of one kernel on an image of `pixels`.
struct KernelCounts {
  double shuffles = 0, shared_requests = 0, shared_stages = 0;
  double pixels = 1024;
  // Single lanes. Empty if not counted: then the formulas' values are kept.
  std::optional<double> additions;
};
// The counts per matrix instead of the formulas' values. They include what the formulas leave out: partial sums of warps,
// and matrices that the image fills only in part. Dependent additions cannot be counted and are kept.
MatrixWork counted_work(const KernelCounts& counts, MatrixWork formulas);

// Eq. 3-5: each shuffle, shared-memory access and addition of a chain waits for the previous one.
double latency(const MatrixWork& work, const GpuLatencies& gpu, bool floating_point = true);

// Eq. 10-13, and the ANDs of eq. 15.
struct ThroughputTimes {
  double shared_memory;  // eq. 10
  double additions;      // eq. 11, 13
  // Eq. 12, with 32 results per shuffle, because the manual's throughput counts lanes. The paper divides the 160
  // instructions of a warp by it, although it counts additions by lanes; with that, eq. 14 would not hold on a P100
  // (69.5 and 79.5 clocks).
  double shuffles;
  double ands;  // eq. 15
  double total() const { return shared_memory + additions + shuffles + ands; }
};
ThroughputTimes throughput(const MatrixWork& work, const GpuLatencies& gpu, bool floating_point = true);

// The paper's "much less".
struct Inequality {
  double less, more;
  bool holds() const { return less < more; }
};
// Eq. 6: L_transpose + L_scan_col << L_scan_row. `transposing`: transpose and scan column, as in the kernel of
// brlt_scanrow.
Inequality latency_inequality(const MatrixWork& transposing, const MatrixWork& shuffling, const GpuLatencies& gpu,
                              bool floating_point = true);
// Eq. 14, for `shuffling` by Kogge-Stone, and eq. 15, by Ladner-Fischer.
Inequality throughput_inequality(const MatrixWork& transposing, const MatrixWork& shuffling, const GpuLatencies& gpu,
                                 bool floating_point = true);

// Eq. 7-9: how many warps share the shared memory of a GPU.
struct Occupancy {
  int multiprocessors, registers, shared_bytes, max_blocks;  // the last three of each multiprocessor
  int threads_per_block, registers_per_thread, shared_bytes_per_block;
};
// The paper's transposing kernel (sec. IV, Alg. 5) on a GPU of this name: the two of Table I and the H200; nullopt for
// others. The paper does not give the kernel's registers: here they are those of its matrix, the fewest possible.
std::optional<Occupancy> paper_kernel(std::string_view gpu, int sum_bytes = 4);
int warps_per_block(const Occupancy& kernel);  // eq. 7
// Eq. 8, for the whole GPU; shared memory sets no limit if none is used.
int active_warps(const Occupancy& kernel);
// Eq. 9: `bandwidth` of the whole GPU, in any unit, per active warp. Not finite if no warp fits.
double bandwidth_per_warp(double bandwidth, const Occupancy& kernel);

}  // namespace gpu::simulated
