// "Did you mean": sentences about the name nearest to a mistyped word (gpu::nearest).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace app {

// " (did you mean 'x'?)", or nothing if no name is near. A sentence can go on behind it.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

// "no effect 'x' (did you mean 'y'?)", or the command that lists the names if none is near.
std::string no_such(std::string_view kind, std::string_view word, std::span<const std::string_view> names);

// What goes behind "no parameter 'x'": " (there are: y z; did you mean 'y'?)". The nearest is one of the candidates.
std::string there_are(std::span<const std::string_view> names, std::string_view word,
                      std::span<const std::string_view> candidates);

std::string or_list(std::span<const std::string_view> names);  // "a, b or c"

}  // namespace app
