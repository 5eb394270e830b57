// Children of this process: their output, their limits, and that nothing of them is left.
#include "gpu/execution/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace gpu {
namespace {

using namespace std::chrono_literals;
using End = ChildResult::End;
using Clock = std::chrono::steady_clock;

class ChildProcessTest : public testing::Test {
 protected:
  ~ChildProcessTest() override { std::filesystem::remove_all(folder_); }

  // Runs a script with the words as its arguments.
  ChildResult run(const std::string& script, const std::vector<std::string>& words = {}) {
    output_.clear(), errors_.clear();
    request_.words = {"sh", "-c", script, "sh"};
    request_.words.insert(request_.words.end(), words.begin(), words.end());
    request_.output = [this](std::string_view piece) { output_ += piece; };
    request_.errors = [this](std::string_view piece) { errors_ += piece; };
    return run_child(request_);
  }
  // A process of this number runs; a zombie of somebody else does not count.
  static bool runs(const std::string& process) {
    std::ifstream stat("/proc/" + process + "/stat");
    std::string line;
    std::getline(stat, line);
    const auto end = line.rfind(')');
    return end != line.npos && end + 2 < line.size() && line[end + 2] != 'Z';
  }

  std::filesystem::path folder_ = [] {
    auto folder = std::filesystem::temp_directory_path() / ("it's a \"child\" $HOME." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    return folder;
  }();
  ChildRequest request_;
  std::string output_, errors_;
};

TEST_F(ChildProcessTest, TimeThatItComputesIsLimitedAndTimeThatItSleepsIsNot) {
  request_.limits.cpu_time = 1s;
  for (int i = 0; i < 2; ++i) {
    const auto result = run("while :; do :; done");
    EXPECT_EQ(result.end, End::signalled);
    EXPECT_EQ(result.status, SIGXCPU);
    EXPECT_TRUE(run("sleep 1.5").succeeded());
  }
}

// As nohup and some launchers leave it: the system then keeps no status of a child.
TEST_F(ChildProcessTest, StatusIsKnownWhereSignalsOfChildrenAreIgnored) {
  for (int i = 0; i < 2; ++i) {
    const auto before = signal(SIGCHLD, SIG_IGN);
    const auto result = run("exit 3");
    signal(SIGCHLD, before);
    EXPECT_EQ(result.end, End::exited);
    EXPECT_EQ(result.status, 3);
  }
}

TEST_F(ChildProcessTest, OutputErrorsAndExitStatus) {
  const auto result = run("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.status, 3);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(output_, "out\n");
  EXPECT_EQ(errors_, "err\n");
  EXPECT_EQ(text_of(result, request_.limits), "ends with status 3");
  EXPECT_TRUE(run("exit 0").succeeded());
}

TEST_F(ChildProcessTest, WordsReachItAsTheyAre) {
  run("printf '%s|' \"$@\"", {"a b", "$HOME `id` \"'", "", "*"});
  EXPECT_EQ(output_, "a b|$HOME `id` \"'||*|");
}

TEST_F(ChildProcessTest, FolderAndEnvironment) {
  setenv("SATSCOPE_CHILD_TEST", "of the parent", 1);
  request_.folder = folder_;
  run("pwd; echo \"$SATSCOPE_CHILD_TEST\"");
  EXPECT_EQ(output_, folder_.string() + "\nof the parent\n");
  request_.environment = {"SATSCOPE_CHILD_TEST=of the child", "SATSCOPE_CHILD=new"};
  run("echo \"$SATSCOPE_CHILD_TEST\" \"$SATSCOPE_CHILD\"; env | grep -c ^SATSCOPE_CHILD_TEST=");
  EXPECT_EQ(output_, "of the child new\n1\n");
  unsetenv("SATSCOPE_CHILD_TEST");
}

TEST_F(ChildProcessTest, WhatCannotBeStarted) {
  request_.words = {"/nowhere/program"};
  EXPECT_EQ(run_child(request_).end, End::not_started);
  request_.words = {"no program has this name"};
  EXPECT_EQ(run_child(request_).end, End::not_started);
  request_.words = {folder_.string()};
  EXPECT_EQ(run_child(request_).end, End::not_started);
  request_.words = {};
  EXPECT_EQ(run_child(request_).end, End::not_started);
  request_.words = {"true"};
  request_.folder = folder_ / "missing";
  const auto result = run_child(request_);
  EXPECT_EQ(result.end, End::not_started);
  EXPECT_EQ(text_of(result, {}), "cannot be started");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a zombie is left";
}

TEST_F(ChildProcessTest, OutputArrivesWhileItRuns) {
  bool came_early = false;
  const auto begin = Clock::now();
  request_.words = {"sh", "-c", "echo now; sleep 30"};
  request_.output = [&](std::string_view) { came_early = Clock::now() - begin < 20s; };
  request_.stop = [&] { return came_early; };
  EXPECT_EQ(run_child(request_).end, End::stopped);
  EXPECT_TRUE(came_early);
}

TEST_F(ChildProcessTest, AnEndlessOneIsEndedWithWhatItHasStarted) {
  request_.limits.time = 300ms;
  const auto begin = Clock::now();
  const auto result = run("sleep 1000 & echo $!; while :; do :; done");
  EXPECT_EQ(result.end, End::timed_out);
  EXPECT_EQ(text_of(result, request_.limits), "does not end within 0.3 s");
  EXPECT_LT(Clock::now() - begin, 10s);
  const auto grandchild = output_.substr(0, output_.find('\n'));
  for (int i = 0; i < 200 && runs(grandchild); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(grandchild));
}

TEST_F(ChildProcessTest, WhatItLeavesBehindDoesNotHoldUp) {
  const auto begin = Clock::now();
  const auto result = run("sleep 1000 & echo $!");  // which keeps the output open
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(Clock::now() - begin, 10s);
  const auto grandchild = output_.substr(0, output_.find('\n'));
  for (int i = 0; i < 200 && runs(grandchild); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(grandchild));
}

TEST_F(ChildProcessTest, EndlessOutputIsCutAndDoesNotHoldUp) {
  request_.limits.time = 500ms;
  std::size_t got = 0;
  request_.words = {"yes"};
  request_.output = [&](std::string_view piece) { got += piece.size(); };
  EXPECT_EQ(run_child(request_).end, End::timed_out);
  EXPECT_GT(got, 0u);
  EXPECT_LE(got, ChildRequest::most_output);
}

TEST_F(ChildProcessTest, IsStoppedByAnotherThread) {
  std::atomic<bool> stop = false;
  request_.stop = [&] { return stop.load(); };
  std::thread other([&] {
    std::this_thread::sleep_for(100ms);
    stop = true;
  });
  const auto result = run("sleep 1000");
  other.join();
  EXPECT_EQ(result.end, End::stopped);
  EXPECT_EQ(text_of(result, {}), "is stopped");
}

TEST_F(ChildProcessTest, Signals) {
  const auto result = run("kill -SEGV $$");
  EXPECT_EQ(result.end, End::signalled);
  EXPECT_EQ(result.status, SIGSEGV);
  EXPECT_EQ(text_of(result, {}), "ends with signal 11 (Segmentation fault)");
}

TEST_F(ChildProcessTest, ItsSignalsAreNotThoseOfThisProcess) {
  signal(SIGTERM, SIG_IGN);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  EXPECT_EQ(run("kill -TERM $$; sleep 5").status, SIGTERM);
  EXPECT_EQ(run("kill -USR1 $$; sleep 5").status, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGTERM, SIG_DFL);
}

TEST_F(ChildProcessTest, MemoryIsLimited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the child is no program of the sanitizer, but its limits are those of this process";
#endif
  request_.limits.memory_bytes = std::size_t{64} << 20;
  request_.environment = {"LC_ALL=C"};
  const auto result = run("dd if=/dev/zero of=/dev/null bs=128M count=1");
  EXPECT_EQ(result.end, End::out_of_memory) << errors_;
  EXPECT_EQ(text_of(result, request_.limits), "needs more than 0.0625 GiB of memory");
}

TEST_F(ChildProcessTest, AKilledOneCountsAsOutOfMemory) {
  const auto result = run("kill -KILL $$");
  EXPECT_EQ(result.end, End::out_of_memory);
  EXPECT_EQ(text_of(result, {}), "needs more memory than there is");
}

TEST_F(ChildProcessTest, FilesAreLimited) {
  request_.folder = folder_;
  request_.limits.file_bytes = 1 << 16;
  EXPECT_FALSE(run("head -c 1000000 /dev/zero >file").succeeded());
  EXPECT_EQ(std::filesystem::file_size(folder_ / "file"), 1u << 16);
}

TEST_F(ChildProcessTest, FilesOfThisProcessAreNotOpenInIt) {
  const int inherited = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  run("readlink /proc/$$/fd/0; exec ls /proc/self/fd");
  close(inherited);
  EXPECT_EQ(output_, "/dev/null\n0\n1\n2\n3\n");  // 3: of the folder that ls reads
}

TEST_F(ChildProcessTest, WhatTheCallbackThrowsEndsIt) {
  std::string process;
  request_.words = {"sh", "-c", "echo $$; sleep 1000"};
  request_.output = [&](std::string_view piece) {
    process = piece.substr(0, piece.find('\n'));
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(run_child(request_), std::runtime_error);
  EXPECT_FALSE(runs(process));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a zombie is left";
}

TEST_F(ChildProcessTest, ManyThreadsAtOnce) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&right, i] {
      for (int j = 0; j < 20; ++j) {
        std::string output;
        ChildRequest request;
        request.words = {"echo", std::to_string(100 * i + j)};
        request.output = [&](std::string_view piece) { output += piece; };
        right += run_child(request).succeeded() && output == request.words[1] + '\n';
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 8 * 20);
}

TEST_F(ChildProcessTest, ProgramsAreFoundOnPath) {
  const auto path = std::string(getenv("PATH"));
  const auto program = folder_ / "satscope test program";
  std::ofstream(program) << "#!/bin/sh\necho found\n";
  setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  EXPECT_EQ(find_program("satscope test program"), std::filesystem::path()) << "it cannot be started yet";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program("satscope test program"), program);
  request_.words = {"satscope test program"};
  request_.output = [&](std::string_view piece) { output_ += piece; };
  EXPECT_TRUE(run_child(request_).succeeded());
  EXPECT_EQ(output_, "found\n");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(find_program(program.string()), program);
  EXPECT_EQ(find_program(folder_.string()), std::filesystem::path());
}

}  // namespace
}  // namespace gpu
