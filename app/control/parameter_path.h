// The parts of a parameter's path: "2r1w.W" is W of 2r1w; "W" has no owner, and is that of the algorithm or effect in use.
#pragma once

#include <string_view>

namespace app {

// Parts of the text that it is made from, which must outlive it.
struct ParameterPath {
  constexpr explicit ParameterPath(std::string_view path) {
    const auto dot = path.find('.');
    has_owner = dot != path.npos;
    owner = has_owner ? path.substr(0, dot) : std::string_view();
    name = has_owner ? path.substr(dot + 1) : path;
  }
  std::string_view owner, name;
  bool has_owner = false;
};

}  // namespace app
