#include "app/session/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>

namespace app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto without_watches = 1s;  // from one look at files whose folder cannot be watched to the next

FileWatch::FileWatch() : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) ::close(inotify_);
}

void FileWatch::add(const fs::path& place) {
  constexpr auto saved = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM;
  const int folder = inotify_ < 0 ? -1 : ::inotify_add_watch(inotify_, place.parent_path().c_str(), saved | IN_ONLYDIR);
  if (folder >= 0) folders_[folder] = place.parent_path();
  stamps_.try_emplace(place, stamp_of(place));
}

std::vector<fs::path> FileWatch::take() {
  std::vector<fs::path> changed;
  alignas(inotify_event) char buffer[4096];
  for (ssize_t size; inotify_ >= 0 && (size = ::read(inotify_, buffer, sizeof buffer)) > 0;)
    for (const char* at = buffer; at < buffer + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      if (event.mask & IN_Q_OVERFLOW) changed.emplace_back();
      if (event.mask & IN_IGNORED)  // the folder is gone
        folders_.erase(event.wd);
      else if (const auto folder = folders_.find(event.wd); folder != folders_.end() && event.len > 0)
        changed.push_back(folder->second / std::string(at + sizeof event).c_str());
      at += sizeof event + event.len;
    }
  look_at_others(changed);
  return changed;
}

FileWatch::Stamp FileWatch::stamp_of(const fs::path& place) {
  std::error_code error;
  const auto time = fs::last_write_time(place, error);
  const auto size = fs::file_size(place, error);
  return error ? Stamp() : Stamp(time, size);
}

void FileWatch::look_at_others(std::vector<fs::path>& changed) {
  const auto now = Clock::now();
  if (now - looked_ < without_watches) return;
  looked_ = now;
  for (auto& [place, stamp] : stamps_) {
    const auto is_of_it = [&](const auto& folder) { return folder.second == place.parent_path(); };
    if (std::ranges::any_of(folders_, is_of_it)) continue;
    if (std::exchange(stamp, stamp_of(place)) != stamp) changed.push_back(place);
    if (stamp != Stamp()) add(place);  // its folder may be there again
  }
}

}  // namespace app
