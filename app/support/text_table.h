// Tables in plain text: columns under two-line headings, numbers right-aligned.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app {

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
// A sentence with whole numbers, each of them grouped: "wrong at (3, 2): 34 603 008 instead of 1".
std::string with_grouped_numbers(std::string_view sentence);

}  // namespace app
