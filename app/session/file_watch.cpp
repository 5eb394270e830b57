#include "app/session/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <system_error>

namespace app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto without_watches = 1s;  // from one look at folders, and at files of those that cannot be watched, to the next

FileWatch::FileWatch() : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) ::close(inotify_);
}

void FileWatch::add(const fs::path& place) {
  const auto [folder, is_new] = folders_.try_emplace(place.parent_path());
  if (is_new) watch(folder->first, folder->second);
  stamps_.try_emplace(place, stamp_of(place));
}

void FileWatch::watch(const fs::path& name, Folder& folder) const {
  constexpr auto saved = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVE_SELF;
  folder.inode = inode_of(name);
  folder.watch = inotify_ < 0 ? -1 : ::inotify_add_watch(inotify_, name.c_str(), saved | IN_ONLYDIR);
}

std::vector<fs::path> FileWatch::take() {
  std::vector<fs::path> changed;
  alignas(inotify_event) char buffer[4096];
  for (ssize_t size; inotify_ >= 0 && (size = ::read(inotify_, buffer, sizeof buffer)) > 0;)
    for (const char* at = buffer; at < buffer + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      if (event.mask & IN_Q_OVERFLOW) changed.emplace_back();
      if (event.mask & (IN_IGNORED | IN_MOVE_SELF))  // it is gone, or has another name, of which no news say anything
        lose(event.wd, changed);
      else if (event.len > 0)
        for (const auto& [name, folder] : folders_)
          if (folder.watch == event.wd) changed.push_back(name / std::string(at + sizeof event).c_str());
      at += sizeof event + event.len;
    }
  look_at_folders(changed);
  return changed;
}

// What is watched is not what its names lead to any more.
void FileWatch::lose(int watch, std::vector<fs::path>& changed) {
  if (watch < 0) return;
  for (auto& [name, folder] : folders_) {
    if (folder.watch != watch) continue;
    folder = {};
    looked_ = {};  // at once: another one may have the name
    for (auto& [place, stamp] : stamps_)
      if (place.parent_path() == name) {
        stamp = {};
        changed.push_back(place);
      }
  }
  ::inotify_rm_watch(inotify_, watch);
}

FileWatch::Stamp FileWatch::stamp_of(const fs::path& place) {
  std::error_code error;
  const auto time = fs::last_write_time(place, error);
  if (error) return {};
  const auto size = fs::file_size(place, error);
  return error ? Stamp() : Stamp(time, size);
}

FileWatch::Inode FileWatch::inode_of(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

// A folder above may have been moved, and a link may lead elsewhere.
void FileWatch::look_at_folders(std::vector<fs::path>& changed) {
  const auto now = Clock::now();
  if (now - looked_ < without_watches) return;
  for (auto& [name, folder] : folders_)
    if (folder.watch >= 0 && folder.inode != inode_of(name)) lose(folder.watch, changed);
  for (auto& [name, folder] : folders_) {
    if (folder.watch >= 0) continue;
    watch(name, folder);  // before its files are looked at
    for (auto& [place, stamp] : stamps_)
      if (place.parent_path() == name && std::exchange(stamp, stamp_of(place)) != stamp) changed.push_back(place);
  }
  looked_ = now;
}

}  // namespace app
