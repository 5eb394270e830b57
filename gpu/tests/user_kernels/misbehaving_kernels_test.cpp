// Users' files that misbehave, in files/: whatever they do, the judge comes back, and says what it was.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <string>

#include "gpu/tests/user_kernels/judged_file.h"

namespace gpu {
namespace {

using Outcome = Verdict::Outcome;
using std::chrono::seconds;

struct Misbehaving {
  const char* file;  // of files/, without its ending
  Outcome outcome;
  const char* said;  // a part of what the verdict says
  seconds limit{20};
  JudgeRequest::Depth depth = JudgeRequest::Depth::full;
};

constexpr auto trial = JudgeRequest::Depth::trial;
constexpr seconds short_limit{3};

constexpr Misbehaving misbehaving[] = {
    {"right", Outcome::right, "right"},
    {"waits_for_kernels", Outcome::right, "right", seconds(60), trial},
    {"prints", Outcome::right, "right", seconds(60), trial},
    {"every_type", Outcome::right, "right", seconds(60), trial},
    {"one_name_twice", Outcome::right, "right", seconds(60), trial},
    // They never end.
    {"endless_kernel", Outcome::wrong, "does not end within 3 s", short_limit},
    {"endless_run", Outcome::wrong, "does not end within 3 s", short_limit},
    {"endless_at_start", Outcome::wrong, "does not end within 3 s", short_limit},
    {"endless_wait", Outcome::wrong, "", short_limit},  // a deadlock, if there is time to see that it is one
    // They end the process, or try to.
    {"exit_at_start", Outcome::wrong, "ended itself"},
    {"exit_in_run", Outcome::wrong, "ended itself"},
    {"abort_at_start", Outcome::wrong, "crashed"},
    {"abort_in_run", Outcome::wrong, "crashed"},
    {"throw_at_start", Outcome::wrong, ""},
    {"throw_in_run", Outcome::wrong, "no table today"},
    {"throw_number_in_run", Outcome::wrong, "no std::exception"},
    {"too_many_threads", Outcome::wrong, "too_many_threads.cu:19: 2048 threads per block: a block has at most 1024"},
    {"no_blocks", Outcome::wrong, "no_blocks.cu:19: 0 blocks: a grid has at least one; blocks(n, threads) rounds up"},
    {"host_wild_write", Outcome::wrong, "crashed"},
    {"exit_at_once_in_run", Outcome::wrong, "ended itself"},
    {"hides_its_crash", Outcome::wrong, "ended itself"},
    // They do so once every table is right.
    {"exit_in_destructor", Outcome::wrong, "exit(3)", seconds(60), trial},
    {"crash_in_destructor", Outcome::wrong, "crashed", seconds(60), trial},
    {"endless_destructor", Outcome::wrong, "does not end within 10 s", seconds(10), trial},
    {"thread_never_joined", Outcome::wrong, "crashed", seconds(60), trial},
    // What they do beside their tables is nobody's business.
    {"thread_at_the_end", Outcome::right, "right", seconds(60), trial},
    {"handles_signals", Outcome::right, "right", seconds(60), trial},
    {"floods_outputs", Outcome::right, "right", seconds(60), trial},
    // They write what a judge's child writes.
    {"says_that_it_is_right", Outcome::wrong, "ended itself"},
    {"wrong_and_says_right", Outcome::wrong, "wrong: the table"},
    // They take what is not theirs.
    {"wild_write", Outcome::wrong, "out of bounds"},
    {"null_write", Outcome::wrong, "out of bounds"},
    {"out_of_bounds", Outcome::wrong, "out of bounds"},
    {"writes_into_padding", Outcome::wrong, "out of bounds"},
    {"much_scratch", Outcome::wrong, "memory"},
    {"endless_memory", Outcome::wrong, "memory"},
    // Their threads do not wait for each other as they should.
    {"race", Outcome::wrong, "data race"},
    {"missing_barrier", Outcome::wrong, "data race"},
    {"divergent_barrier", Outcome::wrong, "divergent barrier"},
    // Their tables are wrong, some of them only sometimes.
    {"wrong", Outcome::wrong, "wrong: the table"},
    {"never_written", Outcome::wrong, "wrong: the table"},
    {"does_nothing", Outcome::wrong, "wrong: the table"},
    {"wrong_for_doubles", Outcome::wrong, "wrong: the table"},
    {"wrong_with_odd_stride", Outcome::wrong, "wrong: the table"},
    {"right_at_one_size", Outcome::wrong, "wrong: the table"},
    {"uninitialised_scratch", Outcome::wrong, "wrong: the table"},
    {"state_between_runs", Outcome::wrong, "wrong: the table"},
    {"kept_result", Outcome::wrong, "wrong: "},
    // They cannot be compiled.
    {"syntax_error", Outcome::does_not_compile, "syntax_error.cu:7"},
    {"missing_include", Outcome::does_not_compile, "not_there.cuh"},
    {"needs_texture", Outcome::does_not_compile, "needs_texture.cu:4: textures"},
    {"needs_assembler", Outcome::does_not_compile, "needs_assembler.cu:8: inline PTX"},
    {"needs_malloc", Outcome::does_not_compile, "needs_malloc.cu:20: cudaMalloc"},
    {"kernel_called", Outcome::does_not_compile, "kernel_called.cu:19: rows is a kernel"},
    {"no_run", Outcome::does_not_compile, "define void run(Image image, Table table)"},
};

class MisbehavingKernelTest : public testing::TestWithParam<Misbehaving> {};

TEST_P(MisbehavingKernelTest, IsJudged) {
  const auto& expected = GetParam();
  JudgeRequest request;
  request.depth = expected.depth;
  request.sizes = {{960, 540}, {1280, 720}};  // of one source, and of the next
  request.limits = {expected.limit, std::size_t{1} << 30};
  const auto verdict = judged(user_files() / (std::string(expected.file) + ".cu"), request);
  EXPECT_EQ(verdict.outcome, expected.outcome) << text_of(verdict);
  EXPECT_NE(text_of(verdict).find(expected.said), std::string::npos) << expected.said << "\nis not in\n" << text_of(verdict);
  EXPECT_EQ(verdict.name, expected.file);
}

INSTANTIATE_TEST_SUITE_P(All, MisbehavingKernelTest, testing::ValuesIn(misbehaving),
                         [](const auto& info) { return std::string(info.param.file); });

// What the window asks before it takes a version, with the size of its frames.
TEST(MisbehavingKernelTrialTest, TheFramesSizeCounts) {
  JudgeRequest request;
  request.depth = trial;
  request.limits.time = seconds(60);
  request.sizes = {{960, 540}};
  const auto file = user_files() / "right_at_one_size.cu";
  auto verdict = judged(file, request);
  EXPECT_EQ(verdict.outcome, Outcome::right) << text_of(verdict);
  request.sizes = {{961, 540}};
  verdict = judged(file, request);
  EXPECT_EQ(verdict.outcome, Outcome::wrong) << text_of(verdict);
}

// A process that leaves the child's group, with the child's pipes open.
TEST(MisbehavingProcessTest, IsNotWaitedFor) {
  JudgeRequest request;
  request.depth = trial;
  request.limits.time = seconds(60);  // the process lives for 100
  for (int i = 0; i < 2; ++i) {
    const auto verdict = judged(user_files() / "forks_at_start.cu", request);
    EXPECT_EQ(verdict.outcome, Outcome::right) << text_of(verdict);
    EXPECT_LT(verdict.seconds, 90);
  }
}

// Much more than is kept of a child's output; the judge's own lines may be lost in it.
TEST(MisbehavingOutputTest, TakesNoMemory) {
  const auto most_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  JudgeRequest request;
  request.depth = trial;
  request.limits.time = seconds(60);
  const auto before = most_kib();
  const auto verdict = judged(user_files() / "floods_pipes.cu", request);
  EXPECT_TRUE(verdict.outcome == Outcome::wrong || verdict.tables > 0) << text_of(verdict);
  EXPECT_LT(most_kib(), before + 300 * 1024);
}

// A compiler that never ends is ended.
TEST(MisbehavingIncludesTest, BombDoesNotExplode) {
  const auto verdict = judged(user_files() / "include_bomb.cu", {}, {seconds(5), std::size_t{4} << 30});
  EXPECT_EQ(verdict.outcome, Outcome::does_not_compile) << text_of(verdict);
  EXPECT_FALSE(verdict.messages.empty());
}

// Files as other systems' editors write them, and as none should.
class MisbehavingTextTest : public testing::Test {
 protected:
  Verdict judged_text(const std::string& text) {
    const auto file = folder_.path() / "text of a user's.cu";
    std::ofstream(file, std::ios::binary) << text;
    JudgeRequest request;
    request.depth = trial;
    request.limits.time = seconds(60);
    return judged(file, request);
  }

  std::string right_ = text_of(user_files() / "right.cu");

 private:
  FolderOfTest folder_;
};

TEST_F(MisbehavingTextTest, LinesMayEndAsOnWindows) {
  std::string text;
  for (const char c : right_) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto verdict = judged_text(text);
  EXPECT_EQ(verdict.outcome, Outcome::right) << text_of(verdict);
}

TEST_F(MisbehavingTextTest, MayBeginWithAByteOrderMark) {
  const auto verdict = judged_text("\xef\xbb\xbf" + right_);
  EXPECT_EQ(verdict.outcome, Outcome::right) << text_of(verdict);
}

TEST_F(MisbehavingTextTest, IsRefusedWhereItIsHuge) {
  const auto verdict = judged_text(right_ + "// " + std::string(std::size_t{5} << 20, 'x') + '\n');
  EXPECT_EQ(verdict.outcome, Outcome::does_not_compile) << text_of(verdict);
  EXPECT_FALSE(verdict.messages.empty());
}

TEST_F(MisbehavingTextTest, IsRefusedWhereItIsNoText) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * i >> 3);
  for (const auto& text : {std::string(), bytes, right_.substr(0, right_.size() / 2), std::string(70'000, '{')}) {
    const auto verdict = judged_text(text);
    EXPECT_EQ(verdict.outcome, Outcome::does_not_compile) << text_of(verdict);
    EXPECT_FALSE(verdict.messages.empty());
  }
}

TEST_F(MisbehavingTextTest, MayBeGone) {
  const auto verdict = judged("/nowhere/at/all.cu", {});
  EXPECT_EQ(verdict.outcome, Outcome::does_not_compile) << text_of(verdict);
  EXPECT_FALSE(verdict.messages.empty());
}

}  // namespace
}  // namespace gpu
