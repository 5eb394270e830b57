#include "app/support/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/support/threads.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;

class MachineTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::uint64_t memory() { return machine_memory(folder_.path()); }
  std::optional<std::uint64_t> available() { return available_memory(folder_.path()); }
  TemporaryFolder folder_;
};

TEST_F(MachineTest, MemoryIsThatOfTheMachineOrOfItsControlGroup) {
  write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree: 1 kB\nMemAvailable:    8000000 kB\n");
  const std::uint64_t all = 16'000'000ull * 1024;
  EXPECT_EQ(memory(), all) << "no groups";
  write("proc/self/cgroup", "0::/user.slice/a.scope\n");
  EXPECT_EQ(memory(), all) << "none is limited";
  write("sys/fs/cgroup/user.slice/a.scope/memory.max", "max\n");
  EXPECT_EQ(memory(), all);
  write("sys/fs/cgroup/user.slice/memory.max", "4000000000\n");
  EXPECT_EQ(memory(), 4'000'000'000u) << "the group above counts";
  write("sys/fs/cgroup/user.slice/a.scope/memory.max", "3000000000\n");
  EXPECT_EQ(memory(), 3'000'000'000u);
  write("sys/fs/cgroup/memory.max", "2000000000\n");
  EXPECT_EQ(memory(), 2'000'000'000u) << "in a container, the root of what is mounted";
}

TEST_F(MachineTest, ControlGroupsOfVersion1CountToo) {
  write("proc/meminfo", "MemTotal:       16000000 kB\n");
  write("proc/self/cgroup", "10:cpu,cpuacct:/a\n9:memory:/docker/12\n0::/b\n");
  write("sys/fs/cgroup/memory/docker/12/memory.limit_in_bytes", "1500000000\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(memory(), 1'500'000'000u);
}

TEST_F(MachineTest, AMachineThatSaysNothingHasNoLimit) {
  EXPECT_GT(memory(), 1ull << 60);
  EXPECT_GT(machine_memory(), 100u << 20) << "this one";
  EXPECT_EQ(available(), std::nullopt);
  ASSERT_TRUE(available_memory());
  EXPECT_GT(*available_memory(), 0u);
  EXPECT_LE(*available_memory(), machine_memory());
}

TEST_F(MachineTest, AvailableIsWhatTheControlGroupsHaveNotUsedAtEachLevel) {
  const std::string meminfo = "MemTotal:       16000000 kB\n", a = "sys/fs/cgroup/user.slice/a.scope/",
                    above = "sys/fs/cgroup/user.slice/";
  write("proc/meminfo", meminfo + "MemAvailable:    8000000 kB\n");
  write("proc/self/cgroup", "0::/user.slice/a.scope\n");
  EXPECT_EQ(available(), 8'000'000ull * 1024);
  write(a + "memory.max", "max\n");
  write(a + "memory.current", "7000000000\n");
  EXPECT_EQ(available(), 8'000'000ull * 1024) << "no limit";
  write(a + "memory.max", "3000000000\n");
  write(a + "memory.current", "1000000000\n");
  EXPECT_EQ(available(), 2'000'000'000u);
  write(above + "memory.max", "4000000000\n");
  EXPECT_EQ(available(), 2'000'000'000u);
  write(above + "memory.current", "3500000000\n");
  EXPECT_EQ(available(), 500'000'000u) << "the group above, which others use";
  write(above + "memory.stat", "anon 5\ninactive_file 300000000\nactive_file 200000000\n");
  EXPECT_EQ(available(), 1'000'000'000u) << "pages of files are given back";
  write("proc/meminfo", meminfo);
  EXPECT_EQ(available(), 1'000'000'000u) << "old kernels have no MemAvailable";
  write(a + "memory.current", "3000000001\n");
  EXPECT_EQ(available(), 0u) << "nothing is left, which is known";
  EXPECT_EQ(memory(), 3'000'000'000u);
}

TEST_F(MachineTest, AvailableInControlGroupsOfVersion1) {
  const std::string group = "sys/fs/cgroup/memory/docker/12/";
  write("proc/self/cgroup", "9:memory:/docker/12\n0::/b\n");
  write(group + "memory.limit_in_bytes", "1500000000\n");
  write(group + "memory.usage_in_bytes", "600000000\n");
  EXPECT_EQ(available(), 900'000'000u);
  write(group + "memory.stat", "inactive_file 7\ntotal_inactive_file 100000000\ntotal_active_file 0\n");
  EXPECT_EQ(available(), 1'000'000'000u) << "with those of the groups below";
}

// With programs in place of the desktop's, which note their words.
class MachineDesktopTest : public MachineTest {
 protected:
  void SetUp() override {
    path_ = environment("PATH"), display_ = environment("DISPLAY");
    ::setenv("PATH", (folder_.path().string() + ':' + path_).c_str(), 1);
    ::setenv("DISPLAY", ":987", 1);
    program("xdg-open", 0);
  }
  void TearDown() override {
    wait_for_detached(std::chrono::seconds(20));
    ::setenv("PATH", path_.c_str(), 1);
    display_.empty() ? ::unsetenv("DISPLAY") : ::setenv("DISPLAY", display_.c_str(), 1);
  }
  void program(const std::string& name, int status) {
    write(name, "#!/bin/sh\nfor word; do [ \"$word\" = string: ] || shown=$word; done\necho \"" + name + " $shown\" >>'" +
                    noted().string() + "'\nexit " + std::to_string(status) + "\n");
    fs::permissions(folder_.path() / name, fs::perms(0755));
  }
  fs::path noted() const { return folder_.path() / "noted"; }
  // Once there are so many lines.
  std::string notes(int lines) {
    for (int i = 0; i < 1000; ++i) {
      std::ifstream file(noted());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (std::count(text.begin(), text.end(), '\n') >= lines) return text;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "none";
  }

 private:
  std::string path_, display_;
};

TEST_F(MachineDesktopTest, AFolderIsMadeAndShownWithoutAShell) {
  const auto folder = folder_.path() / "a $(touch x); 'b'" / "c";
  open_folder(folder);
  open_folder(folder);
  EXPECT_TRUE(fs::is_directory(folder));
  EXPECT_EQ(notes(2), "xdg-open " + folder.string() + "\nxdg-open " + folder.string() + "\n");
}

TEST_F(MachineDesktopTest, AFileIsMarkedInItsFolderOrTheFolderIsShown) {
  write("made/a, b%\u00e9.png", "");
  const auto file = folder_.path() / "made" / "a, b%\u00e9.png";
  program("dbus-send", 0);
  show_file(file);
  show_file(file);
  wait_for_detached(std::chrono::seconds(20));
  const auto line = "dbus-send array:string:file://" + folder_.path().string() + "/made/a%2C%20b%25%C3%A9.png\n";
  EXPECT_EQ(notes(2), line + line);
  program("dbus-send", 1);
  show_file(file);
  EXPECT_EQ(notes(4), line + line + line + "xdg-open " + (folder_.path() / "made").string() + "\n");
}

TEST_F(MachineDesktopTest, AFileThatIsGoneIsNotShown) {
  EXPECT_THROW(show_file(folder_.path() / "none.png"), std::invalid_argument);
  write("a.png", "");
  ::unsetenv("DISPLAY");
  const auto wayland = environment("WAYLAND_DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  EXPECT_THROW(show_file(folder_.path() / "a.png"), std::invalid_argument) << "no desktop";
  if (!wayland.empty()) ::setenv("WAYLAND_DISPLAY", wayland.c_str(), 1);
}

TEST_F(MachineDesktopTest, AProgramThatIsMissingOrFailsIsTold) {
  program("fails", 3);
  const std::string fails[] = {"fails"}, missing[] = {"no-such-program"};
  EXPECT_EQ(run_program(fails), 3);
  EXPECT_EQ(run_program(missing), -1);
  EXPECT_TRUE(is_on_path("fails"));
  EXPECT_FALSE(is_on_path("no-such-program"));
}

TEST_F(MachineDesktopTest, AProgramThatTakesTooLongIsEnded) {
  using namespace std::chrono_literals;
  const std::string waits[] = {"sleep", "60"}, ends[] = {"true"};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run_program(waits, -1, 100ms), program_took_too_long);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_EQ(run_program(ends, -1, 60s), 0);
}

TEST_F(MachineTest, EditorsAreToldTheLineAsEachOfThemTakesIt) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(editor_words("code", "/a b/mine.cu", 30), (Words{"code", "-g", "/a b/mine.cu:30"}));
  EXPECT_EQ(editor_words("code --wait", "/mine.cu", 0), (Words{"code", "--wait", "/mine.cu"}));
  EXPECT_EQ(editor_words("/usr/bin/gvim", "/mine.cu", 30), (Words{"/usr/bin/gvim", "+30", "/mine.cu"}));
  EXPECT_EQ(editor_words("kate", "/mine.cu", 30), (Words{"kate", "--line", "30", "/mine.cu"}));
  EXPECT_EQ(editor_words("subl", "/mine.cu", 30), (Words{"subl", "/mine.cu:30"}));
  EXPECT_EQ(editor_words("unknown", "/mine.cu", 30), (Words{"unknown", "/mine.cu"}));
  for (const auto* in_terminal : {"vim", "/usr/bin/nano", "emacs -nw", "emacsclient -t", ""})
    EXPECT_EQ(editor_words(in_terminal, "/mine.cu", 30), Words()) << in_terminal;
}

}  // namespace
}  // namespace app
