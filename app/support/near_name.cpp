#include "app/support/near_name.h"

#include "gpu/parameter.h"

namespace app {

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
