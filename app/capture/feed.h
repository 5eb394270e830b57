// Feed: the source that is shown, and the one that will replace it. A new source takes over when it delivers its first
// frame; until then, and if it fails, the one before continues. Where both need the same device (a camera, a stream's server),
// the one before is closed once the new one has been found, and opened again if that fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/capture/capture.h"

namespace app {

// Whether the two requests name the same source, size and rate.
bool same_request(const capture::Request& a, const capture::Request& b);

class Feed {
 public:
  Feed();
  explicit Feed(capture::SourceFactory factory);  // for tests
  // Opens `request`.
  void open(const capture::Request& request);
  // The same for a source that must not be opened: it has failed, `why` is one line.
  void refuse(const std::string& why) { new_one_failed(why); }

  // The next frame, waiting up to `patience` for it; nullptr where none came. Valid until the next take() or open().
  const capture::Frame* take(std::chrono::microseconds patience);
  // As take(), from the source that is being opened; nullptr if none is.
  const capture::Frame* take_new(std::chrono::microseconds patience) { return opening_ ? first_of_new(patience) : nullptr; }
  // The frame taken last, of whatever source; nullptr before the first.
  const capture::Frame* last() const { return last_; }
  // Whether the pixels of that frame show other values of a source of 16 bits than these (none: the automatic choice); and makes
  // them show these, while nobody reads them.
  bool shows_other(const std::optional<capture::ValueWindow>& values) const;
  void show(const std::optional<capture::ValueWindow>& values);
  // The same where the source is a still image, which is measured as often as a run asks for; else nullptr, and while a source
  // opens.
  const capture::Frame* still() const;

  // Why the newest source could not be opened, one line, until another is asked for; else empty.
  struct Failure {
    std::uint64_t number = 0;  // of such failures: 1, 2, ...
    std::string why;
  };
  const Failure& open_failure() const { return open_failure_; }
  std::string failure() const;  // why the source shown failed; else empty. One that hung may play again
  std::string loss() const;     // why the source shown was lost, while it is opened again until it plays; else empty
  std::string warning() const;  // what was wrong with the source shown although it played; else empty
  bool opening() const { return opening_ != nullptr; }
  // Nothing comes for now: it is a still image, it is paused, it has ended, or it was lost and is tried again.
  bool quiet() const;
  bool ended() const;                       // no more frames will come: ended, failed, or nothing is open
  capture::Status status() const;           // of the source that is being opened, else of the one shown
  const capture::Request* request() const;  // of the source shown; nullptr where there is none
  // The request of the source shown, else of the one that is being opened: the one before, if it made way for one that failed.
  const capture::Request* will_play() const;
  std::uint64_t source_number() const { return number_; }  // of the source of the last frame: 1, 2, ...; 0: none yet

  void set_paused(bool paused);
  bool paused() const { return paused_; }
  void set_playback(const capture::Playback& playback);
  double speed() const { return playback_.max_speed ? 1 : playback_.speed; }  // times the source's own

  bool live() const { return shown_ && shown_->status().live; }  // the source shown
  // Capture's, of the source shown. Only where no_seek() is empty.
  void seek(double seconds);
  void step(int pictures);
  bool seeking() const { return shown_ && shown_->seeking(); }
  std::string no_seek() const;  // why it cannot be sought, one line

 private:
  void start(const capture::Request& request);
  void keep_last();
  const capture::Frame* first_of_new(std::chrono::microseconds patience = {});
  void take_over();
  void new_one_failed(const std::string& why);
  std::string why_nothing() const;

  capture::SourceFactory factory_;
  capture::Devices devices_;
  std::unique_ptr<capture::Capture> shown_, opening_;
  const capture::Frame* last_ = nullptr;
  capture::Frame kept_;  // a copy of the last frame, once its source is closed
  Failure open_failure_;
  std::uint64_t number_ = 0;  // of the source shown, or shown last
  capture::Playback playback_;
  bool paused_ = false;
};

}  // namespace app
