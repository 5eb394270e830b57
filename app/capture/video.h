// VideoReader: the pictures of a video file or stream in order, by FFmpeg; and of a file from any place, exact to the picture:
// where key frames are far apart, it decodes forwards from the one before, and compares positions.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <opencv2/core.hpp>
#include <stop_token>
#include <string>

namespace app::capture {

class VideoReader {
 public:
  // What the file or stream announces; 0 where it does not.
  struct Announced {
    cv::Size size;
    double fps = 0, count = 0;
    bool motion_jpeg = false;
    bool text = false;  // its pictures are those of a terminal, which FFmpeg draws
  };

  // `patience`: how long a stream may take to open, and for each picture; zero: any time. `stop`: gives up.
  explicit VideoReader(std::string address, std::chrono::milliseconds patience = {}, std::stop_token stop = {});
  ~VideoReader();

  // Also again. False: it could not be opened; error() says why. Throws std::bad_alloc, as all that read do.
  bool open();
  const Announced& announced() const { return announced_; }
  int error() const { return error_; }      // FFmpeg's, of opening
  bool timed_out() const { return late_; }  // why no more came
  bool is_image() const;                    // so says the HTTP server that sends it

  // The next picture, into `picture`'s memory where its size fits. False: there are no more.
  bool next(cv::Mat& picture);
  // The position of the picture that next() gave last, in seconds; negative before the first. By the file's timestamps; where
  // they stand still or go back, by its rate.
  double position() const { return position_; }
  std::chrono::steady_clock::time_point received() const { return received_; }  // when that picture had come
  std::size_t kept_pictures() const { return behind_.size() + ahead_.size(); }  // decoded, in memory

  // next() starts again at the first picture. False: the file could not be opened again.
  bool restart();
  // next() gives the last picture that is not after `seconds`; where all are, the first one. False as above.
  bool go_to(double seconds);
  // next() gives the picture `count` places before the one at `position`; where there are fewer, the first one. Memory does
  // not grow with `count`: far back, pictures are decoded twice.
  bool go_back(double position, int count);

 private:
  struct Decoder;
  struct Picture {
    cv::Mat pixels;
    double position;
  };

  bool give_up(int error);
  bool decode(cv::Mat& picture);
  bool receive();
  bool start_before(double seconds);
  bool find(double limit, double about, std::size_t wanted);

  std::string address_;
  std::chrono::milliseconds patience_;
  std::stop_token stop_;
  std::unique_ptr<Decoder> decoder_;
  Announced announced_;
  double step_ = 0;                      // seconds between two pictures by the rate
  double decoded_ = -1, position_ = -1;  // of the picture decoded last, given last
  std::deque<Picture> behind_, ahead_;   // decoded; behind_: until the one at position_; ahead_: to be given next
  std::chrono::steady_clock::time_point received_, deadline_;
  int error_ = 0;
  bool late_ = false;
};

}  // namespace app::capture
