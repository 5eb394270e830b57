#include "app/capture/camera_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "app/support/threads.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

constexpr auto without_watches = 3s;  // from one listing to the next
constexpr auto plugged = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB;
constexpr auto used = IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE;

}  // namespace

CameraWatch::CameraWatch(Lister list, std::filesystem::path dev)
    : list_(std::move(list)), dev_(std::move(dev)), inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (inotify_ >= 0) folder_ = inotify_add_watch(inotify_, dev_.c_str(), plugged);
}

CameraWatch::~CameraWatch() {
  if (inotify_ >= 0) ::close(inotify_);
}

bool CameraWatch::look() {
  const bool lists = listing_.valid(), listed = lists && listing_.wait_for(0s) == std::future_status::ready;
  const auto news = read_news();
  // A listing opens the nodes, and writes to none: all else is another program's, which may have come too late for it.
  outdated_ |= news.plugged || news.released || (news.opened && !lists);
  if (listed) {
    cameras_ = listing_.get();
    listed_ = std::chrono::steady_clock::now();
    watch_nodes();
    return true;
  }
  if (!lists && due()) start_listing();
  return false;
}

bool CameraWatch::due() {
  return outdated_ || (folder_ < 0 && std::chrono::steady_clock::now() - listed_ > without_watches);
}

void CameraWatch::start_listing() {
  auto promise = std::make_shared<std::promise<std::vector<CameraInfo>>>();
  try {
    start_detached([promise, list = list_] {
      try {
        promise->set_value(list());
      } catch (...) {
        promise->set_value({});
      }
    });
  } catch (const std::runtime_error&) {  // tried again
    return;
  }
  listing_ = promise->get_future();
  outdated_ = false;
}

// A camera that another program has closed can be chosen again. Watching a file twice changes nothing; what happened to one
// before it was watched is found out by another listing.
void CameraWatch::watch_nodes() {
  for (const auto& camera : cameras_)
    if (folder_ >= 0 && watched_.insert(inotify_add_watch(inotify_, camera.path.c_str(), used)).second)
      outdated_ |= !camera.available;
}

CameraWatch::News CameraWatch::read_news() {
  News news;
  alignas(inotify_event) char buffer[4096];
  for (ssize_t size; inotify_ >= 0 && (size = ::read(inotify_, buffer, sizeof buffer)) > 0;) {
    for (const char* at = buffer; at < buffer + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      const std::string_view name(at + sizeof event, event.len);
      if (event.mask & IN_Q_OVERFLOW || (event.wd == folder_ && name.starts_with("video"))) news.plugged = true;
      news.released |= event.wd != folder_ && event.mask & IN_CLOSE_WRITE;
      news.opened |= event.wd != folder_ && event.mask & used;
      at += sizeof event + event.len;
    }
  }
  return news;
}

}  // namespace app::capture
