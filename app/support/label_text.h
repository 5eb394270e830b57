// Names of settings and parameters as labels.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace app {

// "Threads per row" for threads_per_row. Names of one letter are symbols of the papers: what they stand for, then the letter.
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

}  // namespace app
