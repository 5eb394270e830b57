// Matrices from text, and as a source.
#include "app/capture/matrix.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/capture/source.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app::capture {
namespace {

std::string refusal(const std::string& text, char row_end = '\n') {
  return gpu::test::refusal_of<SourceError>([&] { matrix_from(text, row_end, "m"); });
}

TEST(MatrixTest, ReadsRowsOfNumbers) {
  for (const char* text : {"1,2,3\n40,50,255\n", "1, 2, 3\r\n40, 50, 255\r\n", "1,2,3\r40,50,255\r", "1;2;3\n40;50;255",
                           "1 2\t3\n 40  50 255 \n\n"}) {
    const auto matrix = matrix_from(text, '\n', "m");
    EXPECT_EQ(matrix.size, (gpu::Size{3, 2})) << text;
    EXPECT_EQ(matrix.values, (std::vector<std::uint8_t>{1, 2, 3, 40, 50, 255})) << text;
  }
  const auto matrix = matrix_from("1,2;3,4;", ';', "m");
  EXPECT_EQ(matrix_text(matrix, '\n'), "1,2\n3,4");
  EXPECT_EQ(matrix_text(matrix_from(matrix_text(matrix, ';'), ';', "m"), ';'), "1,2;3,4");
}

TEST(MatrixTest, ReadsWhatSpreadsheetsAndProgramsWrite) {
  for (const char* text : {"\"1\",\"2\"\n\"3\",\"40\"\n", "\"1\"\t2\r\n3\t\" 40 \"", "1.0,2.00\n3.,\"40.0\"",
                           "x,y\n1,2\n3,40\n", "\"first, of two\";second one\r\n1;2\r\n3;40\r\n", ",b2\n1,2\n3,40"}) {
    const auto matrix = matrix_from(text, '\n', "m");
    EXPECT_EQ(matrix.size, (gpu::Size{2, 2})) << text;
    EXPECT_EQ(matrix.values, (std::vector<std::uint8_t>{1, 2, 3, 40})) << text;
  }
}

// Why a number in a row and a column is refused.
std::string no_number(const std::string& text, int row, int column) {
  return "m: '" + text + "' in row " + std::to_string(row) + ", column " + std::to_string(column) +
         " is not a whole number from 0 to 255";
}

TEST(MatrixTest, AHeaderIsOneRowWithoutNumbers) {
  EXPECT_EQ(refusal("x,y\nz,w\n1,2\n"), no_number("z", 2, 1));
  for (const auto& [text, first] : {std::pair("x,2\n1,2\n", "x"),
                                    {"-1,-2\n1,2\n", "-1"},
                                    {"1O\n2\n3\n", "1O"},
                                    {"300\n1\n", "300"},
                                    {"\"1\"2,3\n", "\"1\"2"}})
    EXPECT_EQ(refusal(text), no_number(first, 1, 1));
  EXPECT_EQ(refusal("1,\"2.5\"\n"), no_number("2.5", 1, 2));
  EXPECT_EQ(refusal("x,y\n1,2\n3\n"), "m: row 3 has 1 number, row 2 has 2; all rows need as many");
  EXPECT_EQ(refusal("x,y\n"), "m has no numbers; write rows such as 1,2,3");
}

TEST(MatrixTest, OneLineSaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal("1,2,3\n4,5\n"), "m: row 2 has 2 numbers, row 1 has 3; all rows need as many");
  EXPECT_EQ(refusal("1,2\n\n3,4\n"), "m: row 2 has 0 numbers, row 1 has 2; all rows need as many");
  EXPECT_EQ(refusal("1,2\n3,256\n"), no_number("256", 2, 2));
  EXPECT_EQ(refusal("1,-2\n"), no_number("-2", 1, 2));
  EXPECT_EQ(refusal("x,y;1,2", ';'), no_number("x", 1, 1));
  EXPECT_EQ(refusal("1.5"), no_number("1.5", 1, 1));
  EXPECT_EQ(refusal("1,,2"), no_number("", 1, 2));
  EXPECT_EQ(refusal(std::string("1,2\0\x01", 5)), no_number("2\\x00\\x01", 1, 2));
  EXPECT_EQ(refusal("1," + std::string(50, '2')),
            "m: '" + std::string(40, '2') + "...' in row 1, column 2 is not a whole number from 0 to 255");
  EXPECT_EQ(refusal("1," + std::string(39, 'x') + "\u00fcber"),
            "m: '" + std::string(39, 'x') + "...' in row 1, column 2 is not a whole number from 0 to 255")
      << "whole characters";
  EXPECT_EQ(refusal("1,2,\n3,4,\n"), "m: row 1 ends with a comma; a number is missing");
  // Decimal commas, as spreadsheets write them in many countries.
  const std::string mixed = " is not a whole number from 0 to 255; separate numbers by semicolons or by commas, not both";
  EXPECT_EQ(refusal("1,0;2,0\n3,0;4,0\n"), "m: '1,0' in row 1, column 1" + mixed);
  EXPECT_EQ(refusal("1;2\n3,4\n"), "m: '3,4' in row 2, column 1" + mixed);
  EXPECT_EQ(refusal("a;b\n1;2,5\n"), "m: '2,5' in row 2, column 2" + mixed);
  EXPECT_EQ(refusal(" \n"), "m has no numbers; write rows such as 1,2,3");
  std::string wide, high;
  for (int i = 0; i < largest_matrix_side + 1; ++i) wide += i ? ",1" : "1", high += "1\n";
  EXPECT_EQ(refusal(wide), "m has more than 64 columns; at most 64x64 numbers are possible");
  EXPECT_EQ(refusal(high), "m has more than 64 rows; at most 64x64 numbers are possible");
}

class MatrixSourceTest : public testing::Test {
 protected:
  std::string file(const char* name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  static Matrix played(const Request& request, std::string* description = nullptr) {
    EXPECT_TRUE(owns_matrix(request));
    const auto source = open_source(request, {{}, [](const std::string&) {}});
    EXPECT_EQ(source->info().kind, SourceKind::matrix);
    if (description) *description = source->info().description;
    Frame frame;
    EXPECT_EQ(source->read(frame, {}), Source::Read::still);
    return matrix_of(frame.view());
  }
  static std::string failure(const std::string& source) {
    return gpu::test::refusal_of<SourceError>([&] { played({.source = source}); });
  }
  TemporaryFolder folder_;
};

TEST_F(MatrixSourceTest, HasNumbersOfItsOwn) {
  std::string description;
  const auto matrix = played({.source = "matrix:5x3"}, &description);
  EXPECT_EQ(description, "matrix, 5x3");
  EXPECT_EQ(matrix.size, (gpu::Size{5, 3}));
  EXPECT_EQ(matrix.values, initial_matrix({5, 3}).values);
  for (const auto value : matrix.values) EXPECT_LE(value, 9);
  EXPECT_EQ(played({.source = "matrix"}).size, (gpu::Size{8, 8}));
  EXPECT_EQ(played({.source = "matrix:5x3", .matrix = "1,2;3,4"}).values, (std::vector<std::uint8_t>{1, 2, 3, 4}));
}

TEST_F(MatrixSourceTest, ReadsFiles) {
  const auto path = file("Numbers.CSV",
                         "\xef\xbb\xbf"
                         "7;8\n9;10\n");
  std::string description;
  EXPECT_EQ(played({.source = path}, &description).values, (std::vector<std::uint8_t>{7, 8, 9, 10}));
  EXPECT_EQ(description, "Numbers.CSV, 2x2");
  EXPECT_EQ(played({.source = "matrix:" + path}).size, (gpu::Size{2, 2}));
}

TEST_F(MatrixSourceTest, ReadsTextsOfNumbers) {
  for (const char* text : {"7\t8\n9\t10\n", "a\tb\n7\t8\n9\t10\n"})
    for (const char* name : {"numbers.tsv", "numbers.TXT"})
      EXPECT_EQ(played({.source = file(name, text)}).values, (std::vector<std::uint8_t>{7, 8, 9, 10})) << name << text;
  EXPECT_FALSE(owns_matrix({.source = file("letter.txt", "Dear reader,\nthis is a text.\n")}));
  EXPECT_FALSE(owns_matrix({.source = file("binary.txt", std::string("1,2\n\0", 5))}));
  EXPECT_FALSE(owns_matrix({.source = (folder_.path() / "none.txt").string()}));
  EXPECT_NE(failure(file("large.txt", "1,2\n3,400\n")).find("'400' in row 2, column 2 is not a whole number from 0 to 255"),
            std::string::npos);
}

TEST_F(MatrixSourceTest, FailsWithOneLine) {
  EXPECT_EQ(failure("matrix:65x1"),
            "'matrix:65x1' is too large: a matrix has at most 64x64 numbers; synthetic:65x1 is a test scene of that size");
  EXPECT_EQ(failure("matrix:0x1"),
            "'matrix:0x1' is not understood; write matrix:WxH, at most 64x64, or matrix:FILE.csv, e.g. matrix:8x8");
  EXPECT_EQ(failure("matrix:"),
            "'matrix:' is not understood; write matrix:WxH, at most 64x64, or matrix:FILE.csv, e.g. matrix:8x8");
  EXPECT_EQ(failure("matrix:eight").substr(0, 33), "'matrix:eight' is not understood;");
  EXPECT_EQ(failure(file("large.csv", std::string(1 << 17, '1'))).substr(0, 1), "'");
  EXPECT_NE(failure(file("large.csv", std::string(1 << 17, '1'))).find("is too large for a matrix"), std::string::npos);
  EXPECT_NE(failure(file("empty.csv", "")).find("is empty"), std::string::npos);
  EXPECT_NE(failure(file("wide.csv", std::string("\xff\xfe\x31\0", 4))).find("is UTF-16 text; save it as UTF-8"),
            std::string::npos);
  EXPECT_NE(failure(file("ragged.csv", "1,2\n3\n")).find("ragged.csv': row 2 has 1 number"), std::string::npos);
  EXPECT_NE(failure((folder_.path() / "none.csv").string()).find("there is no file"), std::string::npos);
}

TEST(MatrixTypedNumberTest, IsAWholeNumberOfEightBitsAndWhatIsNoneChangesNothing) {
  for (const auto& [text, value] : {std::pair{"0", 0}, {"255", 255}, {"007", 7}}) {
    EXPECT_EQ(typed_number(text, 9).value, value);
    EXPECT_EQ(typed_number(text, 9).wrong, "");
  }
  EXPECT_EQ(typed_number("+7", 9).value, 7);
  for (const char* text : {"x", "2.5", "1 2", "-1", "-5", "-", "+", "+-1", "--1", "-9999999", "256", "300", "999999999"}) {
    EXPECT_EQ(typed_number(text, 9).value, 9) << text;
    EXPECT_EQ(typed_number(text, 9).wrong, "'" + std::string(text) + "' is not a whole number from 0 to 255: 9 stays");
  }
  EXPECT_EQ(typed_number("", 9).value, 9);
  EXPECT_EQ(typed_number("", 9).wrong, "Nothing was typed: 9 stays");
}

}  // namespace
}  // namespace app::capture
