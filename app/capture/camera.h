// A camera through V4L2. What was requested of it is compared with the picture that it delivered; a camera that was
// unplugged is opened again when it is back.
#pragma once

#include <opencv2/core.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "app/capture/camera_list.h"
#include "app/capture/source.h"

namespace app::capture {

// What a CameraSource uses of cv::VideoCapture, so that tests can unplug one that does not exist. Properties are
// OpenCV's cv::CAP_PROP_*.
class CameraPort {
 public:
  virtual ~CameraPort() = default;
  virtual bool open(const std::string& path) = 0;
  virtual void close() = 0;
  virtual bool set(int property, double value) = 0;
  virtual double get(int property) = 0;
  virtual bool grab() = 0;  // waits for the next picture, for about a second
  virtual bool retrieve(cv::Mat& picture) = 0;
};

// How long a camera may take.
struct CameraPatience {
  std::chrono::milliseconds first_picture{5000};  // after it was opened
  std::chrono::milliseconds hiccup{300};          // without a picture; then the list of cameras is read: is it still there?
  std::chrono::milliseconds silence{2000};        // without a picture; then it is opened again
  std::chrono::milliseconds between_attempts{500};
};

// Returns a picture of 16 bits, one channel, from what V4L2 gives of such a format without a conversion: the same, or its bytes,
// lower ones first, in two channels or in any rows of one. Empty where there are not as many bytes as `size` has.
cv::Mat values_of_raw(const cv::Mat& raw, gpu::Size size);

class CameraSource : public Source {
 public:
  using Lister = std::function<std::vector<CameraInfo>()>;

  // Opens `camera` and waits until it has delivered a picture. Throws SourceError where it cannot be opened, or is
  // silent.
  CameraSource(CameraInfo camera, const Request& request, std::unique_ptr<CameraPort> port, Lister list,
               const std::stop_token& stop, CameraPatience patience = {});

  Read read(Frame& frame, std::stop_token stop) override;
  SourceInfo info() const override { return info_; }

 private:
  bool open(const std::stop_token& stop);
  void ask(bool compressed);
  bool first_picture(const std::stop_token& stop);
  bool next_picture();
  bool fresh();
  Read missed(const std::stop_token& stop);
  Read lost(const std::string& why, const std::string& now);  // `now`: what is done about it, where it may be opened again
  bool reconnect(const std::stop_token& stop);
  void retrieve_values();
  void describe_what_came();
  std::string title() const;

  CameraInfo camera_;
  Request request_;
  std::unique_ptr<CameraPort> port_;
  Lister list_;
  CameraPatience patience_;
  SourceInfo info_;
  bool connected_ = false, pending_ = false, deep_ = false;  // deep: of 16 bits; pending: picture_ was not delivered yet
  cv::Mat picture_;
  std::chrono::steady_clock::time_point opened_, grabbed_;
  double stamp_ = 0;  // the driver's time of the last picture, in milliseconds; 0 where it gives none
  std::chrono::steady_clock::time_point last_fresh_;
};

}  // namespace app::capture
