// VideoReader: the pictures of a video file in order, and from any place, exact to the picture: where key frames are far
// apart, it decodes forwards from the one before, and compares positions.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <opencv2/videoio.hpp>
#include <stop_token>

namespace app::capture {

class VideoReader {
 public:
  using Opener = std::function<bool(cv::VideoCapture& capture)>;

  // `fps`, `count`: as the file announces them; 0 where it does not. `open`: opens it again.
  VideoReader(cv::VideoCapture capture, double fps, double count, Opener open);

  // The next picture, into `picture`'s memory where its size fits. False: there are no more.
  bool next(cv::Mat& picture);
  // The position of the picture that next() gave last, in seconds; negative before the first. By the file's timestamps; where
  // they stand still or go back, by its rate.
  double position() const { return position_; }
  // Whether the length that the file announces may be right although it ends at position(): pictures at the end without
  // timestamps may stand as far from each other as any two before them.
  bool may_end_at(double seconds) const { return position_ + unstamped_ * longest_step_ >= seconds; }
  std::chrono::steady_clock::time_point grabbed() const { return grabbed_; }    // when that picture had come
  std::size_t kept_pictures() const { return behind_.size() + ahead_.size(); }  // decoded, in memory

  // next() starts again at the first picture. False: the file could not be opened again.
  bool restart();
  // next() gives the last picture that is not after `seconds`; where all are, the first one. False as above.
  bool go_to(double seconds, const std::stop_token& stop);
  // next() gives the picture `count` places before the one at `position`; where there are fewer, the first one. Memory does
  // not grow with `count`: far back, pictures are decoded twice.
  bool go_back(double position, int count, const std::stop_token& stop);

 private:
  struct Picture {
    cv::Mat pixels;
    double position;
  };

  // What the next picture to decode is: the first of the file just opened, that of a jump to the start, or behind the start,
  // the one after the last.
  enum class Next { first, rewound, placed, following };

  bool decode(cv::Mat& picture);
  bool decode_next(cv::Mat& picture, Next next);
  bool open_again();
  double stamp(bool placed);
  bool start_before(double frame);
  bool find(double limit, double about, std::size_t wanted, const std::stop_token& stop);

  cv::VideoCapture capture_;
  double fps_, count_;
  Opener open_;
  double decoded_ = -1, position_ = -1;  // of the picture decoded last, given last
  double first_ = -1;                    // of the first picture; negative: not known yet
  Next next_ = Next::first;
  bool starts_by_jump_ = true;          // such a jump reaches the first picture, as far as is known
  double longest_step_ = 0;             // between two timestamps
  int unstamped_ = 0;                   // pictures since the last timestamp
  std::deque<Picture> behind_, ahead_;  // decoded; behind_: until the one at position_; ahead_: to be given next
  std::chrono::steady_clock::time_point grabbed_;
};

}  // namespace app::capture
