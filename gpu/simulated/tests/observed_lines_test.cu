// Counts by source line, of kernels small enough to be counted by hand.
#include "gpu/image.h"
#include "gpu/simulated/observed/simulate.h"
#include "gpu/simulated/tests/observed_support.cuh"

namespace gpu::simulated {
namespace {

constexpr unsigned lanes = 32, threads = 64, warps = threads / lanes;
constexpr Grid one_warp{dim3(1), dim3(lanes)}, one_block{dim3(1), dim3(threads)};
constexpr const char* this_file = "observed_lines_test.cu";

class ObservedLinesTest : public Observed {
 protected:
  ObservedLinesTest() { lines_of_ = {this_file}; }

  // What `line` of this file did: nothing, if it is not among the lines.
  static LineCounts at(const Simulation& seen, int line) {
    for (const auto& counts : seen.lines)
      if (counts.file == this_file && counts.line == line) return counts;
    return {};
  }
  static std::string places(const Simulation& seen) {
    std::string text;
    for (const auto& counts : seen.lines) text += counts.file + ':' + std::to_string(counts.line) + ' ';
    return text;
  }
  static std::string here(int line) { return this_file + (':' + std::to_string(line)) + ' '; }
};

// The accesses are in its own line, although ImageView finds the addresses.
constexpr int column_line = __LINE__ + 4;
__global__ void sum_columns(ImageView<const std::uint8_t> image, ImageView<unsigned> table) {
  const int x = static_cast<int>(threadIdx.x);
  unsigned sum = 0;
  for (int y = 0; y < image.height; ++y) table(x, y) = sum += image(x, y);
}

TEST_F(ObservedLinesTest, ALineCarriesItsLoadAndItsStore) {
  constexpr unsigned rows = 5;
  const auto image = zeros<std::uint8_t>(lanes * rows);
  const auto table = zeros<unsigned>(lanes * rows);
  const ImageView<const std::uint8_t> from{image.data(), lanes, rows, lanes};
  const auto seen = run(sum_columns, one_warp, from, ImageView<unsigned>{table.data(), lanes, rows, lanes});
  EXPECT_EQ(places(seen), here(column_line));
  const auto counts = at(seen, column_line);
  EXPECT_EQ(counts.read.bytes, lanes * rows);
  EXPECT_EQ(counts.read.sectors, rows);
  EXPECT_EQ(counts.read.in_part, 0u);
  EXPECT_EQ(counts.written.bytes, 4 * lanes * rows);
  EXPECT_EQ(counts.written.sectors, 4 * rows);
}

constexpr int two_statements_line = __LINE__ + 2;
__global__ void two_statements(const float* from, float* to) {
  to[threadIdx.x] = from[threadIdx.x], to[2 * threadIdx.x + lanes] = 1;
}

TEST_F(ObservedLinesTest, TwoStatementsOfOneLineAreOneLine) {
  const auto from = zeros<float>(lanes), to = zeros<float>(3 * lanes);
  const auto seen = run(two_statements, one_warp, from.data(), to.data());
  EXPECT_EQ(places(seen), here(two_statements_line));
  EXPECT_EQ(at(seen, two_statements_line).read.bytes, 4 * lanes);
  EXPECT_EQ(at(seen, two_statements_line).written.bytes, 2 * 4 * lanes);
  EXPECT_EQ(at(seen, two_statements_line).written.sectors, 4u + 8u);
  EXPECT_EQ(at(seen, two_statements_line).written.in_part, 8u);
}

// The words are loaded and stored in intrinsics.cuh.
constexpr int helper_store_line = __LINE__ + 1;
__device__ void store_number(std::uint64_t* to) { store_word(to + threadIdx.x, std::uint64_t{threadIdx.x}); }
constexpr int helper_load_line = __LINE__ + 4, helper_call_line = __LINE__ + 5;
__global__ void call_helpers(const std::uint64_t* from, std::uint64_t* to) {
  std::uint64_t word;

  load_word(from + threadIdx.x, word);
  store_number(to);
}

TEST_F(ObservedLinesTest, AHelperOfAnotherFileCountsWhereItIsCalled) {
  const auto from = zeros<std::uint64_t>(lanes), to = zeros<std::uint64_t>(lanes);
  const auto observe = [&] { return run(call_helpers, one_warp, from.data(), to.data()); };
  auto seen = observe();
  EXPECT_EQ(places(seen), here(helper_store_line) + here(helper_load_line)) << "a helper of this file counts for itself";
  EXPECT_EQ(at(seen, helper_load_line).read.bytes, 8 * lanes);
  EXPECT_EQ(at(seen, helper_store_line).written.bytes, 8 * lanes);
  EXPECT_EQ(at(seen, helper_call_line).written.bytes, 0u);

  lines_of_ = {"intrinsics.cuh", this_file};
  seen = observe();
  ASSERT_EQ(seen.lines.size(), 2u);
  for (const auto& counts : seen.lines) EXPECT_EQ(counts.file, "intrinsics.cuh");
  lines_of_ = {"cuda/"};
  EXPECT_EQ(places(observe()), places(seen));
  lines_of_ = {"of_nothing.cu"};
  EXPECT_EQ(places(observe()), places(seen)) << "a file of which nothing ran: the innermost line";
  lines_of_ = {};
  EXPECT_EQ(places(observe()), "") << "not asked for";
}

TEST_F(ObservedLinesTest, LaunchesAddUpUntilTheNextObservation) {
  const auto from = zeros<float>(lanes), to = zeros<float>(3 * lanes);
  run(two_statements, one_warp, from.data(), to.data());
  EXPECT_EQ(at(run(two_statements, one_warp, from.data(), to.data()), two_statements_line).read.bytes, 4 * lanes);
  launch_kernel(nullptr, two_statements, {dim3(2), dim3(lanes)}, from.data(), to.data());
  EXPECT_EQ(at(observer_.results(), two_statements_line).read.bytes, 3 * 4 * lanes);
}

struct Words {
  unsigned word[lanes * lanes];
};

constexpr int conflict_line = __LINE__ + 3, row_line = __LINE__ + 5;
__global__ void write_column_and_read_row(unsigned* to) {
  auto& shared = static_shared<Words>();
  shared.word[threadIdx.x * 8] = threadIdx.x;
  __syncwarp();
  to[threadIdx.x] = shared.word[threadIdx.x / 4 * 32 + threadIdx.x % 4 * 8];
}

TEST_F(ObservedLinesTest, BankConflictsBelongToTheirLine) {
  const auto to = zeros<unsigned>(lanes);
  const auto seen = run(write_column_and_read_row, one_warp, to.data());
  const auto conflict = at(seen, conflict_line), row = at(seen, row_line);
  EXPECT_EQ(conflict.shared_writes, lanes);
  EXPECT_EQ(conflict.shared_reads, 0u);
  EXPECT_EQ(conflict.shared_stages, 8u) << "8 words apart: 4 banks";
  EXPECT_EQ(conflict.shared_stages_without_conflicts, 1u);
  EXPECT_EQ(row.shared_reads, lanes);
  EXPECT_EQ(row.shared_stages, 8u);
  EXPECT_EQ(row.written.bytes, 4 * lanes);
}

constexpr int shared_atomic_line = __LINE__ + 3, global_atomic_line = __LINE__ + 4;
__global__ void count(unsigned* to) {
  auto& shared = static_shared<Words>();
  atomicAdd(&shared.word[threadIdx.x], 1u);
  atomicAdd(to, 1u), atomicAdd(to + threadIdx.x, 1u);
}

TEST_F(ObservedLinesTest, Atomics) {
  const auto to = zeros<unsigned>(lanes);
  const auto seen = run(count, one_warp, to.data());
  EXPECT_EQ(at(seen, shared_atomic_line).atomics, lanes);
  EXPECT_EQ(at(seen, shared_atomic_line).shared_writes, lanes);
  EXPECT_EQ(at(seen, global_atomic_line).atomics, 2 * lanes);
  EXPECT_EQ(at(seen, global_atomic_line).written.bytes, 2 * 4 * lanes);
  EXPECT_EQ(at(seen, global_atomic_line).written.sectors, 1u + 4u);
}

__device__ __forceinline__ void meet() { __syncthreads(); }

constexpr int helper_line = __LINE__ - 2, even_line = __LINE__ + 3, uneven_line = __LINE__ + 5;
__global__ void work_and_meet(unsigned* to) {
  to[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x >= lanes) to[threadIdx.x] = 2;
  if (__syncthreads_or(threadIdx.x == 0)) to[threadIdx.x] = 3;
  if (threadIdx.x < lanes / 2) return;
  meet();
}

TEST_F(ObservedLinesTest, ThreadsWaitForWarpsThatHaveMoreToDo) {
  const auto to = zeros<unsigned>(threads);
  const auto seen = run(work_and_meet, {dim3(3), dim3(threads)}, to.data());
  const auto even = at(seen, even_line), uneven = at(seen, uneven_line), last = at(seen, helper_line);
  EXPECT_EQ(even.barriers, 3 * threads);
  EXPECT_EQ(even.barrier_waits, 0u);
  EXPECT_EQ(uneven.barriers, 3 * threads);
  EXPECT_EQ(uneven.barrier_waits, 3 * lanes) << "the warp that stores nothing";
  EXPECT_EQ(last.barriers, 3 * (threads - lanes / 2)) << "returned threads do not come";
  EXPECT_EQ(last.barrier_waits, 0u);
}

constexpr int race_store_line = __LINE__ + 2, race_load_line = __LINE__ + 3;
__global__ void race(std::uint64_t* words, std::uint64_t* to) {
  words[threadIdx.x] = threadIdx.x;
  load_word(words + (threadIdx.x + 1) % blockDim.x, to[threadIdx.x]);
}

TEST_F(ObservedLinesTest, RacesHaveTheLinesOfTheFile) {
  const auto words = zeros<std::uint64_t>(threads), to = zeros<std::uint64_t>(threads);
  const auto seen = run(race, one_block, words.data(), to.data());
  ASSERT_FALSE(seen.races.empty());
  for (const auto& found : seen.races) {
    const SourceLine load{this_file, race_load_line}, store{this_file, race_store_line};
    EXPECT_TRUE((found.first_line == store && found.second_line == load) ||
                (found.first_line == load && found.second_line == store))
        << found.first << " - " << found.second;
  }
}

// Everything that an algorithm does belongs to a line of its own, or of what it is made of.
TEST_F(ObservedLinesTest, TheLinesOfAnAlgorithmAddUpToItsCounts) {
  the_gpu().set_observer(nullptr);
  for (const auto* name : {"2r1w", "1r1w_skss_lb", "scan_transpose"}) {
    SCOPED_TRACE(name);
    SimulationRequest request;
    request.algorithm = name;
    request.size = {131, 77};
    const auto file = "sat_" + std::string(name) + ".cu";
    request.lines_of = {file, "gpu/sat/"};
    const auto seen = simulate(request);
    LineCounts sum;
    for (const auto& line : seen.lines) {
      sum += line;
      EXPECT_GT(line.line, 0) << line.file;
      EXPECT_NE(line.file, "intrinsics.cuh") << "helpers count where they are called";
    }
    for (const auto& [by_line, total] : {std::pair(sum.read, seen.counts.read), {sum.written, seen.counts.written}}) {
      EXPECT_EQ(by_line.bytes, total.bytes);
      EXPECT_EQ(by_line.sectors, total.sectors);
      EXPECT_EQ(by_line.in_part, total.in_part);
    }
    EXPECT_EQ(sum.shared_stages, seen.counts.shared_stages);
    EXPECT_EQ(sum.shared_stages_without_conflicts, seen.counts.shared_stages_without_conflicts);
    EXPECT_EQ(sum.barriers, seen.counts.barriers);
    EXPECT_LE(sum.barrier_waits, sum.barriers);
    EXPECT_EQ(sum.atomics, seen.counts.atomics);
    request.lines_of = {file};
    const auto own = simulate(request).lines;
    ASSERT_FALSE(own.empty());
    EXPECT_EQ(own[0].file, file) << "which has the kernels that call the others";
  }
}

}  // namespace
}  // namespace gpu::simulated
