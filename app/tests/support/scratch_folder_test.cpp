// Folders for what is only needed while a process runs, and those that a process has left which was killed.
#include "app/support/scratch_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;

// TMPDIR leads to a folder of the test's own.
class ScratchFolderTest : public ::testing::Test {
 protected:
  ScratchFolderTest() {
    if (const char* before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~ScratchFolderTest() override { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

  // As one that nobody has touched for an hour.
  static void age(const fs::path& path) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  fs::path abandoned(const std::string& name) const {
    const auto path = folder_.path() / name;
    fs::create_directories(path / "inner");
    std::ofstream(path / "inner/library.so") << "text";
    age(path);
    return path;
  }

  TemporaryFolder folder_;
  std::optional<std::string> before_;
};

TEST_F(ScratchFolderTest, ItGoesWithAllThatIsInIt) {
  fs::path first, second;
  {
    const ScratchFolder one("kernels"), other("kernels");
    first = one.path(), second = other.path();
    EXPECT_NE(first, second);
    EXPECT_EQ(first.parent_path(), folder_.path());
    EXPECT_TRUE(first.filename().string().starts_with("satscope-kernels-"));
    fs::create_directories(first / "a/b");
    EXPECT_TRUE(fs::is_directory(second));
  }
  EXPECT_FALSE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
}

TEST_F(ScratchFolderTest, ThoseOfProcessesThatWereKilledAreRemoved) {
  for (int i = 0; i < 2; ++i) {
    const auto left = abandoned("satscope-kernels-abcdef"), of_judge = abandoned("satscope-judge-abcdef"),
               another = abandoned("somebody-else");
    const auto young = folder_.path() / "satscope-kernels-young0";
    fs::create_directory(young);
    const ScratchFolder in_use("kernels");
    age(in_use.path());
    ScratchFolder::remove_abandoned("kernels");
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(of_judge)) << "another kind";
    EXPECT_TRUE(fs::exists(another));
    EXPECT_TRUE(fs::exists(young)) << "its process may be about to lock it";
    EXPECT_TRUE(fs::exists(in_use.path()));
    ScratchFolder::remove_abandoned("judge");
    EXPECT_FALSE(fs::exists(of_judge));
  }
}

TEST_F(ScratchFolderTest, ALinkIsLeftAlone) {
  const auto target = abandoned("target");
  fs::create_directory_symlink(target, folder_.path() / "satscope-kernels-linked");
  ScratchFolder::remove_abandoned("kernels");
  EXPECT_TRUE(fs::exists(target / "inner/library.so"));
}

TEST_F(ScratchFolderTest, WhereNoneCanBeMadeThatIsSaid) {
  ::setenv("TMPDIR", (folder_.path() / "missing").c_str(), 1);
  for (int i = 0; i < 2; ++i) try {
      const ScratchFolder folder("kernels");
      ADD_FAILURE() << folder.path();
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos) << error.what();
    }
  ScratchFolder::remove_abandoned("kernels");
}

}  // namespace
}  // namespace app
