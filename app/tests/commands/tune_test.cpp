// satscope tune, with the times of a stand-in instead of a GPU's.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "app/commands/commands.h"
#include "app/support/interrupt.h"
#include "app/tests/support/exit_refusal.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/choice/tuned.h"

namespace app {
namespace {

namespace fs = std::filesystem;

gpu::TimeAlgorithm times_where(std::string_view fastest) {
  return [fastest](const gpu::SatAlgorithm& algorithm, gpu::SatType, gpu::Size, gpu::RunBy, int) {
    return algorithm.name == fastest ? 1.0 : 2.0;
  };
}
std::string first_of(const fs::path& path, std::string_view gpu) {
  const auto tuned = gpu::load_tuned(path);
  EXPECT_EQ(tuned.problem, "");
  const auto* found = tuned.find(gpu);
  return found && !found->sizes.empty() ? found->sizes.front().in_graph.algorithm : "";
}

class TuneCommandTest : public testing::Test {
 protected:
  std::string printed_by(const std::string& gpu, std::string_view fastest) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(tune(gpu, path_, times_where(fastest)), ExitCode::ok);
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "config" / "satscope" / "tuned.txt";
};

TEST_F(TuneCommandTest, KeepsWhatItMeasuredAndWhatOtherGpusHave) {
  printed_by("Mine", "2r1w");
  EXPECT_EQ(first_of(path_, "Mine"), "2r1w");
  printed_by("Another", "row_waves");
  const auto before = gpu::load_tuned(path_).find("Another")->sizes.size();
  const auto text = printed_by("Mine", "one_wave");  // once more
  EXPECT_EQ(first_of(path_, "Mine"), "one_wave");
  EXPECT_EQ(first_of(path_, "Another"), "row_waves");
  EXPECT_EQ(gpu::load_tuned(path_).find("Another")->sizes.size(), before);
  EXPECT_EQ(gpu::load_tuned(path_).gpus.size(), 2u);
  EXPECT_NE(text.find("one_wave"), std::string::npos) << text;
  EXPECT_NE(text.find(path_.string()), std::string::npos) << text;
  EXPECT_EQ(std::distance(fs::directory_iterator(path_.parent_path()), {}), 1) << "nothing else is left";
}

TEST_F(TuneCommandTest, ADamagedFileIsSetAside) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "someone else's\n";
  printed_by("Mine", "2r1w");
  EXPECT_EQ(first_of(path_, "Mine"), "2r1w");
  std::ifstream aside(path_.string() + ".broken");
  std::string line;
  EXPECT_TRUE(std::getline(aside, line));
  EXPECT_EQ(line, "someone else's");
}

// Each keeps the entries of the other.
TEST_F(TuneCommandTest, TwoAtTheSameTimeLoseNothing) {
  constexpr int turns = 20;
  const auto keep = [&](const std::string& name) {
    for (int i = 0; i < turns; ++i) keep_tuned(path_, {name + std::to_string(i), "2026-05-31", {}});
  };
  std::thread one(keep, "one "), other(keep, "other ");
  one.join();
  other.join();
  const auto tuned = gpu::load_tuned(path_);
  EXPECT_EQ(tuned.problem, "");
  EXPECT_EQ(tuned.gpus.size(), 2u * turns);
}

TEST_F(TuneCommandTest, WhereNothingCanBeKeptNothingIsMeasured) {
  const auto refuse = [](auto&&...) -> double {
    ADD_FAILURE() << "measured";
    return 1;
  };
  const auto why = [&](const std::optional<fs::path>& path) {
    return exit_refusal(ExitCode::failed, [&] { tune("Mine", path, refuse); });
  };
  EXPECT_EQ(why({}), "neither XDG_CONFIG_HOME nor HOME names a folder for the measurements: set one of them");
  const auto closed = folder_.path() / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms(0555));
  {
    const WithoutRoot as_a_user;
    EXPECT_EQ(why(closed / "satscope" / "tuned.txt"),
              "cannot write to " + closed.string() + ": Permission denied; choose another place");
  }
  std::ofstream(folder_.path() / "file") << "";
  EXPECT_EQ(why(folder_.path() / "file" / "satscope" / "tuned.txt"),
            (folder_.path() / "file").string() + " is not a folder; choose another place");
}

TEST_F(TuneCommandTest, WithoutMemoryNothingIsKept) {
  EXPECT_THROW(tune("Mine", path_, [](auto&&...) { return std::numeric_limits<double>::infinity(); }), ExitError);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(TuneCommandTest, InterruptedItKeepsWhatThereWas) {
  printed_by("Mine", "2r1w");
  const auto interrupted_run = [&] {
    watch_interrupts();
    const auto code = tune("Mine", path_, [times = 0](auto&&...) mutable {
      if (times++ == 0) std::raise(SIGINT);
      return 1.0;
    });
    std::_Exit(static_cast<int>(code));
  };
  EXPECT_EXIT(interrupted_run(), testing::ExitedWithCode(1), "interrupted: no measurement was saved");
  EXPECT_EQ(first_of(path_, "Mine"), "2r1w");
}

}  // namespace
}  // namespace app
