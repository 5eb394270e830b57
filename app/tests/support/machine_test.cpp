#include "app/support/machine.h"

#include <gtest/gtest.h>

#include <fstream>
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
  EXPECT_GT(available_memory(), 0u);
  EXPECT_LE(available_memory(), machine_memory());
}

}  // namespace
}  // namespace app
