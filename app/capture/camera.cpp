#include "app/capture/camera.h"

#include <opencv2/videoio.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "app/capture/convert.h"
#include "app/capture/source_text.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

using Clock = std::chrono::steady_clock;

class OpenCvPort : public CameraPort {
 public:
  explicit OpenCvPort(Devices::Hold hold) : hold_(std::move(hold)) {}
  bool open(const std::string& path) override { return capture_.open(path, cv::CAP_V4L2); }
  void close() override { capture_.release(); }
  bool set(int property, double value) override { return capture_.set(property, value); }
  double get(int property) override { return capture_.get(property); }
  bool grab() override { return capture_.grab(); }
  bool retrieve(cv::Mat& picture) override { return capture_.retrieve(picture); }

 private:
  Devices::Hold hold_;  // before capture_: given back once that is closed
  cv::VideoCapture capture_;
};

// True: asked to stop meanwhile.
bool sleep(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
  return stop.stop_requested();
}

std::string those_here(const std::vector<CameraInfo>& cameras) {
  std::string text;
  for (const CameraInfo& camera : cameras)
    if (camera.available)
      text += (text.empty() ? "here are: " : ", ") + std::to_string(camera.number) + " (" + one_line(camera.name) + ")";
  return text.empty() ? "no camera can be used here, see `satscope list cameras`" : text;
}

// Formats of V4L2: one channel of up to 16 bits in two bytes, the lower one first.
bool has_16_bits(double format) {
  for (const char bits : {'6', '2', '0'})
    if (format == cv::VideoWriter::fourcc('Y', '1', bits, ' ')) return true;
  return false;
}

}  // namespace

cv::Mat values_of_raw(const cv::Mat& raw, gpu::Size size) {
  if (raw.type() == CV_16UC1 && gpu::Size{raw.cols, raw.rows} == size) return raw;
  const auto bytes = raw.total() * raw.elemSize();
  if (size.pixels() == 0 || bytes != size.pixels() * sizeof(std::uint16_t)) return {};
  const auto whole = raw.isContinuous() ? raw : raw.clone();
  return cv::Mat(size.height, size.width, CV_16UC1, whole.data).clone();  // the port's memory is used again
}

CameraSource::CameraSource(CameraInfo camera, const Request& request, std::unique_ptr<CameraPort> port, Lister list,
                           const std::stop_token& stop, CameraPatience patience)
    : camera_(std::move(camera)), request_(request), port_(std::move(port)), list_(std::move(list)), patience_(patience) {
  info_.kind = SourceKind::camera;
  info_.live = true;
  info_.no_seek = "a camera cannot seek";
  info_.device = camera_device;
  if (!open(stop))
    throw SourceError(title() + " could not be opened; close the program that uses it, or unplug it and plug it in again");
  if (!first_picture(stop)) {
    port_->close();
    throw SourceError(title() + " opened but sent no frames in " +
                      format_number(static_cast<double>(patience_.first_picture.count()) / 1000) +
                      " s; unplug it and plug it in again, or choose another");
  }
}

// MJPG first: a USB 2 camera has no bandwidth for large pictures without it, and the sizes on offer depend on it.
bool CameraSource::open(const std::stop_token& stop) {
  if (!port_->open(camera_.path)) return false;
  opened_ = last_fresh_ = Clock::now();
  stamp_ = 0;
  connected_ = true;
  ask(true);
  // Some cameras take the order and deliver pictures that cannot be decoded: then as they come.
  bool can_be_decoded = next_picture() || next_picture();
  // Where the values are not as many as the picture's pixels, the upper 8 bits are better than nothing.
  if (!can_be_decoded && deep_ && !stop.stop_requested()) {
    deep_ = false;
    port_->set(cv::CAP_PROP_CONVERT_RGB, 1);
    can_be_decoded = next_picture() || next_picture();
  }
  if (!can_be_decoded && !stop.stop_requested() &&
      port_->get(cv::CAP_PROP_FOURCC) == cv::VideoWriter::fourcc('M', 'J', 'P', 'G')) {
    port_->close();
    if (!port_->open(camera_.path)) return connected_ = false;
    ask(false);
  }
  pending_ = can_be_decoded;
  return true;
}

void CameraSource::ask(bool compressed) {
  if (compressed) port_->set(cv::CAP_PROP_FOURCC, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'));
  if (request_.size.pixels() > 0) {
    port_->set(cv::CAP_PROP_FRAME_WIDTH, request_.size.width);
    port_->set(cv::CAP_PROP_FRAME_HEIGHT, request_.size.height);
  }
  if (request_.fps > 0) port_->set(cv::CAP_PROP_FPS, request_.fps);
  deep_ = has_16_bits(port_->get(cv::CAP_PROP_FOURCC));
  if (deep_) port_->set(cv::CAP_PROP_CONVERT_RGB, 0);  // which gives the upper 8 bits
}

bool CameraSource::first_picture(const std::stop_token& stop) {
  while (!pending_ && !stop.stop_requested() && Clock::now() - opened_ < patience_.first_picture) {
    pending_ = next_picture();
    if (!pending_ && sleep(stop, std::chrono::milliseconds(10))) break;
  }
  if (pending_) describe_what_came();
  return pending_;
}

// False: nothing came, or nothing that is new and can be decoded.
bool CameraSource::next_picture() {
  if (!port_->grab()) return false;
  grabbed_ = Clock::now();
  if (!fresh()) return false;
  try {
    if (!port_->retrieve(picture_) || picture_.empty()) return false;
    if (deep_) retrieve_values();
    if (picture_.empty()) return false;
  } catch (const cv::Exception&) {
    return false;  // a damaged picture, as a bad cable causes: the next one may be whole
  }
  last_fresh_ = grabbed_;
  return true;
}

void CameraSource::retrieve_values() {
  const gpu::Size size{static_cast<int>(port_->get(cv::CAP_PROP_FRAME_WIDTH)),
                       static_cast<int>(port_->get(cv::CAP_PROP_FRAME_HEIGHT))};
  picture_ = values_of_raw(picture_, size.pixels() > 0 ? size : gpu::Size{picture_.cols, picture_.rows});
}

// A read can succeed after an unplug and give the last picture again: the driver's own time then stands still.
bool CameraSource::fresh() {
  const double stamp = port_->get(cv::CAP_PROP_POS_MSEC);
  if (!(stamp > 0)) return true;  // this driver gives no time
  if (stamp == stamp_) return false;
  stamp_ = stamp;
  return true;
}

Source::Read CameraSource::read(Frame& frame, std::stop_token stop) {
  if (!connected_ && !reconnect(stop)) return Read::lost;
  if (!pending_ && !next_picture()) return missed(stop);
  pending_ = false;
  if (gpu::Size{picture_.cols, picture_.rows} != info_.size) describe_what_came();
  store(picture_, frame, request_.page_locked, title());
  frame.captured = grabbed_;
  frame.position = std::chrono::duration<double>(grabbed_ - opened_).count();
  return Read::frame;
}

Source::Read CameraSource::missed(const std::stop_token& stop) {
  if (Clock::now() - last_fresh_ < patience_.hiccup) {
    sleep(stop, std::chrono::milliseconds(5));
    return Read::waiting;
  }
  const auto cameras = list_();
  const bool here = std::any_of(cameras.begin(), cameras.end(), [&](const CameraInfo& c) { return c.path == camera_.path; });
  if (!here) return lost("it was unplugged", "trying again until it is plugged in");
  if (Clock::now() - last_fresh_ > patience_.silence) return lost("it sends no frames", "trying again");
  sleep(stop, std::chrono::milliseconds(5));
  return Read::waiting;
}

Source::Read CameraSource::lost(const std::string& why, const std::string& now) {
  port_->close();
  connected_ = false;
  info_.message = "lost " + title() + ": " + why + "; " + (request_.retry ? now : "plug it in again");
  return Read::lost;
}

// A camera may come back under another number: its name and its place on the bus identify it.
bool CameraSource::reconnect(const std::stop_token& stop) {
  if (sleep(stop, patience_.between_attempts)) return false;
  const auto cameras = list_();
  const auto same_place = [&](const CameraInfo& c) { return c.available && c.name == camera_.name && c.bus == camera_.bus; };
  const auto same_name = [&](const CameraInfo& c) { return c.available && c.name == camera_.name; };
  auto found = std::find_if(cameras.begin(), cameras.end(), same_place);
  if (found == cameras.end()) found = std::find_if(cameras.begin(), cameras.end(), same_name);
  if (found == cameras.end()) return false;
  camera_ = *found;
  if (!open(stop)) return false;
  if (first_picture(stop)) return true;
  lost("it is back but sends no frames", "trying again");
  return false;
}

// Reports what arrived, because drivers do not always keep what they promise.
void CameraSource::describe_what_came() {
  const gpu::Size size{picture_.cols, picture_.rows};
  const bool values = picture_.depth() == CV_16U;
  check_frames(size, request_.memory, title(), values ? static_cast<int>(picture_.elemSize()) : 0);
  info_.size = size;
  const double fps = port_->get(cv::CAP_PROP_FPS);
  info_.fps = fps > 0 && fps < 1000 ? fps : 0;
  const std::string format = four_letters(port_->get(cv::CAP_PROP_FOURCC));
  info_.name = title();
  info_.description = info_.name + ", " + (format.empty() ? "" : format + " ") + text_of(info_.size) +
                      (info_.fps > 0 ? ", " + format_number(info_.fps) + "/s" : "") + (values ? ", 16-bit gray" : "");
  info_.message.clear();
  info_.warning.clear();
  const bool other_size = request_.size.pixels() > 0 && info_.size != request_.size;
  const bool other_rate = request_.fps > 0 && info_.fps > 0 && std::abs(info_.fps - request_.fps) > 0.5;
  if (other_size || other_rate)
    info_.message = info_.warning = "requested " + (other_size ? text_of(request_.size) : "") +
                                    (other_size && other_rate ? " at " : "") +
                                    (other_rate ? format_number(request_.fps) + "/s" : "") + ", " + title() + " gives " +
                                    (other_size ? text_of(info_.size) : "") + (other_size && other_rate ? " at " : "") +
                                    (other_rate ? format_number(info_.fps) + "/s" : "");
}

std::string CameraSource::title() const {
  return "camera " + std::to_string(camera_.number) + " (" + one_line(camera_.name) + ")";
}

bool owns_camera(const Request& request) {
  const std::string& source = request.source;
  if (source.empty() || is_url(source)) return false;
  if (std::all_of(source.begin(), source.end(), [](char c) { return c >= '0' && c <= '9'; })) return true;
  if (source.starts_with("/dev/video") || source.starts_with("/dev/v4l/")) return true;
  std::error_code error;
  if (std::filesystem::exists(local_path(source), error)) return false;
  return find_camera(source, list_cameras()).has_value();
}

std::unique_ptr<Source> open_camera(const Request& request, const Opening& opening) {
  auto cameras = list_cameras();
  auto camera = find_camera(request.source, cameras);
  const auto require = [&] {
    if (!camera) throw SourceError("there is no " + describe_source(request) + " here; " + those_here(cameras));
  };
  require();
  auto hold = opening.claim(camera_device);
  if (!camera->available) {  // perhaps because this program had it open
    cameras = list_cameras();
    camera = find_camera(camera->path, cameras);
    require();
  }
  const std::string title = "camera " + std::to_string(camera->number) + " (" + one_line(camera->name) + ")";
  if (!camera->available) throw SourceError(title + " is not available: " + camera->reason);
  opening.say("opening " + title);
  return std::make_unique<CameraSource>(
      *camera, request, std::make_unique<OpenCvPort>(std::move(hold)), [] { return list_cameras(); }, opening.stop);
}

}  // namespace app::capture
