// What was typed, without the spaces at its ends, which mean nothing.
#pragma once

#include <string_view>

namespace app {

constexpr std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace app
