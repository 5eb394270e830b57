// Exit codes of the program, and the error that ends it: one line for the user and the exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace app {

enum class ExitCode {
  ok = 0,
  failed = 1,
  usage = 2,
  no_display = 3,
  source = 4,
  no_gpu = 5,
  does_not_compile = 6,
  too_slow = 7,
  interrupted = 130,  // by a signal that ends the program at once: what a shell makes of SIGINT
};

// What --help and the manual say of each.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};
inline constexpr ExitMeaning exit_meanings[] = {
    {ExitCode::ok, "done"},
    {ExitCode::failed, "a result could not be written, or is wrong"},
    {ExitCode::usage, "wrong usage"},
    {ExitCode::no_display,
     "--viewer highgui has no display, or its library is missing; without this option the program runs offscreen"},
    {ExitCode::source, "the source delivered no picture, or an offscreen run lost it"},
    {ExitCode::no_gpu, "the requested GPU is missing"},
    {ExitCode::does_not_compile, "judge: a file does not compile"},
    {ExitCode::too_slow, "judge: a kernel is right, but exceeds --at-most"},
    {ExitCode::interrupted, "ended by Ctrl-C: by a second one where the first still saves"},
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
