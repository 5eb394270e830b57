// For tests: users' files with kernels as they are after a trial, without a compiler.
#pragma once

#include <cstddef>
#include <deque>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/kernel_files.h"
#include "app/support/simulated_gpu.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The shared memory of a step is read and written without a barrier between.
inline constexpr std::string_view race_text = R"(// Scans rows in shared memory.
#include <satscope_kernel.cuh>

constexpr int threads = 256;

__global__ void rows(Image image, Table table) {
  __shared__ unsigned row[threads];
  const int y = blockIdx.x, t = threadIdx.x;
  unsigned before = 0;
  for (int x0 = 0; x0 < image.width; x0 += threads) {
    row[t] = x0 + t < image.width ? image(x0 + t, y) : 0;
    __syncthreads();
    for (int step = 1; step < threads; step *= 2) {
      const unsigned other = t >= step ? row[t - step] : 0;
      /* __syncthreads() is missing
         here */
      row[t] += other;
      __syncthreads();
    }
    if (x0 + t < image.width) table(x0 + t, y) = before + row[t];
    before += row[threads - 1];
    __syncthreads();
  }
}

__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}

void run(Image image, Table table) {
  rows<<<image.height, threads>>>(image, table);
  columns<<<blocks(image.width, threads), threads>>>(table);
}
)";

// Of a picture of 100 x 100.
inline gpu::simulated::LineCounts line_counts(int line, std::uint64_t read, std::uint64_t written,
                                              std::uint64_t shared = 0) {
  gpu::simulated::LineCounts counts;
  counts.file = "race.cu";
  counts.line = line;
  counts.read = {read, (read + 31) / 32, 0};
  counts.written = {written, (written + 31) / 32, 0};
  counts.shared_reads = shared;
  return counts;
}

inline KernelFile example_kernel() {
  KernelFile file;
  file.path = "/home/me/race.cu";
  file.name = "race";
  file.phase = KernelFile::Phase::idle;
  file.version = 1;
  file.lines = lines_of(race_text);
  file.compile_seconds = 0.54;
  auto& verdict = file.verdict;
  verdict.name = "race";
  verdict.outcome = gpu::Verdict::Outcome::wrong;
  verdict.sentence = "wrong: a data race";
  verdict.where = "257x1, 8u32u, random:3";
  verdict.wrong = gpu::WrongEntry{3, 0, "6", "7", 254, 2, 0, 3, {"3", "7", "11"}, {"3", "6", "10"}};
  verdict.races = {{"shared read after write", "race.cu", "race.cu", 17, 14, 1693},
                   {"shared write after read", "race.cu", "race.cu", 14, 17, 100}};
  verdict.counted = {100, 100};
  verdict.launches = 2;
  verdict.lines = {line_counts(11, 10'000, 0, 10'000), line_counts(14, 0, 0, 70'000), line_counts(17, 0, 0, 160'000),
                   line_counts(20, 0, 40'000, 10'000), line_counts(30, 40'000, 40'000)};
  for (const auto& line : verdict.lines) verdict.counts.read += line.read, verdict.counts.written += line.written;
  verdict.tables = 7;
  verdict.observed_runs = 1;
  return file;
}

// What was saved last lacks a semicolon.
inline KernelFile refused_kernel() {
  auto file = example_kernel();
  file.refused_lines = file.lines;
  file.refused_lines[28] = "  unsigned sum = 0";
  file.refusal = "does not compile";
  file.messages = {{gpu::SourceMessage::Severity::error, file.path, 30, 3, "expected ',' or ';' before 'for'"}};
  return file;
}

// Nothing of it works yet.
inline KernelFile new_kernel(KernelFile::Phase phase) {
  KernelFile file;
  file.path = "/home/me/mine.cu";
  file.name = "mine";
  file.phase = phase;
  return file;
}

inline KernelFile example_effect() {
  KernelFile file;
  file.path = "/home/me/tilt.cu";
  file.name = "tilt";
  file.is_effect = true;
  file.phase = KernelFile::Phase::idle;
  file.version = 3;
  file.lines = lines_of(R"(// The sharpness changes from top to bottom.
#include <satscope_kernel.cuh>

Pixel effect(Boxes boxes, int x, int y) {
  const int radius = abs(y - boxes.height / 2) / 16;
  return gray(boxes.mean(x - radius, y - radius, x + radius, y + radius));
}
)");
  file.compile_seconds = 0.61;
  file.verdict.sentence = "runs";
  file.verdict.counted = {100, 100};
  file.verdict.launches = 1;
  file.verdict.tables = 12;
  file.verdict.observed_runs = 3;
  auto counts = line_counts(6, 160'000, 40'000);
  counts.file = "tilt.cu";
  file.verdict.lines = {counts};
  file.verdict.counts.read = counts.read;
  file.verdict.counts.written = counts.written;
  return file;
}

// A user's kernel in the tables, which computes as 2r1w does, on the simulated GPU alone. That has to be there.
class OwnAlgorithm {
 public:
  explicit OwnAlgorithm(std::string name) : name_(std::move(name)) {}
  ~OwnAlgorithm() { gpu::remove_user_kernel(name_); }
  OwnAlgorithm(const OwnAlgorithm&) = delete;
  OwnAlgorithm& operator=(const OwnAlgorithm&) = delete;

  // The next version takes the place of the one before.
  void save() {
    constexpr auto build = gpu::simulated::Build::plain;
    static std::deque<gpu::KernelVersion> versions;  // never freed, as all versions
    static std::deque<gpu::SatAlgorithm> algorithms;
    auto& version = versions.emplace_back();
    version.name = name_;
    version.number = ++number_;
    version.no_cuda = "it is for the simulated GPU";
    version.kernels.label = name_ + '.' + std::to_string(number_);
    auto& algorithm = algorithms.emplace_back(*gpu::find_sat_algorithm("2r1w"));
    algorithm.name = version.name;
    algorithm.version = &version;
    version.algorithm = &algorithm;
    version.simulated_algorithm[static_cast<std::size_t>(build)] = find_simulated_gpu(build).driver->find_sat_algorithm(
        "2r1w");
    gpu::add_user_kernel(version);
  }
  const gpu::SatAlgorithm& algorithm() const { return *gpu::find_user_kernel(name_)->algorithm; }

 private:
  std::string name_;
  int number_ = 0;
};

}  // namespace app
