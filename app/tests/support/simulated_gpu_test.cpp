// Where the libraries of the simulated GPU come from.
#include "app/support/simulated_gpu.h"

#include <gtest/gtest.h>

#include <system_error>

#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

TEST(SimulatedGpuTest, AnInstalledProgramIsNotToldOfTheTreeItWasBuiltIn) {
  const TemporaryFolder folder;
  const auto built = folder.path() / "build" / "app" / "satscope", installed = folder.path() / "usr" / "bin" / "satscope";
  std::error_code error;
  for (const auto& program : {built, installed}) std::filesystem::create_directories(program.parent_path(), error);
  EXPECT_TRUE(is_installed(built)) << "nothing of a build is there";
  std::filesystem::create_directories(folder.path() / "build" / "gpu" / "simulated", error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_FALSE(is_installed(built));
  EXPECT_TRUE(is_installed(installed));
  EXPECT_FALSE(is_installed({})) << "nobody knows";
}

}  // namespace
}  // namespace app
