// Sources in messages: one line, without secrets.
#include "app/capture/source_text.h"

#include <gtest/gtest.h>

namespace app::capture {
namespace {

TEST(SourceTextTest, LineEndsAndControlCharactersBecomeOneSpace) {
  EXPECT_EQ(one_line(" two\r\n\tlines\x7f "), "two lines");
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(describe_source({.source = "a\nb"}), "'a b'");
  EXPECT_EQ(describe_source({.source = " "}), "' '") << "blanks are a part of a name";
  EXPECT_EQ(in_quotes(" a  b "), "' a  b '");
}

TEST(SourceTextTest, OfAVeryLongNameBothEndsAreShown) {
  std::string name = "begin";
  for (int i = 0; i < 1000; ++i) name += "\u00fc";
  const auto shown = in_quotes(name + "end.mp4");
  EXPECT_LE(shown.size(), 410u);
  EXPECT_TRUE(shown.starts_with("'begin\u00fc")) << shown;
  EXPECT_TRUE(shown.ends_with("\u00fcend.mp4'")) << shown;
  EXPECT_NE(shown.find("\u00fc...\u00fc"), std::string::npos) << "whole characters: " << shown;
  EXPECT_EQ(describe_source({.source = name}), in_quotes(name));
}

// The table of addresses is in address_test.cpp.
TEST(SourceTextTest, WhatASourceIsCalledHidesItsSecrets) {
  for (const std::string secret : {"secret", "p@ss:word", "pass word", "pa/ss"})
    EXPECT_EQ(describe_source({.source = "rtsp://admin:" + secret + "@camera/1?key=" + secret}),
              "'rtsp://admin:***@camera/1?key=***'");
  EXPECT_EQ(one_line("lost\n'rtsp://a:b c@d': see http://e/f?apikey=secret, or c@d"),
            "lost 'rtsp://a:***@d': see http://e/f?apikey=***, or c@d");
}

}  // namespace
}  // namespace app::capture
