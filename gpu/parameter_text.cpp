#include "gpu/parameter_text.h"

#include <algorithm>

namespace gpu {

std::string text_of(const Arguments& arguments) {
  std::string text;
  for (const auto& parameter : arguments.parameters())
    text += (text.empty() ? "" : " ") + std::string(parameter.name) + '=' + arguments.text(parameter.name);
  return text;
}

void set_from_text(Arguments& arguments, std::string_view text) {
  for (auto at = text.find_first_not_of(' '); at != text.npos;) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    const auto equals = word.find('=');
    if (equals == word.npos) throw ArgumentError("parameters are written NAME=VALUE, not '" + std::string(word) + "'");
    arguments.set(word.substr(0, equals), word.substr(equals + 1));
    at = text.find_first_not_of(' ', end);
  }
}

}  // namespace gpu
