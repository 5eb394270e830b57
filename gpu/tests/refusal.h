// What is said where something is refused.
#pragma once

#include <stdexcept>
#include <string>

namespace gpu::test {

// By the exception of this class that `work` throws. Where it throws none, no test expects what this returns.
template <class Error = std::invalid_argument, class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace gpu::test
