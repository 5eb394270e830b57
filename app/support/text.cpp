#include "app/support/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "gpu/parameter.h"

namespace app {

// Bytes that are not continuation bytes of UTF-8.
std::size_t screen_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string text_table(const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines(2);
  for (const auto& column : columns)
    for (std::size_t i = 0; i < 2; ++i) lines[i].push_back(column.heading[i]);
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], screen_width(line[i]));

  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - screen_width(line[i]), ' ');
      row += (i == 0 ? "" : " ") + (i == 0 ? line[i] + space : space + line[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string memory_text(double bytes) {
  char text[32];
  if (bytes < 1e9)
    std::snprintf(text, sizeof text, "%.0f MB", bytes / 1e6);
  else
    std::snprintf(text, sizeof text, "%.*f GB", bytes < 1e10 ? 1 : 0, bytes / 1e9);
  return text;
}

std::string time_text(std::time_t time, const char* format, bool utc) {
  std::tm parts{};
  utc ? ::gmtime_r(&time, &parts) : ::localtime_r(&time, &parts);
  char text[64] = {};
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

std::string present_time(const char* format, bool utc) { return time_text(std::time(nullptr), format, utc); }

std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string without_controls(std::string_view name) {
  std::string line(name);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line;
}

std::string percent_encoded(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const unsigned char byte : bytes)
    if (byte >= ' ' && byte < 0x7f && byte != '%')
      text += static_cast<char>(byte);
    else
      (text += '%') += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

std::string percent_decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const auto code = text.substr(i).starts_with('%') ? text.substr(i + 1, 2) : std::string_view();
    const auto end = code.data() + code.size();
    if (code.size() == 2 && std::from_chars(code.data(), end, byte, 16).ptr == end && byte != 0) {
      bytes += static_cast<char>(byte);
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

bool begins_with(std::string_view text, std::string_view query) {
  return lower(text.substr(0, query.size())) == lower(query);
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
  auto end = std::min(most, text.size());
  while (end > 0 && end < text.size() && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string both_ends(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };  // of a UTF-8 character
  auto tail = text.size() - most / 2;
  while (tail + 1 < text.size() && is_inside(tail)) ++tail;
  return std::string(beginning_of(text, most / 2)) + "..." + std::string(text.substr(tail));
}

std::string short_number(double value) {
  if (value == 0) return "0";
  if (std::abs(value) < 0.0005) return "<.001";
  const double size = std::abs(value);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
  return grouped_digits(text);
}

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return grouped_digits(text);
}

std::string microseconds(double value) { return number(value, value < 999.95 ? 1 : 0); }
std::string narrow_microseconds(double value, double seconds_from) {
  return value < seconds_from - 0.5 ? microseconds(value) : number(value / 1e6, 1) + " s";
}

std::string bytes(std::size_t value) {
  const auto units = {"B", "kB", "MB", "GB"};
  auto amount = static_cast<double>(value);
  auto unit = units.begin();
  for (; amount >= 1000 && unit + 1 != units.end(); ++unit) amount /= 1000;
  return number(amount, unit == units.begin() || amount >= 100 ? 0 : 1) + ' ' + *unit;
}

std::string seconds(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::min(std::max(0.0, value), 1e9) * 10 + 0.5);
  char text[48];
  std::snprintf(text, sizeof text, "%llu:%02llu.%llu", static_cast<unsigned long long>(tenths / 600),
                static_cast<unsigned long long>(tenths / 10 % 60), static_cast<unsigned long long>(tenths % 10));
  return text;
}

std::string grouped_digits(std::string number) {
  constexpr std::ptrdiff_t fewest = 5, group = 3;
  constexpr std::string_view thin_space = "\u2009";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto first = std::find_if(number.begin(), number.end(), is_digit) - number.begin();
  const auto past = std::find_if_not(number.begin() + first, number.end(), is_digit) - number.begin();
  if (past - first < fewest) return number;
  for (auto at = past - group; at > first; at -= group) number.insert(static_cast<std::size_t>(at), thin_space);
  return number;
}

std::string with_grouped_numbers(std::string_view sentence) {
  constexpr std::string_view digits = "0123456789";
  std::string result;
  while (!sentence.empty()) {
    const bool number = digits.find(sentence.front()) != digits.npos;
    const auto end = std::min(number ? sentence.find_first_not_of(digits) : sentence.find_first_of(digits), sentence.size());
    const std::string part(sentence.substr(0, end));
    result += number ? grouped_digits(part) : part;
    sentence.remove_prefix(end);
  }
  return result;
}

std::string grouped(std::uint64_t whole) { return grouped_digits(std::to_string(whole)); }

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const auto near = gpu::nearest(word, names);
  return near.empty() ? std::string() : " (did you mean '" + std::string(near) + "'?)";
}

std::string no_such(std::string_view kind, std::string_view word, std::span<const std::string_view> names) {
  const auto near = did_you_mean(word, names);
  return "no " + std::string(kind) + " '" + std::string(word) + "'" +
         (near.empty() ? "; satscope list " + std::string(kind) + "s prints them" : near);
}

std::string there_are(std::span<const std::string_view> names, std::string_view word,
                      std::span<const std::string_view> candidates) {
  if (names.empty()) return ": there are none" + did_you_mean(word, candidates);
  std::string text = " (there are:";
  for (const auto name : names) text += ' ' + std::string(name);
  const auto near = gpu::nearest(word, candidates);
  return text + (near.empty() ? std::string() : "; did you mean '" + std::string(near) + "'?") + ')';
}

std::string or_list(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return text;
}

}  // namespace app
