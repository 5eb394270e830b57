// main() of the tests of users' kernels, in place of GoogleTest's: judge() starts the program again as its child.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gpu/tests/user_kernels/judged_file.h"

int main(int count, char** words) {
  if (count > 1 && words[1] == std::string_view(gpu::child_word))
    return gpu::judge_in_this_process(std::vector<std::string>(words + 2, words + count));
  testing::InitGoogleTest(&count, words);
  return RUN_ALL_TESTS();
}
