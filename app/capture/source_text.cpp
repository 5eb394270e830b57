#include "app/capture/source_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/support/size_text.h"

namespace app::capture {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string describe_source(const Request& request) {
  const std::string& source = request.source;
  if (source.empty()) return "the bundled clip";
  if (std::all_of(source.begin(), source.end(), [](char c) { return c >= '0' && c <= '9'; })) return "camera " + source;
  return "'" + one_line(source) + "'";
}

std::string four_letters(double code) {
  const auto bits = static_cast<unsigned>(code);
  std::string letters;
  for (int shift = 0; shift < 32; shift += 8) letters += static_cast<char>(bits >> shift & 0xff);
  return one_line(letters);
}

std::string format_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string number = text;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string why_other_size(gpu::Size requested, gpu::Size given, std::string_view giver) {
  if (requested.pixels() == 0 || requested == given) return {};
  return "requested " + text_of(requested) + ", " + std::string(giver) + " gives " + text_of(given);
}

std::string why_other_rate(double requested, double given, std::string_view giver) {
  if (requested <= 0 || given <= 0 || std::abs(requested - given) < 0.01 * given) return {};
  return "requested " + format_number(requested) + "/s, " + std::string(giver) + " gives " + format_number(given) +
         "/s; the speed can be chosen instead";
}

std::string describe(std::string_view name, gpu::Size size, double fps) {
  std::string text = one_line(name);
  if (size.pixels() > 0) text += ", " + text_of(size);
  if (fps > 0) text += ", " + format_number(fps) + "/s";
  return text;
}

}  // namespace app::capture
