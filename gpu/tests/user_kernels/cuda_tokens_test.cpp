// The tokens of a text in CUDA C++, their places, and texts that are cut.
#include "gpu/user_kernels/cuda_tokens.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace gpu {
namespace {

TEST(CudaTokensTest, AreThoseOfTheText) {
  const std::string_view text = "a<<<b>>>c::d->e 1.5e+3f 0x1'F 'x' \"s\\\"\" u8R\"d(\n)d\" L'\\'' $ f\xc3\xbc(...)";
  const auto tokens = tokens_of(text);
  std::vector<std::string_view> all;
  for (const auto& token : tokens.tokens) all.push_back(tokens[token]);
  EXPECT_EQ(all,
            (std::vector<std::string_view>{
                "a",         "<<<",           "b",      ">>>", "c",         "::", "d", "->", "e", "1.5e+3f", "0x1'F", "'x'",
                "\"s\\\"\"", "u8R\"d(\n)d\"", "L'\\''", "$",   "f\xc3\xbc", "(",  ".", ".",  ".", ")"}));
  const TextLines lines("ab\n\ncd");
  EXPECT_EQ(lines.line(0), 1);
  EXPECT_EQ(lines.line(3), 2);
  EXPECT_EQ(lines.line(5), 3);
  EXPECT_EQ(lines.column(5), 2);
}

TEST(CudaTokensTest, TextsAreCutBetweenLetters) {
  EXPECT_EQ(utf8_text("a\u548cb", 5), "a\u548cb");
  EXPECT_EQ(utf8_text("a\u548cb", 4), "a\u548c");
  EXPECT_EQ(utf8_text("a\u548cb", 3), "a");
  EXPECT_EQ(utf8_text("", 3), "");
  EXPECT_EQ(utf8_text("a\xe5\x92", 100), "a\ufffd\ufffd") << "the beginning of a letter";
  EXPECT_EQ(utf8_text("\xed\xa0\x80\xc0\x80\xf5z", 100), "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdz");
}

}  // namespace
}  // namespace gpu
