// ScratchFolder: a folder of this process alone, in the system's temporary folder, removed at its end with all that is in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace app {

class ScratchFolder {
 public:
  // Its name begins with "satscope-<kind>-". Throws std::runtime_error with one line.
  explicit ScratchFolder(std::string_view kind);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Removes folders of that kind whose process was killed. May take long: for a thread that nothing waits for, or a command.
  static void remove_abandoned(std::string_view kind);

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // of the folder itself, as long as the process lives
};

}  // namespace app
