// Exit codes of the program, and the error that ends it: one line for the user and the exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace app {

enum class ExitCode { ok = 0, failed = 1, usage = 2, no_display = 3, source = 4, no_gpu = 5 };

// What --help and the manual say of each.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};
inline constexpr ExitMeaning exit_meanings[] = {
    {0, "done"},
    {1, "a result could not be written, or is wrong"},
    {2, "wrong usage"},
    {3, "--viewer highgui has no display, or its library is missing; without this option the program runs offscreen"},
    {4, "the source delivered no picture, or an offscreen run lost it"},
    {5, "the requested GPU is missing"},
    {130, "ended by a second Ctrl-C"},
};

// what() is one line: the cause and the next step.
class ExitError : public std::runtime_error {
 public:
  ExitError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace app
