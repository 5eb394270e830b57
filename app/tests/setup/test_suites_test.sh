#!/usr/bin/env bash
# What app/test and .ci/run say of a failing suite, with a small GoogleTest program in place of all others, and CTest itself:
# no failure is hidden by a test that passes or is skipped beside it, or by a program or a suite that is not there.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

tree=$scratch/tree
mkdir -p "$tree/app" "$tree/third_party" "$tree/.ci"
cp app/test "$tree/app/"
cp .ci/run "$tree/.ci/"
fake install.sh ':'
fake build.sh ':'
mv "$scratch/bin"/{install,build}.sh "$tree/third_party/"
fake id 'echo 1000'  # root would test a clone of the last commit
fake xvfb-run 'while [[ $1 == -* ]]; do shift; done; exec "$@"'
export PATH="$scratch/bin:$PATH"
cat >"$tree/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
enable_testing()
find_package(GTest REQUIRED)
include($PWD/third_party/cmake/test_suites.cmake)
add_executable(small small.cpp)
target_link_libraries(small GTest::gtest_main)
satscope_test_suites(small FILTER "-*LeftOut*:LongTest*" PROPERTIES LABELS host TIMEOUT 60)
satscope_test_suites(small FILTER "LongTest*" PROPERTIES LABELS "host;long" TIMEOUT 60)
add_executable(missing EXCLUDE_FROM_ALL small.cpp)
satscope_test_suites(missing PROPERTIES LABELS missing)
END
cat >"$tree/small.cpp" <<'END'
#include <gtest/gtest.h>
TEST(GoodTest, Passes) {}
TEST(GoodTest, LeftOut) { FAIL(); }
TEST(LongTest, Fails) { FAIL(); }
TEST(BadTest, Passes) {}
TEST(BadTest, Fails) { FAIL(); }
TEST(SkippedTest, Skips) { GTEST_SKIP() << "no camera"; }
TEST(MixedTest, Skips) { GTEST_SKIP(); }
TEST(MixedTest, Passes) {}
TEST(HiddenTest, Skips) { GTEST_SKIP(); }
TEST(HiddenTest, Fails) { FAIL(); }
class EachTest : public ::testing::TestWithParam<int> {};
TEST_P(EachTest, IsBelowTwo) { EXPECT_LT(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(Small, EachTest, ::testing::Values(0, 1));
INSTANTIATE_TEST_SUITE_P(Large, EachTest, ::testing::Values(2));
template <class T>
class TypedTest : public ::testing::Test {};
using Types = ::testing::Types<char, int>;
TYPED_TEST_SUITE(TypedTest, Types);
TYPED_TEST(TypedTest, IsAByte) { EXPECT_EQ(sizeof(TypeParam), 1u); }
END
cmake -S "$tree" -B "$tree/build/release" -G Ninja >"$scratch/log" 2>&1 && ninja -C "$tree/build/release" >>"$scratch/log" 2>&1
check "the small program is built" [ $? -eq 0 ]

for command in app/test .ci/run; do
  output=$("$tree/$command" -E missing 2>&1)
  check "$command: exit 8, of ctest" [ $? -eq 8 ]
  check "$command: the closing line counts" contains "$output" " tests passed, 4 tests failed out of 7"
  for name in BadTest HiddenTest EachTest TypedTest; do
    check "$command: $name failed" grep -qE "^\s+[0-9]+ - small\.$name \(Failed\)" <<<"$output"
  done
  check "$command: a suite without failures passes" grep -qE 'small\.MixedTest \.* +Passed' <<<"$output"
  check "$command: of several instances, a failing one is shown" contains "$output" "[  FAILED  ] Large/EachTest.IsBelowTwo/0"
  check "$command: a skipped suite is one" contains "$output" "small.SkippedTest (Skipped)"
  "$tree/$command" -R GoodTest >/dev/null 2>&1
  check "$command -R GoodTest: exit 0" [ $? -eq 0 ]
  "$tree/$command" -R missing >/dev/null 2>&1
  check "$command: a program that is not built: a failure" [ $? -ne 0 ]
  "$tree/$command" -R no_such_suite >/dev/null 2>&1
  check "$command: no test at all: a failure" [ $? -ne 0 ]
done
check "a suite with two labels has each of them" \
  [ "$(ctest --test-dir "$tree/build/release" -N -L '^long$' -L '^host$' | grep -c LongTest)" -eq 1 ]
check "ctest -N says nothing of programs" [ -z "$(ctest --test-dir "$tree/build/release" -N | grep -E 'Could not|Looked')" ]

sed -i 's/--gtest_filter=GoodTest/--gtest_filter=RenamedTest/' "$tree"/build/release/small*_suites.cmake
"$tree/app/test" -R GoodTest >/dev/null 2>&1
check "a suite whose tests do not run fails" [ $? -eq 8 ]
finish
