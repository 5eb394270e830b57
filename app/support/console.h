// The program's own lines on the standard error output, where the output of libraries is silenced.
#pragma once

#include <cstdio>
#include <string>

namespace app {

// Where the program writes lines for the user. Unbuffered; never silenced during the lifetime of a KeptConsole.
std::FILE* console();
// From now on a reader of what the program prints may end before it: the work goes on, and its files become whole.
void outlive_readers();
void tell(const std::string& line);  // "satscope: " and the line, which has no end of line

// In main(), before anything else. If the program ends before its destructor runs, by abort() (an assertion, an uncaught
// exception) or because a library calls exit(), the latest output of libraries is printed, even if it was silenced.
class KeptConsole {
 public:
  KeptConsole();
  ~KeptConsole();
  KeptConsole(const KeptConsole&) = delete;
  KeptConsole& operator=(const KeptConsole&) = delete;
};

// While at least one object exists, on any thread, nothing that is written to file descriptor 2 reaches the user, except
// reports of sanitizers.
class SilentStderr {
 public:
  SilentStderr();
  ~SilentStderr();
  SilentStderr(const SilentStderr&) = delete;
  SilentStderr& operator=(const SilentStderr&) = delete;

  // Limits the output kept for KeptConsole. Threads that are silent for long call it from time to time.
  static void forget_old();
};

}  // namespace app
