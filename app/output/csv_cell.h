// A cell of CSV, quoted if it must be (RFC 4180): a line break stays in the quotes.
#pragma once

#include <string>

namespace app {

inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace app
