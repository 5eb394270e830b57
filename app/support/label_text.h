// Names of settings and parameters as labels.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace app {

// "Threads per row" for threads_per_row; names of one or two letters are symbols of the papers and stay as they are.
inline std::string label_of(std::string_view name) {
  std::string label(name);
  if (label.size() <= 2) return label;
  std::replace(label.begin(), label.end(), '_', ' ');
  label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

}  // namespace app
