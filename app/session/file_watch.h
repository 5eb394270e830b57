// FileWatch: what happens to files, by their names: they are saved, replaced, removed, or made, also where a folder above them
// is moved or replaced by another one of its name. Where the system gives no news of a folder, its files are looked at.
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
  using Inode = std::pair<std::uint64_t, std::uint64_t>;  // of a device; zeros: there is none

  struct Folder {
    int watch = -1;  // its number; several names may lead to one folder. -1: its files are looked at
    Inode inode{};   // of what is watched
  };

  static Stamp stamp_of(const std::filesystem::path& place);
  static Inode inode_of(const std::filesystem::path& folder);
  void watch(const std::filesystem::path& name, Folder& folder) const;
  void lose(int watch, std::vector<std::filesystem::path>& changed);
  void look_at_folders(std::vector<std::filesystem::path>& changed);

  int inotify_;
  std::map<std::filesystem::path, Folder> folders_;
  std::map<std::filesystem::path, Stamp> stamps_;  // of all places; kept for those whose folder is not watched
  Clock::time_point looked_{};
};

}  // namespace app
