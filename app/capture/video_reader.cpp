#include "app/capture/video_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app::capture {
namespace {

constexpr double tolerance = 5e-4;  // seconds: half of the coarsest time base in use, that of Matroska
constexpr double usual_fps = 25;
constexpr double first_margin = 2;              // pictures before the wanted one, where the library is sent to
constexpr std::size_t kept_bytes = 48'000'000;  // of pictures behind, for further steps back
constexpr std::size_t most_kept = 24;

// How many pictures behind are kept, besides the one that is wanted.
std::size_t kept(const cv::Mat& picture) {
  return std::min(most_kept, kept_bytes / std::max<std::size_t>(1, picture.total() * picture.elemSize()));
}

}  // namespace

VideoReader::VideoReader(cv::VideoCapture capture, double fps, double count, Opener open)
    : capture_(std::move(capture)), fps_(fps > 0 ? fps : usual_fps), count_(count), open_(std::move(open)) {}

bool VideoReader::next(cv::Mat& picture) {
  if (!ahead_.empty()) {
    auto first = std::move(ahead_.front());
    ahead_.pop_front();
    first.pixels.copyTo(picture);
    position_ = first.position;
    if (!behind_.empty()) behind_.push_back(std::move(first));  // for steps back from here
    grabbed_ = std::chrono::steady_clock::now();
    return true;
  }
  behind_.clear();
  if (!decode(picture)) return false;
  position_ = decoded_;
  return true;
}

// From some files, such as MPEG transport streams, a jump to the start leads behind it, or to no picture.
bool VideoReader::decode(cv::Mat& picture) {
  auto next = std::exchange(next_, Next::following);
  bool decoded = decode_next(picture, next);
  if (next == Next::rewound && (!decoded || decoded_ > first_ + tolerance)) {
    starts_by_jump_ = false;
    decoded = open_again();
    next = std::exchange(next_, Next::following);
    decoded = decoded && decode_next(picture, next);
  }
  if (decoded && next == Next::first) first_ = decoded_;
  return decoded;
}

bool VideoReader::decode_next(cv::Mat& picture, Next next) {
  if (!capture_.grab()) return false;
  grabbed_ = std::chrono::steady_clock::now();
  if (!capture_.retrieve(picture) || picture.empty()) return false;
  decoded_ = stamp(next == Next::placed);
  return true;
}

// A decoder that gives its last pictures has no timestamps for them: 0.
double VideoReader::stamp(bool placed) {
  const double stamp = capture_.get(cv::CAP_PROP_POS_MSEC) / 1000, number = capture_.get(cv::CAP_PROP_POS_FRAMES) - 1;
  if (placed) return std::isfinite(stamp) && (stamp > 0 || number <= 0) ? std::max(stamp, 0.0) : number / fps_;
  const bool usable = std::isfinite(stamp) && stamp > decoded_ && stamp < decoded_ + 60;
  if (usable && decoded_ >= 0 && unstamped_ == 0) longest_step_ = std::max(longest_step_, stamp - decoded_);
  unstamped_ = usable || decoded_ < 0 ? 0 : unstamped_ + 1;
  return usable ? stamp : decoded_ < 0 ? 0 : decoded_ + 1 / fps_;
}

bool VideoReader::restart() {
  behind_.clear();
  ahead_.clear();
  return start_before(0);
}

// Decoding goes on at about picture `frame`, or earlier. Where the start cannot be reached by a jump, the file is opened again.
bool VideoReader::start_before(double frame) {
  const bool jumps = count_ > 1 && (frame > 0 || (starts_by_jump_ && first_ >= 0));
  if (!jumps || !capture_.set(cv::CAP_PROP_POS_FRAMES, frame)) return open_again();
  decoded_ = position_ = -1;
  next_ = frame > 0 ? Next::placed : Next::rewound;
  return true;
}

bool VideoReader::open_again() {
  decoded_ = position_ = -1;
  next_ = Next::first;
  capture_.release();
  return open_(capture_);
}

bool VideoReader::go_to(double seconds, const std::stop_token& stop) { return find(seconds + tolerance, seconds, 1, stop); }

bool VideoReader::go_back(double position, int count, const std::stop_token& stop) {
  const auto wanted = static_cast<std::size_t>(std::max(count, 1));
  const double limit = position - tolerance;
  // What was decoded for the step before is still there.
  auto last = std::ranges::find_if(behind_, [&](const Picture& picture) { return picture.position > limit; });
  if (static_cast<std::size_t>(last - behind_.begin()) >= wanted) {
    const auto from = last - static_cast<std::ptrdiff_t>(wanted);
    if (from != behind_.begin()) {  // otherwise nothing would be left for the next step
      ahead_.insert(ahead_.begin(), std::make_move_iterator(from), std::make_move_iterator(behind_.end()));
      behind_.erase(from, behind_.end());
      return true;
    }
  }
  return find(limit, position - static_cast<double>(wanted) / fps_, wanted, stop);
}

// The last picture up to `limit` but `wanted` - 1 comes next, then those after it. Starts before `about`, and once more earlier
// where that was too late.
bool VideoReader::find(double limit, double about, std::size_t wanted, const std::stop_token& stop) {
  const double near = count_ > 0 ? std::min(std::floor(about * fps_), count_ - 1) : std::floor(about * fps_);
  std::deque<double> positions;  // of the last pictures up to `limit`
  for (double margin = first_margin;; margin *= 8) {
    const double frame = std::max(0.0, near - margin);
    behind_.clear();
    ahead_.clear();
    if (!start_before(frame)) return false;
    positions.clear();
    cv::Mat picture;
    while (!stop.stop_requested() && decode(picture)) {
      Picture found{std::exchange(picture, {}), decoded_};
      if (found.position > limit) {
        ahead_.push_back(std::move(found));
        break;
      }
      positions.push_back(found.position);
      if (positions.size() > wanted) positions.pop_front();
      behind_.push_back(std::move(found));
      if (behind_.size() > 1 + kept(behind_.back().pixels)) behind_.pop_front();
    }
    if (positions.size() >= wanted || frame <= 0 || stop.stop_requested()) break;
  }
  if (behind_.size() < positions.size()) return find(positions.front() + tolerance, positions.front(), 1, stop);
  const auto from = behind_.end() - static_cast<std::ptrdiff_t>(std::min(wanted, behind_.size()));
  ahead_.insert(ahead_.begin(), std::make_move_iterator(from), std::make_move_iterator(behind_.end()));
  behind_.erase(from, behind_.end());
  return true;
}

}  // namespace app::capture
