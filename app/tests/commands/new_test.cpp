// satscope new: what it writes, and that it replaces nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/commands/commands.h"
#include "app/session/kernel_starts.h"
#include "app/support/exit_code.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

class NewCommandTest : public ::testing::Test {
 protected:
  NewCommandTest() { setenv("SATSCOPE_ASSETS", "assets", 1); }  // beside which the algorithms' files are
  ~NewCommandTest() override { unsetenv("SATSCOPE_ASSETS"); }

  ExitCode written(const std::string& name, const Options& with = {}) {
    auto options = with;
    options.output = (folder_.path() / name).string();
    try {
      run_new(options);
      return ExitCode::ok;
    } catch (const ExitError& error) {
      why_ = error.what();
      return error.code();
    }
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder_.path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
  std::string why_;
};

TEST_F(NewCommandTest, TheStartsAreShortAndSaidInTheirFirstLine) {
  EXPECT_EQ(written("mine.cu"), ExitCode::ok);
  EXPECT_NE(text("mine.cu").find("void run(Image image, Table table)"), std::string::npos);
  EXPECT_LE(std::ranges::count(text("mine.cu"), '\n'), 30);
  Options effect;
  effect.effect_start = true;
  EXPECT_EQ(written("edges.cu", effect), ExitCode::ok);
  EXPECT_NE(text("edges.cu").find("Pixel effect(Boxes boxes, int x, int y)"), std::string::npos);
  for (const auto* name : {"mine.cu", "edges.cu"}) EXPECT_TRUE(text(name).starts_with("// ")) << name;
}

TEST_F(NewCommandTest, ACopyOfABuiltInAlgorithmIsItsFile) {
  Options copy;
  copy.from = "2r1w";
  ASSERT_EQ(written("mine.cu", copy), ExitCode::ok) << why_;
  EXPECT_NE(text("mine.cu").find("sat_2r1w"), std::string::npos);
  copy.from = "2r1v";
  EXPECT_EQ(written("other.cu", copy), ExitCode::usage);
  EXPECT_NE(why_.find("2r1w"), std::string::npos) << why_;
  copy.from = "host_serial";
  EXPECT_EQ(written("other.cu", copy), ExitCode::usage);
  for (const auto* name : {"cub", "npp"}) {
    copy.from = name;
    EXPECT_EQ(written("other.cu", copy), ExitCode::usage) << name;
    EXPECT_NE(why_.find("library"), std::string::npos) << why_;
  }
  EXPECT_EQ(text("other.cu"), "");
}

TEST_F(NewCommandTest, NothingIsReplacedAndNamesAreChecked) {
  std::ofstream(folder_.path() / "mine.cu") << "// Mine.";
  EXPECT_EQ(written("mine.cu"), ExitCode::usage);
  EXPECT_EQ(text("mine.cu"), "// Mine.");
  EXPECT_EQ(written("mine.cpp"), ExitCode::usage);
  EXPECT_EQ(written("2r1w.cu"), ExitCode::usage);
  EXPECT_EQ(written("my own.cu"), ExitCode::usage);
  EXPECT_EQ(written("missing/mine.cu"), ExitCode::failed);
}

TEST_F(NewCommandTest, TheProgramsOwnNamesAreOfNoOtherKernel) {
  const std::string others[] = {"/elsewhere/mine_2.cu"};
  EXPECT_EQ(write_new_kernel(folder_.path(), KernelStart::algorithm, others).filename(), "mine.cu");
  EXPECT_EQ(write_new_kernel(folder_.path(), KernelStart::algorithm, others).filename(), "mine_3.cu");
}

}  // namespace
}  // namespace app
