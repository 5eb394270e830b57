// Source lines of addresses, from addr2line.
#include "gpu/simulated/place.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace gpu::simulated {
namespace {

constexpr const char* sample_place = "place_sample.cpp:9";

// Copies of the sample library in folders that the test chooses.
class PlaceTest : public testing::Test {
 protected:
  ~PlaceTest() override { std::filesystem::remove_all(folder_); }
  // Each copy has addresses of its own, whose source lines are not cached yet.
  const void* sample_in(const std::string& folder) {
    std::filesystem::create_directories(folder_ / folder);
    const auto path = folder_ / folder / "sample.so";
    std::filesystem::copy_file(SATSCOPE_PLACE_SAMPLE, path);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) ADD_FAILURE() << dlerror();
    const auto ask = library ? reinterpret_cast<const void* (*)()>(dlsym(library, "satscope_place_sample")) : nullptr;
    return ask ? ask() : nullptr;
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("satscope_place_test." + std::to_string(getpid()));
};

TEST_F(PlaceTest, OfALibrary) { EXPECT_EQ(place_of(sample_in("plain")), sample_place); }

TEST_F(PlaceTest, ShellCharactersInPathsAreHarmless) {
  EXPECT_EQ(place_of(sample_in("it's $HOME; `x` \" two  words")), sample_place);
}

TEST_F(PlaceTest, ManyAtOnce) {
  const void* addresses[] = {sample_in("a"), nullptr, sample_in("b"), sample_in("c")};
  learn_places(addresses);
  const std::string path = getenv("PATH") ? getenv("PATH") : "";
  setenv("PATH", "/nowhere", 1);  // they are cached
  EXPECT_EQ(place_of(addresses[0]), sample_place);
  EXPECT_EQ(place_of(addresses[1]), "an unknown place");
  EXPECT_EQ(place_of(addresses[2]), sample_place);
  EXPECT_EQ(place_of(addresses[3]), sample_place);
  setenv("PATH", path.c_str(), 1);
}

TEST_F(PlaceTest, FilesOfOneNameAreToldByTheirFolders) {
  const void* const address = sample_in("plain");
  const auto file_of = [&](const std::vector<std::string>& files) { return line_of(address, files).file; };
  EXPECT_EQ(file_of({"place_sample.cpp"}), "place_sample.cpp");
  EXPECT_EQ(file_of({"place_sample.cpp", "tests/place_sample.cpp"}), "tests/place_sample.cpp");
  EXPECT_EQ(file_of({"tests/place_sample.cpp", "place_sample.cpp"}), "tests/place_sample.cpp");
  EXPECT_EQ(file_of({"other/place_sample.cpp", "place_sample.cpp"}), "place_sample.cpp");
  EXPECT_EQ(file_of({"simulated/tests/"}), "place_sample.cpp");
  EXPECT_EQ(line_of(address, std::vector<std::string>{"tests/place_sample.cpp"}).line, 9);
}

TEST_F(PlaceTest, UnknownPlacesAreNotHostCode) {
  EXPECT_TRUE(is_host_code(sample_in("plain")));
  const std::string path = getenv("PATH") ? getenv("PATH") : "";
  setenv("PATH", "/nowhere", 1);
  EXPECT_FALSE(is_host_code(sample_in("again")));
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(is_host_code(nullptr));
}

}  // namespace
}  // namespace gpu::simulated
