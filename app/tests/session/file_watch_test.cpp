// What happens to files that are watched, and to the folders in which they are.
#include "app/session/file_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class FileWatchTest : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  fs::path write(const std::string& name, const std::string& text = "text") const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << text;
    return path(name);
  }
  void watch(const fs::path& place) {
    watch_.add(place);
    watch_.take();
  }
  // Whether something happens to it within a minute.
  bool hears_of(const fs::path& place) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    for (; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(1ms)) {
      const auto changed = watch_.take();
      if (std::ranges::find(changed, place) != changed.end()) return true;
    }
    return false;
  }
  // After a folder was moved: what is left of that, also what is seen by looking alone, has been heard of.
  void settle() {
    const auto end = std::chrono::steady_clock::now() + 1200ms;
    for (; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(5ms)) watch_.take();
  }

  TemporaryFolder folder_;
  FileWatch watch_;
};

TEST_F(FileWatchTest, FilesAreWrittenReplacedAndRemoved) {
  const auto file = write("one.cu"), other = write("other.cu");
  watch(file);
  watch(other);
  EXPECT_TRUE(watch_.take().empty());
  for (const std::string text : {"a", "bc"}) {
    write("one.cu", text);
    EXPECT_TRUE(hears_of(file));
    fs::rename(write("one.cu~", text), file);
    EXPECT_TRUE(hears_of(file));
    fs::remove(file);
    EXPECT_TRUE(hears_of(file));
    write("other.cu", text);
    EXPECT_TRUE(hears_of(other));
  }
}

TEST_F(FileWatchTest, AFolderThatIsMovedAndComesBackIsFollowed) {
  const auto file = write("folder/one.cu");
  watch(file);
  for (int i = 0; i < 2; ++i) {
    fs::rename(path("folder"), path("elsewhere"));
    EXPECT_TRUE(hears_of(file)) << "it is gone";
    settle();
    write("elsewhere/one.cu", "not the file of that name");
    settle();
    fs::rename(path("elsewhere"), path("folder"));
    EXPECT_TRUE(hears_of(file)) << "it is there again";
    settle();
    write("folder/one.cu", std::to_string(i));
    EXPECT_TRUE(hears_of(file));
  }
}

TEST_F(FileWatchTest, AFolderInThePlaceOfAnotherIsFollowed) {
  const auto file = write("folder/one.cu");
  watch(file);
  for (const std::string next : {"first", "second"}) {
    write(next + "/one.cu", next);
    fs::rename(path("folder"), path("before " + next));
    fs::rename(path(next), path("folder"));
    EXPECT_TRUE(hears_of(file)) << next;
    settle();
    write("folder/one.cu", "saved in the " + next);
    EXPECT_TRUE(hears_of(file)) << next;
    fs::remove_all(path("folder"));
    EXPECT_TRUE(hears_of(file)) << next;
    settle();
    write("folder/one.cu", "made anew");
    EXPECT_TRUE(hears_of(file)) << next;
    settle();
  }
}

TEST_F(FileWatchTest, AFolderAboveMayBeReplacedOrALinkLeadElsewhere) {
  const auto file = write("top/middle/one.cu");
  write("next/middle/one.cu", "next");
  fs::create_directory_symlink(path("top"), path("link"));
  const auto linked = path("link/middle/one.cu");
  watch(file);
  watch(linked);
  fs::remove(path("link"));
  fs::create_directory_symlink(path("next"), path("link"));
  EXPECT_TRUE(hears_of(linked));
  settle();
  write("next/middle/one.cu", "saved behind the link");
  EXPECT_TRUE(hears_of(linked));
  write("top/middle/one.cu", "saved where the link led before");
  EXPECT_TRUE(hears_of(file));
  fs::rename(path("top"), path("old"));
  EXPECT_TRUE(hears_of(file));
  write("top/middle/one.cu", "of another folder");
  EXPECT_TRUE(hears_of(file));
}

TEST_F(FileWatchTest, OneFolderMayHaveSeveralNames) {
  const auto file = write("folder/one.cu"), linked = path("link/one.cu");
  fs::create_directory_symlink(path("folder"), path("link"));
  watch(file);
  watch(linked);
  for (const std::string text : {"a", "bc"}) {
    write("folder/one.cu", text);
    bool of_file = false, of_link = false;
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!(of_file && of_link) && std::chrono::steady_clock::now() < end)
      for (const auto& place : watch_.take()) of_file |= place == file, of_link |= place == linked;
    EXPECT_TRUE(of_file && of_link);
    watch_.take();
  }
}

TEST_F(FileWatchTest, AFolderNeedNotBeThereYet) {
  const auto file = path("later/deeper/one.cu");
  watch(file);
  for (int i = 0; i < 2; ++i) {
    write("later/deeper/one.cu");
    EXPECT_TRUE(hears_of(file));
    settle();
    fs::remove_all(path("later"));
    EXPECT_TRUE(hears_of(file));
    settle();
  }
}

}  // namespace
}  // namespace app
