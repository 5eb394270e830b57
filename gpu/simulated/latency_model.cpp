#include "gpu/simulated/latency_model.h"

#include <algorithm>

namespace gpu::simulated {
namespace {

constexpr double warp_size = 32, registers = 32;  // WarpSize and C
constexpr double matrix_pixels = warp_size * registers;
constexpr double log2_warp_size = 5;

// 4-byte words per clock and multiprocessor.
constexpr double shared_words(double bytes_per_second, double multiprocessors, double clock_rate) {
  return bytes_per_second / multiprocessors / clock_rate / 4;
}

const OperationCost& addition(const GpuLatencies& gpu, bool floating_point) {
  return floating_point ? gpu.float_addition : gpu.integer_addition;
}

}  // namespace

GpuLatencies paper_p100() { return {"Tesla P100", {33, 32}, {36, shared_words(9519e9, 56, 1.328e9)}, {6, 64}, {6, 64}}; }

GpuLatencies paper_v100() { return {"Tesla V100", {39, 32}, {27, shared_words(13800e9, 80, 1.38e9)}, {4, 64}, {4, 64}}; }

MatrixWork& MatrixWork::operator+=(const MatrixWork& other) {
  shuffles += other.shuffles;
  shared_requests += other.shared_requests;
  shared_stages += other.shared_stages;
  addition_stages += other.addition_stages;
  additions += other.additions;
  ands += other.ands;
  return *this;
}

MatrixWork transpose_work(int sum_bytes) {
  MatrixWork work;
  work.shared_requests = registers + registers;  // all registers stored, all loaded
  work.shared_stages = work.shared_requests * sum_bytes / 4;
  return work;
}

MatrixWork scan_row_work(WarpScan scan) {
  MatrixWork work;
  work.shuffles = work.addition_stages = log2_warp_size * registers;
  if (scan == WarpScan::kogge_stone) {
    work.additions = (31 + 30 + 28 + 24 + 16) * registers;
  } else {
    work.additions = (16 + 16 + 16 + 16 + 16) * registers;
    work.ands = warp_size * work.addition_stages;
  }
  return work;
}

MatrixWork scan_column_work() {
  MatrixWork work;
  work.addition_stages = registers - 1;
  work.additions = warp_size * work.addition_stages;
  return work;
}

std::optional<std::array<MatrixWork, 2>> kernel_work(std::string_view algorithm, WarpScan scan, int sum_bytes) {
  const auto twice = [](const MatrixWork& work) { return std::array{work, work}; };
  if (algorithm == "scanrow_brlt") return twice(scan_row_work(scan) + transpose_work(sum_bytes));
  if (algorithm == "brlt_scanrow") return twice(transpose_work(sum_bytes) + scan_column_work());
  if (algorithm == "scanrow_column") return std::array{scan_row_work(scan), scan_column_work()};
  return std::nullopt;
}

MatrixWork counted_work(const KernelCounts& counts, MatrixWork formulas) {
  const double matrices = counts.pixels / matrix_pixels;
  formulas.shuffles = counts.shuffles / matrices;
  formulas.shared_requests = counts.shared_requests / matrices;
  formulas.shared_stages = counts.shared_stages / matrices;
  if (counts.additions) formulas.additions = *counts.additions / matrices;
  return formulas;
}

double latency(const MatrixWork& work, const GpuLatencies& gpu, bool floating_point) {
  return work.shared_requests * gpu.shared_memory.latency + work.shuffles * gpu.shuffle.latency +
         work.addition_stages * addition(gpu, floating_point).latency;
}

ThroughputTimes throughput(const MatrixWork& work, const GpuLatencies& gpu, bool floating_point) {
  return {work.shared_stages * warp_size / gpu.shared_memory.per_clock,
          work.additions / addition(gpu, floating_point).per_clock, work.shuffles * warp_size / gpu.shuffle.per_clock,
          work.ands / gpu.integer_addition.per_clock};
}

Inequality latency_inequality(const MatrixWork& transposing, const MatrixWork& shuffling, const GpuLatencies& gpu,
                              bool floating_point) {
  return {latency(transposing, gpu, floating_point), latency(shuffling, gpu, floating_point)};
}

Inequality throughput_inequality(const MatrixWork& transposing, const MatrixWork& shuffling, const GpuLatencies& gpu,
                                 bool floating_point) {
  return {throughput(transposing, gpu, floating_point).total(), throughput(shuffling, gpu, floating_point).total()};
}

std::optional<Occupancy> paper_kernel(std::string_view gpu, int sum_bytes) {
  struct Limits {
    std::string_view name;
    int multiprocessors, shared_bytes;
  };
  // The first two: Table I. All three have 65536 registers and at most 32 blocks per multiprocessor.
  constexpr Limits all[] = {{"P100", 56, 64 << 10}, {"V100", 80, 96 << 10}, {"H200", 132, 228 << 10}};
  // 1024 threads, 512 for sums of 8 bytes (sec. IV.2); S = 32 / sizeof(T) buffers of 32 x 33 sums (Alg. 5), and one
  // partial sum per thread (sec. IV.3).
  const int threads = 4096 / sum_bytes;
  for (const auto& limits : all)
    if (gpu.find(limits.name) != gpu.npos)
      return Occupancy{limits.multiprocessors,
                       65536,
                       limits.shared_bytes,
                       32,
                       threads,
                       32 * sum_bytes / 4,
                       32 / sum_bytes * 32 * 33 * sum_bytes + threads * sum_bytes};
  return std::nullopt;
}

int warps_per_block(const Occupancy& kernel) { return kernel.threads_per_block / 32; }

int active_warps(const Occupancy& kernel) {
  const int per_block = warps_per_block(kernel);
  int warps = std::min(kernel.registers / (kernel.registers_per_thread * 32), per_block * kernel.max_blocks);
  if (kernel.shared_bytes_per_block > 0)
    warps = std::min(warps, kernel.shared_bytes / kernel.shared_bytes_per_block * per_block);
  return kernel.multiprocessors * warps;
}

double bandwidth_per_warp(double bandwidth, const Occupancy& kernel) { return bandwidth / active_warps(kernel); }

}  // namespace gpu::simulated
