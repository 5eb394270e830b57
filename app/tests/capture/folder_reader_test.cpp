#include "app/capture/folder_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <tuple>

#include "app/tests/capture/fake_source.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> names(const std::vector<FolderEntry>& entries) {
  std::vector<std::string> all;
  for (const auto& entry : entries) all.push_back(entry.name);
  return all;
}

class FolderReaderTest : public testing::Test {
 protected:
  FolderReaderTest() {
    std::filesystem::create_directory(folder_.path() / "zoo");
    std::filesystem::create_directory(folder_.path() / "Animals");
    for (const auto& [name, bytes] :
         {std::pair{"b.MP4", 30}, {"A.png", 10}, {"c.txt", 20}, {"d.CSV", 25}, {".hidden.png", 5}})
      std::ofstream(folder_.path() / name) << std::string(static_cast<std::size_t>(bytes), 'x');
    std::filesystem::create_symlink("nowhere", folder_.path() / "link.png");
  }
  TemporaryFolder folder_;
};

TEST_F(FolderReaderTest, FoldersComeFirstAndFilesSayWhetherTheyCanBeOpened) {
  const auto found = read_folder(folder_.path() / "zoo" / "..");
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.path, std::filesystem::canonical(folder_.path()));
  EXPECT_EQ(names(found.entries),
            (std::vector<std::string>{"Animals", "zoo", "A.png", "b.MP4", "c.txt", "d.CSV", "link.png"}));
  EXPECT_TRUE(found.entries[0].folder);
  const bool openable[] = {true, true, false, true, false};  // d.CSV is a matrix; a link to nowhere is nothing
  for (std::size_t i = 2; i < 7; ++i) EXPECT_EQ(found.entries[i].openable, openable[i - 2]) << found.entries[i].name;
  EXPECT_TRUE(is_openable("numbers.tsv"));
  EXPECT_NEAR(static_cast<double>(found.entries[2].changed), static_cast<double>(std::time(nullptr)), 600);
  EXPECT_EQ(found.entries[6].changed, 0) << "of a link to nowhere";
}

TEST_F(FolderReaderTest, AReadThatFailsIsSaidAndTheNextOneIsNot) {
  FolderReader reader([](const std::filesystem::path& path) -> Folder {
    if (path == "bad") throw std::runtime_error("it\nbroke");
    return {path, {}, {}};
  });
  EXPECT_FALSE(reader.look()) << "nothing was asked for";
  for (const std::string path : {"bad", "good", "bad"}) {
    reader.open(path);
    ASSERT_TRUE(eventually([&] { return reader.look(); }));
    EXPECT_FALSE(reader.look() || reader.reading()) << "once";
    EXPECT_EQ(reader.folder().path, path);
    EXPECT_EQ(reader.folder().problem, path == "bad" ? "it broke" : "");
  }
}

TEST_F(FolderReaderTest, WhatCannotBeReadSaysWhy) {
  for (const auto& [name, why] : {std::pair("none", "No such file"), {"A.png/none", "Not a directory"}})
    EXPECT_NE(read_folder(folder_.path() / name).problem.find(std::string("cannot be read: ") + why), std::string::npos);
}

// A browser that stayed there would show nothing, now and whenever it is opened again.
TEST_F(FolderReaderTest, InPlaceOfWhatCannotBeReadIsTheNearestFolderAboveThatCan) {
  const auto here = std::filesystem::canonical(folder_.path());
  const std::tuple<const char*, std::filesystem::path, std::size_t> table[] = {
      {"none.png", here, 7}, {"none/of/them.png", here, 7}, {"zoo/none.png", here / "zoo", 0}, {"A.png/none", here, 7}};
  for (const auto& [name, path, entries] : table) {
    const auto found = read_folder(here / name);
    EXPECT_EQ(found.path, path) << name;
    EXPECT_EQ(found.entries.size(), entries) << name;
    EXPECT_EQ(found.file, "") << name;
    EXPECT_TRUE(found.problem.starts_with((here / name).string() + " cannot be read: ")) << found.problem;
  }
}

// As of a disk that fails, or a network that is gone: what was read stays.
TEST_F(FolderReaderTest, AListingThatFailsInItsMiddleSaysSo) {
  for (const bool fails : {true, false, true}) {
    Folder folder{folder_.path(), {}, {}};
    const std::vector<std::string> listed{"d.CSV", "A.png"};
    read_entries(folder, [&, at = std::size_t{0}](std::error_code& error) mutable -> std::optional<std::filesystem::path> {
      if (at < listed.size()) return folder_.path() / listed[at++];
      if (fails) error = std::make_error_code(std::errc::io_error);
      return {};
    });
    EXPECT_EQ(names(folder.entries), (std::vector<std::string>{"A.png", "d.CSV"}));
    EXPECT_EQ(folder.problem,
              fails ? "not all of it could be read: Input/output error; open the folder again, or type the name" : "");
  }
}

TEST_F(FolderReaderTest, ThePathOfAFileGivesItsFolderAndItsName) {
  const auto found = read_folder(folder_.path() / "A.png");
  EXPECT_EQ(found.path, std::filesystem::canonical(folder_.path()));
  EXPECT_EQ(found.file, "A.png");
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.entries.size(), 7u);
  EXPECT_EQ(read_folder(folder_.path()).file, "");
}

TEST_F(FolderReaderTest, ATildeIsTheHomeFolder) {
  const char* home = std::getenv("HOME");
  const std::string before = home ? home : "";
  setenv("HOME", folder_.path().c_str(), 1);
  EXPECT_EQ(read_folder("~").path, std::filesystem::canonical(folder_.path()));
  EXPECT_EQ(read_folder("~/zoo").path, std::filesystem::canonical(folder_.path() / "zoo"));
  EXPECT_EQ(read_folder("~/A.png").file, "A.png");
  EXPECT_NE(read_folder("~zoo").problem.find("/~zoo"), std::string::npos) << "a name of this folder";
  home ? setenv("HOME", before.c_str(), 1) : unsetenv("HOME");
}

TEST_F(FolderReaderTest, ADiskThatHangsHoldsUpNobodyAndCanBeLeft) {
  std::promise<void> gate;
  FolderReader reader([opened = gate.get_future().share()](const std::filesystem::path& path) {
    if (path == "hangs") opened.wait();
    return Folder{path, {}, {}};
  });
  reader.open("hangs");
  EXPECT_TRUE(reader.reading());
  EXPECT_FALSE(reader.look());
  reader.open("other");
  EXPECT_TRUE(eventually([&] { return reader.look(); }));
  EXPECT_EQ(reader.folder().path, "other");
  gate.set_value();
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(reader.look());
  EXPECT_EQ(reader.folder().path, "other");
  wait_for_detached(20s);
}

}  // namespace
}  // namespace app::capture
