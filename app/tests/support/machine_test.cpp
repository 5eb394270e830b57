#include "app/support/machine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

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

}  // namespace
}  // namespace app
