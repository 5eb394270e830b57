// Text: what more than one folder writes or reads of it. Numbers, sizes and names as people see them, tables, cells of CSV.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"

namespace app {

// Tables in plain text: columns under two-line headings, numbers right-aligned.
struct TextColumn {
  std::array<std::string, 2> heading;
};

// The first column has names and is left-aligned.
std::string text_table(const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& rows);

std::size_t screen_width(std::string_view text);  // columns that UTF-8 text takes
// At most `most` bytes of the beginning of a UTF-8 text, without a part of a character.
std::string_view beginning_of(std::string_view text, std::size_t most);
// A text of more than `most` bytes with "..." in place of its middle, likewise.
std::string both_ends(std::string_view text, std::size_t most);
// "0.031", "2.19", "12.3", "417"; a nonzero value that rounds to 0: "<.001".
std::string short_number(double value);
// "34 603 008": thin spaces between thousands from 10 000 on.
std::string grouped(std::uint64_t whole);
// The same of a number as text, with or without a sign and decimals: "-34 603 008.5".
std::string grouped_digits(std::string number);
std::string number(double value, int decimals);  // digits are grouped as by grouped()
std::string microseconds(double value);          // "12.3", "1234"
// For columns: "1.2 s" from `seconds_from` microseconds on.
std::string narrow_microseconds(double value, double seconds_from = 1e6);
std::string bytes(std::size_t value);  // "23.4 MB"
std::string seconds(double value);     // "0:07.3"
// "640 MB", "5.9 GB", "140 GB": an amount of memory.
std::string memory_text(double bytes);
// A sentence with whole numbers, each of them grouped: "wrong at (3, 2): 34 603 008 instead of 1".
std::string with_grouped_numbers(std::string_view sentence);

// "1 frame", "12 345 frames": `thing` in the singular, of those that take an s.
inline std::string counted(std::uint64_t count, const std::string& thing) {
  return grouped(count) + ' ' + thing + (count == 1 ? "" : "s");
}

// Names of settings and parameters as labels: "Threads per row" for threads_per_row. Names of one letter are symbols of the
// papers: what they stand for, then the letter.
inline std::string label_of(std::string_view name) {
  struct Symbol {
    std::string_view letter, label;
  };
  static constexpr Symbol symbols[] = {{"W", "Tile (W)"},   {"b", "Block (b)"},  {"c", "Offset (c)"}, {"k", "Group (k)"},
                                       {"m", "Pixels (m)"}, {"r", "Reread (r)"}, {"t", "Percent (t)"}};
  for (const auto& symbol : symbols)
    if (symbol.letter == name) return std::string(symbol.label);
  std::string label(name);
  if (label.size() <= 2) return label;
  std::replace(label.begin(), label.end(), '_', ' ');
  label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

// The largest side of a picture or a window, wherever it comes from: 8K and some more. OpenGL's textures end not much later.
inline constexpr int maximum_side = 8192;

// Sizes of pictures as text, "1280x720". nullopt if it is not WxH, or a side is outside 1..most.
inline std::optional<gpu::Size> size_from_text(std::string_view text, int most = maximum_side) {
  const auto side = [most](std::string_view digits) -> int {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() && value >= 1 && value <= most ? value : 0;
  };
  const auto cross = text.find('x');
  if (cross == text.npos) return {};
  const gpu::Size size{side(text.substr(0, cross)), side(text.substr(cross + 1))};
  if (size.width == 0 || size.height == 0) return {};
  return size;
}

inline std::string text_of(gpu::Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

// What was typed, without the `blanks` at its ends, which mean nothing.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// A name as a terminal or a file manager copies it: without the quotes around it, 'a b.png' or "a b.png".
constexpr std::string_view unquoted(std::string_view name) {
  const auto typed = trimmed(name);
  const bool quoted = typed.size() > 2 && typed.front() == typed.back() && (typed.front() == '\'' || typed.front() == '"');
  return quoted ? typed.substr(1, typed.size() - 2) : name;
}

std::string time_text(std::time_t time, const char* format,
                      bool utc = false);                         // as strftime() writes it; else the local time
std::string present_time(const char* format, bool utc = false);  // likewise

std::string lower(std::string_view text);  // of ASCII alone
// A name as it is, but for line ends and other control characters: each is a blank.
std::string without_controls(std::string_view name);
// Whether `text` begins with all of `query`, in capitals or not.
bool begins_with(std::string_view text, std::string_view query);

// Any bytes as ASCII, as in a URL: "/caf%E9.xml". Everything but printable ASCII, and the % itself, is written so.
std::string percent_encoded(std::string_view bytes);
// The reverse. Text that is not such a code stays, and so does the code of NUL, which would end a path.
std::string percent_decoded(std::string_view text);

// A cell of CSV, quoted if it must be (RFC 4180): a line break stays in the quotes.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Sentences about the name nearest to a mistyped word (gpu::nearest): " (did you mean 'x'?)", or nothing if no name is near. A
// sentence can go on behind it.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

// "no effect 'x' (did you mean 'y'?)", or the command that lists the names if none is near.
std::string no_such(std::string_view kind, std::string_view word, std::span<const std::string_view> names);

// What goes behind "no parameter 'x'": " (there are: y z; did you mean 'y'?)". The nearest is one of the candidates.
std::string there_are(std::span<const std::string_view> names, std::string_view word,
                      std::span<const std::string_view> candidates);

std::string or_list(std::span<const std::string_view> names);  // "a, b or c"

}  // namespace app
