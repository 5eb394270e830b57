#include "app/capture/matrix.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <iterator>

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

constexpr gpu::Size usual_matrix{8, 8};
constexpr std::size_t longest_text = 1 << 16;  // above that of any matrix, blanks included

std::string most() { return app::text_of(gpu::Size{largest_matrix_side, largest_matrix_side}); }

// The ending of the file that a source's name leads to; a URL's path is decoded.
std::string ending_of(const std::string& source) { return lower(local_path(source).extension().string()); }
bool is_table(const std::string& source) { return ending_of(source) == ".csv" || ending_of(source) == ".tsv"; }

constexpr std::string_view blanks = " \t\r\n";

// A cell as a message shows it: what cannot be printed as a code, of a long one the beginning.
std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  const auto beginning = beginning_of(cell, most);
  std::string text;
  for (const char c : beginning) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
    const bool printable = static_cast<unsigned char>(c) >= ' ' && c != 0x7f;
    text += printable ? std::string(1, c) : code;
  }
  return one_line(text) + (beginning.size() < cell.size() ? "..." : "");
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw SourceError(name + why); }

// The first cell of a row, without its quotes, and the cells after it.
struct Cell {
  std::string_view text, rest;
  bool comma = false;  // between them
};
constexpr std::string_view commas = ",", semicolons = ";", either = ",;";

// Between two cells is one separator, or blanks; inside of quotes there are none.
Cell first_cell(std::string_view row, std::string_view separators) {
  const auto ends = std::string(separators) + " \t";
  const auto quote = row.starts_with('"') ? row.find('"', 1) : row.npos;
  const bool quoted = quote != row.npos;
  const auto end = std::min(row.find_first_of(ends, quoted ? quote : 0), row.size());
  Cell cell{quoted && quote + 1 == end ? trimmed(row.substr(1, end - 2), blanks) : row.substr(0, end),
            trimmed(row.substr(end), blanks)};
  const bool separated = !cell.rest.empty() && separators.find(cell.rest.front()) != separators.npos;
  cell.comma = separated && cell.rest.front() == ',';
  if (separated) cell.rest = trimmed(cell.rest.substr(1), blanks);
  return cell;
}

// What separates the numbers of a file. Where that is a semicolon, a comma is a decimal point.
std::string_view separator_in(std::string_view text) { return text.find(';') == text.npos ? commas : semicolons; }

// Whole numbers may end in ".0", as programs write those that are not of a whole type; -1: `text` is none.
int whole_number(std::string_view text) {
  if (const auto point = text.find('.'); point != text.npos && text.find_first_not_of('0', point + 1) == text.npos)
    text = text.substr(0, point);
  int value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : -1;
}

// Any number, also one that a matrix cannot have.
bool is_number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && stop == text.data() + text.size() && text.find_first_of("0123456789") < 3;
}

// Names of columns: no cell is a number.
bool is_header(std::string_view row) {
  bool names = false;
  while (!row.empty()) {
    const auto cell = first_cell(row, either);
    // A damaged number is not a name: it is refused with its place.
    const bool begins_as_number = !cell.text.empty() && std::isdigit(static_cast<unsigned char>(cell.text.front()));
    if (begins_as_number || is_number(cell.text)) return false;
    names |= !cell.text.empty();
    row = cell.rest;
  }
  return names;
}

// One row's numbers, behind those of the rows before.
int read_row(std::string_view row, int number, std::string_view separators, const std::string& name,
             std::vector<std::uint8_t>& values) {
  int columns = 0;
  while (!row.empty()) {
    const auto cell = first_cell(row, separators);
    const int value = whole_number(cell.text);
    if (value < 0 || value > 255)
      refuse(name,
             ": '" + shown(cell.text) + "' in row " + std::to_string(number) + ", column " + std::to_string(columns + 1) +
                 " is not a whole number from 0 to 255" +
                 (cell.text.find(',') == cell.text.npos ? "" : "; separate numbers by semicolons or by commas, not both"));
    values.push_back(static_cast<std::uint8_t>(value));
    if (++columns > largest_matrix_side)
      refuse(name,
             " has more than " + std::to_string(columns - 1) + " columns; at most " + most() + " numbers are possible");
    row = cell.rest;
    if (cell.comma && row.empty())
      refuse(name, ": row " + std::to_string(number) + " ends with a comma; a number is missing");
  }
  return columns;
}

// A row is taken from the text.
std::string_view next_row(std::string_view& text, char row_end) {
  const auto end = std::min(text.find(row_end), text.size());
  const auto row = trimmed(text.substr(0, end), blanks);
  text.remove_prefix(std::min(end + 1, text.size()));
  return row;
}

std::string text_in(const std::filesystem::path& path, const std::string& name) {
  check_readable(path, Sought::source);
  auto text = first_bytes(path, longest_text + 1);
  if (text.size() > longest_text) refuse(name, " is too large for a matrix; at most " + most() + " numbers are possible");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) refuse(name, " is UTF-16 text; save it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a byte order mark
  return text;
}

// Delivers its picture once; the Feed keeps it.
class MatrixSource : public Source {
 public:
  MatrixSource(Matrix matrix, const std::string& name, const Request& request)
      : matrix_(std::move(matrix)), page_locked_(request.page_locked) {
    info_.kind = SourceKind::matrix;
    info_.gray = true;
    info_.size = matrix_.size;
    info_.no_seek = "a matrix is a single picture";
    info_.name = one_line(name);
    info_.description = describe(name, matrix_.size, 0);
    info_.message = why_other_size(request.size, info_.size, "the matrix");
    // Said once, not with every number that is changed.
    if (!info_.message.empty() && request.matrix.empty()) info_.warning = describe_source(request) + ": " + info_.message;
  }
  Read read(Frame& frame, std::stop_token) override {
    frame.resize(matrix_.size, page_locked_);
    std::ranges::transform(matrix_.values, frame.pixels.data(), [](std::uint8_t gray) {
      return gpu::Bgr{gray, gray, gray};
    });
    frame.position = 0;
    return Read::still;
  }
  SourceInfo info() const override { return info_; }

 private:
  Matrix matrix_;
  bool page_locked_;
  SourceInfo info_;
};

// A text may be anything: it is a matrix if its first row, or the one below a header, begins with a number.
bool holds_numbers(const std::filesystem::path& path) {
  if (!looks_like_text(path)) return false;
  const auto text = first_bytes(path);
  auto rows = trimmed(std::string_view(text), blanks);
  auto row = next_row(rows, '\n');
  if (is_header(row)) row = next_row(rows, '\n');
  return is_number(first_cell(row, separator_in(text)).text);
}

bool is_file(const std::string& name) { return is_table(name) || ending_of(name) == ".txt"; }

Matrix named_matrix(const Request& request) {
  const auto rest = named_in_matrix(request.source);
  if (is_file(rest)) {
    const auto name = in_quotes(rest);
    return matrix_from(text_in(local_path(rest), name), '\n', name);
  }
  const auto size = request.source == matrix_word ? usual_matrix : size_from_text(rest).value_or(gpu::Size());
  if (size.width > largest_matrix_side || size.height > largest_matrix_side)
    refuse(describe_source(request), " is too large: a matrix has at most " + most() +
                                         " numbers; synthetic:" + app::text_of(size) + " is a test scene of that size");
  if (size.pixels() == 0)
    refuse(describe_source(request),
           " is not understood; write matrix:WxH, at most " + most() + ", or matrix:FILE.csv, e.g. matrix:8x8");
  return initial_matrix(size);
}

}  // namespace

Matrix matrix_from(std::string_view text, char row_end, const std::string& name) {
  Matrix matrix;
  text = trimmed(text, blanks);
  if (row_end == '\n' && text.find('\n') == text.npos && text.find('\r') != text.npos) row_end = '\r';  // as on old Macs
  if (!text.empty() && text.back() == row_end) text.remove_suffix(1);
  if (text.empty()) refuse(name, " has no numbers; write rows such as 1,2,3");
  const bool file = row_end != ';';
  int header = 0;  // rows of it
  if (auto rest = text; file && is_header(next_row(rest, row_end))) {
    if (rest.empty()) refuse(name, " has no numbers; write rows such as 1,2,3");
    text = rest;
    header = 1;
  }
  const auto separators = file ? separator_in(text) : commas;
  while (!text.empty()) {
    const auto row = next_row(text, row_end);
    const int number = ++matrix.size.height + header, columns = read_row(row, number, separators, name, matrix.values);
    if (matrix.size.height == 1) matrix.size.width = columns;
    if (columns != matrix.size.width)
      refuse(name, ": row " + std::to_string(number) + " has " + counted(static_cast<std::uint64_t>(columns), "number") +
                       ", row " + std::to_string(1 + header) + " has " + std::to_string(matrix.size.width) +
                       "; all rows need as many");
    if (matrix.size.height > largest_matrix_side)
      refuse(name,
             " has more than " + std::to_string(largest_matrix_side) + " rows; at most " + most() + " numbers are possible");
  }
  return matrix;
}

std::string matrix_text(const Matrix& matrix, char row_end) {
  std::string text;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const bool first_of_row = i % static_cast<std::size_t>(matrix.size.width) == 0;
    if (i > 0) text += first_of_row ? row_end : ',';
    text += std::to_string(matrix.values[i]);
  }
  return text;
}

std::string named_in_matrix(const std::string& source) {
  if (source == matrix_word) return {};
  return source.starts_with(std::string(matrix_word) + ':') ? source.substr(matrix_word.size() + 1) : source;
}

Matrix initial_matrix(gpu::Size size) {
  Matrix matrix{size, {}};
  unsigned state = 2025;
  for (std::size_t i = 0; i < size.pixels(); ++i) {
    state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator
    matrix.values.push_back(static_cast<std::uint8_t>((state >> 16) % 10));
  }
  return matrix;
}

Matrix matrix_of(gpu::ImageView<const gpu::Bgr> picture) {
  Matrix matrix{picture.size(), {}};
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) matrix.values.push_back(picture(x, y).g);
  return matrix;
}

bool owns_matrix(const Request& request) {
  const auto& source = request.source;
  if (source == matrix_word || source.starts_with(std::string(matrix_word) + ':')) return true;
  return !is_url(source) && (is_table(source) || (ending_of(source) == ".txt" && holds_numbers(local_path(source))));
}

// Values that the request has itself replace those of the source, and may be of another size.
std::unique_ptr<Source> open_matrix(const Request& request, const Opening&) {
  auto matrix = request.matrix.empty() ? named_matrix(request) : matrix_from(request.matrix, ';', "matrix");
  const auto rest = named_in_matrix(request.source);
  const auto name = is_file(rest) ? local_path(rest).filename().string() : std::string(matrix_word);
  return std::make_unique<MatrixSource>(std::move(matrix), name, request);
}

TypedNumber typed_number(std::string_view text, std::uint8_t before) {
  const auto stays = ": " + std::to_string(before) + " stays";
  if (text.empty()) return {before, "Nothing was typed" + stays};
  std::uint8_t value = 0;
  const auto digits = text.substr(text[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size())
    return {before, "'" + std::string(text) + "' is not a whole number from 0 to 255" + stays};
  return {value, {}};
}

}  // namespace app::capture
