// Signals: those that the program was started to ignore, and what is left behind when one ends it at once.
#include "app/support/interrupt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "app/support/files.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

TEST(InterruptDeathTest, WhatTheProgramWasStartedToIgnoreStaysIgnored) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ignore = [] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    watch_interrupts();
    tell_of_wait("waiting");
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::raise(signal), std::raise(signal);
    std::_Exit(interrupted() ? 1 : 0);
  };
  EXPECT_EXIT(ignore(), testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, TheSameSignalTwiceAtOnceCountsOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto raise = [] {
    std::signal(SIGTERM, SIG_DFL);
    watch_interrupts();
    std::raise(SIGTERM), std::raise(SIGTERM);
    std::_Exit(interrupted() ? 0 : 1);
  };
  EXPECT_EXIT(raise(), testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, WhoEndsAtOnceLeavesNoEmptyFile) {
  GTEST_FLAG_SET(death_test_style, "fast");  // one folder for both processes
  const auto end_while_writing = [](const std::filesystem::path& path, bool is_written) {
    std::signal(SIGINT, SIG_DFL);  // whoever started the tests may have it ignored
    watch_interrupts();
    write_new_file(path, [&](const auto& to) {
      if (is_written) write_file(to, std::string_view("whole"));
      std::raise(SIGINT), std::raise(SIGINT);  // at once: it counts as the same one
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      std::raise(SIGINT);
    });
  };
  for (const bool is_written : {false, true}) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "picture.png";
    EXPECT_EXIT(end_while_writing(path, is_written), testing::KilledBySignal(SIGINT), "");
    EXPECT_EQ(std::filesystem::exists(path), is_written);
  }
}

TEST(InterruptDeathTest, WhatIsOfUseAsItIsStaysAndIsNamed) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const auto end_at_once = [](const std::filesystem::path& path, RemovedWhenKilled::If condition) {
    std::signal(SIGINT, SIG_DFL);
    watch_interrupts();
    tell_of_wait("waiting");
    const RemovedWhenKilled unfinished(path, condition);
    std::raise(SIGINT);
  };
  for (const auto condition : {RemovedWhenKilled::If::there, RemovedWhenKilled::If::never}) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "clip.partial.mp4";
    write_file(path, std::string_view("a part"));
    const bool stays = condition == RemovedWhenKilled::If::never;
    EXPECT_EXIT(end_at_once(path, condition), testing::KilledBySignal(SIGINT),
                stays ? "ended at once; what was recorded is in .*/clip.partial.mp4\n" : "");
    EXPECT_EQ(std::filesystem::exists(path), stays);
  }
}

// A result that is complete is none of them any more, however many there were.
TEST(InterruptDeathTest, WhatWasFinishedBeforeStays) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const TemporaryFolder folder;
  const auto finished = folder.path() / "finished", unfinished = folder.path() / "unfinished";
  for (const auto& path : {finished, unfinished}) write_file(path, std::string_view("a part"));
  const auto end = [&] {
    std::signal(SIGINT, SIG_DFL);
    watch_interrupts();
    tell_of_wait("waiting");
    std::optional<RemovedWhenKilled> done[20];  // each in a place of its own
    for (auto& one : done) one.emplace(finished), one.reset();
    const RemovedWhenKilled under_way(unfinished);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(end(), testing::KilledBySignal(SIGINT), "waiting; Ctrl-C ends at once\n");
  EXPECT_TRUE(std::filesystem::exists(finished));
  EXPECT_FALSE(std::filesystem::exists(unfinished)) << "those that are gone leave room";
}

TEST(InterruptDeathTest, TheFirstSignalIsNotedAndAnotherOneEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int first : {SIGINT, SIGTERM, SIGHUP}) {
    const auto raise = [first] {
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
      watch_interrupts();
      if (interrupted()) std::_Exit(2);
      std::raise(first);
      if (!interrupted()) std::_Exit(3);
      std::raise(first == SIGINT ? SIGTERM : SIGINT);  // noted, too: each is a signal of its own
      std::raise(first);
      std::_Exit(4);
    };
    EXPECT_EXIT(raise(), testing::KilledBySignal(first), "") << first;
  }
}

}  // namespace
}  // namespace app
