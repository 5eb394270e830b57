// Ctrl-C and SIGTERM: the program ends as if its window had been closed; results are written.
#pragma once

#include <filesystem>
#include <string>

namespace app {

// A second one ends the program at once. Signals that the program was started to ignore stay ignored.
void watch_interrupts();
bool interrupted();
// Says what the end of the program waits for, and that Ctrl-C ends it at once, `without` the rest: from now on Ctrl-C and SIGTERM
// do, also the first one.
void tell_of_wait(const std::string& what, const std::string& without = {});

// During its lifetime, a signal that ends the program at once first removes `path`, an unfinished recording. At most one
// object at a time.
class RemovedWhenKilled {
 public:
  explicit RemovedWhenKilled(const std::filesystem::path& path);
  ~RemovedWhenKilled();
  RemovedWhenKilled(const RemovedWhenKilled&) = delete;
  RemovedWhenKilled& operator=(const RemovedWhenKilled&) = delete;

 private:
  std::string path_;
};

// The same for an empty file that keeps a name for a result: removed if it is still empty. Of more than eight at a time, the others
// stay.
class ReservedName {
 public:
  explicit ReservedName(const std::filesystem::path& path);
  ~ReservedName();
  ReservedName(const ReservedName&) = delete;
  ReservedName& operator=(const ReservedName&) = delete;

 private:
  std::string path_;
};

}  // namespace app
