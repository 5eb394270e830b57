// Exit codes of the program, and the error that ends it: one line for the user and the exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace app {

enum class ExitCode { ok = 0, failed = 1, usage = 2, no_display = 3, source = 4, no_gpu = 5 };

// what() is one line: the cause and the next step.
class ExitError : public std::runtime_error {
 public:
  ExitError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace app
