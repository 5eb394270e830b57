// Users' files with kernels as settings name them, and what settings make of names that stand for no kernel yet.
#include "app/control/kernel_names.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/control/change.h"
#include "app/control/selection.h"
#include "app/control/settings_file.h"
#include "app/tests/control/settings_example.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

class KernelNamesTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const {
    const auto path = folder_.path() / name;
    std::ofstream(path) << "void run(Image image, Table table) {}\n";
    return path.string();
  }
  std::string refusal(const std::string& path, const std::string& text) {
    return gpu::test::refusal_of([&] { apply(settings_, {path, text}); });
  }

  TemporaryFolder folder_;
  Settings settings_;
};

TEST_F(KernelNamesTest, FilesAreAddedToThoseThatAreThere) {
  const auto mine = file("mine.cu"), yours = file("yours.cu");
  apply(settings_, {"kernel", mine});
  apply(settings_, {"kernel", "file://" + yours});
  apply(settings_, {"kernel", mine});
  EXPECT_EQ(settings_.kernels, (std::vector{mine, yours}));
  const auto text = find_setting("kernel", settings_)->value;
  EXPECT_EQ(text, mine + '\n' + yours);
  apply(settings_, {"kernel", ""});
  EXPECT_TRUE(settings_.kernels.empty());
  apply(settings_, {"kernel", text});
  EXPECT_EQ(settings_.kernels.size(), 2u);
}

TEST_F(KernelNamesTest, ASourceThatIsSuchAFileIsItsKernel) {
  settings_.source = "clip.mp4";
  const auto mine = file("mine.cu");
  apply(settings_, {"source", mine});
  EXPECT_EQ(settings_.source, "clip.mp4");
  EXPECT_EQ(settings_.kernels, std::vector{mine});
  EXPECT_NE(refusal("source", "missing.cu").find("satscope new missing.cu"), std::string::npos);
}

TEST_F(KernelNamesTest, NamesThatCannotBeThoseOfKernelsAreRefused) {
  apply(settings_, {"kernel", file("mine.cu")});
  std::filesystem::create_directory(folder_.path() / "other");
  EXPECT_NE(refusal("kernel", file("other/mine.cu")).find("has the name 'mine', too"), std::string::npos);
  EXPECT_NE(refusal("kernel", file("2r1w.cu")).find("a name of satscope's own"), std::string::npos);
  EXPECT_NE(refusal("kernel", file("box_blur.cu")).find("a name of satscope's own"), std::string::npos);
  EXPECT_NE(refusal("kernel", file("my own.cu")).find("letters, digits"), std::string::npos);
  EXPECT_NE(refusal("kernel", file("clip.mp4")).find("ends in .cu"), std::string::npos);
  EXPECT_EQ(settings_.kernels.size(), 1u);
}

// Until a version works, what is chosen by that name is the usual algorithm.
TEST_F(KernelNamesTest, AKernelCanBeChosenBeforeItIsCompiled) {
  EXPECT_NE(refusal("algorithm", "awaited").find("no algorithm 'awaited'"), std::string::npos);
  apply(settings_, std::array{Change{"algorithm", "awaited"}, Change{"kernel", file("awaited.cu")}}, no_gpu);
  EXPECT_EQ(settings_.cuda_algorithm, "awaited");
  EXPECT_EQ(settings_.device, DeviceChoice::simulated);
  EXPECT_EQ(chosen_algorithm(settings_, gpu::Device::simulated).name, Settings().cuda_algorithm);
  apply(settings_, {"effect", "awaited"}, no_gpu);
  EXPECT_EQ(chosen_effect(settings_).name, Settings().effect);
  auto other = Settings();
  EXPECT_THROW(apply(other, std::array{Change{"algorithm", "awaited"}, Change{"kernel", file("awaited.cu")}}, nothing),
               MissingDevice);
}

TEST_F(KernelNamesTest, AKernelThatWorksIsAnAlgorithmLikeOthersAndRunsWhereItIsCompiledFor) {
  static gpu::KernelVersion version;
  static auto algorithm = **std::ranges::find_if(gpu::built_in_sat_algorithms(),
                                                 [](const auto* one) { return one->name == "2r1w"; });
  algorithm.name = version.name = "works_here";
  algorithm.version = &version;
  version.algorithm = &algorithm;
  version.no_cuda = "there is no nvcc";
  gpu::add_user_kernel(version);
  apply(settings_, {"algorithm", "works_here"});  // on a machine with a GPU
  EXPECT_EQ(settings_.device, DeviceChoice::simulated);
  EXPECT_EQ(&chosen_algorithm(settings_, gpu::Device::simulated), &algorithm);
  EXPECT_NE(gpu::test::refusal_of([&] { chosen_algorithm(settings_, gpu::Device::cuda); }).find("there is no nvcc"),
            std::string::npos);
  settings_.algorithm_values["works_here"] = {{"of_another_version", "3"}};
  EXPECT_NO_THROW(make_selection(settings_, gpu::Device::simulated));
  const auto selection = make_selection(settings_, gpu::Device::simulated);
  EXPECT_EQ(user_kernels_of(selection), std::vector<const gpu::KernelVersion*>{&version});
  EXPECT_TRUE(user_kernels_of(without_user_kernels(selection)).empty());
  gpu::remove_user_kernel(version.name);
}

TEST_F(KernelNamesTest, TheSettingsFileOpensThoseThatAreThereAndKeepsTheOthers) {
  settings_.kernels = {file("mine.cu"), (folder_.path() / "gone.cu").string()};
  auto saved = settings_to_json(settings_);
  saved["cuda_algorithm"] = "gone";
  saved["effect"] = "mine";
  saved["gone.W"] = 8;
  const auto parsed = parse_settings(saved.dump());
  EXPECT_TRUE(parsed.problems.empty()) << parsed.problems.front();
  EXPECT_EQ(parsed.settings.kernels, std::vector{settings_.kernels.front()});
  EXPECT_EQ(parsed.settings.cuda_algorithm, Settings().cuda_algorithm);
  EXPECT_EQ(parsed.settings.effect, "mine");
  LoadedSettings loaded{parsed.settings, {}, parsed.unusable};
  const auto kept = changes_to_save(loaded, parsed.settings, parsed.settings);
  for (const auto* path : {"kernel", "cuda_algorithm", "effect", "gone.W"}) EXPECT_EQ(kept[path], saved[path]) << path;
}

}  // namespace
}  // namespace app
