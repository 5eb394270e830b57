// The judge where there is a GPU: kernels that are right on the simulated one and misbehave on CUDA alone. Whatever they do,
// this process's own context goes on. They need nvcc, and are skipped without one.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>

#include "gpu/checks/sat_cases.h"
#include "gpu/checks/verify.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/event.h"
#include "gpu/sat_runner.h"
#include "gpu/tests/user_kernels/judged_file.h"
#include "gpu/user_kernels/guarded_image.h"

namespace gpu {
namespace {

class JudgeOnCudaTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = probe_gpu();
    if (!probe.gpu) GTEST_SKIP() << probe.reason;
    const std::filesystem::path folders[] = {SIMULATED_FOLDER};
    tools_ = find_kernel_tools(folders, "sm_" + std::to_string(probe.gpu->major) + std::to_string(probe.gpu->minor));
    if (!tools_.problem.empty()) GTEST_SKIP() << tools_.problem;
    if (!tools_.no_cuda.empty()) GTEST_SKIP() << tools_.no_cuda;
    request_.depth = JudgeRequest::Depth::trial;
    request_.on_gpu = true;
    request_.limits.time = std::chrono::seconds(60);
  }
  // A context that was there before is what the others are to leave alone.
  void TearDown() override {
    if (tools_.no_cuda.empty() && !tools_.nvcc.empty()) expect_right_table(*find_sat_algorithm("2r1w"));
  }

  CompiledKernel compile(const std::string& text) {
    const auto file = folder_.path() / "mine.cu";
    std::ofstream(file) << text;
    auto compiled = compile_kernel(read_kernel_source(file), ++number_, tools_, {std::chrono::minutes(10)},
                                   folder_.path() / "out", stop_);
    EXPECT_FALSE(compiled.cubin.empty()) << compiled.no_cuda;
    return compiled;
  }
  Verdict judged_on_cuda(const std::string& text) {
    expect_right_table(*find_sat_algorithm("2r1w"));
    return judge(compile(text), request_, {{"/proc/self/exe", child_word}}, tools_, stop_);
  }

  // The file that is right, whose second kernel does that on a GPU alone, with `x` and `table` at hand.
  static std::string right_but_on_cuda(const std::string& statement) {
    auto text = text_of(user_files() / "right.cu");
    const std::string before = "unsigned sum = 0;\n";
    return text.insert(text.rfind(before), "\n#ifdef __CUDA_ARCH__\n  " + statement + "\n#endif\n  ");
  }

  static void expect_right_table(const SatAlgorithm& algorithm) {
    constexpr Size size{311, 239};
    const Stream stream;
    const GuardedImage<std::uint8_t> image(size, 320, 0, Device::cuda);
    const GuardedImage<std::uint32_t> table(size, 313, 0, Device::cuda);
    const auto pixels = image.view();
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) pixels(x, y) = pixel<std::uint8_t>({Content::Kind::random}, x, y);
    image.upload(stream), table.upload(stream);
    auto runner = SatRunner::on_stream(stream);
    runner.run(algorithm, ImageView<const std::uint8_t>(image.on_device()), table.on_device(),
               Arguments(algorithm.parameters));
    table.download(stream);
    check(cudaStreamSynchronize(stream));
    const Verifier verifier(Device::host, nullptr, ImageView<const std::uint8_t>(pixels), ElementType::u32, true);
    EXPECT_EQ(verifier.check(ImageView<const std::uint32_t>(table.view())).count, 0u) << algorithm.name;
    EXPECT_TRUE(table.surroundings_are_untouched()) << algorithm.name;
  }

  FolderOfTest folder_;
  KernelTools tools_;
  JudgeRequest request_;
  std::atomic<bool> stop_ = false;
  int number_ = 0;
};

TEST_F(JudgeOnCudaTest, ARightKernelIsRightAndRunsHere) {
  request_.depth = JudgeRequest::Depth::full;
  request_.limits.time = std::chrono::seconds(20);
  for (const auto* file : {"right.cu", "every_type.cu"}) {
    const auto text = text_of(user_files() / file);
    const auto verdict = judged_on_cuda(text);
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
    EXPECT_FALSE(verdict.time);
    const auto& version = load_kernel(compile(text));
    ASSERT_TRUE(version.on_cuda) << version.no_cuda;
    expect_right_table(*version.algorithm);
  }
}

TEST_F(JudgeOnCudaTest, AWildWriteEndsTheChildAlone) {
  const auto verdict = judged_on_cuda(right_but_on_cuda("*reinterpret_cast<volatile int*>(0x123456789a0ull) = x;"));
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong) << text_of(verdict);
  EXPECT_EQ(verdict.sentence, "wrong: an error on the GPU") << text_of(verdict);
  EXPECT_TRUE(verdict.where.starts_with("CUDA, ")) << verdict.where;
  EXPECT_FALSE(verdict.harmless);
}

TEST_F(JudgeOnCudaTest, AKernelWithoutAnEndIsEnded) {
  request_.limits.time = std::chrono::seconds(20);
  const auto verdict = judged_on_cuda(
      right_but_on_cuda("for (volatile unsigned* at = &table(0, 0); *at != 4000000000u;) {}"));
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong) << text_of(verdict);
  EXPECT_NE(verdict.sentence.find("does not end within 20 s"), std::string::npos) << text_of(verdict);
  EXPECT_TRUE(verdict.where.starts_with("CUDA, ")) << verdict.where;
  EXPECT_FALSE(verdict.harmless);
}

TEST_F(JudgeOnCudaTest, AWrongTableIsHarmless) {
  const auto verdict = judged_on_cuda(right_but_on_cuda("if (x == 3) return;"));
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong) << text_of(verdict);
  EXPECT_EQ(verdict.sentence, "wrong: the table");
  EXPECT_TRUE(verdict.where.starts_with("CUDA, ")) << verdict.where;
  ASSERT_TRUE(verdict.wrong);
  EXPECT_EQ(verdict.wrong->x, 3);
  EXPECT_TRUE(verdict.harmless);
}

TEST_F(JudgeOnCudaTest, AnEffectIsComparedWithTheHosts) {
  const std::string head = "#include <satscope_kernel.cuh>\n\nPixel effect(Boxes boxes, int x, int y) {\n";
  const std::string mean = "  return boxes.mean(around(x, y, 5, 5));\n}\n";
  auto verdict = judged_on_cuda(head + mean);
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
  EXPECT_EQ(verdict.sentence, "runs");
  verdict = judged_on_cuda(
      head + "#ifdef __CUDA_ARCH__\n  if (x == 0) return boxes.mean(around(x, y, 5, 5)) ^ 2;\n#endif\n" + mean);
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong) << text_of(verdict);
  EXPECT_EQ(verdict.sentence, "wrong: the host draws another picture");
}

TEST_F(JudgeOnCudaTest, TimesStandBesideTheBoundAndAnAlgorithm) {
  request_.timed = true;
  request_.beside = "2r1w";
  request_.sizes = {{960, 540}};
  const auto verdict = judged_on_cuda(text_of(user_files() / "right.cu"));
  ASSERT_EQ(verdict.outcome, Verdict::Outcome::right) << text_of(verdict);
  ASSERT_TRUE(verdict.time);
  EXPECT_EQ(verdict.time->size, request_.sizes[0]);
  for (const double time : {verdict.time->microseconds, verdict.time->bound_microseconds, verdict.time->beside_microseconds})
    EXPECT_GT(time, 0);
  EXPECT_FALSE(verdict.time->gpu.empty());
}

// At the size of the time alone, which no other run has.
TEST_F(JudgeOnCudaTest, TheTableOfATimedRunIsChecked) {
  request_.timed = true;
  const auto verdict = judged_on_cuda(right_but_on_cuda("if (table.width == 1920) return;"));
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong) << text_of(verdict);
  EXPECT_EQ(verdict.sentence, "wrong: the table of a timed run");
  EXPECT_FALSE(verdict.time);
}

}  // namespace
}  // namespace gpu
