// Assets are found with an installed program, in the source tree, and in the user's folder.
#include "app/support/assets_path.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace app {
namespace {

namespace fs = std::filesystem;

class AssetsPathTest : public testing::Test {
 protected:
  AssetsPathTest() {
    std::string pattern = (fs::temp_directory_path() / "satscope_assets_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    unsetenv("SATSCOPE_ASSETS");
  }
  ~AssetsPathTest() override {
    unsetenv("SATSCOPE_ASSETS");
    fs::remove_all(root_);
  }
  fs::path put(const fs::path& file) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "x";
    return root_ / file;
  }
  fs::path root_;
};

TEST_F(AssetsPathTest, AProgramThatIsNotInstalledUsesTheSourceTree) {
  EXPECT_EQ(asset("clip.mp4"), fs::path(SATSCOPE_SOURCE_ASSETS) / "clip.mp4");
  EXPECT_TRUE(fs::exists(asset("clip.mp4")));
}

TEST_F(AssetsPathTest, AnInstalledProgramUsesTheInstalledFiles) {
  const fs::path installed = put("usr/share/satscope/clip.mp4");
  EXPECT_EQ(find_asset("clip.mp4", asset_folders(root_ / "usr/bin/satscope")), installed);
}

TEST_F(AssetsPathTest, TheUsersFolderComesFirst) {
  put("usr/share/satscope/clip.mp4");
  const fs::path chosen = put("mine/clip.mp4");
  setenv("SATSCOPE_ASSETS", chosen.parent_path().c_str(), 1);
  EXPECT_EQ(find_asset("clip.mp4", asset_folders(root_ / "usr/bin/satscope")), chosen);
  EXPECT_EQ(asset("clip.mp4"), chosen);
}

TEST_F(AssetsPathTest, OnlyALinkBesideTheProgramLeadsToASourceTree) {
  put("usr/bin/assets/clip.mp4");
  EXPECT_EQ(asset_folders(root_ / "usr/bin/satscope").size(), 1u);
  fs::create_symlink(root_ / "usr/bin/assets", put("build/app/satscope").parent_path() / "assets");
  EXPECT_EQ(find_asset("clip.mp4", asset_folders(root_ / "build/app/satscope")), root_ / "usr/bin/assets/clip.mp4");
}

TEST_F(AssetsPathTest, AFolderWithoutTheFileIsSkipped) {
  setenv("SATSCOPE_ASSETS", root_.c_str(), 1);
  EXPECT_EQ(asset("clip.mp4"), fs::path(SATSCOPE_SOURCE_ASSETS) / "clip.mp4");
}

TEST_F(AssetsPathTest, IfNoFolderHasItTheFirstIsNamed) {
  const std::array<fs::path, 2> folders = {root_ / "one", root_ / "two"};
  EXPECT_EQ(find_asset("clip.mp4", folders), root_ / "one" / "clip.mp4");
}

}  // namespace
}  // namespace app
