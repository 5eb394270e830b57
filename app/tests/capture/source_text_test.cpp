// Sources in messages: one line, without passwords.
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

TEST(SourceTextTest, PasswordsBeforeTheHostAreHidden) {
  for (const std::string password : {"secret", "p@ss:w?rd#1", "pass word", "a=b&c", ""}) {
    EXPECT_EQ(one_line("rtsp://admin:" + password + "@camera:554/1"), "rtsp://admin:***@camera:554/1");
    EXPECT_EQ(one_line("http://admin:" + password + "@camera"), "http://admin:***@camera");
  }
  EXPECT_EQ(describe_source({.source = "rtsp://:secret@camera/1"}), "'rtsp://:***@camera/1'");
  EXPECT_EQ(one_line("lost 'rtsp://a:secret@b' as c@d; see http://e:secret@f/g"),
            "lost 'rtsp://a:***@b' as c@d; see http://e:***@f/g");
}

TEST(SourceTextTest, PasswordsAreHiddenWhereTheSchemeIsMistyped) {
  for (const std::string before : {"rtsp//", "rtsp:/", "rtsp;//", "//", "", "/home/me/rtsp:/"})
    for (const std::string password : {"secret", "p@ss:w?rd#1"})
      EXPECT_EQ(one_line(before + "admin:" + password + "@camera:554/1"), before + "admin:***@camera:554/1");
  EXPECT_EQ(one_line("rtsp:admin:secret@camera"), "rtsp:***@camera");
  EXPECT_EQ(describe_source({.source = "rtsp//admin:pass word@camera"}), "'rtsp//admin:***@camera'");
  EXPECT_EQ(one_line("there is no file 'rtsp//a:b c@d', nor 'e:f@g': see h@i"),
            "there is no file 'rtsp//a:***@d', nor 'e:***@g': see h@i");
}

TEST(SourceTextTest, PasswordsInAQueryAreHidden) {
  EXPECT_EQ(one_line("'http://cam/video.cgi?user=admin&pwd=secret&size=2' failed"),
            "'http://cam/video.cgi?user=admin&pwd=***&size=2' failed");
  EXPECT_EQ(one_line("http://cam/a?Password=secret"), "http://cam/a?Password=***");
  EXPECT_EQ(one_line("http://u:secret@cam/a?token=secret#top"), "http://u:***@cam/a?token=***#top");
}

TEST(SourceTextTest, PasswordsInAQueryAreHiddenWhereTheSchemeIsMistyped) {
  for (const std::string before : {"http//cam/video.cgi", "http:/cam/a", "cam", "http//admin:***@cam/"})
    EXPECT_EQ(describe_source({.source = before + "?user=admin&pwd=secret&size=2"}),
              "'" + before + "?user=admin&pwd=***&size=2'");
}

TEST(SourceTextTest, AllElseStaysAsItIs) {
  for (const std::string text :
       {"rtsp://camera:554/1", "rtsp://admin@camera/1", "http://camera/a@b:c", "http://camera/?width=2&pwd",
        "me@home: 12:30", "file:///home/me/a:b@c.mp4", "12%: 'clip.mp4' ?pwd=secret", "http://127.0.0.1:8080", "://",
        "nonsense://", "at 12:30 me@home", "'a.mp4': see me@home", "12:30/me@home"})
    EXPECT_EQ(one_line(text), text);
}

}  // namespace
}  // namespace app::capture
