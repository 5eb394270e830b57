// What is said where something is refused.
#pragma once

#include <stdexcept>
#include <string>

namespace gpu::test {

// By the exception of this class that `work` throws; "nothing was refused" where it throws none.
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
