// Matrices: pictures of a few gray levels that are given as numbers. As a source of one picture they are the kind `matrix`
// (source.h): `matrix:WxH`, `matrix:FILE`, or FILE, which ends in .csv or .tsv, or in .txt where numbers are in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"

namespace app::capture {

struct Request;

inline constexpr int largest_matrix_side = 64;

struct Matrix {
  gpu::Size size;
  std::vector<std::uint8_t> values;  // row by row

  std::uint8_t& at(int x, int y) { return values[static_cast<std::size_t>(y * size.width + x)]; }
};

// Reads rows of whole numbers from 0 to 255, separated by commas, blanks or tabs; they may be in quotes, and end in ".0".
// Rows end with `row_end`; in files, where that is a line's end, semicolons may separate numbers instead of commas, and a first
// row of names is skipped. Throws SourceError, one line in which the text is called `name`.
Matrix matrix_from(std::string_view text, char row_end, const std::string& name);
// A matrix as such a text, with `row_end` between the rows.
std::string matrix_text(const Matrix& matrix, char row_end);
// What follows "matrix:" in a source's name: a size or a file. The whole name where it does not begin so.
std::string named_in_matrix(const std::string& source);
// Small numbers from 0 to 9, the same for every run.
Matrix initial_matrix(gpu::Size size);
// The green levels of a picture.
Matrix matrix_of(gpu::ImageView<const gpu::Bgr> picture);

// The number that a typed text gives. A text that is not a whole number from 0 to 255 changes nothing.
struct TypedNumber {
  std::uint8_t value = 0;
  std::string wrong;  // why the number stays as it was, one line; empty: it does not
};
TypedNumber typed_number(std::string_view text, std::uint8_t before);

}  // namespace app::capture
