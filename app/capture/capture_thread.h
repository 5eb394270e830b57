// All that a capture thread needs, and what it shares with its Capture. The thread holds it too, so a source that hangs
// outlives its Capture unharmed. Only for capture.cpp and capture_thread.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "app/capture/capture.h"
#include "app/capture/convert.h"
#include "app/capture/mailbox.h"
#include "app/capture/source.h"

namespace app::capture {

// Pace: when the next picture of a file is due, by its own timestamps on the steady clock.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // When the picture at `position` seconds is due. A source that is late continues from here: it does not catch up
  // by playing faster.
  Clock::time_point due(double position, Clock::time_point now) {
    constexpr std::chrono::milliseconds tolerated{250};
    if (!start_ || now - (*start_ + seconds(position)) > tolerated) start_ = now - seconds(position);
    position_ = position;
    return last_ = *start_ + seconds(position);
  }
  // The file starts again: its first picture is due `gap` seconds after the last one.
  void next_pass(double gap) {
    if (start_) start_ = last_ + seconds(gap);
  }
  // The clock stood still: the next picture is due at once.
  void forget() { start_.reset(); }
  // Times the source's own speed, from the last picture on.
  void set_speed(double speed) {
    if (speed == speed_) return;
    speed_ = speed;
    if (start_) start_ = last_ - seconds(position_);
  }

 private:
  Clock::duration seconds(double value) const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value / speed_));
  }
  std::optional<Clock::time_point> start_;  // of position 0
  Clock::time_point last_;
  double position_ = 0, speed_ = 1;
};

// ArrivalRate: how many pictures per second a live source sends, measured by the times at which they come. What a stream
// announces may be no more than its library's guess.
class ArrivalRate {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Clock::time_point at);  // a picture has come; in order
  // Over the last seconds, in tenths; 0 while it is not known yet; a long silence begins it anew. It changes by 2% at least, so
  // that it can be read.
  double per_second() const { return rate_; }

 private:
  std::optional<Clock::time_point> first_;
  std::deque<Clock::time_point> times_;
  double rate_ = 0;
};

// Where to go: to a time, or by pictures from the one at `from` (empty: from where the thread is).
struct Capture::Jump {
  std::optional<double> seconds{}, from{};
  int steps = 0;
  std::uint64_t number = 0;  // of the seek
};

struct Capture::Shared {
  using Clock = std::chrono::steady_clock;
  using Phase = Status::Phase;

  Shared(Request request, SourceFactory factory, Patience patience, Devices devices, std::weak_ptr<Shared> before)
      : request(std::move(request)),
        factory(std::move(factory)),
        patience(patience),
        devices(std::move(devices)),
        before(std::move(before)) {}

  const Request request;
  const SourceFactory factory;
  const Patience patience;
  const Devices devices;
  const std::weak_ptr<Shared> before;
  std::stop_source stop;
  Mailbox<Frame> mailbox;

  mutable std::mutex mutex;          // guards what follows
  std::condition_variable_any wake;  // paused, playback or asked changed
  Status status;
  bool paused = false;
  Playback playback{request.loop, request.max_speed, 1, false, request.values};
  std::optional<Jump> asked;          // not begun yet
  std::uint64_t seeks = 0;            // asked for so far
  std::uint64_t without_picture = 0;  // the last seek that led to no picture: a step behind the end
  std::string device;                 // SourceInfo's, of the source that plays or is opened again
  bool made_way = false;              // for a Capture that needs that device
  bool retry_asked = false;           // during the wait before the next attempt
  bool expecting = true;              // something should come: neither paused, nor at an end, nor between two attempts
  bool seeking = false;               // until the next picture, however long that takes
  Clock::time_point last_activity = Clock::now();

  std::uint64_t sequence = 0;  // the capture thread's, as what follows
  bool played_live = false;
  std::uint64_t budget = 0;  // bytes of a live source's frames
  std::chrono::milliseconds next_retry = patience.retry;
  Pace pace;
  ArrivalRate arrivals;           // of a live source
  std::uint64_t seek_number = 0;  // of what is read now
  ShownValues shown_values;
  std::optional<double> at;  // position of the picture posted last
  std::uint64_t pictures_of_pass = 0;
  bool held = false;     // slot() has the next picture, which was not due before a pause
  bool at_once = false;  // the next picture is what a seek asked for: it is due now, also in a pause

  void run();
  std::string attempt();
  Opening opening();
  void make_way(const std::string& needed);
  void pause_before_retry(const std::string& why);
  void say(std::string message);
  void lose(std::string loss, std::string message);
  bool waits_for_retry();
  void note(const SourceInfo& info);
  void enter(Phase phase, std::string message);
  void active(bool expects_more);
  void measure(ArrivalRate::Clock::time_point came);
  void forget_rate();
  Status current() const;

  // Plays an open source.
  void play(Source& source);
  bool wait_for_turn(Source& source);
  void go(Source& source, const Jump& place);
  void step(Source& source, const Jump& place);
  bool end(Source& source);
  bool deliver(Source& source, bool live);
  void show_values_of(Frame& frame);
  bool wait_until_due(double position);
  void post(Source& source, bool live);
};

}  // namespace app::capture
