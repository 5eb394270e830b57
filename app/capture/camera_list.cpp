#include "app/capture/camera_list.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/capture/source_text.h"
#include "app/support/text.h"
#include "app/support/threads.h"

namespace app::capture {
namespace {

namespace fs = std::filesystem;

// A file descriptor, closed at the end. Only read: by that CameraWatch tells a listing from a program that uses the camera.
class File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  template <class T>
  bool control(unsigned long request, T& argument) const {
    return ioctl(descriptor_, request, &argument) == 0;
  }

 private:
  int descriptor_;
};

std::string why_not_opened(int error, const std::string& path) {
  switch (error) {
    case EACCES:
    case EPERM: return "no permission to use " + path + "; run `sudo usermod -aG video $USER` and log in again";
    case EBUSY: return "busy: another program uses it; close that program";
    case ENOENT:
    case ENODEV:
    case ENXIO: return "unplugged; plug it in again";
    default: return std::string(std::strerror(error)) + "; unplug it and plug it in again";
  }
}

// The driver's answers to a question about one index after the other.
template <class T, class Use>
void enumerate(const File& file, unsigned long request, T question, Use&& use) {
  constexpr unsigned most = 200;  // of a driver that never ends
  for (question.index = 0; question.index < most && file.control(request, question); ++question.index) use(question);
}

std::vector<double> rates_of(const File& file, std::uint32_t format, gpu::Size size) {
  v4l2_frmivalenum question{};
  question.pixel_format = format;
  question.width = static_cast<std::uint32_t>(size.width);
  question.height = static_cast<std::uint32_t>(size.height);
  std::vector<double> rates;
  enumerate(file, VIDIOC_ENUM_FRAMEINTERVALS, question, [&](const v4l2_frmivalenum& answer) {
    // The shortest interval of a range is its highest rate.
    const auto& interval = answer.type == V4L2_FRMIVAL_TYPE_DISCRETE ? answer.discrete : answer.stepwise.min;
    if (const double rate = rate_of(interval.numerator, interval.denominator); rate > 0) rates.push_back(rate);
  });
  std::ranges::sort(rates, std::greater());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  return rates;
}

std::vector<CameraMode> modes_of(const File& file) {
  std::vector<CameraMode> modes;
  v4l2_fmtdesc formats{};
  formats.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  enumerate(file, VIDIOC_ENUM_FMT, formats, [&](const v4l2_fmtdesc& format) {
    v4l2_frmsizeenum sizes{};
    sizes.pixel_format = format.pixelformat;
    enumerate(file, VIDIOC_ENUM_FRAMESIZES, sizes, [&](const v4l2_frmsizeenum& answer) {
      const bool discrete = answer.type == V4L2_FRMSIZE_TYPE_DISCRETE;
      const gpu::Size size{static_cast<int>(discrete ? answer.discrete.width : answer.stepwise.max_width),
                           static_cast<int>(discrete ? answer.discrete.height : answer.stepwise.max_height)};
      modes.push_back({four_letters(format.pixelformat), size, rates_of(file, format.pixelformat, size)});
    });
  });
  return by_size(std::move(modes));
}

// Fills what the driver says, and whether the camera can be used now.
void ask_driver(CameraInfo& camera) {
  const File file(camera.path);
  if (!file.is_open()) {
    camera.reason = why_not_opened(errno, camera.path);
    return;
  }
  v4l2_capability capability{};
  if (!file.control(VIDIOC_QUERYCAP, capability)) {
    camera.reason = "not a video4linux device; choose another";
    return;
  }
  camera.driver = one_line(reinterpret_cast<const char*>(capability.driver));
  camera.bus = one_line(reinterpret_cast<const char*>(capability.bus_info));
  const auto abilities = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
  if (!(abilities & V4L2_CAP_VIDEO_CAPTURE)) {
    camera.reason = abilities & V4L2_CAP_META_CAPTURE
                        ? "a metadata node, which gives no pictures; choose the camera's other node"
                        : "not a camera that OpenCV can read; choose another";
    return;
  }
  // Who holds buffers holds the camera. Asking for none changes nothing for anybody else.
  v4l2_requestbuffers buffers{};
  buffers.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  buffers.memory = V4L2_MEMORY_MMAP;
  if (abilities & V4L2_CAP_STREAMING && !file.control(VIDIOC_REQBUFS, buffers) && errno == EBUSY) {
    camera.reason = why_not_opened(EBUSY, camera.path);
    return;
  }
  camera.available = true;
  camera.modes = modes_of(file);
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return one_line(line);
}

std::optional<int> number_of(std::string_view text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return {};
  text.remove_prefix(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return {};
  return number;
}

// The camera that fits. Of several nodes, those that cannot be used do not count (many cameras have one for metadata), unless
// none can: the camera is in use then. Nothing if the others belong to more than one camera.
template <class Fits>
std::optional<CameraInfo> only(const std::vector<CameraInfo>& cameras, Fits&& fits) {
  std::vector<CameraInfo> found;
  std::copy_if(cameras.begin(), cameras.end(), std::back_inserter(found), fits);
  const auto usable = [](const CameraInfo& camera) { return camera.available; };
  if (std::ranges::any_of(found, usable)) std::erase_if(found, std::not_fn(usable));
  // The nodes of one camera share its bus; the first gives pictures.
  const bool one = !found.empty() && std::all_of(found.begin(), found.end(), [&](const CameraInfo& camera) {
    return camera.name == found.front().name && camera.bus == found.front().bus;
  });
  return one ? std::optional(found.front()) : std::nullopt;
}

}  // namespace

double rate_of(unsigned numerator, unsigned denominator) {
  if (numerator == 0) return 0;
  return std::round(100.0 * denominator / numerator) / 100;
}

std::vector<CameraMode> by_size(std::vector<CameraMode> modes) {
  const auto highest = [](const CameraMode& mode) { return mode.rates.empty() ? 0.0 : mode.rates.front(); };
  const auto rank = [&](const CameraMode& mode) {
    return std::tuple(mode.size.pixels(), mode.size.width, highest(mode), mode.format == "MJPG");
  };
  std::ranges::stable_sort(modes, [&](const CameraMode& a, const CameraMode& b) { return rank(a) > rank(b); });
  const auto same_size = [](const CameraMode& a, const CameraMode& b) { return a.size == b.size; };
  modes.erase(std::unique(modes.begin(), modes.end(), same_size), modes.end());
  return modes;
}

std::vector<CameraInfo> list_cameras(const fs::path& sys, const fs::path& dev) {
  std::vector<CameraInfo> cameras;
  std::error_code error;
  for (fs::directory_iterator entry(sys, error), end; !error && entry != end; entry.increment(error)) {
    const std::string node = entry->path().filename().string();
    const auto number = number_of(node, "video");
    if (!number) continue;  // radios and sub-devices are listed here too
    CameraInfo camera;
    camera.number = *number;
    camera.path = (dev / node).string();
    camera.name = first_line(entry->path() / "name");
    if (camera.name.empty()) camera.name = node;
    ask_driver(camera);
    cameras.push_back(std::move(camera));
  }
  std::sort(cameras.begin(), cameras.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return cameras;
}

std::optional<CameraInfo> find_camera(const std::string& source, const std::vector<CameraInfo>& cameras) {
  if (const auto number = number_of(source, ""))
    return only(cameras, [&](const CameraInfo& camera) { return camera.number == *number; });
  if (source.find('/') != std::string::npos) {
    std::error_code error;
    const std::string target = fs::weakly_canonical(source, error).string();
    return only(cameras, [&](const CameraInfo& camera) { return camera.path == source || camera.path == target; });
  }
  const std::string wanted = lower(source);
  if (wanted.empty()) return {};
  if (auto exact = only(cameras, [&](const CameraInfo& camera) { return lower(camera.name) == wanted; })) return exact;
  return only(cameras, [&](const CameraInfo& camera) { return lower(camera.name).find(wanted) != std::string::npos; });
}

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
