#include "app/support/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace app {
namespace {

// Columns on the screen: bytes that are not continuation bytes of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string text_table(const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines(2);
  for (const auto& column : columns)
    for (std::size_t i = 0; i < 2; ++i) lines[i].push_back(column.heading[i]);
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));

  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - width_of(line[i]), ' ');
      row += (i == 0 ? "" : " ") + (i == 0 ? line[i] + space : space + line[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string short_number(double value) {
  if (value == 0) return "0";
  if (std::abs(value) < 0.0005) return "<.001";
  const double size = std::abs(value);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
  return text;
}

std::string grouped(std::uint64_t whole) {
  auto text = std::to_string(whole);
  if (text.size() < 5) return text;
  constexpr std::string_view thin_space = "\u2009";
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), thin_space);
  return text;
}

}  // namespace app
