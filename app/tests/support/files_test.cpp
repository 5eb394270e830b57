// Where results go: through links, to the file that they lead to.
#include "app/support/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "app/support/interrupt.h"
#include "app/tests/support/exit_refusal.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace {
std::atomic<int> umask_calls = 0;
}
// In place of the C library's.
extern "C" mode_t umask(mode_t mask) noexcept {
  ++umask_calls;
  return static_cast<mode_t>(::syscall(SYS_umask, mask));
}

namespace app {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  fs::path path(const char* name) const { return folder_.path() / name; }
  fs::path link(const char* name, const fs::path& to) const {
    fs::create_symlink(to, path(name));
    return path(name);
  }
  static std::string text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Empty: none.
  static std::string refusal(const std::function<void()>& work) {
    const auto why = gpu::test::refusal_of<std::runtime_error>(work);
    return why == gpu::test::nothing_refused ? "" : why;
  }

  TemporaryFolder folder_;
};

TEST_F(FilesTest, ALinkStaysALinkWhetherItsFileExistsOrNot) {
  fs::create_directory(path("other"));
  const auto last = link("last", "other/result"), first = link("first", "last");
  EXPECT_EQ(behind_links(first), folder_.path() / "other/result");
  for (const char* word : {"one", "two"}) {
    write_file(first, std::string_view(word));
    EXPECT_EQ(text(path("other/result")), word);
    EXPECT_TRUE(fs::is_symlink(first));
    EXPECT_TRUE(fs::is_symlink(last));
  }
  EXPECT_EQ(behind_links(path("other/result")), path("other/result"));
}

TEST_F(FilesTest, LinksInACircleAreRefused) {
  const auto one = link("one", "two"), two = link("two", "one");
  for (const auto& work : {std::function<void()>([&] { write_file(one, std::string_view("text")); }),
                           std::function<void()>([&] { check_result(one, ""); })})
    EXPECT_EQ(refusal(work), "cannot write " + one.string() + ": Too many levels of symbolic links; choose another place");
  EXPECT_TRUE(fs::is_symlink(one));
  EXPECT_TRUE(fs::is_symlink(two));
}

TEST_F(FilesTest, WhatALinkLeadsToIsCheckedBeforeTheWork) {
  const auto away = link("away.png", "nowhere/a.png"), new_one = link("new.png", "a.png");
  EXPECT_NE(refusal([&] { check_result(away, ""); }).find("there is no folder " + path("nowhere").string()),
            std::string::npos);
  EXPECT_EQ(refusal([&] { check_result(new_one, ""); }), "");
  const fs::path others[] = {path("a.png")};
  EXPECT_NE(refusal([&] { check_result(new_one, "", others); }).find("is the file of another result"), std::string::npos);
}

// More than it holds, to a reader who takes his time: the writer waits.
TEST_F(FilesTest, APipeTakesAllThatIsWrittenToIt) {
  const auto pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string bytes(300'000, 'x');
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  std::string read, why;
  {
    std::atomic<bool> done = false;
    const std::jthread writing([&] {
      why = refusal([&] { write_file(pipe, bytes); });
      done = true;
    });
    const int capacity = ::fcntl(reader, F_GETPIPE_SZ);
    for (int held = 0; held < capacity && !done; std::this_thread::yield()) ::ioctl(reader, FIONREAD, &held);
    ::fcntl(reader, F_SETFL, 0);
    char part[4096];
    for (ssize_t count = 0; (count = ::read(reader, part, sizeof part)) > 0;)
      read.append(part, static_cast<std::size_t>(count));
  }
  ::close(reader);
  EXPECT_EQ(why, "");
  EXPECT_EQ(read.size(), bytes.size());
}

// As `mkfifo p; satscope --log p & cat p` needs it.
TEST_F(FilesTest, APipeThatNobodyReadsYetIsWaitedFor) {
  const auto pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read, why;
  {
    const std::jthread writing([&] { why = refusal([&] { write_file(pipe, std::string_view("text")); }); });
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    char part[16];
    ssize_t count = 0;
    while (read.size() < 4 && why.empty())
      if (count = ::read(reader, part, sizeof part); count > 0) read.append(part, static_cast<std::size_t>(count));
    ::close(reader);
  }
  EXPECT_EQ(why, "");
  EXPECT_EQ(read, "text");
}

TEST(FilesDeathTest, ASignalThatEndsTheProgramEndsTheWaitForAReader) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto write_interrupted = [&](std::string_view bytes) {
    watch_interrupts();
    std::raise(SIGTERM);
    try {
      write_file(pipe, bytes);
    } catch (const std::runtime_error& error) {
      std::fputs(error.what(), stderr);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(write_interrupted("text"), testing::ExitedWithCode(0), "nobody reads this pipe; start a program that does");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EXIT(write_interrupted(std::string(300'000, 'x')), testing::ExitedWithCode(0), "its reader has stopped reading");
  ::close(reader);
}

// The mask is the process's: if it were set to be read, files that other threads create meanwhile would have other modes.
TEST_F(FilesTest, ANewFileHasTheModeThatTheUmaskLeavesAndTheUmaskIsNotTouched) {
  const auto before = ::umask(027);
  const int calls = umask_calls;
  write_file(path("new"), std::string_view("text"));
  EXPECT_EQ(umask_calls, calls);
  ::umask(before);
  EXPECT_EQ(fs::status(path("new")).permissions(), fs::perms(0640));
}

// Another place helps only where the place is the cause.
TEST_F(FilesTest, WhatIsNotWrittenNamesTheLimitThatWasReached) {
  EXPECT_TRUE(why_not_written(EMFILE).ends_with("; raise the limit (ulimit -n)"));
  EXPECT_TRUE(why_not_written(EFBIG).ends_with("; raise the limit (ulimit -f), or write to another disk"));
  EXPECT_TRUE(why_not_written(ENFILE).ends_with("; close other programs"));
  EXPECT_TRUE(why_not_written(EACCES).ends_with("; choose another place"));
}

// Not the texts of the paths: the same inode, or the same place where there is no file yet.
TEST_F(FilesTest, AResultIsNeitherItsSourceNorAnotherResultUnderAnyName) {
  fs::create_directory(path("folder"));
  const auto there = link("there", "folder"), file = path("folder/file.csv");
  std::ofstream(file) << "1,2";
  fs::create_hard_link(file, path("hard.csv"));
  for (const auto& name : {file, link("link.csv", "folder/file.csv"), path("hard.csv"), there / "file.csv",
                           path("folder/../there/./file.csv")}) {
    EXPECT_EQ(refusal([&] { check_result(name, file); }), name.string() + " is the source itself: give another name");
    const fs::path both[] = {file, name}, read[] = {file};
    EXPECT_EQ(refusal([&] { check_results(both, ""); }),
              name.string() + " is the file of another result: give another name");
    EXPECT_EQ(refusal([&] { check_not_read(name, read); }),
              name.string() + " is a file that this run reads: give another name");
  }
  const fs::path new_ones[] = {path("folder/new.csv"), there / "new.csv"};
  EXPECT_NE(refusal([&] { check_results(new_ones, ""); }).find("another result"), std::string::npos);
  EXPECT_EQ(refusal([&] { check_result(path("other.csv"), file); }), "");
  const fs::path twice[] = {"/dev/null", "/dev/null"};
  EXPECT_EQ(refusal([&] { check_results(twice, "/dev/null"); }), "") << "not a file: nothing is lost";
  EXPECT_EQ(text(file), "1,2");
}

TEST_F(FilesTest, TwoProgramsDoNotWriteOneFileRowByRow) {
  const auto file = path("rows.csv");
  write_file(file, std::string_view("of an earlier run"));
  const int one = open_to_write(file);
  int error = 0;
  EXPECT_EQ(write_bytes(one, "1,2", error), 3u);
  const auto why = gpu::test::refusal_of<std::runtime_error>([&] { ::close(open_to_write(link("same", file))); });
  EXPECT_EQ(why, "cannot write " + path("same").string() + ": another program is writing it; give another name");
  EXPECT_EQ(exit_refusal(ExitCode::usage, [&] { check_result(path("same"), ""); }), why) << "before the work, too";
  const fs::path own[] = {file};
  EXPECT_NE(refusal([&] { check_result(path("same"), "", own); }).find("is the file of another result"), std::string::npos);
  EXPECT_EQ(text(file), "1,2");
  ::close(one);
  EXPECT_EQ(refusal([&] { check_result(file, ""); }), "");
  ::close(open_to_write(file));
  EXPECT_EQ(text(file), "");
}

// Whatever a user types: one line, and no exception of the library's.
TEST_F(FilesTest, NoNameOfAResultIsMoreThanARefusal) {
  fs::create_directory(path("locked"));
  fs::permissions(path("locked"), fs::perms::none);
  const auto one = link("one", "two"), two = link("two", "one");
  const WithoutRoot nobody;
  std::string components;
  for (int i = 0; i < 2500; ++i) components += "/a";
  for (const auto& name :
       {path("locked/x.png"), path("locked/folder/x.png"), path("locked"), one, one / "x.png",
        path(std::string(300, 'n').c_str()), fs::path(components), fs::path(std::string(5000, 'n')), path("\xff\xfe/x.png"),
        fs::path("/root/x.png"), fs::path("/proc/x.png"), fs::path("/dev/null/x")}) {
    const auto shown = name.string().substr(0, 100);
    const auto why = refusal([&] { check_result(name, "no source"); });
    EXPECT_TRUE(why.starts_with("cannot write ")) << shown << ": " << why;
    EXPECT_LT(why.size(), 1000u);
    EXPECT_FALSE(is_there(name) && !fs::exists(name)) << shown;
    EXPECT_NO_THROW(same_file(name, one) || same_file(one, name)) << shown;
    EXPECT_NO_THROW(why_no_new_files(name)) << shown;
    std::error_code error;
    EXPECT_NO_THROW(behind_links(name, error)) << shown;
  }
  EXPECT_NE(why_no_new_files(one / "folder"), "");
}

TEST_F(FilesTest, ANewFileReplacesNone) {
  const auto write = [](const char* content) {
    return [content](const fs::path& to) { write_file(to, std::string_view(content)); };
  };
  const auto first = path("a.b.png");
  EXPECT_EQ(write_new_file(first, write("1")), first);
  EXPECT_EQ(write_new_file(first, write("2")), path("a.b-2.png"));
  EXPECT_EQ(write_new_file(first, write("3")), path("a.b-3.png"));
  EXPECT_EQ(refusal([&] { write_new_file(first, [](auto&) { throw std::runtime_error("the disk"); }); }), "the disk");
  EXPECT_EQ(text(first) + text(path("a.b-2.png")) + text(path("a.b-3.png")), "123");
  EXPECT_FALSE(fs::exists(path("a.b-4.png")));
  EXPECT_NE(refusal([&] { write_new_file(path("nowhere/a.png"), write("1")); }).find("cannot write"), std::string::npos);
}

// What is written first has a longer name.
TEST_F(FilesTest, TheLongestNamesWorkAndLongerOnesAreRefusedBeforeTheWork) {
  const auto longest = path(std::string(251, 'n').c_str()).string() + ".csv";
  EXPECT_EQ(refusal([&] { check_result(longest, ""); }), "");
  write_file(longest, std::string_view("1"));
  EXPECT_EQ(text(longest), "1");
  const auto longer = path(std::string(252, 'n').c_str()).string() + ".csv";
  const auto why = "cannot write " + longer + ": File name too long; give a shorter name";
  EXPECT_EQ(refusal([&] { check_result(longer, ""); }), why);
  EXPECT_EQ(refusal([&] { write_file(longer, std::string_view("1")); }), why);
  EXPECT_EQ(beside("a/" + std::string(249, 'n') + "\u00fcber", "-1").string(), "a/" + std::string(249, 'n') + "\u00fcbe-1");
  EXPECT_EQ(beside("a/" + std::string(252, 'n') + "\u00fcber", "-1").string(), "a/" + std::string(252, 'n') + "-1")
      << "whole characters";
}

// Whoever opens the source says what is wrong with it.
TEST_F(FilesTest, ASourceOfLinksInACircleIsNoFileOfAResult) {
  const auto one = link("one", "two"), two = link("two", "one");
  EXPECT_EQ(refusal([&] { check_result(path("result.npy"), one); }), "");
  const fs::path read[] = {two};
  EXPECT_EQ(refusal([&] { check_not_read(path("result.npy"), read); }), "");
  EXPECT_FALSE(same_file(path("result.npy"), one));
}

// Assets are found with an installed program, in the source tree, and in the user's folder.

class FilesAssetsTest : public testing::Test {
 protected:
  FilesAssetsTest() { unsetenv("SATSCOPE_ASSETS"); }
  ~FilesAssetsTest() override { unsetenv("SATSCOPE_ASSETS"); }
  fs::path put(const fs::path& file) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "x";
    return root_ / file;
  }
  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(FilesAssetsTest, TheUsersFolderComesFirstThenTheInstalledFilesAndTheSourceTree) {
  const auto of_sources = fs::path(SATSCOPE_SOURCE_ASSETS) / "clip.mp4";
  EXPECT_EQ(asset("clip.mp4"), of_sources) << "a program that is not installed";
  EXPECT_TRUE(fs::exists(of_sources));
  const auto installed = put("usr/share/satscope/clip.mp4"), chosen = put("mine/clip.mp4");
  const auto found = [&] { return find_asset("clip.mp4", asset_folders(root_ / "usr/bin/satscope")); };
  EXPECT_EQ(found(), installed);
  setenv("SATSCOPE_ASSETS", chosen.parent_path().c_str(), 1);
  EXPECT_EQ(found(), chosen);
  EXPECT_EQ(asset("clip.mp4"), chosen);
  setenv("SATSCOPE_ASSETS", root_.c_str(), 1);
  EXPECT_EQ(asset("clip.mp4"), of_sources) << "a folder without the file is skipped";
  const std::array<fs::path, 2> folders = {root_ / "one", root_ / "two"};
  EXPECT_EQ(find_asset("clip.mp4", folders), root_ / "one" / "clip.mp4") << "where none has it, the first is named";
}

TEST_F(FilesAssetsTest, OnlyALinkBesideTheProgramLeadsToASourceTree) {
  put("usr/bin/assets/clip.mp4");
  EXPECT_EQ(asset_folders(root_ / "usr/bin/satscope").size(), 1u);
  fs::create_symlink(root_ / "usr/bin/assets", put("build/app/satscope").parent_path() / "assets");
  EXPECT_EQ(find_asset("clip.mp4", asset_folders(root_ / "build/app/satscope")), root_ / "usr/bin/assets/clip.mp4");
}

}  // namespace

}  // namespace app
