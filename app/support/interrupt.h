// Ctrl-C and SIGTERM: the program ends as if its window had been closed; results are written.
#pragma once

#include <filesystem>
#include <string>

namespace app {

// A second one ends the program at once, unless it comes with the first. Signals that the program was started to ignore stay
// ignored.
void watch_interrupts();
bool interrupted();
// Says what the end of the program waits for, and that Ctrl-C ends it at once, `without` the rest: from now on the first Ctrl-C
// or SIGTERM ends the program at once.
void tell_of_wait(const std::string& what, const std::string& without = {});

// During its lifetime, a signal that ends the program at once first removes `path`, an unfinished file; `empty`: one that keeps a
// name for a result, if nothing is in it yet; `never`: it stays, of use as it is, and a line names it. Of more than eight objects
// at a time, the others' files stay.
class RemovedWhenKilled {
 public:
  enum class If { there, empty, never };

  explicit RemovedWhenKilled(const std::filesystem::path& path, If condition = If::there);
  ~RemovedWhenKilled();
  RemovedWhenKilled(const RemovedWhenKilled&) = delete;
  RemovedWhenKilled& operator=(const RemovedWhenKilled&) = delete;

  void end() const;  // for a signal's handler

 private:
  std::string path_;
  If condition_;
};

}  // namespace app
