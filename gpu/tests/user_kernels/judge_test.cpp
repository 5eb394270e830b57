// What judges find out about files that run: counts, the first wrong entry, races by their lines, effects, tables that vary.
#include "gpu/user_kernels/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "gpu/tests/user_kernels/judged_file.h"

namespace gpu {
namespace {

JudgeRequest patient_request(JudgeRequest::Depth depth) {
  JudgeRequest request;
  request.depth = depth;
  request.limits.time = std::chrono::seconds(60);
  return request;
}

Verdict judged_source(const std::string& text) {
  const FolderOfTest folder;
  const auto file = folder.path() / "mine.cu";
  std::ofstream(file) << "#include <satscope_kernel.cuh>\n" << text;
  return judged(file, patient_request(JudgeRequest::Depth::full));
}

TEST(JudgeTest, CountsWhatARightKernelMoves) {
  auto request = patient_request(JudgeRequest::Depth::full);
  request.beside = "2r1w";
  const auto verdict = judged(user_files() / "right.cu", request);
  ASSERT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
  const auto pixels = verdict.counted.pixels();
  EXPECT_GE(pixels, 128u * 128);
  EXPECT_EQ(verdict.type, SatType::u8_u32);
  EXPECT_EQ(verdict.launches, 2);
  EXPECT_EQ(verdict.counts.read.bytes, 5 * pixels);
  EXPECT_EQ(verdict.counts.written.bytes, 8 * pixels);
  EXPECT_TRUE(std::ranges::any_of(verdict.lines, [&](const simulated::LineCounts& line) {
    return line.file == "right.cu" && line.read.bytes == pixels;
  }));
  ASSERT_TRUE(verdict.counts_beside);
  EXPECT_LT(verdict.counts_beside->read.sectors, verdict.counts.read.sectors);
  EXPECT_GT(verdict.tables, 20);
  EXPECT_GT(verdict.observed_runs, 10);
}

TEST(JudgeTest, ShowsTheFirstWrongEntryWithItsSurroundings) {
  const auto verdict = judged(user_files() / "wrong.cu", patient_request(JudgeRequest::Depth::full));
  ASSERT_TRUE(verdict.wrong) << text_of(verdict);
  const auto& wrong = *verdict.wrong;
  EXPECT_NE(wrong.expected, wrong.got);
  EXPECT_GT(wrong.count, 0u);
  ASSERT_EQ(wrong.around_got.size(), wrong.around_expected.size());
  const auto at = static_cast<std::size_t>((wrong.y - wrong.top) * wrong.columns + wrong.x - wrong.left);
  ASSERT_LT(at, wrong.around_got.size());
  EXPECT_EQ(wrong.around_got[at], wrong.got);
  EXPECT_EQ(wrong.around_expected[at], wrong.expected);
}

TEST(JudgeTest, NamesBothLinesOfARace) {
  const auto verdict = judged(user_files() / "race.cu", patient_request(JudgeRequest::Depth::trial));
  ASSERT_FALSE(verdict.races.empty()) << text_of(verdict);
  for (const auto& race : verdict.races) {
    EXPECT_EQ(race.second_file, "race.cu");
    EXPECT_GT(race.second_line, 0);
  }
}

TEST(JudgeTest, AnInterruptIsNoVerdict) {
  const FolderOfTest folder;
  const auto tools = tools_of_tests();
  std::atomic<bool> stop = false;
  const auto compiled = compile_kernel(read_kernel_source(user_files() / "right.cu"), 1, tools, {}, folder.path(), stop);
  ASSERT_TRUE(compiled.works());
  stop = true;
  const auto request = patient_request(JudgeRequest::Depth::full);
  const auto verdict = judge(compiled, request, {{"/proc/self/exe", child_word}}, tools, stop);
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::interrupted) << text_of(verdict);
}

TEST(JudgeTest, AnEffectRuns) {
  const auto verdict = judged_source("Pixel effect(Boxes boxes, int x, int y) { return boxes.mean(around(x, y, 5, 5)); }\n");
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
  EXPECT_EQ(verdict.sentence, "runs");
  EXPECT_TRUE(verdict.is_effect);
  EXPECT_EQ(verdict.tables % 2, 0) << "two pictures of each size";
  EXPECT_GE(verdict.tables, 8);
  EXPECT_GT(verdict.counts.read.bytes, 0u);
  EXPECT_TRUE(std::ranges::any_of(verdict.lines, [](const simulated::LineCounts& line) {
    return line.file == "mine.cu" && line.line == 2 && line.read.bytes > 0;
  }));
}

// Each harms the program only as it ends.
TEST(JudgeTest, DestructorsOfStaticVariablesAreJudged) {
  const auto right = text_of(user_files() / "right.cu");
  const auto body = right.substr(right.find('\n', right.find("#include")) + 1);
  for (const char* statement :
       {"std::abort();", "std::_Exit(3);", "std::_Exit(0);", "*static_cast<volatile int*>(nullptr) = 0;"}) {
    const auto verdict = judged_source("#include <cstdlib>\nstruct Last { ~Last() { " + std::string(statement) +
                                       " } };\nstatic Last last;\n" + body);
    const bool harmless = std::string(statement) == "std::_Exit(0);";  // as if it had nothing
    EXPECT_EQ(verdict.outcome, harmless ? Verdict::Outcome::right : Verdict::Outcome::wrong)
        << statement << text_of(verdict);
    EXPECT_EQ(verdict.harmless, harmless) << statement;
  }
}

TEST(JudgeTest, WhatIsBesideItIsNotItsFault) {
  auto request = patient_request(JudgeRequest::Depth::trial);
  for (const char* beside : {"host_serial", "no such algorithm", "npp"}) {
    request.beside = beside;
    const auto verdict = judged(user_files() / "right.cu", request);
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
    EXPECT_FALSE(verdict.counts_beside);
  }
}

// The simulated GPU's libraries are satscope's affair.
TEST(JudgeTest, WithoutLibrariesThereIsNoVerdict) {
  const FolderOfTest folder;
  auto tools = tools_of_tests();
  const std::atomic<bool> stop = false;
  const auto compiled = compile_kernel(read_kernel_source(user_files() / "right.cu"), 1, tools, {}, folder.path(), stop);
  tools.libraries = folder.path();
  for (const auto& child : {ChildCommand{{"/proc/self/exe", child_word}}, ChildCommand{{"/nowhere/at/all"}}}) {
    const auto verdict = judge(compiled, patient_request(JudgeRequest::Depth::trial), child, tools, stop);
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::interrupted) << text_of(verdict);
    EXPECT_TRUE(verdict.sentence.starts_with("cannot be judged: ")) << text_of(verdict);
  }
}

// The last entry of the first row is added up in the order in which warps run.
TEST(JudgeTest, SaysThatATableVaries) {
  const auto verdict = judged_source(R"(
template <class Image, class Table>
__global__ void rows(Image image, Table table) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= image.height) return;
  ValueOf<Table> sum = 0;
  for (int x = 0; x < image.width; ++x) table(x, y) = sum += term<ValueOf<Table>>(image(x, y));
  if constexpr (std::is_same_v<ValueOf<Table>, float>)
    if (y == 0) table(image.width - 1, 0) = 0;
}
template <class Image, class Table>
__global__ void corner(Image image, Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if constexpr (std::is_same_v<ValueOf<Table>, float>)
    if (x < image.width) atomicAdd(&table(image.width - 1, 0), term<float>(image(x, 0)));
}
template <class Table>
__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  ValueOf<Table> sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}
template <class Image, class Table>
void run(Image image, Table table) {
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  corner<<<blocks(image.width, 32), 32>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
)");
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
  EXPECT_FALSE(verdict.deterministic);
}

}  // namespace
}  // namespace gpu
