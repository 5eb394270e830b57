// The nearest name to a mistyped word.
#include "app/support/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "gpu/parameter.h"

namespace app {
namespace {

TEST(TextTest, IsSuggestedOnlyIfItIsNear) {
  constexpr std::string_view names[] = {
      "cub", "1r1w", "2r1w", "host_serial", "1r1w_skss_lb", "box_blur", "adaptive_threshold", "--seconds"};
  const auto near = [&](std::string_view word) { return std::string(gpu::nearest(word, names)); };
  // Near to one word of it; two neighbours swapped.
  const std::pair<const char*, const char*> table[] = {{"host_seral", "host_serial"},
                                                       {"boxblur", "box_blur"},
                                                       {"blurr", "box_blur"},
                                                       {"bulr", "box_blur"},
                                                       {"2R1W", "2r1w"},
                                                       {"1r1w_skss", "1r1w_skss_lb"},
                                                       {"thresh", "adaptive_threshold"},
                                                       {"--second", "--seconds"}};
  for (const auto& [word, name] : table) EXPECT_EQ(near(word), name) << word;
  for (const auto* word : {"foo", "x", "", "cat", "haar", "4k", "--", "--foo", "completely different"})
    EXPECT_EQ(near(word), "") << word;
}

TEST(TextTest, OnlyQuotesAroundTheWholeNameAreTakenOff) {
  const std::pair<const char*, const char*> table[] = {{"'a b.png'", "a b.png"},
                                                       {" \"a'b\" ", "a'b"},
                                                       {"'a", "'a"},
                                                       {" a ", " a "},
                                                       {"'", "'"},
                                                       {"''", "''"},
                                                       {"'a\"", "'a\""},
                                                       {"", ""}};
  for (const auto& [typed, name] : table) EXPECT_EQ(unquoted(typed), name);
}

TEST(TextTest, ASentenceGoesOnBehindIt) {
  constexpr std::string_view names[] = {"window", "passes"}, more[] = {"window", "passes", "vsync"};
  EXPECT_EQ(did_you_mean("windw", names), " (did you mean 'window'?)");
  EXPECT_EQ(did_you_mean("x", names), "");
  EXPECT_EQ(no_such("effect", "windw", names), "no effect 'windw' (did you mean 'window'?)");
  EXPECT_EQ(no_such("effect", "x", names), "no effect 'x'; satscope list effects prints them");
  EXPECT_EQ(there_are(names, "x", more), " (there are: window passes)");
  EXPECT_EQ(there_are(names, "vsnc", more), " (there are: window passes; did you mean 'vsync'?)");
  EXPECT_EQ(there_are({}, "vsnc", more), ": there are none (did you mean 'vsync'?)");
}

TEST(TextTest, NumbersAreShortAtEachOfTheirSizes) {
  const std::pair<double, const char*> table[] = {{0.0004, "<.001"},
                                                  {0.0005, "0.001"},
                                                  {0.031, "0.031"},
                                                  {-0.25, "-0.250"},
                                                  {0.9994, "0.999"},
                                                  {0.9996, "1.00"},
                                                  {9.99, "9.99"},
                                                  {9.996, "10.0"},
                                                  {99.94, "99.9"},
                                                  {99.96, "100"},
                                                  {-417.4, "-417"},
                                                  {9999, "9999"},
                                                  {34603008, "34\u2009603\u2009008"}};
  for (const auto& [value, text] : table) EXPECT_EQ(short_number(value), text) << value;
}

TEST(TextTest, ThousandsAreGroupedFromTenThousandOn) {
  const std::pair<const char*, const char*> table[] = {{"0", "0"},
                                                       {"9999", "9999"},
                                                       {"10000", "10\u2009000"},
                                                       {"100000", "100\u2009000"},
                                                       {"1000000", "1\u2009000\u2009000"},
                                                       {"-34603008.51234", "-34\u2009603\u2009008.51234"},
                                                       {"1.23456", "1.23456"},
                                                       {"none", "none"}};
  for (const auto& [number, text] : table) EXPECT_EQ(grouped_digits(number), text);
  EXPECT_EQ(with_grouped_numbers("12345 of 67890"), "12\u2009345 of 67\u2009890");
  EXPECT_EQ(with_grouped_numbers(""), "");
  EXPECT_EQ(counted(0, "frame"), "0 frames");
  EXPECT_EQ(counted(1, "frame"), "1 frame");
  EXPECT_EQ(counted(12345, "frame"), "12\u2009345 frames");
}

TEST(TextTest, MemoryIsInMegabytesOrGigabytes) {
  for (const auto& [bytes, text] :
       {std::pair(0.0, "0 MB"), {640e6, "640 MB"}, {1e9, "1.0 GB"}, {5.94e9, "5.9 GB"}, {1e10, "10 GB"}, {140e9, "140 GB"}})
    EXPECT_EQ(memory_text(bytes), text);
}

TEST(TextTest, ATableAlignsNamesAtTheLeftAndNumbersAtTheRight) {
  EXPECT_EQ(
      text_table({{{"", "name"}}, {{"time", "us"}}, {{"wide", "b"}}}, {{"\u00e9", "1", "12345678"}, {"longer", "23", ""}}),
      "       time     wide\n"
      "name     us        b\n"
      "\u00e9         1 12345678\n"
      "longer   23\n");
  EXPECT_EQ(screen_width("a\u00e9\u2009"), 3u);
}

// No character is cut.
TEST(TextTest, LongTextsAreCutBetweenCharacters) {
  const std::string text = "a\u00e9\u2009b";  // 1, 2, 3 and 1 bytes
  const char* beginnings[] = {
      "", "a", "a", "a\u00e9", "a\u00e9", "a\u00e9", "a\u00e9\u2009", "a\u00e9\u2009b", "a\u00e9\u2009b"};
  for (std::size_t most = 0; most < std::size(beginnings); ++most)
    EXPECT_EQ(beginning_of(text, most), beginnings[most]) << most;
  EXPECT_EQ(both_ends("abcdef", 6), "abcdef");
  EXPECT_EQ(both_ends("abcdefg", 6), "abc...efg");
  EXPECT_EQ(both_ends(text, 6), "a\u00e9...b") << "the thin space is cut at neither end";
  EXPECT_EQ(both_ends(text, 4), "a...b");
}

TEST(TextTest, AnyBytesAreWrittenAsAsciiAndReadBack) {
  EXPECT_EQ(percent_encoded("/caf\xe9 50%\x7f\x1f~.xml"), "/caf%E9 50%25%7F%1F~.xml");
  for (int byte = 1; byte < 256; ++byte) {
    const std::string bytes{'a', static_cast<char>(byte), 'b'};
    EXPECT_EQ(percent_decoded(percent_encoded(bytes)), bytes) << byte;
  }
  for (const std::string kept : {"%", "%4", "%zz", "%4z", "%00", "a%", "100%!"}) EXPECT_EQ(percent_decoded(kept), kept);
  EXPECT_EQ(percent_decoded("%41%42c%e9%"), "ABc\xe9%");
}

TEST(TextTest, NamesAreComparedInCapitalsOrNotAndShownWithoutControls) {
  EXPECT_EQ(lower("AbC-9\u00c9"), "abc-9\u00c9");
  EXPECT_TRUE(begins_with("RTSP://x", "rtsp") && begins_with("abc", "") && begins_with("abc", "ABC"));
  EXPECT_FALSE(begins_with("ab", "abc") || begins_with("xabc", "abc"));
  EXPECT_EQ(without_controls("a\nb\tc\x7f d\x1f"), "a b c  d ");
  constexpr std::string_view names[] = {"a", "b", "c"};
  EXPECT_EQ(or_list(names), "a, b or c");
  EXPECT_EQ(or_list(std::span(names).first(2)), "a or b");
  EXPECT_EQ(or_list(std::span(names).first(1)), "a");
  EXPECT_EQ(or_list({}), "");
}

TEST(TextTest, SizesHaveTwoSidesWithinTheLimits) {
  for (const auto* wrong :
       {"", "x", "1", "1x", "x1", "0x1", "1x0", "-1x1", "1x1 ", " 1x1", "1X1", "1x1x1", "8193x1", "1x8193", "1.5x2"})
    EXPECT_FALSE(size_from_text(wrong)) << wrong;
  EXPECT_EQ(size_from_text("8192x3"), (gpu::Size{8192, 3}));
  EXPECT_EQ(size_from_text("3x16", 16), (gpu::Size{3, 16}));
  EXPECT_FALSE(size_from_text("3x17", 16) || size_from_text("17x3", 16));
  EXPECT_EQ(text_of(gpu::Size{640, 48}), "640x48");
}

TEST(TextTest, CellsOfCsvAreQuotedWhereTheyMustBe) {
  const std::pair<const char*, const char*> table[] = {{"a b;c'", "a b;c'"}, {"a,b", "\"a,b\""},   {"a\"b", "\"a\"\"b\""},
                                                       {"a\nb", "\"a\nb\""}, {"a\rb", "\"a\rb\""}, {"", ""}};
  for (const auto& [text, cell] : table) EXPECT_EQ(csv_cell(text), cell);
}

TEST(TextTest, LabelsAreSentencesAndLettersAreExplained) {
  const std::pair<const char*, const char*> table[] = {{"threads_per_row", "Threads per row"},
                                                       {"W", "Tile (W)"},
                                                       {"m", "Pixels (m)"},
                                                       {"x", "x"},
                                                       {"ab", "ab"},
                                                       {"abc", "Abc"}};
  for (const auto& [name, label] : table) EXPECT_EQ(label_of(name), label);
  EXPECT_EQ(trimmed("  a b "), "a b");
  EXPECT_EQ(trimmed("   "), "");
  EXPECT_EQ(trimmed("-a-", "-"), "a");
}

TEST(TextTest, NumbersAreShort) {
  EXPECT_EQ(microseconds(12.34), "12.3");
  EXPECT_EQ(microseconds(999.94), "999.9");
  EXPECT_EQ(microseconds(999.96), "1000");  // not 1000.0
  EXPECT_EQ(microseconds(12345.6), "12\u2009346");
  EXPECT_EQ(narrow_microseconds(12345.6), "12\u2009346");
  EXPECT_EQ(narrow_microseconds(3'472'721), "3.5 s");  // a column has no room for more digits
  EXPECT_EQ(narrow_microseconds(3'472'721, 1e7), "3\u2009472\u2009721");
  EXPECT_EQ(number(-12345.67, 1), "-12\u2009345.7");
  EXPECT_EQ(number(9999, 0), "9999");
  EXPECT_EQ(grouped(4'294'967'295), "4\u2009294\u2009967\u2009295");
  EXPECT_EQ(with_grouped_numbers("7 of 12345: 4294967295, (9999, 10000)"),
            "7 of 12\u2009345: 4\u2009294\u2009967\u2009295, (9999, 10\u2009000)");
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(23'456'789), "23.5 MB");
  EXPECT_EQ(bytes(143'000'000'000), "143 GB");
  EXPECT_EQ(seconds(0), "0:00.0");
  EXPECT_EQ(seconds(59.96), "1:00.0");
  EXPECT_EQ(seconds(-1), "0:00.0");
  EXPECT_EQ(seconds(std::nan("")), "0:00.0");
  EXPECT_EQ(seconds(1e300), seconds(1e9));
}

}  // namespace
}  // namespace app
