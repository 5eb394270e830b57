// "Did you mean": the name that a mistyped word is near to, and nothing where it is near to none.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace app {

// The name that `word` was probably meant to be; empty where none is near. Near is what differs in a third of the
// name's letters at most (neighbours that changed places count once), or is that near to one of its words, or is how
// the name or one of its words begins. Case and the dashes of options do not count.
std::string_view near_name(std::string_view word, std::span<const std::string_view> names);

// "; did you mean 'x'?", or nothing where no name is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

// "no effect 'x'; did you mean 'y'?", or which command lists them where no name is near.
std::string no_such(std::string_view kind, std::string_view word, std::span<const std::string_view> names);

}  // namespace app
