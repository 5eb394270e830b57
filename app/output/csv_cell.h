// A cell of CSV on one line, quoted if it must be.
#pragma once

#include <algorithm>
#include <string>

namespace app {

inline std::string csv_cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.find_first_of(",\"") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace app
