// FileWatch: what happens to files, by their names: they are saved, replaced, removed, or made. Where the system gives no news of a
// folder, its files are looked at.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

namespace app {

class FileWatch {
 public:
  FileWatch();
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // The folder, because many editors put another file in the place of the one before.
  void add(const std::filesystem::path& place);
  // The places at which something has happened; an empty one: news were lost.
  std::vector<std::filesystem::path> take();

 private:
  using Clock = std::chrono::steady_clock;
  using Stamp = std::pair<std::filesystem::file_time_type, std::uintmax_t>;

  static Stamp stamp_of(const std::filesystem::path& place);
  void look_at_others(std::vector<std::filesystem::path>& changed);

  int inotify_;
  std::map<int, std::filesystem::path> folders_;
  std::map<std::filesystem::path, Stamp> stamps_;
  Clock::time_point looked_{};
};

}  // namespace app
