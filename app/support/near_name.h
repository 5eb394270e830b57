// "Did you mean": the name nearest to a mistyped word, if any is near.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace app {

// The name that was probably meant by `word`; empty if none is near. A word is near if at most a third of the letters of
// the name, or of one of its words, differ (swapped neighbours count once), or if it is a prefix of the name or of one
// of its words. Case and the dashes of options do not count.
std::string_view near_name(std::string_view word, std::span<const std::string_view> names);

// "; did you mean 'x'?", or nothing if no name is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

// "no effect 'x'; did you mean 'y'?", or the command that lists the names if none is near.
std::string no_such(std::string_view kind, std::string_view word, std::span<const std::string_view> names);

}  // namespace app
