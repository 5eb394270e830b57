// Ctrl-C and SIGTERM: the program ends as if its window had been closed; results are written.
#pragma once

#include <filesystem>
#include <string>

namespace app {

void watch_interrupts();  // a second one ends the program at once
bool interrupted();

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

}  // namespace app
