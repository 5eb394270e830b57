// What is said where something is refused.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace gpu::test {

inline constexpr const char* nothing_refused = "nothing was refused";

// By the exception of this class that `work` throws; nothing_refused where it throws none.
template <class Error = std::invalid_argument, class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return nothing_refused;
}

// That it throws that, whose message is one line with this part.
template <class Error = std::invalid_argument, class Work>
void expect_refused(const Work& work, std::string_view part) {
  const auto why = refusal_of<Error>(work);
  EXPECT_NE(why.find(part), why.npos) << "'" << part << "' is not in: " << why;
  EXPECT_EQ(why.find('\n'), why.npos) << why;
}

}  // namespace gpu::test
