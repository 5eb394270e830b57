// The program's own lines on the standard error output, and silence there for what libraries write.
#pragma once

#include <cstdio>

namespace app {

// Where the program writes what the user should read. Unbuffered; never silenced where a KeptConsole lives.
std::FILE* console();

// In main(), before anything else. What libraries said last, silenced or not, is passed on where the program ends without
// reaching this one's end: by abort() (an assertion, an exception that nobody catches) or where a library calls exit().
class KeptConsole {
 public:
  KeptConsole();
  ~KeptConsole();
  KeptConsole(const KeptConsole&) = delete;
  KeptConsole& operator=(const KeptConsole&) = delete;
};

// While at least one lives, on whatever thread, nothing that is written to file descriptor 2 reaches the user. Reports of
// sanitizers do.
class SilentStderr {
 public:
  SilentStderr();
  ~SilentStderr();
  SilentStderr(const SilentStderr&) = delete;
  SilentStderr& operator=(const SilentStderr&) = delete;

  // Bounds what is kept for KeptConsole. For threads that are silent for long: now and then.
  static void forget_old();
};

}  // namespace app
