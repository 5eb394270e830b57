// What compilers say, by line of a user's file.
#include "gpu/user_kernels/compiler_messages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/tests/user_kernels/judged_file.h"

namespace gpu {
namespace {

using Severity = SourceMessage::Severity;

KernelSource source_in(const std::string& file, const std::vector<std::filesystem::path>& others = {}) {
  KernelSource source;
  source.file = file;
  source.files = others;
  source.files.insert(source.files.begin(), source.file);
  return source;
}

// Of g++ 12.
constexpr const char* gcc_output =
    R"(/home/me/my dir/mine.cu: In function 'int a(int)':
/home/me/my dir/mine.cu:4:11: warning: unused parameter 'unused' [-Wunused-parameter]
In file included from /home/me/my dir/mine.cu:1:
/home/me/my dir/mine.cu: In function 'int b()':
h.h:3:40: error: 'undefined_thing' was not declared in this scope
/home/me/my dir/mine.cu:8:3: note: in expansion of macro 'SHARED'
/home/me/my dir/mine.cu:3:22: error: 'missing' was not declared in this scope
/home/me/my dir/mine.cu:9:11: note: in expansion of macro 'LOCAL'
h.h:3:33: note: in definition of macro 'SHARED'
h.h:20:7: warning: unused variable 'r' [-Wunused-variable]
/home/me/my dir/mine.cu:11:1: note: of a warning that is left out
h.h: In instantiation of 'int twice(T) [with T = S]':
h.h:30:15:   required from 'int four_times(T) [with T = S]'
/home/me/my dir/mine.cu:5:15:   required from here
h.h:2:46: error: 'struct S' has no member named 'nothing'
h.h:2:58: error: 'struct S' has no member named 'more'
/home/me/my dir/mine.cu: At global scope:
/home/me/my dir/mine.cu:30:1: error: expected declaration before '}' token
)";

TEST(CompilerMessagesTest, OfGccStandAtTheUsersLines) {
  EXPECT_EQ(lines_of(read_compiler_messages(gcc_output, source_in("/home/me/my dir/mine.cu"))),
            "warning mine.cu:4:11: unused parameter 'unused' [-Wunused-parameter]\n"
            "error mine.cu:8:3: in h.h:3: 'undefined_thing' was not declared in this scope\n"
            "error mine.cu:3:22: 'missing' was not declared in this scope\n"
            "note mine.cu:9:11: in expansion of macro 'LOCAL'\n"
            "error mine.cu:5:15: in h.h:2: 'struct S' has no member named 'nothing'\n"
            "error mine.cu:5:15: in h.h:2: 'struct S' has no member named 'more'\n"
            "error mine.cu:30:1: expected declaration before '}' token\n");
}

TEST(CompilerMessagesTest, FilesThatTheUsersFileIncludesAreTheUsers) {
  const auto messages = read_compiler_messages("/me/parts/sums.cuh:3:1: error: one\n/me/mine.cu:1:2: error: two\n",
                                               source_in("/me/mine.cu", {"/me/parts/sums.cuh"}));
  EXPECT_EQ(lines_of(messages), "error sums.cuh:3:1: one\nerror mine.cu:1:2: two\n");
}

TEST(CompilerMessagesTest, FilesOfOneNameAreToldByTheirFolders) {
  const auto messages = read_compiler_messages(
      "/me/a/sums.cuh:3:1: error: one\n/me/b/sums.cuh:3:1: error: two\n/me/mine.cu:1: error: x\n",
      source_in("/me/mine.cu", {"/me/a/sums.cuh", "/me/b/sums.cuh"}));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].file_name(), "a/sums.cuh");
  EXPECT_EQ(messages[1].file_name(), "b/sums.cuh");
  EXPECT_EQ(messages[2].file_name(), "mine.cu");
}

TEST(CompilerMessagesTest, AnErrorInAHeaderStandsWhereItIsIncluded) {
  EXPECT_EQ(lines_of(read_compiler_messages("In file included from /usr/include/b.h:2,\n"
                                            "                 from /me/mine.cu:7:\n"
                                            "/usr/include/a.h:3:10: fatal error: c.h: No such file or directory\n"
                                            "compilation terminated.\n",
                                            source_in("/me/mine.cu"))),
            "error mine.cu:7:0: in a.h:3: c.h: No such file or directory\n");
}

TEST(CompilerMessagesTest, WhatNothingLeadsToHasNoLine) {
  EXPECT_EQ(lines_of(read_compiler_messages("<satscope>:3:10: error: 'run' was not declared\n"
                                            "cc1plus: fatal error: simulated.cpp: No such file or directory\n",
                                            source_in("/me/mine.cu"))),
            "error mine.cu:0:0: in <satscope>:3: 'run' was not declared\n"
            "error mine.cu:0:0: simulated.cpp: No such file or directory\n");
}

TEST(CompilerMessagesTest, OfNvcc) {
  EXPECT_EQ(lines_of(read_compiler_messages(R"(/me/mine.cu(8): error: identifier "thing" is undefined
    int q = thing;
            ^

/me/mine.cu(11): warning #940-D: missing return statement at end of non-void function "b"
  }
  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

h.h(2): error: class "S" has no member "nothing"
  template <class T> int twice(T t) { return t.nothing + t.more; }
                                               ^
          detected during:
            instantiation of "int twice(T) [with T=S]" at line 9
            instantiation of "int four_times(T) [with T=S]" at line 5 of /me/mine.cu

2 errors detected in the compilation of "cuda.cu".
)",
                                            source_in("/me/mine.cu"))),
            "error mine.cu:8:0: identifier \"thing\" is undefined\n"
            "warning mine.cu:11:0: missing return statement at end of non-void function \"b\"\n"
            "error mine.cu:5:0: in h.h:2: class \"S\" has no member \"nothing\"\n");
}

TEST(CompilerMessagesTest, OfAssemblerAndLinker) {
  EXPECT_EQ(lines_of(read_compiler_messages(
                "ptxas error   : Entry function '_Z1kv' uses too much shared data (0x61a80 bytes, 0xc000 max)\n"
                "nvcc fatal   : Unsupported gpu architecture 'sm_30'\n"
                "/usr/bin/ld: l.o: in function `q()':\n"
                "/me/mine.cu:3: undefined reference to `f()'\n"
                "/usr/bin/ld: l.o:/me/mine.cu:5: undefined reference to `v'\n"
                "collect2: error: ld returned 1 exit status\n",
                source_in("/me/mine.cu"))),
            "error mine.cu:0:0: Entry function '_Z1kv' uses too much shared data (0x61a80 bytes, 0xc000 max)\n"
            "error mine.cu:0:0: Unsupported gpu architecture 'sm_30'\n"
            "error mine.cu:3:0: undefined reference to `f()'\n"
            "error mine.cu:5:0: undefined reference to `v'\n");
}

TEST(CompilerMessagesTest, OfNamesThatLookLikePlaces) {
  const auto file = "/me/a:7: error: b(3): 'c'.cu";
  EXPECT_EQ(
      lines_of(read_compiler_messages(std::string(file) + ":12:5: error: d\n" + file + "(13): error: e\n", source_in(file))),
      "error a:7: error: b(3): 'c'.cu:12:5: d\nerror a:7: error: b(3): 'c'.cu:13:0: e\n");
}

TEST(CompilerMessagesTest, OfSeveralBuildsEachStandsOnceAndErrorsFirst) {
  const auto at = [](Severity severity, int line, const char* text) {
    return SourceMessage{severity, "/me/mine.cu", line, 0, text};
  };
  const std::vector<SourceMessage> builds[] = {
      {at(Severity::warning, 1, "w"), at(Severity::note, 2, "n"), at(Severity::error, 3, "a"), at(Severity::error, 3, "b")},
      {at(Severity::warning, 1, "w"), at(Severity::note, 2, "n"), at(Severity::error, 3, "in other words"),
       at(Severity::error, 0, "of a program")},
      {at(Severity::error, 0, "of a program"), at(Severity::error, 0, "of another"), at(Severity::warning, 3, "x")}};
  EXPECT_EQ(lines_of(merged(builds)),
            "error mine.cu:3:0: a\nerror mine.cu:0:0: of a program\nerror mine.cu:0:0: of another\n"
            "warning mine.cu:1:0: w\nnote mine.cu:2:0: n\nwarning mine.cu:3:0: x\n");
}

TEST(CompilerMessagesTest, TheFirstErrorOfEachLineInTheirOrder) {
  const auto at = [](Severity severity, int line, const char* text, const char* file = "/me/mine.cu") {
    return SourceMessage{severity, file, line, 0, text};
  };
  const std::vector<SourceMessage> builds[] = {
      {at(Severity::error, 9, "x", "/me/first.cuh"), at(Severity::error, 7, "follows"), at(Severity::note, 8, "of 7"),
       at(Severity::error, 5, "expected ';'"), at(Severity::note, 5, "of 5"), at(Severity::error, 5, "follows"),
       at(Severity::note, 6, "of what is left out"), at(Severity::error, 3, "y", "/me/first.cuh"),
       at(Severity::warning, 5, "w"), at(Severity::warning, 2, "v"), at(Severity::warning, 2, "and more")},
      {at(Severity::error, 0, "of a program"), at(Severity::error, 4, "of CUDA"), at(Severity::warning, 2, "v")}};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(lines_of(merged(builds)),
              "error first.cuh:3:0: y\nerror first.cuh:9:0: x\nerror mine.cu:4:0: of CUDA\n"
              "error mine.cu:5:0: expected ';'\nnote mine.cu:5:0: of 5\n"
              "error mine.cu:7:0: follows\nnote mine.cu:8:0: of 7\nerror mine.cu:0:0: of a program\n"
              "warning mine.cu:2:0: v\nwarning mine.cu:2:0: and more\nwarning mine.cu:5:0: w\n");
  EXPECT_TRUE(merged({}).empty());
}

TEST(CompilerMessagesTest, AtMostTwenty) {
  std::vector<SourceMessage> many;
  for (int i = 1; i <= 100; ++i) many.push_back({Severity::error, "/me/mine.cu", i, 0, "e"});
  EXPECT_EQ(merged({&many, 1}).size(), 20u);
}

TEST(CompilerMessagesTest, LongOnesAreCutBetweenLetters) {
  std::string letters;
  for (int i = 0; i < 300; ++i) letters += "\u548c";
  const auto messages = read_compiler_messages("/me/mine.cu:3:1: error: a" + letters + "\n/me/mine.cu:4:1: error: \xe9\n",
                                               source_in("/me/mine.cu"));
  EXPECT_EQ(lines_of(messages), "error mine.cu:3:1: a" + letters.substr(0, 498) + "\nerror mine.cu:4:1: \ufffd\n");
}

}  // namespace
}  // namespace gpu
