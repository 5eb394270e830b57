// Capture: reads one source on a thread of its own; the latest frame waits in a mailbox, or several where each is needed. The
// source is opened, read and closed on that thread, so that it can never block the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/capture/frame.h"
#include "app/support/text.h"

namespace app::capture {

enum class SourceKind { unknown, synthetic, matrix, camera, image, video };
std::string_view name(SourceKind kind);  // "camera"; empty where it is unknown

// What to open, as the command line says it.
struct Request {
  std::string source{};  // "" (first camera that delivers, else the bundled clip), "0", "/dev/video2", a camera's name,
                         // a file, a URL, "synthetic[:WxH]", "matrix[:WxH]"
  gpu::Size size{};      // requested (cameras, synthetic); {0,0}: the source's own
  double fps = 0;        // requested; 0: the source's own
  bool loop = false, max_speed = false;  // at first: Playback
  bool lossless = false;                 // no frame of a file is replaced by a later one: its pictures wait to be taken
  bool page_locked = false;              // frames in page-locked memory: there is a GPU
  bool retry = false;                    // a live source that is lost after it played is opened again, until it plays
  std::string matrix{};                  // values of a matrix, "1,2;3,4"; empty: its own
  double start = 0;                      // seconds: the first picture is the one there, where the source can be sought
  bool no_camera = false;                // whoever asks takes files and streams alone: messages name no camera
  std::uint64_t memory = 0;              // bytes that reading a picture may take; 0: usual_memory()
  std::optional<ValueWindow> values{};   // at first: Playback
  int largest_side = maximum_side;       // a larger image is scaled down to it, and a larger video refused; 0: any
};

// How files and synthetic play, what becomes of frames that are not taken in time, and which values are shown. It can change while
// they do.
struct Playback {
  bool loop = false;       // files start again at their end
  bool max_speed = false;  // every frame, as fast as possible
  double speed = 1;        // times the source's own; not with max_speed
  // Every frame is needed, at the source's own speed: a file waits until its frame is taken, and plays slower where that takes
  // long; frames of a live source wait in a queue, and are dropped only where that is full.
  bool every_frame = false;
  std::optional<ValueWindow> values{};  // that are shown of a source of 16 bits; none: Status::automatic
  friend bool operator==(const Playback&, const Playback&) = default;
};

struct Status {
  enum class Phase {
    opening,
    playing,
    retrying,  // it played and was lost: it is opened again until it plays
    ended,
    failed
  };
  Phase phase = Phase::opening;
  std::string message;      // one line: the cause and the next step (failed), or what happens now ("trying camera 0")
  std::string description;  // "clip.mp4, 960x540, 30/s", "camera 0 (HD Webcam), MJPG 1280x720, 30/s"
  SourceKind kind = SourceKind::unknown;  // until it is open
  gpu::Size size;
  double fps = 0;                            // the source's own rate, as it states it; 0 where it has none
  double length = 0;                         // seconds; 0 where unknown or endless
  std::uint64_t delivered = 0, dropped = 0;  // frames read; frames replaced before they were taken
  std::string warning{};                     // one line: it played, but not all of it; empty mostly
  std::string no_seek{};                     // why it cannot be sought, one line; empty: it can be sought
  std::string loss{};  // one line: why it was lost ("lost camera 0: ...; trying again"), until it plays again; else empty
  std::string name{};  // the description's first part: "clip.mp4", "camera 0 (HD Webcam)"
  bool live = false;   // a camera or stream sets the pace
  bool gray = false;   // a still picture of one channel
  std::optional<ValueWindow> automatic{};  // of a source of 16 bits, once a picture has come; none: it has 8
  double measured_fps = 0;                 // of a live source, by the times at which its frames come; 0: not known yet
  bool silent = false;                     // it plays, but has sent nothing for longer than it should; `message` says so

  double rate() const { return measured_fps > 0 ? measured_fps : fps; }  // the best that is known; 0: nothing
};

// Devices that one source at a time can have open: a camera, a stream's server. Copies share them.
class Devices {
 public:
  using Hold = std::shared_ptr<void>;  // the device is free again when the last copy of it is gone

  Devices();
  // Waits until nobody holds `device`, then holds it. After `patience`, or where `stop` is requested, it is held all the same:
  // whoever opens it then learns from the system what is wrong.
  Hold hold(const std::string& device, std::chrono::milliseconds patience, std::stop_token stop) const;

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

class Source;
struct Opening;
// Opens what `request` asks for, or throws SourceError (source.h).
using SourceFactory = std::function<std::unique_ptr<Source>(const Request& request, const Opening& opening)>;

// How long a source may be silent before status() reports it.
struct Patience {
  std::chrono::milliseconds open{10'000};    // opening (again) that takes longer has failed, for now
  std::chrono::milliseconds picture{3'000};  // a source that should deliver and does not is said to be silent
  std::chrono::milliseconds retry{1'000};    // after a live source was lost; each attempt that fails doubles it
  std::chrono::milliseconds longest_retry{30'000};
  std::chrono::milliseconds closing{5'000};  // a source that has a device and is to make way for another one
};

class Capture {
 public:
  // Starts to open the source and returns at once. Never throws because of the source, or because there is no thread for it:
  // status() has the error.
  explicit Capture(Request request);
  // The same with another factory of sources. Where the source needs one of the `devices` that `before` has, that one is
  // closed first: it has made_way().
  Capture(Request request, SourceFactory factory, Patience patience = {}, Devices devices = {},
          const Capture* before = nullptr);
  // Asks the thread to stop and returns at once. A source that hangs stays with its thread, which owns all that it needs.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // The frame that waits, the oldest where several may, or nullptr if none comes within `patience`. It stays valid until take()
  // returns the next one. One consumer thread.
  const Frame* take(std::chrono::microseconds patience = {});
  // Returns that frame, for its consumer to change it. There must be one.
  Frame& taken();
  Status status() const;
  const Request& request() const;
  void set_paused(bool paused);  // files and synthetic stop; cameras continue, but deliver nothing
  void set_playback(Playback playback);

  // To another place, also at the end and in a pause. From then on take() gives no picture of before. The next one is that
  // at `seconds`; where seeks follow each other faster than they are done, those in between are left out. Only where
  // status().no_seek is empty.
  void seek(double seconds);
  // The same, by so many pictures forwards (or backwards) from the one taken last, or from where the last seek leads.
  void step(int pictures);
  // A lost source that is being opened again: the next attempt begins now. False where there is no such attempt.
  bool retry_now();
  bool waiting() const;   // a frame waits to be taken: the last one may, of a source whose status() says that it has ended
  bool seeking() const;   // the picture that was asked for last has not been taken
  bool made_way() const;  // it was closed because another Capture needs its device: no frames come any more

 private:
  struct Shared;
  struct Jump;

  void go(Jump place);

  std::shared_ptr<Shared> shared_;
  std::uint64_t taken_seek_ = 0;  // of the frame taken last
  double taken_position_ = 0;     // likewise
};

// Sources of a single picture, that stays.
inline bool is_still(SourceKind kind) { return kind == SourceKind::image || kind == SourceKind::matrix; }

}  // namespace app::capture
